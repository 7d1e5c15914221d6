"""What every method gives: topics, the documents' weights, and how its objective went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse

from ..common.arrays import Dense, Labels

Infer: TypeAlias = Callable[[sparse.csr_array], Dense]
"""From the counts of further documents (n x V) to their topic shares (n x K)."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted baseline.

    Attributes
    ----------
    topic_term : array, shape (K, V)
        The distribution of every topic over the terms; that of an empty topic is uniform.
    doc_topic : array, shape (N, K)
        Non-negative weights of the topics in the training documents; an empty document has none.
    objective : tuple of float
        The method's objective after every step, where it has one.
    infer : callable or None
        From the counts of further documents (n x V) to their topic shares (n x K), where the method
        has an inference of its own for these.

    Examples
    --------
    >>> from dnmf_topics.baselines import fit_baseline
    >>> fitted = fit_baseline("plsi", [[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 3]], num_topics=2)
    >>> fitted.cluster_labels.shape, fitted.get_topics().sum(axis=1).round(6).tolist()
    ((3,), [1.0, 1.0])
    >>> fitted.objective[-1] >= fitted.objective[0]  # the likelihood, which rises
    True
    """

    topic_term: Dense
    doc_topic: Dense
    objective: tuple[float, ...] = ()
    infer: Infer | None = None

    def get_topics(self) -> Dense:
        """The topics (K x V), under the name that gensim's models give them."""
        return self.topic_term

    @property
    def cluster_labels(self) -> Labels:
        """The heaviest topic of every document, of equals the first."""
        return np.asarray(self.doc_topic.argmax(axis=1), np.int64)


def unit_sums(rows: Dense) -> Dense:
    """Rows scaled to sum 1; rows without weight become uniform."""
    sums = rows.sum(axis=1, keepdims=True)
    uniform = np.full_like(rows, 1 / rows.shape[1])
    return np.where(sums > 0, rows / np.where(sums > 0, sums, 1), uniform)
