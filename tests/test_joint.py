"""Documents with vectors: the network on them against a literal twin, and the joint refinement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import literal_draws, literal_vector_codes
from networks import grow_layer
from scipy import sparse

from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core.joint import (
    KAPPA,
    NOWHERE,
    TEMPERING,
    TERM_MASS,
    JointRefinement,
    joint_cosines,
    shared_information,
    unit_vectors,
)
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


def planted_pair(seed=0, num_docs=200):
    """Terms and vectors of four classes, which both know."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(4, size=num_docs)
    counts = rng.poisson(np.kron(np.eye(4), np.ones(6))[classes] + 0.1)
    counts[:, 0] += 1  # none is empty
    vectors = np.eye(4)[classes] + 0.2 * rng.standard_normal((num_docs, 4))
    return unit_rows(sparse.csr_array(counts.astype(float))), unit_vectors(vectors), classes


def test_terms_tell_about_vectors_what_both_know():
    terms, vectors, classes = planted_pair()
    rng = np.random.default_rng(1)
    assert shared_information(terms, vectors, classes, 4) > 1.2  # of log 4 = 1.39
    # A class that is cut at random, and two others together
    cut = np.where(classes == 3, 2, classes)
    cut[(classes == 0) & (rng.random(classes.size) < 0.5)] = 3
    assert shared_information(terms, vectors, cut, 4) < 1.0


def literal_mixture(terms, vectors, labels, num_clusters, scale, temper):
    """EM in plain loops over clusters, to compare with."""
    posterior = np.eye(num_clusters)[labels]
    prior = 0.1 * terms.sum() / num_clusters
    corpus = terms.sum(axis=0) / terms.sum()
    for evidence, num_steps in temper:
        for _ in range(num_steps):
            scores = np.empty_like(posterior)
            for k in range(num_clusters):
                words = posterior[:, k] @ terms
                words = (words + prior * corpus) / (words.sum() + prior)
                ratios = np.log(np.where(corpus > 0, words, 1) / np.where(corpus > 0, corpus, 1))
                center = posterior[:, k] @ vectors
                cosines = vectors @ center / np.linalg.norm(center)
                size = (posterior[:, k].sum() + 1) / (len(labels) + num_clusters)
                scores[:, k] = evidence * (scale * terms @ ratios + KAPPA * cosines + np.log(size))
            posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
            posterior /= posterior.sum(axis=1, keepdims=True)
            previous, labels = labels, scores.argmax(axis=1)
            if (labels != previous).sum() <= 0.001 * labels.size:
                break
    return labels


@pytest.mark.parametrize("seed", range(4))
def test_the_mixture_is_the_literal_one(seed):
    terms, vectors, classes = planted_pair(seed)
    rng = np.random.default_rng(seed)
    start = np.where(rng.random(classes.size) < 0.4, rng.integers(4, size=classes.size), classes)
    mean_mass = float(terms.sum() / classes.size)
    steps = JointRefinement(RowBlocks(terms), vectors, mean_mass, 4, Threads(1))
    scale = TERM_MASS / mean_mass
    expected = literal_mixture(terms.toarray(), vectors, start, 4, scale, TEMPERING)
    found = steps.mixture(start)
    assert (found == expected).mean() > 0.99  # vectors have half the precision
    assert (found == classes).mean() > 0.95


def test_documents_without_a_cluster_get_the_nearest():
    terms, vectors, classes = planted_pair()
    start = np.where(np.arange(classes.size) < 40, classes, NOWHERE)
    steps = JointRefinement(RowBlocks(terms), vectors, 1.0, 4, Threads(1))
    assert (steps.nearest(start) == classes).mean() > 0.95


def test_no_cluster_loses_its_last_document():
    terms, vectors, _ = planted_pair(num_docs=30)
    labels = np.r_[0, 1, 2, 3, 4, 5, np.zeros(24, np.int64)]
    steps = JointRefinement(RowBlocks(terms), vectors, 1.0, 6, Threads(1))
    assert np.unique(steps.mixture(steps.nearest(labels))).size == 6
