"""What sets a topic's documents of one time, or of one class, apart from its others: words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import rel_entr

from ..common.arrays import Dense, IntArray, Labels
from ..common.blocks import Blocks
from ..common.engines import Engine, Outcome, Parts

MIN_DOCS = 3
# With the dates of the documents exchanged within each topic, one word of fifty is told all the
# same, and at 2 log(100) one of six: tests/benchmarks/over_time.py.
MIN_DEVIANCE = 2 * math.log(1000)


@dataclass(frozen=True, eq=False)
class Groups:
    """Documents in so many groups, such as times or classes; -1 for one in none (N)."""

    index: IntArray
    number: int


def group_sizes(labels: Labels, groups: Groups, num_topics: int) -> IntArray:
    """How many documents of each group belong to each topic (groups x K).

    A document counts for its main topic, as a whole. Then sizes add up to those of the groups and
    of the topics as they are told everywhere, and they are known of any number of documents. Sums
    of shares would be smoother, but each topic would have a little of all documents, in which a
    topic that ends does not end.
    """
    known = groups.index >= 0
    cells = groups.index[known] * num_topics + labels[known]
    sizes = np.bincount(cells, minlength=groups.number * num_topics)
    return sizes.reshape(groups.number, num_topics)


def changed_words(
    documents: Blocks,
    labels: Labels,
    groups: Groups,
    num_topics: int,
    topn: int,
    engine: Engine,
) -> list[list[list[int]]]:
    """For each group and topic, the words that its documents have more often than the topic's all.

    With n documents of a topic k in a group g, of which n_w have word w, and n', n'_w the same of
    all groups, words are ordered as those of topics are (see `DnmfState.get_lambda`):

        P_w log(P_w / Q_w),  P_w = n_w / n,  Q_w = n'_w / n'

    Only those that are beyond chance are told, so that two documents do not speak for a time: words
    of at least three documents whose deviance is above a limit. If word w were as frequent in all
    groups, n_w would be a binomial variable, and its deviance

        2 n (P_w log(P_w / Q_w) + (1 - P_w) log((1 - P_w) / (1 - Q_w)))

    would be above 2 log(1000) in less than one of 1000 cases.
    """
    is_cell = groups.index >= 0
    # Documents of one topic and one group, by topics.
    cells = np.where(is_cell, labels * groups.number + groups.index, -1)
    found = engine.over(documents, _sum_presence, num_topics * groups.number, split=(cells,))
    presence, sizes = found.summand
    words: list[list[list[int]]] = [[[] for _ in range(num_topics)] for _ in range(groups.number)]
    for topic in range(num_topics):
        rows = slice(topic * groups.number, (topic + 1) * groups.number)
        for group, chosen in enumerate(_beyond_chance(presence[rows], sizes[rows], topn)):
            words[group][topic] = chosen
    return words


def _sum_presence(counts: sparse.csr_array, cells: IntArray, num_cells: int) -> Outcome:
    """How many documents of each cell have each word, and how many have any."""
    known = np.flatnonzero((cells >= 0) & (np.diff(counts.indptr) > 0))
    ones = np.ones(known.size)
    shape = num_cells, counts.shape[0]
    members = sparse.csr_array((ones, (cells[known], known)), shape=shape)
    presence = members @ counts.astype(bool).astype(np.float64)
    return Outcome(None, Parts((presence, np.bincount(cells[known], minlength=num_cells))))


def _beyond_chance(presence: sparse.csr_array, sizes: IntArray, topn: int) -> list[list[int]]:
    """The words of each group of one topic, from how many documents have them (groups x V)."""
    # Q_w = n'_w / n'
    overall: Dense = np.asarray(presence.sum(axis=0)).ravel() / max(sizes.sum(), 1)
    chosen: list[list[int]] = []
    for group, size in enumerate(sizes.tolist()):
        if size < MIN_DOCS:
            chosen.append([])
            continue
        row = slice(presence.indptr[group], presence.indptr[group + 1])
        terms, has = presence.indices[row], presence.data[row]
        inside, outside = has / size, overall[terms]
        # P_w log(P_w / Q_w)
        weights = rel_entr(inside, outside)
        deviance = 2 * size * (weights + rel_entr(1 - inside, 1 - outside))
        is_beyond = (inside > outside) & (has >= MIN_DOCS) & (deviance > MIN_DEVIANCE)
        weights = np.where(is_beyond, weights, 0)
        order = np.lexsort((terms, -weights))[:topn]
        chosen.append(terms[order[weights[order] > 0]].tolist())
    return chosen
