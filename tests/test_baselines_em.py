"""PLSI and its graph-regularized forms: literal twins, descent, and what a graph is good for."""

from __future__ import annotations

import numpy as np
import pytest
from planted import planted_counts, planted_docs
from scipy import sparse
from sklearn.decomposition import NMF

from dnmf_topics.baselines import fit_baseline
from dnmf_topics.baselines.em import em_step, log_likelihood, random_start, unit_columns
from dnmf_topics.baselines.lapplsi import MOVE, lapplsi_steps, smooth
from dnmf_topics.baselines.ltm import ltm_steps, solve_all
from dnmf_topics.baselines.neighbors import neighbor_graph
from dnmf_topics.common.parallel import row_blocks
from dnmf_topics.evaluation import clustering_accuracy

COUNTS, CLASSES = planted_counts([20, 15, 18])
COUNTS = sparse.csr_array(COUNTS, dtype=np.float64)


def literal_em(counts, term_topic, doc_topic):
    """The posterior P(z | d, w) written out (N x V x K)."""
    joint = doc_topic[:, None, :] * term_topic[None, :, :]
    expected = counts[:, :, None] * joint / joint.sum(axis=2, keepdims=True)
    likelihood = np.sum(counts * np.log(joint.sum(axis=2)))
    return expected.sum(axis=0), expected.sum(axis=1), likelihood


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def random_graph(num_docs, rng):
    weights = np.triu(rng.random((num_docs, num_docs)) < 0.1, 1).astype(float)
    weights[0] = 0  # a document without neighbors
    return sparse.csr_array(weights + weights.T)


def test_a_step_is_the_literal_one(rng):
    start = random_start(COUNTS, 4, rng)
    for fast, slow in zip(
        em_step(COUNTS, *start), literal_em(COUNTS.toarray(), *start), strict=True
    ):
        np.testing.assert_allclose(fast, slow, rtol=1e-12)
    assert log_likelihood(COUNTS, *start) == pytest.approx(em_step(COUNTS, *start)[2], rel=1e-12)


def test_threads_do_not_change_a_bit(monkeypatch, rng):
    start = random_start(COUNTS, 4, rng)
    threaded = em_step(COUNTS, *start)

    def one_by_one(function, num_rows, *, block_size, n_jobs):
        return [function(*block) for block in row_blocks(num_rows, block_size)]

    monkeypatch.setattr("dnmf_topics.baselines.em.map_blocks", one_by_one)
    for fast, slow in zip(threaded, em_step(COUNTS, *start), strict=True):
        np.testing.assert_array_equal(fast, slow)


def test_a_term_that_every_topic_lost_does_no_harm(rng):
    start = random_start(COUNTS, 2, rng)
    start[0][3] = 0
    terms, docs, likelihood = em_step(COUNTS, *start)
    assert np.isfinite(likelihood)
    assert np.isfinite(terms).all()
    assert np.isfinite(docs).all()


def test_plsi_is_as_likely_as_kullback_leibler_nmf():
    fitted = fit_baseline("plsi", COUNTS, 3)
    twin = NMF(3, beta_loss="kullback-leibler", solver="mu", init="random", max_iter=500, tol=1e-6)
    weights = twin.set_params(random_state=0).fit_transform(COUNTS)
    # With the scale moved into the weights, both are P(w | z) and n(d) P(z | d).
    topics = unit_columns(twin.components_.T)
    weights = weights * twin.components_.sum(axis=1)
    weights /= weights.sum(axis=1, keepdims=True)
    expected = log_likelihood(COUNTS, topics, weights)
    assert fitted.objective[-1] == pytest.approx(expected, rel=1e-3)


def test_the_graph_is_the_literal_one():
    docs, _ = planted_docs([12, 9, 14], num_common=4)
    docs = sparse.vstack([docs, sparse.csr_array((1, docs.shape[1]))]).tocsr()  # one is empty
    cosines = (docs @ docs.T).toarray()
    np.fill_diagonal(cosines, 0)
    near = np.argsort(-cosines, axis=1, kind="stable")[:, :3]
    expected = np.zeros_like(cosines)
    np.put_along_axis(expected, near, 1, axis=1)
    expected[cosines == 0] = 0
    graph = neighbor_graph(docs, 3).toarray()
    np.testing.assert_array_equal(graph, np.maximum(expected, expected.T))
    assert not graph[-1].any()


def test_smoothing_is_the_literal_one(rng):
    graph = random_graph(30, rng)
    docs = rng.dirichlet(np.ones(3), 30)
    dense = graph.toarray()
    dense += np.diag(dense.sum(axis=1) == 0)
    expected = docs
    for _ in range(4):
        means = dense @ expected / dense.sum(axis=1, keepdims=True)
        expected = (1 - MOVE) * expected + MOVE * means
    np.testing.assert_allclose(smooth(graph, docs, 4), expected, rtol=1e-12)
    np.testing.assert_array_equal(smooth(graph, docs, 0), docs)


def test_conjugate_gradients_solve(rng):
    graph = random_graph(30, rng).toarray()
    matrix = np.diag(graph.sum(axis=1) + rng.random(30) + 0.1) - graph
    targets = rng.random((30, 3))
    found = solve_all(sparse.csr_array(matrix), targets, np.zeros((30, 3)))
    np.testing.assert_allclose(found, np.linalg.solve(matrix, targets), rtol=1e-4)


def test_a_step_of_ltm_is_the_literal_one(rng):
    graph = random_graph(COUNTS.shape[0], rng)
    topics, docs = random_start(COUNTS, 3, rng)
    new_topics, new_docs, objective = ltm_steps(COUNTS, graph, topics, docs, weight=5, max_steps=1)
    by_term, by_doc, _ = literal_em(COUNTS.toarray(), topics, docs)
    dense = graph.toarray()
    laplacian = np.diag(dense.sum(axis=1)) - dense
    lengths = np.diag(COUNTS.toarray().sum(axis=1))
    np.testing.assert_allclose(new_topics, by_term / by_term.sum(axis=0), rtol=1e-9)
    expected = np.linalg.solve(lengths + 5 * laplacian, by_doc)
    np.testing.assert_allclose(new_docs, expected, rtol=1e-4)
    # lambda/2 sum_ij W_ij (D(P_i || P_j) + D(P_j || P_i))
    logs = np.log(docs)
    divergences = np.einsum("iz,ijz->ij", docs, logs[:, None] - logs[None])
    penalty = 5 / 2 * np.sum(dense * (divergences + divergences.T))
    likelihood = literal_em(COUNTS.toarray(), topics, docs)[2]
    assert objective[0] == pytest.approx(likelihood - penalty)


def test_lapplsi_counts_what_it_says(rng):
    graph = random_graph(COUNTS.shape[0], rng)
    start = random_start(COUNTS, 3, rng)
    topics, docs, objective = lapplsi_steps(COUNTS, graph, *start, weight=7, max_steps=5)
    distances = np.sum((docs[:, None] - docs[None]) ** 2, axis=2)
    penalty = 7 / 2 * np.sum(graph.toarray() * distances)
    likelihood = literal_em(COUNTS.toarray(), topics, docs)[2]
    assert objective[-1] == pytest.approx(likelihood - penalty)
    assert len(objective) == 6
    assert np.all(np.diff(objective) >= 0)


@pytest.mark.parametrize("steps", [lapplsi_steps, ltm_steps])
def test_without_weight_both_are_plsi_or_better(steps, rng):
    graph = random_graph(COUNTS.shape[0], rng)
    start = random_start(COUNTS, 3, rng)
    _, _, objective = steps(COUNTS, graph, *start, weight=0, max_steps=60)
    assert np.all(np.diff(objective) >= 0)
    assert objective[-1] > objective[0]


@pytest.mark.parametrize("name", ["lapplsi", "ltm"])
def test_the_graph_helps_where_words_are_few(name):
    # Documents along two chains: neighbors share words, the ends of a chain share none.
    rng = np.random.default_rng(0)
    num_docs, width = 60, 12
    place = np.arange(num_docs)
    rates = np.zeros((2 * num_docs, 2 * (num_docs + width)))
    for doc in range(2 * num_docs):
        begin = doc // num_docs * (num_docs + width) + place[doc % num_docs]
        rates[doc, begin : begin + width] = 1.5
    counts = sparse.csr_array(rng.poisson(rates))
    chains = np.arange(2 * num_docs) // num_docs
    with_graph = clustering_accuracy(chains, fit_baseline(name, counts, 2).cluster_labels)
    without = np.mean(
        [
            clustering_accuracy(
                chains, fit_baseline("plsi", counts, 2, random_state=seed).cluster_labels
            )
            for seed in range(3)
        ]
    )
    assert with_graph > 0.95
    assert with_graph > without + 0.1
