"""Document completion of a method: what nine tenths of the documents teach it about the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..common.arrays import Dense
from ..common.checks import check_seed
from ..common.seeds import child_rng, child_seed
from ..evaluation import completion_likelihood, halve_documents, infer_shares, smooth_topics
from .cells import Settings
from .corpora import Problem, used_terms
from .methods import Found, Method

HELD_OUT = 10  # one document of so many
SMOOTHING = 0.01  # the corpus' share in topics that come without an inference


def measure_completion(
    method: Method, problem: Problem, settings: Settings, seed: int
) -> float | None:
    """Fit to nine tenths of the documents; the log-likelihood per word of half of the others.

    Of the held-out documents a random half of the words is shown, and the topic shares are
    inferred from it: by the method's own inference, where it has one (`Found`), else by
    `infer_shares` from its topics, smoothed with one percent of the distribution of all words
    (`smooth_topics`), as they are often made from TF-IDF and were not meant as probabilities of
    words. The seed decides on the documents and the halves: methods with the same seed are asked
    the same. Terms that only held-out documents have do not count.

    None where there is nothing to measure: counts are no whole numbers, there are fewer than ten
    documents, no word is hidden, or the documents to learn from are fewer than the topics or all
    have the same terms, so that TF-IDF weighs none.
    """
    exam = _set_exam(problem, seed)
    if exam is None:
        return None
    settings = _settings_of_rows(settings, exam.rows, problem.counts.shape[0])
    found = method.fit(exam.learning, settings, seed)
    shares, words = _infer(found, exam)
    return completion_likelihood(exam.hidden, shares, words)


@dataclass(frozen=True, eq=False)
class Exam:
    """What a method learns from, and what it is asked then; all with the same terms."""

    rows: NDArray[np.intp]  # the documents to learn from
    learning: Problem
    shown: sparse.csr_array
    hidden: sparse.csr_array


def _set_exam(problem: Problem, seed: int) -> Exam | None:
    root, num_docs = check_seed(seed), problem.counts.shape[0]
    if (problem.counts.data % 1).any() or num_docs < HELD_OUT:
        return None
    order = child_rng(root, 0).permutation(num_docs)
    held_out, rows = order[: num_docs // HELD_OUT], np.sort(order[num_docs // HELD_OUT :])
    learning = problem.rows(rows)
    terms = used_terms(learning.counts)
    num_known = np.count_nonzero(learning.counts.sum(axis=1))
    if num_known < problem.num_topics or learning.counts.nnz == num_known * terms.size:
        return None
    shown, hidden = halve_documents(problem.counts[held_out][:, terms], child_seed(root, 1))
    return Exam(rows, learning.terms(terms), shown, hidden) if hidden.nnz else None


def _settings_of_rows(settings: Settings, rows: NDArray[np.intp], num_docs: int) -> Settings:
    """Settings for some of the documents: a `deep_model` may be groups, with a row for each."""
    groups: Any = settings.get("deep_model")
    if np.shape(groups)[:1] != (num_docs,):
        return settings
    groups = sparse.csr_array(groups) if sparse.issparse(groups) else np.asarray(groups)
    return {**settings, "deep_model": groups[rows]}


def _infer(found: Found, exam: Exam) -> tuple[Dense, Dense]:
    """The topic shares of the shown halves, and the topics' probabilities of words."""
    infer = getattr(found, "infer", None)
    if infer is not None:
        words = getattr(found, "word_distributions", found.topic_term)
        return infer(exam.shown), np.asarray(words, np.float64)
    words = smooth_topics(found.topic_term, exam.learning.counts, SMOOTHING)
    return infer_shares(exam.shown, words), words
