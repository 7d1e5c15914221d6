"""From a weighted document-term matrix to topics: f(D), then D ~ C W around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.arrays import Dense, FloatArray, Labels
from ..common.blocks import Blocks, RowBlocks
from ..common.checks import (
    SparseInput,
    check_doc_term,
    check_int,
    check_jobs,
    check_real,
    check_seed,
    memory_for,
)
from ..common.engines import Engine, Threads
from ..common.parallel import one_blas_thread
from ..common.progress import ProgressCallback, silent
from .deep import DeepClustering, UnitDocuments, cluster_deeply, find_unit_documents
from .factorization import check_variant, factorize
from .factorization.memberships import OneHot
from .factorization.paper_arrays import Columns
from .folding import fold_in
from .mbn import Mbn
from .membership import given_membership
from .refine import assignment_weights
from .seeding import Seeds


@dataclass(frozen=True, eq=False)
class Factors:
    """What the factorization was around, and what it weighs documents by, in the paper's letters.

    Attributes
    ----------
    F, W : OneHot or (K x N) array
        f(D), and the topics' weights in documents.
    DFt : (V x K) array
        D F', the summed documents of every topic.
    """

    F: OneHot | Dense
    W: OneHot | Dense
    DFt: Dense

    @property
    def sizes(self) -> Dense:
        """Number of documents of every topic (K)."""
        return self.F.sizes if isinstance(self.F, OneHot) else self.F.sum(axis=1)


@dataclass(frozen=True, eq=False)
class TopicFit:
    """What a fit found.

    Attributes
    ----------
    topic_term : (K x V) array
        Weights of the terms in every topic, the paper's C transposed.
    doc_topic : (N x K) array
        Weights of the topics in every document, the paper's W transposed. At the borders of the
        clusters another topic than that of `cluster_labels` may have the largest.
    membership : (N x K) array
        f(D), one-hot or soft; rows sum to 1.
    cluster_labels : (N) array of int
        The topic (0..K-1) of every document.
    factors : Factors
        What the two are made of.
    assignment_weights : (V x K) array
        How much each term speaks for each topic, for unseen documents.
    losses : tuple of float
        The factorization's loss after every step (sDNMF without overlap: every topic).
    deep : DeepClustering or None
        The network and its clustering, where the MBN made f(D).

    Examples
    --------
    >>> from dnmf_topics.core import Tfidf, fit_topics
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> tfidf = Tfidf.fit(counts)
    >>> fit = fit_topics(tfidf.transform(counts), num_topics=2, random_state=0)
    >>> fit.num_topics, fit.cluster_labels.tolist()
    (2, [0, 0, 0, 1, 1])
    >>> new = tfidf.transform([[0, 0, 4, 0]])
    >>> fit.assign(new).tolist(), fit.fold_in(new).round(2).tolist()
    ([1], [[0.0, 0.67]])
    """

    topic_term: Dense
    cluster_labels: Labels
    factors: Factors
    losses: tuple[float, ...]
    deep: DeepClustering | None

    @property
    def num_topics(self) -> int:
        """Number of topics."""
        return int(self.topic_term.shape[0])

    @property
    def doc_topic(self) -> Dense:
        """The weights, made when they are asked for where each document has one topic.

        Examples
        --------
        >>> from dnmf_topics.core import fit_topics
        >>> fit_topics([[2, 0], [0, 1]], 2, deep_model=[0, 1]).doc_topic.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return np.asarray(self.factors.W).T

    @property
    def membership(self) -> Dense:
        """f(D), made in the same way.

        Examples
        --------
        >>> from dnmf_topics.core import fit_topics
        >>> fit_topics([[2, 0], [0, 1]], 2, deep_model=[0, 1]).membership.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return np.asarray(self.factors.F).T

    @property
    def assignment_weights(self) -> FloatArray:
        """The term weights, from the clusters' sums.

        Examples
        --------
        >>> from dnmf_topics.core import fit_topics
        >>> fit = fit_topics([[2, 0], [0, 1]], 2, deep_model=[0, 1])
        >>> (fit.assignment_weights > 0).tolist()
        [[True, False], [False, True]]
        """
        return assignment_weights(self.factors.DFt)

    def assign(self, doc_term: SparseInput) -> Labels:
        """Topics of unseen documents, weighted as the fitted ones were.

        A document without a known term goes to the largest topic.
        """
        doc_term = check_doc_term(doc_term, "doc_term", self.topic_term.shape[1])
        scores = doc_term @ self.assignment_weights
        topic_sizes = self.factors.sizes
        unknown = ~scores.any(axis=1)
        scores[:, topic_sizes == 0] = -np.inf
        labels: Labels = scores.argmax(axis=1)
        labels[unknown] = topic_sizes.argmax()
        return labels

    def fold_in(self, doc_term: SparseInput) -> Dense:
        """Topic weights (n x K) of unseen documents: non-negative least squares on the topics."""
        doc_term = check_doc_term(doc_term, "doc_term", self.topic_term.shape[1])
        with one_blas_thread():
            return fold_in(doc_term, self.topic_term.T)


def fit_topics(
    doc_term: SparseInput,
    num_topics: int,
    *,
    deep_model: Any = None,
    variant: str = "bdnmf",
    max_iterations: int = 200,
    tol: float = 1e-5,
    random_state: Any = None,
    n_jobs: int | None = -1,
    progress: ProgressCallback = silent,
    **variant_options: Any,
) -> TopicFit:
    """Find `num_topics` topics in weighted documents (N x V, as `Tfidf` makes them).

    Parameters
    ----------
    doc_term : (N x V) sparse matrix or array
        The weights.
    num_topics : int
        How many topics there are to be.
    deep_model : Mbn, clusterer or array, optional
        What makes f(D): an `Mbn` (default), an object with `fit_predict`, an array of N labels, or
        a membership matrix (N x K) whose rows sum to 1.
    variant : {"bdnmf", "sdnmf", "cdnmf"}, default="bdnmf"
        The factorization, a key of `VARIANTS`.
    max_iterations, tol : int and float
        Iterations of the factorization, and the relative decrease that ends them.
    random_state : None, int, RandomState or Generator
        The same int gives the same result, bit for bit, whatever `n_jobs` is.
    n_jobs : int or None, default=-1
        Number of threads, as joblib counts them.
    progress : callable
        Called with a `Progress` event after every step; what it raises cancels the fit.
    **variant_options : float or str
        Options of the variant, by name. bDNMF has none. sDNMF's `overlap` says how many documents
        of other clusters a topic may share, in parts of its own number (default 1; 0 for the
        paper's plain algorithm); words that they have in common then need not be in every topic. A
        soft membership says itself which documents share topics. cDNMF's `lambda1` and `lambda2`
        (default 1) weigh its two penalties; "auto" tries several by agreement with f(D), each at
        the price of a factorization.

    Returns
    -------
    TopicFit
        What was found. A document without any weight takes no part in the fit and goes to the
        largest topic.

    Examples
    --------
    >>> from dnmf_topics.core import VARIANTS, Mbn, Tfidf
    >>> counts = [[3, 1, 0, 0], [2, 2, 0, 0], [1, 2, 0, 0], [0, 0, 2, 3], [0, 0, 1, 1]]
    >>> doc_term = Tfidf.fit(counts).transform(counts)
    >>> small = Mbn(num_clusterings=50)
    >>> fit_topics(doc_term, 2, deep_model=small, random_state=0).cluster_labels.tolist()
    [0, 0, 0, 1, 1]
    >>> for variant in VARIANTS:
    ...     print(variant, fit_topics(doc_term, 2, variant=variant, random_state=0).doc_topic.shape)
    bdnmf (5, 2)
    sdnmf (5, 2)
    cdnmf (5, 2)
    """
    doc_term = check_doc_term(doc_term, "doc_term")
    num_topics = check_int(num_topics, "num_topics", 1, doc_term.shape[0])
    check_variant(variant, variant_options)
    check_int(max_iterations, "max_iterations", 1)
    check_real(tol, "tol", 0)
    check_jobs(n_jobs)
    if not callable(progress):
        raise TypeError(f"progress must be a function of one event, got {progress!r}.")
    documents, engine = RowBlocks(doc_term), Threads(n_jobs)
    units = None
    if deep_model is None or isinstance(deep_model, Mbn):
        with one_blas_thread():
            units = find_unit_documents(documents, engine)
    return fit_blocks(
        documents, units, num_topics, engine,
        deep_model=deep_model, variant=variant, max_iterations=max_iterations, tol=tol,
        random_state=random_state, progress=progress, **variant_options,
    )  # fmt: skip


def fit_blocks(
    documents: Blocks,
    units: UnitDocuments | None,
    num_topics: int,
    engine: Engine,
    *,
    deep_model: Any = None,
    variant: str = "bdnmf",
    max_iterations: int = 200,
    tol: float = 1e-5,
    random_state: Any = None,
    progress: ProgressCallback = silent,
    seeds: Seeds | None = None,
    **variant_options: Any,
) -> TopicFit:
    """The same of weighted documents in blocks, with an engine; `units` are for the network.

    `seeds` steer the network's clustering; those of clusters that there are not do nothing. The
    network makes no more topics than documents; given groups may leave topics empty.

    Unless the variant is bDNMF and each document has one topic, arrays of documents x topics are in
    memory; cDNMF takes all documents there too.
    """
    num_topics = check_int(num_topics, "num_topics", 1)
    seed = check_seed(random_state)
    D = Columns(documents, engine)
    with memory_for(num_topics, documents.shape[1], num_arrays=3), one_blas_thread():
        deep = None
        F: OneHot | Dense
        if units is not None:
            seeds = seeds and seeds.among(np.arange(num_topics))
            deep = cluster_deeply(
                units, num_topics, deep_model or Mbn(), seed, engine, progress, seeds
            )
            labels, F = deep.cluster_labels, OneHot(deep.cluster_labels, num_topics)
        else:
            F = given_membership(deep_model, documents, num_topics)
            labels = F.labels if isinstance(F, OneHot) else F.argmax(axis=0)
        factors = factorize(
            D, F, variant,
            max_iterations=max_iterations, tol=tol, progress=progress, **variant_options,
        )  # fmt: skip
        DFt = D.cluster_sums(labels, num_topics) if isinstance(F, OneHot) else D @ F.T
    return TopicFit(
        topic_term=factors.C.T,
        cluster_labels=labels,
        factors=Factors(F, factors.W, DFt),
        losses=factors.losses,
        deep=deep,
    )
