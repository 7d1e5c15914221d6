"""The network: the fast layers against a literal twin, ties, seeds, threads, odd shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import literal_codes, literal_draws, one_hot_codes
from networks import grow_layer, grow_network
from scipy import sparse

from dnmf_topics.common.seeds import child_rng, child_seed
from dnmf_topics.core import kernels
from dnmf_topics.core.mbn import (
    POOL,
    Layer,
    balanced_layer_size,
    code_dtype,
    draw_centroids,
    imbalanced_layer_size,
    layer_sizes,
)
from dnmf_topics.core.tfidf import unit_rows


def random_docs(seed, num_docs, num_terms, density=0.2):
    """Sparse unit rows; some empty, some twice."""
    rng = np.random.default_rng(seed)
    dense = rng.random((num_docs, num_terms)) * (rng.random((num_docs, num_terms)) < density)
    dense[rng.integers(num_docs)] = dense[rng.integers(num_docs)]
    return unit_rows(sparse.csr_array(dense))


problems = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),  # documents
    st.integers(1, 30),  # terms
    st.floats(0.02, 0.9),  # density
    st.integers(1, 30),  # clusterings
    st.floats(0, 1),  # centroids, as a share
)


@given(problems)
def test_first_layer_is_the_literal_one(problem):
    seed, num_docs, num_terms, density, num_clusterings, share = problem
    docs = random_docs(seed, num_docs, num_terms, density)
    size = max(1, int(share * num_docs))
    root = np.random.SeedSequence(seed)
    codes = grow_layer(docs, size, num_clusterings, root).codes.astype(np.int64)

    centroids = literal_draws(np.arange(num_docs), size, num_clusterings, root)
    rows = docs.toarray()
    expected = literal_codes(rows, centroids)
    similarity = rows @ rows.T
    for m in range(num_clusterings):
        got = similarity[np.arange(num_docs), centroids[m, codes[:, m]]]
        best = similarity[np.arange(num_docs), centroids[m, expected[:, m]]]
        # Sums of floats depend on their order: equals may differ in the last bit.
        np.testing.assert_allclose(got, best, rtol=0, atol=1e-12)


@given(problems, st.integers(1, 300))
def test_later_layer_is_the_literal_one(problem, previous_size):
    seed, num_docs, _, _, num_clusterings, share = problem
    rng = np.random.default_rng(seed)
    codes = rng.integers(previous_size, size=(num_docs, num_clusterings))
    codes[rng.integers(num_docs)] = codes[rng.integers(num_docs)]
    previous = Layer(previous_size, codes.astype(code_dtype(previous_size)))
    size = max(1, int(share * num_docs))
    root = np.random.SeedSequence(seed)
    layer = grow_layer(previous, size, num_clusterings, root)

    centroids = literal_draws(np.arange(num_docs), size, num_clusterings, root)
    expected = literal_codes(one_hot_codes(codes, previous_size), centroids)
    # Similarities are whole numbers here, so that even the ties must fall alike.
    np.testing.assert_array_equal(layer.codes, expected)


@given(problems, st.integers(1, 256))
def test_comparing_bytes_equals_walking_lists(problem, previous_size):
    seed, num_docs, _, _, num_clusterings, share = problem
    rng = np.random.default_rng(seed)
    rows = rng.integers(previous_size, size=(num_docs, num_clusterings)).astype(np.uint8)
    size = max(1, int(share * num_docs))
    draws = draw_centroids(np.arange(num_docs), size, num_clusterings, np.random.SeedSequence(seed))
    columns = np.ascontiguousarray(rows[draws.pool].T)
    list_start = np.zeros((num_clusterings, previous_size + 1), np.uint32)
    list_doc = np.empty(columns.shape, np.uint16)
    kernels.group_by_code(columns.astype(np.uint32), previous_size, list_start, list_doc)
    drawn = draws.centroids, draws.start, draws.clustering, draws.code
    compared, listed = (np.empty(rows.shape, np.uint32) for _ in range(2))
    kernels.compared_codes(rows, columns, *drawn, compared)
    kernels.listed_codes(rows.astype(np.uint32), list_start, list_doc, *drawn, listed)
    np.testing.assert_array_equal(compared, listed)


def test_ties_fall_uniformly():
    # One document is equally near to four others; itself is never drawn by half the clusterings.
    docs = unit_rows(sparse.csr_array(np.vstack([np.eye(5)[1:].sum(axis=0), np.eye(5)[1:]])))
    num_clusterings = 20_000
    root = np.random.SeedSequence(7)
    codes = grow_layer(docs, 4, num_clusterings, root).codes[0]
    centroids = literal_draws(np.arange(5), 4, num_clusterings, root)
    chosen = centroids[np.arange(num_clusterings), codes]
    tied = chosen[(centroids != 0).all(axis=1)]
    counts = np.bincount(tied, minlength=5)[1:]
    expected = tied.size / 4
    # chi-square with 3 degrees of freedom: 16.3 is exceeded once in a thousand
    assert ((counts - expected) ** 2 / expected).sum() < 16.3


def test_identical_documents_get_identical_codes():
    rows = np.random.default_rng(0).random((40, 12)) * (np.arange(12) % 3 > 0)
    docs = unit_rows(sparse.csr_array(np.repeat(rows, 2, axis=0)))
    for layer in grow_network(docs, [40, 20, 10, 5], 50, np.random.SeedSequence(1)):
        np.testing.assert_array_equal(layer.codes[::2], layer.codes[1::2])


@pytest.mark.parametrize("pool_size", [None, 60])
def test_threads_and_blocks_change_nothing(pool_size):
    docs = random_docs(3, 200, 50)
    seed = np.random.SeedSequence(5)
    reference = grow_layer(docs, 40, 60, seed, pool_size=pool_size, n_jobs=1)
    for n_jobs, task_rows in [(2, 64), (2, 7), (1, 200), (2, 1)]:
        layer = grow_layer(
            docs, 40, 60, seed, pool_size=pool_size, n_jobs=n_jobs, task_rows=task_rows
        )
        np.testing.assert_array_equal(layer.codes, reference.codes)
        above = grow_layer(layer, 9, 60, seed, pool_size=pool_size, n_jobs=n_jobs)
        below = grow_layer(reference, 9, 60, seed, pool_size=pool_size, n_jobs=1)
        np.testing.assert_array_equal(above.codes, below.codes)
    other = grow_layer(docs, 40, 60, np.random.SeedSequence(6), pool_size=pool_size)
    assert (other.codes != reference.codes).mean() > 0.5


@pytest.mark.parametrize("num_clusterings", [3, 251, 260, 520])
def test_many_clusterings_and_a_pool_of_several_tiles(num_clusterings):
    # More clusterings than a byte counts, and more pool documents than fit into a tile.
    num_docs, previous_size, size = 1500, 4, 40
    rng = np.random.default_rng(num_clusterings)
    codes = rng.integers(previous_size, size=(num_docs, num_clusterings)).astype(np.uint8)
    root = np.random.SeedSequence(1)
    layer = grow_layer(Layer(previous_size, codes), size, num_clusterings, root)
    centroids = literal_draws(np.arange(num_docs), size, num_clusterings, root)[::10]
    expected = literal_codes(one_hot_codes(codes, previous_size), centroids)
    np.testing.assert_array_equal(layer.codes[:, ::10], expected)


def test_landmarks_are_the_literal_ones_and_change_with_the_layer():
    rng = np.random.default_rng(0)
    codes = rng.integers(30, size=(100, 40))
    previous = Layer(30, codes.astype(np.uint8))
    pools = []
    for index in (0, 1):
        seed = child_seed(np.random.SeedSequence(0), index)
        layer = grow_layer(previous, 10, 40, seed, pool_size=20)
        pools.append(np.sort(child_rng(seed, POOL).choice(100, 20, replace=False)))
        centroids = literal_draws(pools[-1], 10, 40, seed)
        np.testing.assert_array_equal(
            layer.codes, literal_codes(one_hot_codes(codes, 30), centroids)
        )
    assert set(pools[0]) != set(pools[1])


def test_layer_sizes():
    assert layer_sizes(100, 30, 0.5, exact=False) == [100, 50]
    assert layer_sizes(100, 30, 0.5) == [100, 50, 30]
    assert layer_sizes(100, 25, 0.5) == [100, 50, 25]
    assert layer_sizes(100, 100, 0.5) == [100]
    assert layer_sizes(5, 30, 0.5) == [5]
    assert layer_sizes(100, 10, 0.0) == [100, 10]
    assert balanced_layer_size(20) == 30
    assert imbalanced_layer_size(1001, 100) == 330
    assert imbalanced_layer_size(80, 20) == 40


@pytest.mark.parametrize(("size", "dtype"), [(256, np.uint8), (257, np.uint16), (70000, np.uint32)])
def test_codes_are_compact(size, dtype):
    assert code_dtype(size) is dtype
