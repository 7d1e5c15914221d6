"""The table of all baselines, and the one door to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, IntArray
from ..common.checks import check_int, check_seed, memory_for
from ..common.parallel import one_blas_thread
from ..common.progress import ProgressCallback, silent
from .anchorfree import fit_anchorfree
from .counts import as_counts
from .dpfa import fit_dpfa
from .fitted import Fitted, Infer, unit_sums
from .kmeans import fit_kmeans
from .lapplsi import fit_lapplsi
from .lda import fit_lda
from .ltm import fit_ltm
from .nmf import fit_gensim_nmf, fit_sklearn_nmf
from .plsi import fit_plsi
from .snpa import fit_snpa
from .spa import fit_spa
from .xray import fit_xray

Fit = Callable[[sparse.csr_array, int, np.random.SeedSequence, ProgressCallback], Fitted]
"""Counts (N x V, csr; no row or column is empty, N >= K), K, the seed, the progress callback."""


BASELINES: dict[str, Fit] = {
    "plsi": fit_plsi,
    "lda": fit_lda,
    "lapplsi": fit_lapplsi,
    "ltm": fit_ltm,
    "spa": fit_spa,
    "snpa": fit_snpa,
    "xray": fit_xray,
    "anchorfree": fit_anchorfree,
    "dpfa": fit_dpfa,
    "gensim-nmf": fit_gensim_nmf,
    "sklearn-nmf": fit_sklearn_nmf,
    "kmeans": fit_kmeans,
}
"""The methods that `fit_baseline` knows, by name; `dnmf_topics.bench.METHODS` has their titles."""


def fit_baseline(
    name: str,
    doc_term: Any,
    num_topics: int,
    *,
    id2word: Mapping[int, str] | None = None,
    random_state: Any = 0,
    progress: ProgressCallback | None = None,
) -> Fitted:
    """Fit a baseline to word counts.

    Parameters
    ----------
    name : str
        A key of `BASELINES`.
    doc_term : sparse matrix, array or gensim corpus
        Counts (documents x terms), or documents as lists of (term id, count). Methods that
        want TF-IDF make it of the counts.
    num_topics : int
        How many topics to find, at most as many as documents.
    id2word : mapping from int to str, optional
        The words of a corpus by id. Without it the largest id in the corpus is the last term.
    random_state : int, SeedSequence, RandomState, Generator or None
        The same int gives the same result, bit for bit, on any number of cores.
    progress : callable, optional
        Called with a `Progress` event as the fit goes on; what it raises cancels the fit.

    Returns
    -------
    Fitted
        Documents without words have no weights and terms that never occur none either. There are
        no more topics than documents with words; those beyond are empty.

    Examples
    --------
    >>> fitted = fit_baseline("kmeans", [[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 3]], 2)
    >>> fitted.get_topics().shape
    (2, 4)
    >>> bool(fitted.cluster_labels[0] == fitted.cluster_labels[1] != fitted.cluster_labels[2])
    True
    """
    if name not in BASELINES:
        known = ", ".join(BASELINES)
        raise ValueError(f"name must be one of {known}, got {name!r}.")
    counts = as_counts(doc_term, id2word)
    num_topics = check_int(num_topics, "num_topics", 1, counts.shape[0])
    seed = check_seed(random_state)
    with memory_for(num_topics, counts.shape[1], num_arrays=2):
        return _fit(name, counts, num_topics, seed, progress or silent)


def _fit(
    name: str, counts: sparse.csr_array, num_topics: int, seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:  # fmt: skip
    """Fit to the documents that have words, and the terms that occur."""
    docs = np.flatnonzero(np.diff(counts.indptr))
    terms = np.unique(counts.indices)
    topics, weights = (
        np.zeros((num_topics, counts.shape[1])),
        np.zeros((counts.shape[0], num_topics)),
    )
    objective: tuple[float, ...] = ()
    infer = None
    size = min(num_topics, docs.size)
    if size:
        with one_blas_thread():
            found = BASELINES[name](counts[docs][:, terms], size, seed, progress)
        topics[:size, terms] = found.topic_term
        weights[docs, :size] = found.doc_topic
        objective = found.objective
        infer = found.infer and _AllTerms(found.infer, terms, num_topics)
    return Fitted(unit_sums(topics), weights, objective, infer)


@dataclass(frozen=True, eq=False)
class _AllTerms:
    """An inference on the terms that occurred, for documents of all terms."""

    infer: Infer
    terms: IntArray
    num_topics: int

    def __call__(self, counts: sparse.csr_array) -> Dense:
        known = self.infer(sparse.csr_array(counts[:, self.terms]))
        shares = np.zeros((counts.shape[0], self.num_topics))
        shares[:, : known.shape[1]] = known  # topics beyond are empty
        return shares
