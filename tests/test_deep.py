"""The network as f(D): the way of large corpora, and the pieces of the refinement by loops."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from planted import planted_docs

from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.core import Mbn, choice, deep, fit_topics, mbn
from dnmf_topics.core.refine import (
    CONCENTRATION,
    Refinement,
    cluster_sums,
    mixture_weights,
    refine_equal,
    spherical_scores,
)
from dnmf_topics.evaluation import clustering_accuracy


@pytest.fixture
def corpus():
    return planted_docs((60, 40, 30), length=20, noise=0.3)


def test_large_corpora_have_landmarks(corpus, monkeypatch):
    docs, classes = corpus
    monkeypatch.setattr(mbn, "NUM_LANDMARKS", 50)
    fits = [fit_topics(docs, 3, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert [layer.size for layer in fits[0].deep.layers] == [25, 12, 6, 3]
    assert clustering_accuracy(classes, fits[0].cluster_labels) == 1
    np.testing.assert_array_equal(fits[0].topic_term, fits[1].topic_term)
    # On request all documents may become centroids.
    exact = fit_topics(docs, 3, deep_model=Mbn(landmarks=None), random_state=0)
    assert exact.deep.layers[0].size == 65


def test_the_first_layer_is_no_wider_than_it_needs_to_be(corpus, monkeypatch):
    docs, _ = corpus
    monkeypatch.setattr(mbn, "WIDEST", 20)
    fit = fit_topics(docs, 3, random_state=0)
    assert [layer.size for layer in fit.deep.layers] == [20, 10, 5]
    assert [score.layer_size for score in fit.deep.scores] == [20, 5, None]
    # On request it is half of the documents, as in the paper.
    assert Mbn(first_layer_size=65).sizes(130, 3)[0] == 65


def test_of_many_documents_some_choose_for_all(corpus, monkeypatch):
    docs, classes = corpus
    everybody = fit_topics(docs, 3, random_state=0)
    looked_at = []

    def score(seen, *arguments):
        looked_at.append(seen.shape[0])
        return choice.score_view(seen, *arguments)

    monkeypatch.setattr(deep, "score_view", score)
    monkeypatch.setattr(deep, "SCORING_SAMPLE", 70)
    monkeypatch.setattr(deep, "SAMPLE_PER_TOPIC", 10)
    fit = fit_topics(docs, 3, random_state=0)
    assert looked_at == [70, 70, 70, 70]
    assert clustering_accuracy(classes, fit.cluster_labels) == 1
    # The view that they chose is then that of all documents, as if these had chosen it.
    assert fit.deep.view_index == everybody.deep.view_index
    np.testing.assert_array_equal(fit.deep.embedding, everybody.deep.embedding)
    np.testing.assert_array_equal(fit.cluster_labels, everybody.cluster_labels)
    # With many topics more of them look.
    looked_at.clear()
    monkeypatch.setattr(deep, "SAMPLE_PER_TOPIC", 28)
    fit_topics(docs, 3, random_state=0)
    assert looked_at == [84, 84, 84, 84]
    looked_at.clear()
    monkeypatch.setattr(deep, "SAMPLE_PER_TOPIC", 50)
    fit_topics(docs, 3, random_state=0)
    assert looked_at == [130, 130, 130, 130]


def test_the_documents_own_terms_can_be_the_view_that_is_taken(corpus, monkeypatch):
    docs, classes = corpus
    monkeypatch.setattr(deep, "choose_view", lambda scores: 3)
    fit = fit_topics(docs, 3, random_state=0)
    assert (fit.deep.layer_index, fit.deep.view_index) == (None, 3)
    assert fit.deep.embedding.shape == (docs.shape[0], 3)
    assert clustering_accuracy(classes, fit.cluster_labels) == 1


def test_clusters_are_numbered_by_size():
    docs, _ = planted_docs((10, 50, 30), length=20, noise=0.3)
    sizes = np.bincount(fit_topics(docs, 3, random_state=0).cluster_labels)
    assert list(sizes) == [50, 30, 10]


def test_spherical_scores_by_a_loop(corpus):
    docs, labels = corpus
    labels = labels.copy()
    labels[::7] = (labels[::7] + 1) % 3
    rows = docs.toarray()
    cosines = np.empty((labels.size, 3))
    for i, row in enumerate(rows):
        for cluster in range(3):
            others = rows[(labels == cluster) & (np.arange(labels.size) != i)].sum(axis=0)
            cosines[i, cluster] = row @ others / np.linalg.norm(others)
    kappa = CONCENTRATION / cosines[np.arange(labels.size), labels].mean()
    expected = kappa * cosines + np.log(np.bincount(labels))
    sums, prior = cluster_sums(docs, labels, 3), np.log(np.bincount(labels))
    scores = spherical_scores(docs, labels, sums, kappa, prior)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)
    taken = Refinement(RowBlocks(docs), 3, Threads(1)).spherical_step(labels)
    np.testing.assert_array_equal(taken, expected.argmax(axis=1))


def test_mixture_weights_are_smoothed_log_ratios(corpus):
    docs, labels = corpus
    sums = cluster_sums(docs, labels, 3)
    sums[5] = 0  # a term that no document has
    corpus_share = sums.sum(axis=1) / sums.sum()
    weights = mixture_weights(sums, 7.0)
    for cluster in range(3):
        share = (sums[:, cluster] + 7 * corpus_share) / (sums[:, cluster].sum() + 7)
        used = corpus_share > 0
        expected = np.log(share[used] / corpus_share[used])
        np.testing.assert_allclose(weights[used, cluster], expected)
    assert not weights[5].any()


def test_the_mixture_mends_short_documents():
    # Few words each: a third of the labels are wrong, and the words of the others tell.
    docs, classes = planted_docs((200, 200, 200), length=4, noise=0.3, num_common=20)
    rng = np.random.default_rng(0)
    wrong = rng.random(classes.size) < 1 / 3
    labels = np.where(wrong, rng.integers(3, size=classes.size), classes)
    mended = refine_equal(RowBlocks(docs), labels, 3, Threads(1))
    assert (mended == classes).mean() > (labels == classes).mean() + 0.1


def test_kernels_compile_where_nothing_can_be_cached():
    # Numba has no place to cache what comes from the command line.
    script = "from dnmf_topics.common.compiled import kernel; print(kernel(lambda x: x + 1)(1))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "2", done.stderr
