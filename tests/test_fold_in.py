"""Weights of new documents: exact non-negative least squares, whatever the topics look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.sparse import csr_array

from dnmf_topics.core.factorization.nnls import _face_step, nnls_rows
from dnmf_topics.core.folding import fold_in

quick = settings(max_examples=60, deadline=None)


def random_documents(seed, n, V, density=0.4):
    rng = np.random.default_rng(seed)
    return csr_array(rng.random((n, V)) * (rng.random((n, V)) < density))


def random_topics(seed, V, K, likeness=0.0):
    """Topics that share all but `1 - likeness` of themselves."""
    rng = np.random.default_rng(seed + 1)
    return likeness * rng.random((V, 1)) + (1 - likeness) * rng.random((V, K))


def squared_error(documents, C, weights):
    return ((documents.toarray() - weights @ C.T) ** 2).sum(axis=1)


@quick
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 12))
def test_equals_scipy_document_by_document(seed, K, extra):
    documents, C = random_documents(seed, 6, K + extra), random_topics(seed, K + extra, K)
    ours = fold_in(documents, C)
    theirs = np.array([nnls(C, d)[0] for d in documents.toarray()])
    error = squared_error(documents, C, ours)
    np.testing.assert_allclose(error, squared_error(documents, C, theirs), atol=1e-10)
    # C'C squares the condition of C, and with it the digits that are left.
    np.testing.assert_allclose(ours, theirs, atol=1e-13 * np.linalg.cond(C) ** 2 + 1e-10)


@quick
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.9, 0.999, 0.999999, 1.0]))
def test_meets_the_optimality_conditions_even_for_topics_that_are_alike(seed, likeness):
    documents, C = random_documents(seed, 5, 15), random_topics(seed, 15, 6, likeness)
    weights = fold_in(documents, C)
    gradient = weights @ (C.T @ C) - documents @ C
    assert weights.min() >= 0
    assert gradient.min() >= -1e-9
    assert np.abs(weights * gradient).max() <= 1e-9
    best = [nnls(C, d)[1] ** 2 for d in documents.toarray()]
    np.testing.assert_allclose(squared_error(documents, C, weights), best, atol=1e-9)


def test_weights_of_mixtures_are_recovered():
    rng = np.random.default_rng(0)
    C = random_topics(0, 200, 50)
    wanted = rng.random((40, 50)) * (rng.random((40, 50)) < 0.1)
    np.testing.assert_allclose(fold_in(csr_array(wanted @ C.T), C), wanted, atol=1e-8)


def test_empty_documents_and_empty_topics_weigh_nothing():
    documents, C = random_documents(1, 8, 20).toarray(), random_topics(1, 20, 4)
    documents[[2, 5]] = 0.0
    C[:, 1] = 0.0
    weights = fold_in(csr_array(documents), C)
    assert not weights[[2, 5]].any()
    assert not weights[:, 1].any()
    np.testing.assert_allclose(
        weights[:, [0, 2, 3]], fold_in(csr_array(documents), C[:, [0, 2, 3]]), atol=1e-12
    )
    assert fold_in(csr_array((0, 20)), C).shape == (0, 4)


@pytest.mark.parametrize("block_size", [1, 3, 7, 100])
def test_blocks_leave_no_trace(block_size):
    documents, C = random_documents(2, 20, 30), random_topics(2, 30, 5)
    assert (fold_in(documents, C, block_size=block_size) == fold_in(documents, C)).all()


def test_float32_is_close_and_the_unit_does_not_matter():
    documents, C = random_documents(3, 20, 30), random_topics(3, 30, 5)
    weights = fold_in(documents, C)
    np.testing.assert_allclose(fold_in(documents.astype(np.float32), C), weights, atol=1e-5)
    np.testing.assert_allclose(fold_in(documents * 1e-9, C * 1e6), weights * 1e-15, atol=1e-24)
    # The unit of one topic is the inverse unit of its weight.
    units = 10.0 ** np.array([-6, 3, 0, 5, -2])
    np.testing.assert_allclose(fold_in(documents, C * units) * units, weights, atol=1e-9)


@quick
@given(st.integers(0, 10**6), st.integers(0, 3))
def test_every_sweep_descends(seed, max_sweeps):
    rng = np.random.default_rng(seed)
    A, b = random_topics(seed, 8, 5, likeness=0.99), rng.random((4, 8))
    x, more = (nnls_rows(A.T @ A, b @ A, max_sweeps=max_sweeps + extra) for extra in (0, 1))

    def error(weights):
        return ((b - weights @ A.T) ** 2).sum(axis=1)

    assert x.min() >= 0
    assert (error(more) <= error(x) + 1e-12).all()


@quick
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.99, 1.0]))
def test_a_face_step_ends_at_the_minimum_or_on_the_border(seed, likeness):
    rng = np.random.default_rng(seed)
    A, b = random_topics(seed, 9, 5, likeness), rng.random(9)
    A /= np.linalg.norm(A, axis=0)
    y = rng.random(5) * (rng.random(5) < 0.8)
    before, gradient = np.count_nonzero(y), A.T @ (A @ y - b)
    room = np.empty(5, dtype=np.int64), np.empty((5, 5)), np.empty(5)
    arrived = _face_step(A.T @ A, gradient, y, *room)
    assert y.min() >= 0
    if arrived:
        np.testing.assert_allclose((A.T @ (A @ y - b))[y > 0], 0, atol=1e-9)
    else:
        # One coordinate fewer, so the solver cannot try for ever.
        assert np.count_nonzero(y) < before
