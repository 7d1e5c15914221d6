"""Documents with vectors: the network on them against a literal twin, and the joint refinement."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import literal_draws, literal_vector_codes
from networks import grow_layer
from scipy import sparse

from dnmf_topics.core.joint import joint_cosines, unit_vectors
from dnmf_topics.core.mbn import GRID, on_grid
from dnmf_topics.core.tfidf import unit_rows

problems = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(2, 25),  # documents
    st.integers(1, 8),  # dimensions
    st.integers(1, 12),  # clusterings
    st.floats(0, 1),  # centroids, as a share
    st.sampled_from(["all", "few", "opposite", "fine"]),
)


def draw_vectors(seed, num_docs, num_dimensions, kind):
    """Unit rows; few directions make ties, opposite ones cosines of -1, fine ones near-ties."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((num_docs, num_dimensions))
    if kind == "few":
        vectors = np.sign(vectors)
    elif kind == "opposite":
        vectors = np.outer(rng.choice([-1.0, 1.0], num_docs), np.ones(num_dimensions))
    elif kind == "fine":
        vectors = -1 + 1e-6 * vectors
    vectors[rng.integers(num_docs)] = vectors[rng.integers(num_docs)]
    return unit_vectors(vectors)


@given(problems)
@settings(max_examples=60)
def test_the_layer_of_vectors_is_the_literal_one(problem):
    seed, num_docs, num_dimensions, num_clusterings, share, kind = problem
    vectors = on_grid(draw_vectors(seed, num_docs, num_dimensions, kind))
    size = max(1, int(share * num_docs))
    root = np.random.SeedSequence(seed)
    layer = grow_layer(vectors, size, num_clusterings, root, task_rows=7)
    centroids = literal_draws(np.arange(num_docs), size, num_clusterings, root)
    # Products are whole numbers, so that even the ties must fall alike.
    np.testing.assert_array_equal(layer.codes, literal_vector_codes(vectors, centroids))


def test_many_vectors_in_all_directions():
    # More documents than are coded at a time, and levels of all cosines.
    vectors = on_grid(draw_vectors(0, 150, 2, "all"))
    root = np.random.SeedSequence(1)
    layer = grow_layer(vectors, 40, 30, root, task_rows=150)
    centroids = literal_draws(np.arange(150), 40, 30, root)
    np.testing.assert_array_equal(layer.codes, literal_vector_codes(vectors, centroids))


def test_the_grid_is_as_fine_as_the_vectors():
    vectors = draw_vectors(0, 20, 384, "all")
    grid = on_grid(vectors)
    np.testing.assert_array_equal(grid, np.rint(grid))
    np.testing.assert_allclose(grid / GRID, vectors, rtol=0, atol=2.0**-25)


def test_vectors_of_any_length_and_type():
    huge = np.array([[3e200, -4e200], [0.0, 0.0], [0.0, 5e-200]])
    np.testing.assert_allclose(unit_vectors(huge), [[0.6, -0.8], [0, 0], [0, 1]], atol=1e-7)
    half = np.array([[3.0, -4.0]], np.float16)
    np.testing.assert_allclose(unit_vectors(half), [[0.6, -0.8]], atol=1e-7)


def literal_joint_cosines(terms, vectors, labels, num_clusters):
    """Cosines with the others of each cluster, one by one."""
    found = np.zeros((len(labels), num_clusters))
    for i in range(len(labels)):
        for k in range(num_clusters):
            others = [j for j in range(len(labels)) if labels[j] == k and j != i]
            for rows in (terms, vectors):
                total = rows[others].sum(axis=0)
                lengths = np.linalg.norm(total) * np.linalg.norm(rows[i])
                found[i, k] += total @ rows[i] / lengths if lengths > 1e-6 else 0
    return found


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_no_document_is_near_to_itself(seed):
    rng = np.random.default_rng(seed)
    terms = rng.random((12, 6)) * (rng.random((12, 6)) < 0.5)
    vectors = unit_vectors(rng.standard_normal((12, 4)) * (rng.random((12, 1)) < 0.7))
    terms = unit_rows(sparse.csr_array(terms))
    labels = rng.integers(-1, 3, 12)  # some have no cluster yet
    known = labels >= 0
    sums = [
        np.stack([rows[known & (labels == k)].sum(axis=0) for k in range(3)])
        for rows in (terms.toarray(), vectors.astype(np.float64))
    ]
    found = joint_cosines(terms, labels, vectors, sums[0].T, sums[1])
    expected = literal_joint_cosines(terms.toarray(), vectors, labels, 3)
    # Of a cluster of one, rounding to single precision leaves a little.
    np.testing.assert_allclose(found, expected, atol=2e-3)
