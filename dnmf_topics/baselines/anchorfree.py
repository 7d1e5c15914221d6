"""Topics without anchor words (AnchorFree; Fu, Huang, Sidiropoulos, Shi and Hong, 2018), on TF-IDF.

The co-occurrence of words is P = C E C'. Of all C >= 0 whose columns sum to 1 take that with the
smallest |det E|: the topics that fit most tightly around the words.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse.linalg import svds

from ..common.arrays import Dense
from ..common.progress import Progress, ProgressCallback, silent
from ..common.seeds import child_rng
from ..core import Tfidf, fold_in
from .fitted import Fitted

MAX_ROUNDS = 20
TOLERANCE = 1e-3  # gain of log |det M| in a round that ends the fit
MAX_CUTS = 100  # of a linear program
CUTS_AT_A_TIME = 50
FEASIBLE = 1e-9


def fit_anchorfree(
    counts: sparse.csr_array,
    num_topics: int,
    seed: np.random.SeedSequence,
    progress: ProgressCallback,
) -> Fitted:
    """AnchorFree on weighted TF-IDF, weights by least squares; the objective is log |det M|.

    Without the weighting the leading eigenvectors pass over small groups of documents.
    """
    doc_term = weigh_by_cut(Tfidf.fit(counts).transform(counts))
    rng = child_rng(seed, 0)
    basis = leading_words(doc_term, num_topics, rng)
    topics = np.zeros((counts.shape[1], num_topics))
    objective: list[float] = []
    if basis.shape[1]:
        mixing, objective = widest_topics(basis, rng, progress)
        topics[:, : basis.shape[1]] = np.maximum(basis @ mixing, 0)
    return Fitted(topics.T, fold_in(doc_term, topics), tuple(objective))


def weigh_by_cut(doc_term: sparse.csr_array) -> sparse.csr_array:
    """Documents scaled by 1 / sqrt(similarity to all documents): normalized-cut weighting.

    Xu, Liu and Gong, 2003, section 3.2: large groups of like documents no longer outweigh small
    ones.
    """
    # D diag(D'D 1)^(-1/2), where columns of D are documents
    similarity = doc_term @ doc_term.sum(axis=0)
    scale = 1 / np.sqrt(np.where(similarity > 0, similarity, 1))
    return sparse.csr_array(sparse.diags_array(scale) @ doc_term)


def leading_words(doc_term: sparse.csr_array, num_topics: int, rng: np.random.Generator) -> Dense:
    """Leading eigenvectors of P = X'X (V x K), fewer where P has a smaller rank."""
    if num_topics < min(doc_term.shape):
        first = rng.standard_normal(min(doc_term.shape))
        _, sizes, vectors = svds(doc_term, num_topics, v0=first)
    else:  # one side is no longer than the number of topics
        _, sizes, vectors = np.linalg.svd(doc_term.toarray(), full_matrices=False)
    order = np.argsort(-sizes, kind="stable")[:num_topics]
    order = order[sizes[order] > 1e-8 * max(sizes.max(), np.finfo(float).tiny)]
    leading: Dense = np.ascontiguousarray(vectors[order].T)
    return leading


def widest_topics(
    basis: Dense, rng: np.random.Generator, progress: ProgressCallback = silent
) -> tuple[Dense, list[float]]:
    """M (K x K) with C = B M and |det M| as large as can be, and log |det M| after every round.

    For one column m_k of M the determinant is linear, det M = a'm_k, with a orthogonal to the
    other columns. So a linear program finds the best column, and another the best of the opposite
    sign (algorithm 1): max a'm, B m >= 0, 1'B m = 1.
    """
    size = basis.shape[1]
    programs = _Programs(basis)
    mixing = rng.standard_normal((size, size))
    objective: list[float] = []
    for step in range(1, MAX_ROUNDS + 1):
        for k in range(size):
            others = np.delete(mixing, k, axis=1)
            # The last left singular vector of K x (K - 1) is orthogonal to all columns
            slope = np.linalg.svd(others)[0][:, -1]
            found = [programs.solve(slope), programs.solve(-slope)]
            known = [column for column in found if column is not None]
            if known:
                best = max(known, key=lambda column: abs(slope @ column))
                if step == 1 or abs(slope @ best) > abs(slope @ mixing[:, k]):
                    mixing[:, k] = best
        objective.append(float(np.linalg.slogdet(mixing)[1]))
        progress(Progress("anchorfree", step, MAX_ROUNDS, objective[-1]))
        if step > 1 and objective[-1] - objective[-2] <= TOLERANCE:
            break
    return mixing, objective


class _Programs:
    """max a'm, B m >= 0, 1'B m = 1: few of the V inequalities matter, so they come when violated.

    The basis is orthonormal, so |m| = |B m| <= 1: that bounds the programs before they have cuts.
    """

    def __init__(self, basis: Dense) -> None:
        lengths = np.linalg.norm(basis, axis=1, keepdims=True)
        self.sums = basis.sum(axis=0)
        self.rows = basis[lengths.ravel() > 0] / lengths[lengths.ravel() > 0]
        ends = np.concatenate([self.rows.argmin(axis=0), self.rows.argmax(axis=0)])
        self.cuts = np.unique(ends)

    def solve(self, slope: Dense) -> Dense | None:
        """The best m (K), or None where the solver finds none."""
        for _ in range(MAX_CUTS):
            answer = linprog(
                -slope,
                A_ub=-self.rows[self.cuts],
                b_ub=np.zeros(self.cuts.size),
                A_eq=self.sums[None, :],
                b_eq=np.ones(1),
                bounds=(-1, 1),
                method="highs-ds",
            )
            if answer.x is None:
                return None
            heights = self.rows @ answer.x
            lowest = np.argsort(heights, kind="stable")[:CUTS_AT_A_TIME]
            violated = lowest[heights[lowest] < -FEASIBLE]
            new = np.setdiff1d(violated, self.cuts)
            if new.size == 0:
                break
            self.cuts = np.union1d(self.cuts, new)
        column: Dense = answer.x
        return column
