"""The table of all baselines, and the one door to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.checks import check_int, check_seed
from ..common.parallel import one_blas_thread
from ..common.progress import ProgressCallback, silent
from .anchorfree import fit_anchorfree
from .counts import as_counts
from .dpfa import fit_dpfa
from .fitted import Fitted, unit_sums
from .kmeans import fit_kmeans
from .lapplsi import fit_lapplsi
from .lda import fit_lda
from .ltm import fit_ltm
from .nmf import fit_gensim_nmf, fit_sklearn_nmf
from .plsi import fit_plsi
from .snpa import fit_snpa
from .spa import fit_spa
from .xray import fit_xray

Fit = Callable[[Any, int, np.random.SeedSequence, ProgressCallback], Fitted]
"""Counts (N x V, csr; no row or column is empty, N >= K), K, the seed, the progress callback."""


@dataclass(frozen=True)
class Baseline:
    """A method: its name here, its title in the paper's tables, who published it, how to fit it.

    Examples
    --------
    >>> BASELINES["plsi"].title, BASELINES["plsi"].reference
    ('PLSI', 'Hofmann, 1999')
    """

    name: str
    title: str
    reference: str
    fit: Fit


_ROWS = (
    Baseline("plsi", "PLSI", "Hofmann, 1999", fit_plsi),
    Baseline("lda", "LDA", "Blei, Ng and Jordan, 2003; Hoffman, Blei and Bach, 2010", fit_lda),
    Baseline("lapplsi", "LapPLSI", "Cai, Mei, Han and Zhai, 2008", fit_lapplsi),
    Baseline("ltm", "LTM", "Cai, Wang and He, 2009", fit_ltm),
    Baseline("spa", "SPA", "Gillis and Vavasis, 2014", fit_spa),
    Baseline("snpa", "SNPA", "Gillis, 2014", fit_snpa),
    Baseline("xray", "XRAY", "Kumar, Sindhwani and Kambadur, 2013", fit_xray),
    Baseline(
        "anchorfree", "AnchorFree", "Fu, Huang, Sidiropoulos, Shi and Hong, 2018", fit_anchorfree
    ),
    Baseline("dpfa", "DPFA", "Henao, Gan, Lu and Carin, 2015", fit_dpfa),
    Baseline("gensim-nmf", "NMF (gensim)", "Zhao and Tan, 2017", fit_gensim_nmf),
    Baseline("sklearn-nmf", "NMF (scikit-learn)", "Cichocki and Phan, 2009", fit_sklearn_nmf),
    Baseline("kmeans", "k-means", "Lloyd, 1982; Arthur and Vassilvitskii, 2007", fit_kmeans),
)
BASELINES: dict[str, Baseline] = {row.name: row for row in _ROWS}
"""The methods that `fit_baseline` knows, by name."""


def fit_baseline(
    name: str,
    doc_term: Any,
    num_topics: int,
    *,
    id2word: Any = None,
    random_state: Any = 0,
    progress: ProgressCallback | None = None,
) -> Fitted:
    """Fit a baseline to word counts.

    Parameters
    ----------
    name
        A key of `BASELINES`.
    doc_term
        Counts (documents x terms), sparse or dense, or a gensim corpus: documents as lists of
        (term id, count). Methods that want TF-IDF make it of the counts.
    id2word
        The words of a corpus by id. Without it the largest id in the corpus is the last term.
    random_state
        The same int gives the same result, bit for bit, on any number of cores.
    progress
        Called with a `dnmf_topics.core.Progress` event as the fit goes on; what it raises cancels
        the fit.

    Documents without words have no weights and terms that never occur none either. There are no
    more topics than documents with words; those beyond are empty.

    Examples
    --------
    >>> fitted = fit_baseline("kmeans", [[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 3]], 2)
    >>> fitted.get_topics().shape
    (2, 4)
    >>> bool(fitted.labels[0] == fitted.labels[1] != fitted.labels[2])
    True
    """
    if name not in BASELINES:
        known = ", ".join(BASELINES)
        raise ValueError(f"name must be one of {known}, got {name!r}.")
    counts = as_counts(doc_term, id2word)
    num_topics = check_int(num_topics, "num_topics", 1, counts.shape[0])
    seed = check_seed(random_state)
    docs = np.flatnonzero(np.diff(counts.indptr))
    terms = np.unique(counts.indices)
    topics, weights = (
        np.zeros((num_topics, counts.shape[1])),
        np.zeros((counts.shape[0], num_topics)),
    )
    objective: tuple[float, ...] = ()
    size = min(num_topics, docs.size)
    if size:
        with one_blas_thread():
            found = BASELINES[name].fit(counts[docs][:, terms], size, seed, progress or silent)
        topics[:size, terms] = found.topic_term
        weights[docs, :size] = found.doc_topic
        objective = found.objective
    return Fitted(unit_sums(topics), weights, objective)
