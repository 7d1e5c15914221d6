"""cDNMF: every step descends, where the paper's printed one does not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from dnmf_topics.common.progress import Progress
from dnmf_topics.core.factorization import factorize
from dnmf_topics.core.factorization.cdnmf import (
    _positive_root,
    solve_cdnmf,
    start_from,
    update_C,
    update_T,
    update_W,
)
from dnmf_topics.core.factorization.lambdas import CANDIDATES, DEFAULT_GRID, choose_lambdas
from dnmf_topics.core.factorization.losses import reconstruction_loss

quick = settings(max_examples=50, deadline=None)
lambdas = st.sampled_from([0.0, 0.01, 1.0, 30.0])


def random_problem(seed, V=12, N=15, K=3):
    rng = np.random.default_rng(seed)
    D = rng.random((V, N)) * (rng.random((V, N)) < 0.4)
    F = np.equal.outer(np.arange(K), rng.integers(K, size=N)).astype(float)
    return csc_array(D), F


def random_factors(seed, D, F, scale=1.0):
    rng = np.random.default_rng(seed)
    K = F.shape[0]
    C = scale * rng.random((D.shape[0], K)) * (rng.random((D.shape[0], K)) < 0.8)
    return C, rng.random(F.shape), rng.random((K, K))


def dense_loss(D, F, C, W, T, lambda1, lambda2):
    D = D.toarray()
    fit = np.linalg.norm(D - C @ W) ** 2 + lambda1 * np.linalg.norm(F - T @ W) ** 2
    return fit + lambda2 * np.linalg.norm(C @ C.T - D @ D.T) ** 2


def printed_update_C(D, C, W, lambda2):
    """The paper's: C <- C . (D W' + 2 l2 D D'C) / (C W W' + 2 l2 C C'C)."""
    numerator = D @ W.T + 2 * lambda2 * (D @ (D.T @ C))
    denominator = C @ (W @ W.T) + 2 * lambda2 * (C @ (C.T @ C))
    return C * numerator / np.maximum(denominator, 1e-300)


def falls(before, after):
    return after <= before + 1e-12 * (1 + before)


# --------------------------------------------------------------------------------------- descent


@quick
@given(st.integers(0, 10**6), st.sampled_from([1e-4, 0.03, 1.0, 50.0]), lambdas)
def test_every_update_descends_from_any_start(seed, scale, lambda2):
    D, F = random_problem(seed)
    C, W, T = random_factors(seed, D, F, scale)
    lambda1 = 0.7

    def loss():
        return dense_loss(D, F, C, W, T, lambda1, lambda2)

    for _ in range(3):
        values = [loss()]
        C = update_C(D, C, W, lambda2)
        values.append(loss())
        W = update_W(F, C, W, T, lambda1, DtC=D.T @ C)
        values.append(loss())
        T = update_T(F, W, T)
        values.append(loss())
        assert all(falls(before, after) for before, after in pairwise(values))
        assert min(C.min(), W.min(), T.min()) >= 0


def papers_start(D, F):
    return (D @ F.T) / F.sum(axis=1), F + 0.1, np.eye(F.shape[0]) + 0.1


@pytest.mark.parametrize("start", [papers_start, lambda D, F: random_factors(0, D, F)])
def test_the_printed_update_rises_where_ours_falls(start):
    D, F = random_problem(0, V=30, N=300)

    def changes_in_C(update):
        """The change of the loss by each update of C, the loss at the start being 1."""
        C, W, T = start(D, F)
        unit, changes = dense_loss(D, F, C, W, T, 1.0, 1.0), []
        for _ in range(20):
            before = dense_loss(D, F, C, W, T, 1.0, 1.0)
            C = update(D, C, W, 1.0)
            changes.append((dense_loss(D, F, C, W, T, 1.0, 1.0) - before) / unit)
            W = update_W(F, C, W, T, 1.0, DtC=D.T @ C)
            T = update_T(F, W, T)
        return changes

    assert max(changes_in_C(printed_update_C)) > 1
    assert max(changes_in_C(update_C)) < 0


@quick
@given(st.integers(0, 10**6), lambdas, lambdas)
def test_the_solver_descends_from_the_membership(seed, lambda1, lambda2):
    D, F = random_problem(seed)
    events: list[Progress] = []
    found = solve_cdnmf(D, F, lambda1, lambda2, max_iterations=40, tol=0.0, progress=events.append)
    before = dense_loss(D, F, *start_from(D, F), lambda1, lambda2)
    losses = [before, *(event.loss for event in events)]
    assert all(falls(a, b) for a, b in pairwise(losses))
    assert {(event.stage, event.total) for event in events} == {("cdnmf", 40)}
    end = dense_loss(D, F, found.C, found.W, found.T, lambda1, lambda2)
    assert found.loss == pytest.approx(end, rel=1e-9, abs=1e-9)


# --------------------------------------------------------------------------------- single pieces


@quick
@given(st.integers(0, 10**6), st.integers(-40, 40))
def test_the_root_solves_the_cubic(seed, exponent):
    rng = np.random.default_rng(seed)
    a, b, g = rng.random((3, 50)) * 10.0 ** rng.integers(-6, 6, size=(3, 50))
    a *= 10.0**exponent
    b[:5] = 0.0
    g[5:10] = 0.0
    r = _positive_root(a, b, g)
    np.testing.assert_allclose(g * r**3 + b * r, a, rtol=1e-13)
    assert not _positive_root(np.zeros(50), b, g).any()
    assert not _positive_root(a, np.zeros(50), np.zeros(50)).any()


def test_without_lambda2_the_update_is_lee_and_seungs():
    D, F = random_problem(1)
    C, W, _ = random_factors(1, D, F)
    np.testing.assert_allclose(update_C(D, C, W, 0.0), printed_update_C(D, C, W, 0.0), rtol=1e-12)


def test_the_start_says_what_the_paper_starts_from():
    D, _ = random_problem(2)
    F = np.equal.outer(np.arange(3), np.repeat([0, 2], [9, 6])).astype(float)
    C, W, T = start_from(D, F)
    means = (D @ F.T) / np.maximum(F.sum(axis=1), 1)
    means = means[:, [0, 2]] + 0.01 * D.toarray().mean(axis=1, keepdims=True)
    alive = F[[0, 2]]
    np.testing.assert_allclose(C @ W, means @ (alive + 0.1))
    np.testing.assert_allclose(T @ W, (np.eye(3) + 0.1)[:, [0, 2]] @ (alive + 0.1))
    # Cluster 1 is empty and stays out.
    assert not C[:, 1].any()
    assert not W[1].any()


def test_document_scale_changes_neither_product():
    D, F = random_problem(3, V=20, N=30)
    raw, scaled = solve_cdnmf(D, F, max_iterations=20), factorize(D, F, "cdnmf", max_iterations=20)
    np.testing.assert_allclose(scaled.C @ scaled.W, raw.C @ raw.W, atol=1e-12)
    np.testing.assert_allclose(scaled.T @ scaled.W, raw.T @ raw.W, atol=1e-12)
    np.testing.assert_allclose(scaled.W.sum(axis=1), F.sum(axis=1))
    assert scaled.losses == raw.losses


@pytest.mark.parametrize("seed", range(3))
def test_many_iterations_end_in_a_stationary_point(seed):
    lambda1, lambda2 = 0.5, 0.2
    D, F = random_problem(seed)
    found = solve_cdnmf(D, F, lambda1, lambda2, max_iterations=6000, tol=0.0)
    C, W, T = found.C, found.W, found.T
    WWt = W @ W.T
    gradients = {
        "C": C @ WWt - D @ W.T + 2 * lambda2 * (C @ (C.T @ C) - D @ (D.T @ C)),
        "W": (C.T @ C + lambda1 * T.T @ T) @ W - (D.T @ C).T - lambda1 * T.T @ F,
        "T": T @ WWt - F @ W.T,
    }
    for name, X in {"C": C, "W": W, "T": T}.items():
        assert np.abs(X * gradients[name]).max() < 1e-4, name
        # Where the start is positive, zero is reached only where the gradient holds it there.
        assert gradients[name].min() > -1e-3, name


# ------------------------------------------------------------------------------ choosing lambdas


def test_choose_lambdas_takes_the_best_agreement_then_the_better_fit():
    D, F = random_problem(4, V=30, N=60)
    grid = [(0.0, 1.0), (0.01, 0.1), (3.0, 1.0), (3.0, 0.01)]
    scores = {}
    for pair in grid:
        found = factorize(D, F, "cdnmf", lambda1=pair[0], lambda2=pair[1], max_iterations=50)
        agreement = np.mean(found.W.argmax(axis=0) == F.argmax(axis=0))
        scores[pair] = (-agreement, reconstruction_loss(D, found.C, found.W))
    assert len({score[0] for score in scores.values()}) > 1
    assert choose_lambdas(D, F, grid, max_iterations=50) == min(grid, key=scores.__getitem__)
    assert choose_lambdas(D, F, grid[:1]) == grid[0]


def test_ties_go_to_the_first_pair():
    # Without terms lambda1 cancels: the same W and the same fit, whatever it is.
    D, (_, F) = csc_array((6, 15)), random_problem(4)
    for grid in ([(0.5, 1.0), (2.0, 1.0)], [(2.0, 1.0), (0.5, 1.0)]):
        assert choose_lambdas(D, F, grid) == grid[0]


@pytest.mark.parametrize("auto", [("auto", 0.5), (0.5, "auto"), ("auto", "auto")])
def test_auto_searches_only_what_it_may(auto):
    D, F = random_problem(5, V=20, N=30)
    events: list[Progress] = []
    found = factorize(
        D, F, "cdnmf", lambda1=auto[0], lambda2=auto[1], max_iterations=5, progress=events.append
    )
    for value, wanted in zip((found.lambda1, found.lambda2), auto, strict=True):
        assert value in CANDIDATES if wanted == "auto" else value == wanted
    tried = [event for event in events if event.stage == "lambdas"]
    assert len(tried) == tried[-1].total == len(CANDIDATES) ** auto.count("auto")
    assert len(DEFAULT_GRID) == len(CANDIDATES) ** 2
