"""The compiled inner loops of the multilayer bootstrap network.

Every kernel works on a block of rows (documents) against a *pool*: the documents that some
clustering of the layer drew as a centroid. A clustering's centroids carry the codes 0..k-1 in the
random order in which they were drawn, and of equally near centroids the one with the smallest
code wins: ties fall at random, and identical documents always get identical codes.

The draws are stored twice: `centroids[m, c]` is the pool document with code c in clustering m,
and by pool document: p is centroid `draw_code[e]` of clustering
`draw_clustering[e]` for e in `draw_start[p] .. draw_start[p + 1]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.compiled import kernel

NUM_LEVELS = 1024  # resolution of the histogram that finds the nearest part of the pool
TILE = 1024  # pool documents compared at a time, so that their codes stay in the cache


@kernel
def _fill_histogram(level: Any, histogram: Any) -> None:
    """histogram[v] = number of v in `level`; four at a time, as equal neighbors wait in line."""
    quarters = np.zeros((4, histogram.size), np.int32)
    whole = level.size // 4 * 4
    for p in range(0, whole, 4):
        quarters[0, level[p]] += 1
        quarters[1, level[p + 1]] += 1
        quarters[2, level[p + 2]] += 1
        quarters[3, level[p + 3]] += 1
    for p in range(whole, level.size):
        quarters[0, level[p]] += 1
    for v in range(histogram.size):
        histogram[v] = quarters[0, v] + quarters[1, v] + quarters[2, v] + quarters[3, v]


@kernel
def _resolve(
    score: Any,
    level: Any,
    histogram: Any,
    exact: bool,
    centroids: Any,
    draw_start: Any,
    draw_clustering: Any,
    draw_code: Any,
    best_score: Any,
    best_code: Any,
) -> None:
    """Find one document's nearest centroid in every clustering, given its score with the pool.

    `level` is a coarse, monotone form of `score` (`exact`: the score itself); 0 means score 0.
    Few near pool documents hold a centroid of nearly every clustering, so look at the draws of
    those first. Whatever clustering is left then goes through its own centroids.
    """
    num_clusterings, size = centroids.shape
    pool_size = score.size
    _fill_histogram(level, histogram)

    # After n documents a clustering is left with probability exp(-n size / pool_size).
    wanted = (np.log(num_clusterings) + 1.5) * pool_size / size
    lower = histogram.size
    near = 0
    while lower > 1 and near < wanted:
        group = np.float64(histogram[lower - 1])
        # A large group of equals: a scan in code order hits it after pool_size / group steps.
        left = num_clusterings * np.exp(-near * size / pool_size)
        if exact and group * group * size * num_clusterings > left * pool_size * pool_size:
            break
        lower -= 1
        near += histogram[lower]

    best_score[:] = 0
    best_code[:] = 0
    for p in range(pool_size):
        if level[p] >= lower:
            for entry in range(draw_start[p], draw_start[p + 1]):
                m = draw_clustering[entry]
                if score[p] > best_score[m] or (
                    score[p] == best_score[m] and draw_code[entry] < best_code[m]
                ):
                    best_score[m] = score[p]
                    best_code[m] = draw_code[entry]

    highest = lower - 1  # of the levels not looked at
    while highest > 0 and histogram[highest] == 0:
        highest -= 1
    if highest > 0:
        for m in range(num_clusterings):
            if best_score[m] == 0:
                for code in range(size):
                    p = centroids[m, code]
                    if score[p] > best_score[m]:
                        best_score[m] = score[p]
                        best_code[m] = code
                        if exact and level[p] == highest:
                            break
    # A clustering still at score 0 has all its centroids tied there: code 0 is right.


@kernel
def term_codes(
    indptr: Any,
    indices: Any,
    data: Any,
    term_start: Any,
    term_doc: Any,
    term_weight: Any,
    centroids: Any,
    draw_start: Any,
    draw_clustering: Any,
    draw_code: Any,
    codes: Any,
) -> None:
    """First layer: codes of a block of unit-length sparse rows, by cosine to the pool.

    The pool comes as postings: term t occurs in `term_doc[e]` with `term_weight[e]`.
    """
    pool_size = draw_start.size - 1
    histogram = np.empty(NUM_LEVELS + 1, np.int64)
    score = np.empty(pool_size, np.float64)
    level = np.empty(pool_size, np.uint16)
    best_score = np.empty(codes.shape[1], np.float64)
    for i in range(codes.shape[0]):
        score[:] = 0
        for entry in range(indptr[i], indptr[i + 1]):
            weight = np.float64(data[entry])
            term = indices[entry]
            for posting in range(term_start[term], term_start[term + 1]):
                score[term_doc[posting]] += weight * term_weight[posting]
        for p in range(pool_size):
            level[p] = np.uint16(np.ceil(min(score[p], 1.0) * NUM_LEVELS))
        _resolve(
            score, level, histogram, False,
            centroids, draw_start, draw_clustering, draw_code, best_score, codes[i],
        )  # fmt: skip


@kernel
def scored_codes(
    scores: Any,
    bound: float,
    codes: Any,
    centroids: Any,
    draw_start: Any,
    draw_clustering: Any,
    draw_code: Any,
) -> None:
    """First layer of dense rows: codes of a block, by their scores (block x pool).

    Scores are whole numbers from -bound to bound, with a bound below 2^51, so that nothing is
    rounded here.
    """
    pool_size = draw_start.size - 1
    histogram = np.empty(NUM_LEVELS + 1, np.int64)
    score = np.empty(pool_size, np.float64)
    level = np.empty(pool_size, np.uint16)
    best_score = np.empty(codes.shape[1], np.float64)
    for i in range(codes.shape[0]):
        for p in range(pool_size):
            score[p] = scores[i, p] + bound + 1  # above 0, which would mean that nothing is shared
            level[p] = np.uint16(np.ceil(score[p] / (2 * bound + 1) * NUM_LEVELS))
        _resolve(
            score, level, histogram, False,
            centroids, draw_start, draw_clustering, draw_code, best_score, codes[i],
        )  # fmt: skip


@kernel
def listed_codes(
    rows: Any,
    list_start: Any,
    list_doc: Any,
    centroids: Any,
    draw_start: Any,
    draw_clustering: Any,
    draw_code: Any,
    codes: Any,
) -> None:
    """Later layer, many small clusters: count shared codes by walking inverted lists.

    `list_doc[m, list_start[m, c] : list_start[m, c + 1]]` are the pool documents with code c.
    """
    num_clusterings = rows.shape[1]
    pool_size = draw_start.size - 1
    histogram = np.empty(num_clusterings + 1, np.int64)
    score = np.empty(pool_size, np.uint16)
    best_score = np.empty(codes.shape[1], np.int64)
    for i in range(rows.shape[0]):
        score[:] = 0
        for m in range(num_clusterings):
            # Unsigned, so that the compiler leaves out its check for negative indices.
            code = np.uint64(rows[i, m])
            docs = list_doc[m]
            for entry in range(list_start[m, code], list_start[m, code + np.uint64(1)]):
                score[docs[entry]] += np.uint16(1)
        _resolve(
            score, score, histogram, True,
            centroids, draw_start, draw_clustering, draw_code, best_score, codes[i],
        )  # fmt: skip


@kernel
def _count_equal(row: Any, columns: Any, first: int, last: int, count: Any) -> None:
    """count[p] += number of clusterings m with row[m] == columns[m, first + p].

    Four clusterings at a time into bytes, which the compiler turns into vector instructions.
    """
    width = last - first
    partial = np.empty(width, np.uint8)
    for start in range(0, row.size, 252):  # a byte holds at most 255
        stop = min(start + 252, row.size)
        partial[:] = 0
        m = start
        while m + 4 <= stop:
            a, b, c, d = row[m], row[m + 1], row[m + 2], row[m + 3]
            column_a, column_b = columns[m, first:last], columns[m + 1, first:last]
            column_c, column_d = columns[m + 2, first:last], columns[m + 3, first:last]
            for p in range(width):
                partial[p] += (
                    np.uint8(column_a[p] == a) + np.uint8(column_b[p] == b)
                    + np.uint8(column_c[p] == c) + np.uint8(column_d[p] == d)
                )  # fmt: skip
            m += 4
        while m < stop:
            for p in range(width):
                partial[p] += np.uint8(columns[m, first + p] == row[m])
            m += 1
        for p in range(width):
            count[first + p] += partial[p]


@kernel
def compared_codes(
    rows: Any,
    columns: Any,
    centroids: Any,
    draw_start: Any,
    draw_clustering: Any,
    draw_code: Any,
    codes: Any,
) -> None:
    """Later layer, few large clusters: count shared codes by comparing bytes.

    `rows` (block x M) and `columns` (M x pool) hold one-byte codes.
    """
    num_clusterings, pool_size = columns.shape
    histogram = np.empty(num_clusterings + 1, np.int64)
    scores = np.zeros((rows.shape[0], pool_size), np.uint16)
    for first in range(0, pool_size, TILE):
        last = min(first + TILE, pool_size)
        for i in range(rows.shape[0]):
            _count_equal(rows[i], columns, first, last, scores[i])
    best_score = np.empty(codes.shape[1], np.int64)
    for i in range(rows.shape[0]):
        _resolve(
            scores[i], scores[i], histogram, True,
            centroids, draw_start, draw_clustering, draw_code, best_score, codes[i],
        )  # fmt: skip


@kernel
def group_by_code(codes: Any, num_codes: int, list_start: Any, list_doc: Any) -> None:
    """Inverted lists of every clustering by counting sort: see `listed_codes`.

    `codes` (M x pool); `list_start` (M x num_codes + 1) comes filled with zeros.
    """
    for m in range(codes.shape[0]):
        for p in range(codes.shape[1]):
            list_start[m, codes[m, p] + 1] += 1
        for c in range(num_codes):
            list_start[m, c + 1] += list_start[m, c]
        filled = list_start[m, :num_codes].copy()
        for p in range(codes.shape[1]):
            c = codes[m, p]
            list_doc[m, filled[c]] = p
            filled[c] += 1
