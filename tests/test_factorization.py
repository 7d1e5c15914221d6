"""What all factorizations promise, the losses, and bDNMF and sDNMF against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array

from dnmf_topics.common.progress import Progress
from dnmf_topics.core.factorization import VARIANTS, factorize
from dnmf_topics.core.factorization.bdnmf import solve_bdnmf
from dnmf_topics.core.factorization.gram_norm import gram_norm
from dnmf_topics.core.factorization.losses import constrained_loss, reconstruction_loss
from dnmf_topics.core.factorization.memberships import open_borders
from dnmf_topics.core.factorization.sdnmf import solve_sdnmf

variants = pytest.mark.parametrize("variant", VARIANTS)
both_memberships = pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
quick = settings(max_examples=40, deadline=None)


def one_hot(labels, K):
    return np.equal.outer(np.arange(K), labels).astype(float)


def random_problem(seed, V, N, K, density=0.4, soft=False):
    """D with empty rows and columns and F with empty clusters, whenever chance has it so."""
    rng = np.random.default_rng(seed)
    D = csc_array(rng.random((V, N)) * (rng.random((V, N)) < density))
    F = one_hot(rng.integers(K, size=N), K)
    if soft:
        F = 0.5 * F + 0.5 * rng.dirichlet(np.full(K, 0.5), size=N).T
        F[F < 0.1] = 0.0
        F /= F.sum(axis=0)
    return D, F


@st.composite
def problems(draw, soft=None):
    V, N = draw(st.integers(1, 12)), draw(st.integers(1, 16))
    K = draw(st.integers(1, min(N, 4)))
    soft = draw(st.booleans()) if soft is None else soft
    density = draw(st.sampled_from([0.0, 0.1, 0.4, 1.0]))
    return random_problem(draw(st.integers(0, 10**6)), V, N, K, density, soft)


def planted(seed=0, K=4, terms=15, docs=25):
    """K topics with their own terms, documents of one topic with a tenth of noise: D, F, topics."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(K), np.ones((terms, 1))) * rng.uniform(0.5, 1, (K * terms, 1))
    labels = np.repeat(np.arange(K), docs)
    clean = topics[:, labels] * rng.uniform(0.5, 2, labels.size)
    noise = rng.random(clean.shape) * (rng.random(clean.shape) < 0.1)
    return csc_array(clean + 0.3 * noise), one_hot(labels, K), topics


def assert_stationary(X, gradient, allowed=True, *, tol):
    """KKT: X >= 0, gradient >= 0, X . gradient = 0, over the allowed entries; tol is absolute."""
    assert X.min(initial=0) >= 0
    assert np.where(allowed, np.minimum(gradient, 0), 0).min(initial=0) >= -tol
    assert np.abs(np.where(allowed, X * gradient, 0)).max(initial=0) <= tol


# ------------------------------------------------------------------------------------ the losses


@quick
@given(problems(), st.integers(0, 1000))
def test_losses_equal_their_dense_twins(problem, seed):
    D, F = problem
    rng = np.random.default_rng(seed)
    (V, N), K = D.shape, F.shape[0]
    C, W, T = rng.random((V, K)), rng.random((K, N)), rng.random((K, K))
    dense = D.toarray()
    fit = np.linalg.norm(dense - C @ W) ** 2
    member = np.linalg.norm(F - T @ W) ** 2
    gram = np.linalg.norm(C @ C.T - dense @ dense.T) ** 2
    assert reconstruction_loss(D, C, W) == pytest.approx(fit, rel=1e-10, abs=1e-10)
    ours = constrained_loss(D, F, C, W, T, 0.3, 0.7, gram_norm=gram_norm(D))
    assert ours == pytest.approx(fit + 0.3 * member + 0.7 * gram, rel=1e-10)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)], ids=["by document", "by term"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gram_norm_is_exact_on_either_side_and_with_unsorted_indices(shape, dtype):
    rng = np.random.default_rng(1)
    dense = (rng.random(shape) * (rng.random(shape) < 0.5)).astype(dtype)
    wanted = np.linalg.norm(dense.astype(float) @ dense.T.astype(float)) ** 2
    row, column = np.nonzero(dense)
    order = np.lexsort((-row, column))
    unsorted = csc_array(dense)
    unsorted.indices = row[order].astype(np.int32)
    unsorted.data = dense[row, column][order]
    unsorted.has_sorted_indices = False
    assert (unsorted.toarray() == dense).all()
    # Transposed, the unsorted columns are unsorted rows, and the norm is the same.
    for D in (csc_array(dense), csc_array(dense).tocsr(), unsorted, unsorted.T):
        assert gram_norm(D) == pytest.approx(wanted, rel=1e-12)


# ------------------------------------------------------------------- what every variant promises


@variants
@quick
@given(problem=problems())
def test_contract(variant, problem):
    D, F = problem
    kept_D, kept_F = D.toarray(), F.copy()
    events: list[Progress] = []
    found = factorize(D, F, variant, max_iterations=25, progress=events.append)
    again = factorize(D, F, variant, max_iterations=25)

    assert found.C.shape == (D.shape[0], F.shape[0])
    assert found.W.shape == F.shape
    for X in (found.C, found.W):
        assert np.isfinite(X).all()
        assert X.min() >= 0
    assert (found.C == again.C).all()
    assert (found.W == again.W).all()
    assert (D.toarray() == kept_D).all()
    assert np.array_equal(F, kept_F)

    assert tuple(event.loss for event in events) == found.losses
    assert [event.step for event in events] == list(range(1, found.num_iterations + 1))
    assert {event.stage for event in events} == {variant}
    slack = 1e-12 * (1 + gram_norm(D) + found.losses[0])
    assert (np.diff(found.losses) <= slack).all()

    # The document scale: the rows of W weigh what the rows of F do, or nothing at all.
    weights = found.W.sum(axis=1)
    assert np.all(np.isclose(weights, F.sum(axis=1)) | (weights == 0))
    if variant != "cdnmf":
        assert reconstruction_loss(D, found.C, found.W) == pytest.approx(found.loss, abs=slack)


@variants
@both_memberships
def test_empty_cluster_and_empty_document(variant, soft):
    D, F = random_problem(3, V=20, N=12, K=3, soft=soft)
    F = np.insert(F, 1, 0.0, axis=0)
    D = D.toarray()
    D[:, 5] = 0.0
    D[7] = 0.0
    found = factorize(csc_array(D), F, variant)
    assert not found.C[:, 1].any()
    assert not found.C[7].any()
    assert found.C[:, [0, 2, 3]].any(axis=0).all()
    if variant != "bdnmf":
        # bDNMF's weights are F by definition; sDNMF fits the empty document, cDNMF the row of F.
        assert not found.W[1].any()
    if variant == "sdnmf":
        assert not found.W[:, 5].any()


@variants
def test_nothing_at_all(variant):
    found = factorize(csc_array((6, 5)), one_hot(np.array([0, 0, 1, 1, 1]), 2), variant)
    assert not found.C.any()
    assert np.isfinite(found.W).all()


@pytest.mark.parametrize("variant", ["bdnmf", "sdnmf"])
def test_one_document_for_each_topic_is_reproduced(variant):
    D, _ = random_problem(0, V=9, N=5, K=1, density=0.7)
    order = np.array([3, 1, 0, 4, 2])
    found = factorize(D, one_hot(order, 5), variant)
    np.testing.assert_allclose(found.C[:, order], D.toarray(), atol=1e-14)
    assert found.loss == pytest.approx(0, abs=1e-12)


def test_duplicate_documents_make_sdnmf_and_bdnmf_the_same():
    rng = np.random.default_rng(0)
    originals = rng.random((9, 2)) * [1, 1000]
    labels = np.array([0, 0, 0, 0, 1, 1])
    D, F = csc_array(originals[:, labels]), one_hot(labels, 2)
    basic, structured = factorize(D, F, "bdnmf"), factorize(D, F, "sdnmf", overlap=0)
    np.testing.assert_allclose(basic.C, originals)
    np.testing.assert_allclose(structured.C, originals)
    np.testing.assert_allclose(structured.W, F)


@variants
@both_memberships
def test_float32_is_close_to_float64(variant, soft):
    D, F = random_problem(5, V=40, N=30, K=3, soft=soft)
    exact = factorize(D, F, variant, max_iterations=30, tol=0.0)
    rounded = factorize(D.astype(np.float32), F, variant, max_iterations=30, tol=0.0)
    assert rounded.C.dtype == rounded.W.dtype == np.float64
    np.testing.assert_allclose(rounded.C @ rounded.W, exact.C @ exact.W, atol=1e-5)


@pytest.mark.parametrize("variant", ["bdnmf", "sdnmf"])
@pytest.mark.parametrize("scale", [1e-8, 1e8])
@both_memberships
def test_the_unit_of_the_terms_does_not_matter(variant, scale, soft):
    D, F = random_problem(6, V=20, N=30, K=3, soft=soft)
    one = factorize(D, F, variant, max_iterations=10, tol=0.0)
    other = factorize(D * scale, F, variant, max_iterations=10, tol=0.0)
    np.testing.assert_allclose(other.C, scale * one.C, rtol=1e-6, atol=1e-7 * scale)
    np.testing.assert_allclose(other.W, one.W, rtol=1e-6, atol=1e-7)


@variants
def test_duplicate_entries_are_summed_and_the_callers_matrix_is_left_alone(variant):
    D, F = random_problem(7, V=10, N=8, K=2)
    D = D.tocoo()
    halves = coo_array(
        (np.tile(D.data / 2, 2), (np.tile(D.row, 2), np.tile(D.col, 2))), shape=D.shape
    )
    columns = csc_array(D.shape)
    order = np.argsort(halves.col, kind="stable")
    columns.data, columns.indices = halves.data[order], halves.row[order]
    columns.indptr = np.searchsorted(halves.col[order], np.arange(D.shape[1] + 1)).astype(np.int32)
    columns.has_canonical_format = False
    found, wanted = factorize(columns, F, variant), factorize(D, F, variant)
    np.testing.assert_allclose(found.C, wanted.C, atol=1e-12)
    assert columns.nnz == 2 * D.nnz


@variants
@both_memberships
def test_planted_topics_are_recovered(variant, soft):
    D, F, topics = planted()
    if soft:
        F = 0.8 * F + 0.2 / F.shape[0]
    found = factorize(D, F, variant)
    cosine = (topics / np.linalg.norm(topics, axis=0)).T @ found.C
    cosine /= np.linalg.norm(found.C, axis=0)
    assert np.diag(cosine).min() > 0.97
    assert (found.W.argmax(axis=0) == F.argmax(axis=0)).all()


def test_unknown_variant_lists_the_known_ones():
    D, F = random_problem(0, V=4, N=4, K=2)
    with pytest.raises(ValueError, match=r"bdnmf, sdnmf, cdnmf.*'xdnmf'"):
        factorize(D, F, "xdnmf")


# ----------------------------------------------------------------------------------------- bDNMF


def paper_step_in_C(D, C, W):
    """C <- C . (D W') / (C W W'), the update all three variants share in the paper."""
    return C * (D @ W.T) / np.maximum(C @ (W @ W.T), 1e-300)


def test_bdnmf_hard_is_one_step_of_the_paper_from_anywhere():
    D, F = random_problem(8, V=30, N=40, K=4)
    found = solve_bdnmf(D, F)
    C = np.random.default_rng(0).uniform(0.1, 5, found.C.shape)
    np.testing.assert_allclose(found.C, paper_step_in_C(D, C, F), rtol=1e-12)
    for k in range(4):
        members = D.toarray()[:, F[k] == 1]
        np.testing.assert_allclose(found.C[:, k], members.mean(axis=1), rtol=1e-12)


def test_bdnmf_soft_is_where_the_papers_steps_lead():
    D, F = random_problem(9, V=15, N=60, K=3, soft=True)
    found = solve_bdnmf(D, F)
    C = np.ones_like(found.C)
    for _ in range(5000):
        C = paper_step_in_C(D, C, F)
    np.testing.assert_allclose(found.C, C, atol=1e-8)


@quick
@given(problems(soft=True), st.sampled_from([0.0, 0.9, 0.9999]))
def test_bdnmf_soft_meets_the_optimality_conditions(problem, flatness):
    D, F = problem
    # Nearly equal rows of F make the problem as ill-conditioned as memberships can.
    F = (1 - flatness) * F + flatness / F.shape[0]
    C = solve_bdnmf(D, F).C
    scale = max(1.0, C.max(initial=0))
    assert_stationary(C / scale, C @ (F @ F.T) - D @ F.T, tol=1e-9)


# ----------------------------------------------------------------------------------------- sDNMF


@quick
@given(problems(soft=False))
def test_sdnmf_hard_is_the_leading_singular_pair_of_every_cluster(problem):
    D, F = problem
    found = factorize(D, F, "sdnmf", overlap=0)
    loss = 0.0
    for k, members in enumerate(F == 1):
        block = D.toarray()[:, members]
        sigma = np.linalg.svd(block, compute_uv=False) if members.any() else np.zeros(1)
        loss += (sigma[1:] ** 2).sum()
        ours = found.C[:, [k]] @ found.W[[k]][:, members]
        assert np.linalg.norm(ours) == pytest.approx(sigma[0], rel=1e-10, abs=1e-12)
        # Both singular equations: B'c = |c|^2 w and B w = |w|^2 c
        c, w = found.C[:, k], found.W[k, members]
        np.testing.assert_allclose(block.T @ c, (c @ c) * w, atol=1e-10)
        np.testing.assert_allclose(block @ w, (w @ w) * c, atol=1e-10)
    assert not found.W[F == 0].any()
    assert reconstruction_loss(D, found.C, found.W) == pytest.approx(loss, abs=1e-9)


def test_sdnmf_hard_is_where_the_papers_steps_lead():
    D, F = random_problem(10, V=25, N=30, K=3, density=0.6)
    C, T = np.ones((25, 3)), np.ones(F.shape)
    for _ in range(2000):
        denominator = (C.T @ C) @ (F * T) * F
        T = T * ((D.T @ C).T * F) / np.maximum(denominator, 1e-300)
        C = paper_step_in_C(D, C, F * T)
    found = factorize(D, F, "sdnmf", overlap=0)
    np.testing.assert_allclose(found.C @ found.W, C @ (F * T), atol=1e-9)


@pytest.mark.parametrize("second", [1.0, 1 - 1e-12, 1 - 1e-6, 1 - 1e-3, 0.9])
def test_sdnmf_with_two_rivals_in_one_cluster(second):
    """Two groups without a common term: the better one must win, however close the other comes."""
    rng = np.random.default_rng(2)
    groups = [rng.random((20, 15)) for _ in range(2)]
    lead, rival = (group / np.linalg.norm(group, 2) for group in groups)
    zero = np.zeros_like(lead)
    D = csc_array(np.block([[second * rival, zero], [zero, lead]]))
    found = solve_sdnmf(D, np.ones((1, 30)))
    c, w = found.C[:, 0], found.W[0]
    assert min(c.min(), w.min()) >= 0
    assert np.linalg.norm(w) == pytest.approx(1.0, abs=1e-11)
    np.testing.assert_allclose(D @ w, (w @ w) * c, atol=1e-8)
    if second < 1 - 1e-5:
        np.testing.assert_allclose(w[:15], 0, atol=1e-6)


def test_sdnmf_finds_the_longest_of_many_documents_without_a_common_term():
    """The singular values are the lengths, 0.0005 apart: no method gets there in a few steps."""
    lengths = np.random.default_rng(0).permutation(np.linspace(0.9, 1.0, 200))
    found = solve_sdnmf(csc_array(np.diag(lengths)), np.ones((1, 200)))
    np.testing.assert_allclose(found.W[0], lengths == 1.0, atol=1e-7)
    np.testing.assert_allclose(found.C[:, 0], lengths == 1.0, atol=1e-7)


@quick
@given(problems(soft=True))
def test_sdnmf_soft_keeps_the_mask_and_beats_bdnmf(problem):
    D, F = problem
    basic, structured = solve_bdnmf(D, F), solve_sdnmf(D, F, max_iterations=10)
    assert not structured.W[F == 0].any()
    assert structured.loss <= basic.loss + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_sdnmf_soft_ends_in_a_stationary_point(seed):
    D, F = random_problem(seed, V=12, N=30, K=3, soft=True)
    found = factorize(D, F, "sdnmf", overlap=0, max_iterations=3000, tol=1e-15)
    C, W = found.C, found.W
    assert_stationary(C, C @ (W @ W.T) - D @ W.T, tol=1e-5)
    assert_stationary(W, (C.T @ C) @ W - (D.T @ C).T, F > 0, tol=1e-5)


@pytest.mark.parametrize("variant", ["sdnmf", "cdnmf"])
def test_iterations_end_with_the_first_small_decrease(variant):
    D, F = random_problem(11, V=30, N=40, K=3, soft=True)
    found = factorize(D, F, variant, tol=1e-3)
    decrease = -np.diff(found.losses) / found.losses[1:]
    assert (decrease[:-1] > 1e-3).all()
    assert decrease[-1] <= 1e-3
    assert factorize(D, F, variant, tol=0.0, max_iterations=7).num_iterations == 7


@pytest.mark.parametrize("num_topics", [2, 3, 20])
def test_sdnmf_of_a_membership_that_says_nothing_stays_bounded(num_topics):
    D, _ = random_problem(12, V=60, N=300, K=2, density=0.1)
    F = np.full((num_topics, 300), 1 / num_topics)
    result = solve_sdnmf(D, F)
    # Rows of W have unit length, and |C_k| = |C_k W_k| <= |C W| <= |D| as nothing is negative.
    assert result.W.max() <= 1
    assert result.C.max() <= np.linalg.norm(D.data)
    assert (np.diff(result.losses) <= 1e-9 * result.losses[0]).all()


# --------------------------------------------------------------- sDNMF with clusters that overlap


@quick
@given(problems(soft=False), st.sampled_from([0.3, 1.0, 2.5]), st.integers(0, 1000))
def test_clusters_open_to_their_nearest_documents_and_no_more_than_their_share(
    problem, overlap, seed
):
    _, F = problem
    # Few values, so that some are equal and some are zero.
    similarity = np.random.default_rng(seed).integers(0, 4, F.T.shape) / 4.0
    wider = open_borders(F, similarity, overlap)
    assert set(np.unique(wider)) <= {0.0, 1.0}
    for k in range(F.shape[0]):
        own = F[k] > 0
        assert wider[k, own].all()
        strangers = [d for d in range(F.shape[1]) if not own[d] and similarity[d, k] > 0]
        strangers.sort(key=lambda d: (-similarity[d, k], d))
        wanted = strangers[: int(overlap * own.sum())]
        assert sorted(wanted) == np.flatnonzero((wider[k] > 0) & ~own).tolist()


def cosines_with(D, C):
    """Of the documents with the topics, up to a factor for each topic (N x K)."""
    lengths = np.sqrt((D.toarray() ** 2).sum(axis=0))
    return (D.T @ C) / np.where(lengths > 0, lengths, 1)[:, None]


@quick
@given(problems(soft=False), st.sampled_from([0.5, 1.0]))
def test_an_overlap_only_helps_the_fit(problem, overlap):
    D, F = problem
    plain, shared = solve_sdnmf(D, F), solve_sdnmf(D, F, overlap=overlap, max_iterations=10)
    assert shared.loss <= plain.loss + 1e-12
    wider = open_borders(F, cosines_with(D, plain.C), overlap)
    assert not shared.W[wider == 0].any()


@pytest.mark.parametrize("seed", range(4))
def test_an_overlap_ends_in_a_stationary_point(seed):
    D, F = random_problem(seed, V=12, N=30, K=3)
    wider = open_borders(F, cosines_with(D, solve_sdnmf(D, F).C), 1.0)
    found = factorize(D, F, "sdnmf", overlap=1.0, max_iterations=3000, tol=1e-15)
    C, W = found.C, found.W
    assert_stationary(C, C @ (W @ W.T) - D @ W.T, tol=1e-5)
    assert_stationary(W, (C.T @ C) @ W - (D.T @ C).T, wider > 0, tol=1e-5)


def test_an_overlap_separates_the_words_of_topics_that_documents_mix():
    """Half the documents of each cluster are a third about the other topic."""
    D, F, topics = planted(K=2, docs=60)
    labels, mixed = F.argmax(axis=0), np.arange(120) % 2 == 0
    other = csc_array(topics[:, 1 - labels] * mixed * 0.5)
    D = csc_array(D + other)

    def foreign(found):
        own = topics > 0
        return (found.C * ~own).sum(axis=0) / found.C.sum(axis=0)

    assert (foreign(factorize(D, F, "sdnmf", overlap=0)) > 0.15).all()
    assert (foreign(factorize(D, F, "sdnmf", overlap=1.0)) < 0.05).all()


def test_an_overlap_leaves_a_small_topic_beside_a_large_one_its_own_words():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [400, 8])
    topics = np.kron(np.eye(2), np.ones((20, 1)))
    # The large cluster is loose and touches the small one's words; it would have use for a topic.
    noise = rng.random((40, 408)) * (rng.random((40, 408)) < 0.3)
    D = csc_array(topics[:, labels] * (rng.random((40, 408)) < 0.5) + noise)
    found = factorize(D, one_hot(labels, 2), "sdnmf", overlap=1.0)
    assert found.C[20:, 1].sum() > 0.8 * found.C[:, 1].sum()
    # Open to every document, it has none of its own.
    everywhere = solve_sdnmf(D, 0.5 * one_hot(labels, 2) + 0.25).C
    assert everywhere[20:, 1].sum() < 0.6 * everywhere[:, 1].sum()


def test_clusters_open_to_directions_and_not_to_long_documents():
    # Beside topic 0 are a long document with little of its word, and a short one with much of it.
    D = csc_array([[1.0, 1.0, 2.0, 0.7], [0.0, 0.0, 9.8, 0.7]])
    F = one_hot(np.array([0, 0, 1, 1]), 2)
    found = solve_sdnmf(D, F, overlap=0.5)
    assert found.W[0, 2] == 0 < found.W[0, 3]


def test_the_largest_overlap_is_all_documents():
    F = one_hot(np.array([0, 0, 0, 1]), 2)
    assert (open_borders(F, np.ones((4, 2)), 1e308) == 1).all()


def test_the_overlap_is_of_hard_clusters():
    D, F = random_problem(5, V=20, N=30, K=3, soft=True)
    plain, shared = (
        factorize(D, F, "sdnmf", overlap=overlap, max_iterations=5) for overlap in (0.0, 1.0)
    )
    np.testing.assert_array_equal(plain.C, shared.C)
