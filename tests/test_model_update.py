"""Learning on: sums that add up, nothing forgotten, likelihoods that are likelihoods."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from math import lgamma

import joblib
import numpy as np
import pytest
from gensim.models import CoherenceModel, LdaModel
from gensim.models.callbacks import (
    CoherenceMetric,
    ConvergenceMetric,
    DiffMetric,
    PerplexityMetric,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import literal_words
from planted import planted_counts
from scipy import integrate, optimize, sparse
from scipy import stats as distributions
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer
from trained import CLASSES, CORPUS, COUNTS, NUM_TERMS, WORDS, as_bow, file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.core import VARIANTS, Tfidf
from dnmf_topics.evaluation import clustering_accuracy
from dnmf_topics.model import DnmfState

EVERY = pytest.mark.parametrize("variant", VARIANTS)


@cache
def trained(variant):
    """For tests that must not change it."""
    return small_model(variant=variant)


def new_state(num_topics=3, num_terms=NUM_TERMS):
    return DnmfState(num_topics, num_terms)


def sums_of(state):
    return {name: getattr(state, name) for name in DnmfState.sums()} | {"numdocs": state.numdocs}


def assert_same_sums(one, other):
    for name, value in sums_of(one).items():
        np.testing.assert_allclose(value, getattr(other, name), rtol=1e-9, atol=1e-9)


def statistics_of(model, corpus):
    state = new_state()
    model.do_estep(corpus, state)
    return state


def normalized(rows):
    return rows / rows.sum(axis=1, keepdims=True)


# ------------------------------------------------------------------------ what the state holds


def test_the_sums_are_what_their_names_say():
    model = small_model(variant="bdnmf", deep_model=CLASSES)
    state, weights = model.state, Tfidf.fit(COUNTS).transform(COUNTS).toarray()
    counts = COUNTS.toarray()
    for topic in range(3):
        members = np.flatnonzero(topic == CLASSES)
        np.testing.assert_allclose(state.word_counts[topic], counts[members].sum(axis=0))
        np.testing.assert_allclose(state.cluster_mass[topic], weights[members].sum(axis=0))
        np.testing.assert_array_equal(state.sstats[topic], (counts[members] > 0).sum(axis=0))
        assert state.topic_weights[topic] == state.topic_sizes[topic] == members.size
    np.testing.assert_array_equal(state.doc_frequency, (counts > 0).sum(axis=0))
    assert state.numdocs == 45


def test_no_topic_has_a_zero():
    for state in (small_model().state, new_state()):
        assert state.get_lambda().min() > 0
        assert np.isfinite(state.get_Elogbeta()).all()
    np.testing.assert_allclose(normalized(new_state().get_lambda()), 1 / NUM_TERMS)


# --------------------------------------------------------------------------------- adding up


@EVERY
@settings(max_examples=15)
@given(st.lists(st.integers(0, 44), min_size=1, max_size=30), st.integers(0, 30))
def test_statistics_of_parts_add_up_to_those_of_the_whole(variant, documents, cut):
    model = trained(variant)
    corpus = [CORPUS[i] for i in documents]
    parts = [statistics_of(model, part) for part in (corpus[:cut], corpus[cut:]) if part]
    one, other = new_state(), new_state()
    for part in parts:
        one.merge(part)
    for part in reversed(parts):
        other.merge(part)
    whole = statistics_of(model, corpus)
    assert whole.numdocs == len(documents)
    assert_same_sums(one, whole)
    assert_same_sums(other, whole)


@EVERY
def test_an_update_is_its_statistics_merged(variant):
    model = small_model(variant=variant)
    expected = small_model(variant=variant)
    # Of documents that leave the idf as it is: the same ones again.
    gamma = expected.do_estep(CORPUS)
    np.testing.assert_array_equal(gamma, expected.inference(CORPUS)[0])
    assert expected.state.numdocs == 90
    np.testing.assert_array_equal(expected.get_topics(), model.get_topics())
    expected.sync_state()
    model.update(CORPUS)
    assert_same_sums(model.state, expected.state)
    np.testing.assert_allclose(model.get_topics(), expected.get_topics(), rtol=1e-9)
    assert model.num_updates == 90


@EVERY
def test_statistics_of_new_documents_are_those_of_a_slow_twin(variant):
    model = small_model(variant=variant)
    new = [*CORPUS[:6], [(0, 3), (13, 1)], []]
    expected, topics = new_state(), model.get_topics()
    idf = np.log(45 / np.maximum(COUNTS.astype(bool).sum(axis=0), 1))
    # On the scale on which the topic's own documents have weights of 1 in the mean.
    doc_term = Tfidf.fit(COUNTS).transform(COUNTS)
    for topic, members in enumerate(model.cluster_labels == k for k in range(3)):
        fits = [optimize.nnls(topics[[topic]].T, row)[0][0] for row in doc_term[members].toarray()]
        topics[topic] *= np.mean(fits)
    for bow in new:
        counts, weighted = np.zeros(NUM_TERMS), np.zeros(NUM_TERMS)
        for term, n in bow:
            counts[term], weighted[term] = n, (1 + np.log(n)) * idf[term]
        weighted /= np.linalg.norm(weighted) or 1
        membership = np.eye(3)[max(model[bow], key=lambda pair: pair[1])[0] if bow else 0]
        if variant == "bdnmf":
            weights = membership
        elif variant == "sdnmf":
            (own,) = np.flatnonzero(membership)
            weights = membership * optimize.nnls(topics[[own]].T, weighted)[0]
        else:
            weights = optimize.nnls(topics.T, weighted)[0]
        expected.sstats += np.outer(weights, counts > 0)
        expected.topic_weights += weights if bow else 0
        expected.cluster_mass += np.outer(membership, weighted)
        expected.word_counts += np.outer(membership, counts)
        expected.topic_sizes += membership if bow else 0
        expected.doc_frequency += counts > 0
        expected.numdocs += 1
    assert_same_sums(statistics_of(model, new), expected)


@EVERY
def test_the_size_of_the_chunks_does_not_matter(variant):
    one, other = (small_model(variant=variant, chunksize=size) for size in (4, 2000))
    for model in (one, other):
        model.update(CORPUS[:21])
    assert_same_sums(one.state, other.state)
    np.testing.assert_array_equal(one.doc_topics(), other.doc_topics())
    np.testing.assert_array_equal(one.cluster_labels, other.cluster_labels)


def test_collected_statistics_are_those_of_an_estep():
    model = small_model()
    before = file_of(model)
    gamma, sstats = model.inference(CORPUS[:9], collect_sstats=True)
    np.testing.assert_array_equal(sstats, statistics_of(model, CORPUS[:9]).sstats)
    np.testing.assert_array_equal(gamma, model.inference(CORPUS[:9])[0])
    assert file_of(model) == before


# ----------------------------------------------------------------- merge, blend, reset, clear


def test_merging_leaves_the_other_state_alone():
    model = small_model()
    one, other = statistics_of(model, CORPUS[:9]), statistics_of(model, CORPUS[9:12])
    before = {name: np.array(value) for name, value in sums_of(other).items()}
    one.merge(other)
    assert one.numdocs == 12
    for name, value in sums_of(other).items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("rho", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("target", [None, 9, 100])
def test_blending_is_a_mean_weighted_by_rho(rho, target):
    model = small_model()
    one, other = statistics_of(model, CORPUS[:9]), statistics_of(model, CORPUS[9:12])
    size = 9 if target is None else target
    expected = {
        name: (1 - rho) * getattr(one, name) * size / 9 + rho * getattr(other, name) * size / 3
        for name in DnmfState.sums()
    }
    one.blend(rho, other, target)
    assert one.numdocs == size
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(one, name), value, atol=1e-12)


def test_blending_into_nothing_does_not_lose_the_other():
    some = statistics_of(small_model(), CORPUS[:9])
    state = new_state()
    state.blend(1.0, some)
    assert_same_sums(state, some)
    state.blend(0.0, new_state())
    assert_same_sums(state, some)


@pytest.mark.parametrize("rho", [-0.1, 1.1, np.nan])
def test_a_share_is_from_0_to_1(rho):
    model = small_model()
    before = file_of(model)
    with pytest.raises(ValueError, match=f"rhot must be from 0 to 1, got {rho}"):
        model.do_mstep(rho, new_state())
    assert file_of(model) == before


@pytest.mark.parametrize("shape", [(2, NUM_TERMS), (3, NUM_TERMS + 1)])
def test_states_of_other_models_do_not_mix(shape):
    model = small_model()
    before = file_of(model)
    for use in (model.state.merge, lambda other: model.do_mstep(0.5, other),
                lambda other: model.do_estep(CORPUS, other)):  # fmt: skip
        with pytest.raises(ValueError, match=r"shape of this state \(topics, terms\)"):
            use(new_state(*shape))
    assert file_of(model) == before


def test_an_mstep_makes_the_topics_anew():
    model = small_model()
    other = statistics_of(model, CORPUS[:9])
    expected = new_state()
    expected.merge(model.state)
    expected.blend(0.3, other)
    model.do_mstep(0.3, other)
    np.testing.assert_array_equal(model.get_topics(), normalized(expected.get_lambda()))
    assert model.num_updates == 54
    model.do_mstep(0.3, other, extra_pass=True)
    assert model.num_updates == 54


def test_learnt_priors_follow_an_mstep():
    model = small_model(alpha="auto", eta="auto")
    alpha, eta = model.alpha, model.eta
    model.do_mstep(1.0, statistics_of(model, CORPUS[:9]))
    assert not np.allclose(model.alpha, alpha)
    assert not np.allclose(model.eta, eta)
    # Nine documents count like the forty-five they are stretched to.
    sizes = 5 * np.bincount(small_model().cluster_labels[:9], minlength=3)
    np.testing.assert_allclose(model.alpha, (sizes + 1 / 3) / 46)


def test_documents_cannot_be_expected_before_there_are_topics():
    model = small_model(None)
    with pytest.raises(ValueError, match="call update first"):
        model.do_estep(CORPUS)
    assert file_of(model) == file_of(small_model(None))


def test_given_log_probabilities_are_taken():
    model = small_model()
    wanted = np.log(np.full((3, NUM_TERMS), 1 / NUM_TERMS))
    model.sync_state(wanted)
    np.testing.assert_allclose(model.get_topics(), 1 / NUM_TERMS)
    model.sync_state()
    np.testing.assert_array_equal(model.get_topics(), small_model().get_topics())


def test_a_state_that_is_reset_is_empty():
    state = small_model().state
    state.reset()
    assert_same_sums(state, new_state())


def test_a_cleared_model_can_be_read_and_finds_new_topics():
    model = small_model(random_state=np.random.RandomState(0))
    topics, inferred = model.get_topics(), list(model[CORPUS])
    model.clear()
    np.testing.assert_array_equal(model.get_topics(), topics)
    assert list(model[CORPUS]) == inferred
    assert model.state.numdocs == 0
    model.update(CORPUS[25:])
    # The documents of the old topics are gone with them.
    assert len(model.cluster_labels) == len(model.doc_topics()) == 20
    assert model.get_topic_info()["size"].sum() == 20
    assert model.state.numdocs == 20


# ---------------------------------------------------------------------------- nothing is forgotten


@EVERY
def test_all_sums_grow_with_every_document(variant):
    model = small_model(variant=variant)
    for document in (CORPUS[0], [], [(0, 1)]):
        before = {name: np.array(value) for name, value in sums_of(model.state).items()}
        model.update([document])
        for name, value in sums_of(model.state).items():
            assert (value >= before[name]).all(), name
        assert model.state.numdocs == before["numdocs"] + 1


@EVERY
def test_a_flood_of_one_topic_leaves_the_others(variant):
    model = small_model(variant=variant)
    of_topic = [bow for bow, label in zip(CORPUS, model.cluster_labels, strict=True) if label == 0]
    before, words = model.get_topics(), [model.show_topic(k, 12) for k in range(3)]
    for _ in range(5):
        model.update(of_topic)
    assert np.bincount(model.cluster_labels).tolist() == [120, 15, 10]
    # Their words are now rarer among all documents, but the same.
    assert np.abs(model.get_topics() - before).max() < 0.02
    for k, heaviest in enumerate(words):
        assert dict(model.show_topic(k, 12)).keys() == dict(heaviest).keys()


@EVERY
def test_new_words_of_the_vocabulary_are_learnt_at_once(variant):
    new = NUM_TERMS
    model = small_model(variant=variant, id2word=WORDS | {new: "new"})
    model.update([[*bow, (new, 3)] for bow, c in zip(CORPUS, CLASSES, strict=True) if c == 2])
    (topic, weight), *others = model.get_term_topics("new", 0)
    assert topic == model.cluster_labels[-1] == model.cluster_labels[CLASSES.tolist().index(2)]
    assert weight > 0.01
    assert all(other < 0.01 * weight for _, other in others)
    # And tell documents from then on.
    assert max(model[[(new, 1)]], key=lambda pair: pair[1])[0] == topic


def test_a_document_of_new_words_alone_goes_to_the_largest_topic():
    new = NUM_TERMS
    model = small_model(id2word=WORDS | {new: "new"})
    model.update([[(new, 2)]])
    assert model.cluster_labels[-1] == 0
    assert model.get_document_info([[(new, 1)]])["topic"].tolist() == [0]
    assert model.get_document_info([[(new, 1)]])["weight"][0] > model.alpha[0]


@EVERY
def test_two_halves_come_close_to_the_whole(variant):
    counts, classes = planted_counts((60, 40, 30), noise=0.4)
    corpus = as_bow(counts)
    whole = small_model(corpus, variant=variant)
    halves = small_model(corpus[:65], variant=variant)
    halves.update(corpus[65:])
    assert clustering_accuracy(classes, halves.cluster_labels) == 1
    assert clustering_accuracy(whole.cluster_labels, halves.cluster_labels) == 1
    assert halves.state.numdocs == whole.state.numdocs
    for topic in whole.get_topics():
        distances = np.abs(halves.get_topics() - topic).sum(axis=1)
        assert distances.min() < 0.06 < 1 < np.sort(distances)[1]


GROUPS = ["rec.sport.hockey", "sci.space", "talk.politics.mideast", "rec.autos"]


def test_two_halves_come_close_to_the_whole_on_real_text(corpora_folder):
    home = corpora_folder / "20newsgroups"
    if not home.exists():
        pytest.skip(f"needs {home}")
    bunch = fetch_20newsgroups(
        subset="train", data_home=home, download_if_missing=False, categories=GROUPS
    )
    vectorizer = CountVectorizer(
        token_pattern=r"[a-z]{3,}", stop_words="english", min_df=5, max_df=0.5
    )
    counts = sparse.csr_array(vectorizer.fit_transform(bunch.data))
    words = dict(enumerate(vectorizer.get_feature_names_out()))
    half = counts.shape[0] // 2
    options = {"num_topics": 4, "id2word": words, "random_state": 0, "num_clusterings": 100}
    whole = DnmfModel(counts.T, **options)
    halves = DnmfModel(counts[:half].T, **options)
    halves.update(counts[half:].T)

    accuracy = clustering_accuracy(bunch.target, whole.cluster_labels)
    assert accuracy > 0.95
    assert clustering_accuracy(bunch.target, halves.cluster_labels) > accuracy - 0.03
    top = [
        [{word for word, _ in model.show_topic(k, 20)} for k in range(4)]
        for model in (whole, halves)
    ]
    assert all(max(len(one & other) for other in top[1]) >= 15 for one in top[0])
    for model in (whole, halves):
        inferred = model.inference(counts.T)[0].argmax(axis=1)
        assert (inferred == model.cluster_labels).mean() >= 0.95


# ------------------------------------------------------------------------------------ callbacks


def test_gensims_metrics_are_evaluated_at_every_update(caplog):
    caplog.set_level(logging.INFO, "gensim.models.ldamodel")
    metrics = [
        CoherenceMetric(corpus=CORPUS, coherence="u_mass", topn=5, logger="shell"),
        PerplexityMetric(corpus=CORPUS, logger="shell"),
        DiffMetric(distance="hellinger", normed=False, logger="shell"),
        ConvergenceMetric(distance="jaccard", num_words=5, logger="shell", title="moved"),
    ]
    model = small_model(CORPUS[:30], callbacks=metrics)
    earlier = model.get_topics()
    assert {name: len(values) for name, values in model.metrics.items()} == dict.fromkeys(
        ("Coherence", "Perplexity", "Diff", "moved"), 1
    )
    for part in (CORPUS[30:40], CORPUS[40:]):
        earlier = model.get_topics()
        model.update(part)
        latest = {name: values[-1] for name, values in model.metrics.items()}
        assert {len(values) for values in model.metrics.values()} == {1}
        coherence = CoherenceModel(model, corpus=CORPUS, coherence="u_mass", topn=5)
        assert latest["Coherence"] == coherence.get_coherence()
        assert latest["Perplexity"] == np.exp2(-model.log_perplexity(CORPUS))
        moved = np.sqrt(((np.sqrt(earlier) - np.sqrt(model.get_topics())) ** 2).sum(axis=1) / 2)
        np.testing.assert_allclose(latest["Diff"], moved, rtol=1e-6)
    assert caplog.text.count("Epoch 0: moved estimate") == 3
    assert "Epoch 1: " not in caplog.text


def test_metrics_are_evaluated_after_each_pass_and_change_in_the_first_alone(caplog):
    caplog.set_level(logging.INFO, "gensim.models.ldamodel")
    metrics = [
        PerplexityMetric(CORPUS, logger="shell"),
        DiffMetric(distance="hellinger", normed=False, logger="shell"),
    ]
    model = small_model(CORPUS[:30], passes=3, callbacks=metrics)
    assert [len(model.metrics[name]) for name in ("Perplexity", "Diff")] == [3, 3]
    for passes, expected in ((None, 3), (2, 2), (0, 1)):
        earlier = model.metrics["Perplexity"][-1]
        model.update(CORPUS[30:], passes=passes)
        values = model.metrics["Perplexity"]
        assert len(values) == expected
        assert values == [values[0]] * expected != [earlier] * expected
        first, *later = model.metrics["Diff"]
        assert first.max() > 0
        assert all((value == 0).all() for value in later)
    assert [caplog.text.count(f"Epoch {number}: Diff") for number in range(4)] == [4, 3, 2, 0]


def test_metrics_change_nothing():
    metrics = [ConvergenceMetric(logger="shell"), PerplexityMetric(CORPUS, logger="shell")]
    one, other = small_model(callbacks=metrics), small_model()
    for model in (one, other):
        model.update(CORPUS[:5])
    assert file_of(one) == file_of(other)


def test_the_models_that_metrics_keep_do_not_pile_up():
    metric = DiffMetric(logger="shell")
    model = small_model(CORPUS[:30], callbacks=[metric])
    for _ in range(2):
        model.update(CORPUS[30:])
    assert metric.other_model.callbacks is None
    assert model.callbacks == [metric]


# ------------------------------------------------------------------------------------ likelihoods


def slow_bound(model, corpus, gamma):
    """The evidence lower bound, term by term."""
    beta = literal_words(model.state.word_counts + model.eta)
    total = 0.0
    for bow, weights in zip(corpus, gamma, strict=True):
        topics = range(len(weights))
        # E_q log theta_k, the derivative of the normalizer, by differences
        step = 1e-6 * np.eye(len(weights))
        log_theta = [
            (log_normalizer(weights + step[k]) - log_normalizer(weights - step[k])) / 2e-6
            for k in topics
        ]
        for term, n in bow:
            total += n * np.log(sum(np.exp(log_theta[k]) * beta[k, term] for k in topics))
        # - KL(q || p) = E_q log p - E_q log q
        total += log_normalizer(weights) - log_normalizer(model.alpha)
        total += sum((model.alpha[k] - weights[k]) * log_theta[k] for k in topics)
    return total


def log_normalizer(weights):
    """Of a Dirichlet: the logarithm of the integral of prod theta_k^(w_k - 1)."""
    return sum(map(lgamma, weights)) - lgamma(sum(weights))


@EVERY
def test_the_bound_is_the_sum_of_its_terms(variant):
    model = small_model(variant=variant, alpha=[0.3, 0.2, 0.7], eta=0.05)
    corpus = [*CORPUS[:5], [], [(0, 2.5)]]
    gamma, _ = model.inference(corpus)
    assert model.bound(corpus) == pytest.approx(slow_bound(model, corpus, gamma), rel=1e-7)
    other = np.random.default_rng(0).uniform(0.1, 9, gamma.shape)
    assert model.bound(corpus, other) == pytest.approx(slow_bound(model, corpus, other), rel=1e-7)
    assert model.bound(corpus, subsample_ratio=3) == pytest.approx(3 * model.bound(corpus))
    num_words = sum(n for bow in corpus for _, n in bow)
    assert model.log_perplexity(corpus) == pytest.approx(model.bound(corpus) / num_words)


def exact_log_likelihood(model, bow):
    """log p(words) for two topics: the share of the first is integrated out."""
    beta = literal_words(model.state.word_counts + model.eta)
    prior = distributions.beta(*model.alpha)

    def joint(share):
        words = [n * np.log(share * beta[0, t] + (1 - share) * beta[1, t]) for t, n in bow]
        return prior.pdf(share) * np.exp(sum(words) + offset)

    offset = 3.5 * sum(n for _, n in bow)  # keeps the integrand within the range of floats
    value, _ = integrate.quad(joint, 0, 1, points=[0.01, 0.99], limit=200)
    return np.log(value) - offset


@pytest.mark.parametrize("alpha", [1.0, 1.5, [2.0, 5.0]])
def test_the_bound_is_below_the_likelihood_and_near_it(alpha):
    model = small_model(num_topics=2, alpha=alpha)
    rng = np.random.default_rng(0)
    for bow in [*CORPUS[:6], [(0, 1)], [(0, 1), (20, 1), (40, 3)]]:
        exact = exact_log_likelihood(model, bow)
        assert exact - 0.25 * sum(n for _, n in bow) - 2 < model.bound([bow]) <= exact + 1e-9
        for gamma in rng.uniform(0.1, 30, (20, 1, 2)):
            assert model.bound([bow], gamma) <= exact + 1e-9


def test_with_one_topic_the_bound_is_the_likelihood():
    model = small_model(num_topics=1)
    beta = literal_words(model.state.word_counts + model.eta)[0]
    exact = sum(n * np.log(beta[term]) for bow in CORPUS for term, n in bow)
    assert model.bound(CORPUS) == pytest.approx(exact, rel=1e-12)


def test_a_document_without_words_has_likelihood_one():
    model = small_model()
    assert model.bound([[], []]) == pytest.approx(0, abs=1e-12)
    for nothing in ([], [[]], [[(0, 0)]]):
        with pytest.raises(ValueError, match="chunk must have a known word"):
            model.log_perplexity(nothing)


@pytest.mark.parametrize(
    "gamma", [np.ones((2, 3)), np.ones((1, 2)), np.ones(3), np.zeros((1, 3)), -np.ones((1, 3))]
)
def test_weights_that_are_no_gamma_are_refused(gamma):
    with pytest.raises(ValueError, match="gamma must have weights above 0 of 3 topics for each"):
        small_model().bound(CORPUS[:1], gamma)


@pytest.fixture(scope="module")
def held_out():
    """Training documents, their classes and others of the same topics."""
    counts, classes = planted_counts((80, 60, 40), seed=1)
    others, _ = planted_counts((20, 15, 10), seed=2)
    return as_bow(counts), classes, as_bow(others)


def test_true_topics_predict_unseen_documents_better_than_random_ones(held_out):
    train, classes, unseen = held_out
    shuffled = np.random.default_rng(0).permutation(classes)
    true, random = (small_model(train, deep_model=labels) for labels in (classes, shuffled))
    found = small_model(train)
    assert found.log_perplexity(unseen) > random.log_perplexity(unseen) + 0.2
    assert found.log_perplexity(unseen) == pytest.approx(true.log_perplexity(unseen), abs=0.01)


def test_more_documents_predict_better(held_out):
    train, _, unseen = held_out
    model = small_model(train[:20])
    few = model.log_perplexity(unseen)
    model.update(train[20:])
    assert model.log_perplexity(unseen) > few


def test_the_likelihood_stands_beside_that_of_lda(held_out):
    train, _, unseen = held_out
    lda = LdaModel(train, 3, WORDS, random_state=0, passes=20, iterations=200)
    model = small_model(train)
    ours, theirs = (m.log_perplexity(unseen) for m in (model, lda))
    # The same topics, so the same likelihood; LdaModel takes off the uncertainty of its topics.
    assert theirs < ours < theirs + 0.3
    loaded = DnmfModel.load(io.BytesIO(file_of(model)))
    assert loaded.log_perplexity(unseen) == ours


# --- several threads


@pytest.fixture
def _eager_threads():
    """Threads take turns all the time, not every few milliseconds."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def saved_and_loaded(model):
    loaded = DnmfModel.load(io.BytesIO(file_of(model)))
    return sums_of(loaded.state), loaded.expElogbeta, loaded.doc_topics()


BETWEEN = [(term, 3) for term in range(NUM_TERMS)]  # about all topics, whose shares an update moves
READS = {
    "inference": lambda model: model.inference([BETWEEN])[0],
    "show_topics": lambda model: model.show_topics(formatted=False),
    "get_topic_info": lambda model: model.get_topic_info(5).to_dict("list"),
    "item": lambda model: model[BETWEEN],
    "words": lambda model: model.get_document_topics(CORPUS[0], per_word_topics=True),
    "log_perplexity": lambda model: model.log_perplexity(CORPUS[:9]),
    "get_document_topics": lambda model: list(model.get_document_topics([BETWEEN])),
    "top_topics": lambda model: model.top_topics(CORPUS[:9], topn=3),
    "diff": lambda model: model.diff(model, "jensen_shannon", num_words=3)[0],
    "diff, words": lambda model: model.diff(model, num_words=5)[1].tolist(),
    "get_document_info": lambda model: model.get_document_info(full=True).to_dict("list"),
    "doc_topics": lambda model: model.doc_topics(),
    "representative": lambda model: model.get_representative_docs(0, 50),
    "copy": lambda model: (lambda other: (other.num_updates, other.metrics))(copy.copy(model)),
    "pickle": lambda model: sums_of(pickle.loads(pickle.dumps(model)).state),
    "save": saved_and_loaded,
}
NUM_UPDATES = 200


def batch(number):
    return [CORPUS[number % len(CORPUS)], CORPUS[(7 * number) % len(CORPUS)]]


class Sizes:
    """A metric with another value at each update."""

    logger, title = None, "Sizes"

    def __str__(self):
        return "Sizes"

    def get_value(self, model, **_):
        return model.num_updates


@pytest.fixture(scope="module")
def whole_models():
    """The model before and after each update, when nobody reads meanwhile."""
    twin = small_model(callbacks=[Sizes()])
    models = [copy.copy(twin)]
    for number in range(NUM_UPDATES):
        twin.update(batch(number))
        models.append(copy.copy(twin))
    return models


@pytest.mark.usefixtures("_eager_threads")
@pytest.mark.parametrize("name", READS)
def test_a_reader_on_another_thread_sees_the_old_model_or_the_new(whole_models, name):
    model, read = small_model(callbacks=[Sizes()]), READS[name]
    whole = [joblib.hash(read(each)) for each in whole_models]
    seen, ended = [], threading.Event()

    def read_on():
        while not ended.is_set():
            seen.append(joblib.hash(read(model)))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read_on) for _ in range(2)]
        for number in range(NUM_UPDATES):
            model.update(batch(number))
        ended.set()
    assert [reader.result() for reader in readers] == [None, None]
    assert set(seen) <= set(whole)
    assert len(set(seen)) > 1
    assert joblib.hash(read(model)) == whole[-1]


@pytest.mark.usefixtures("_eager_threads")
def test_threads_that_update_one_model_lose_no_document():
    model = small_model()
    batches = [[batch(50 * thread + number) for number in range(50)] for thread in range(4)]
    alone = small_model()
    for documents in chain.from_iterable(batches):
        alone.update(documents)
    with ThreadPoolExecutor(4) as pool:
        updates = [pool.submit(lambda own: [*map(model.update, own)], own) for own in batches]
    assert all(update.exception() is None for update in updates)
    assert model.state.numdocs == model.num_updates == alone.state.numdocs == len(CORPUS) + 400
    assert model.cluster_labels.size == len(model.doc_topics()) == model.state.numdocs
    np.testing.assert_array_equal(model.state.doc_frequency, alone.state.doc_frequency)
    np.testing.assert_allclose(
        model.state.word_counts.sum(axis=0), alone.state.word_counts.sum(axis=0)
    )
    np.testing.assert_array_equal(np.bincount(model.cluster_labels), model.state.topic_sizes)


CHANGES = {
    "update": lambda model: model.update(CORPUS[:1]),
    "do_estep": lambda model: model.do_estep(CORPUS[:1]),
    "do_mstep": lambda model: model.do_mstep(0.0, statistics_of(model, CORPUS[:1])),
    "sync_state": lambda model: model.sync_state(),
    "update_alpha": lambda model: model.update_alpha(np.ones((1, 3)), 0.5),
    "update_eta": lambda model: model.update_eta(np.ones((3, NUM_TERMS)), 0.5),
    "attribute": lambda model: setattr(model, "optimize_eta", False),
    "part": lambda model: setattr(model, "doc_embedding", model.doc_embedding),
}


@pytest.mark.usefixtures("_eager_threads")
@pytest.mark.parametrize("name", CHANGES)
def test_no_change_of_one_thread_undoes_that_of_another(name):
    model = small_model()
    ended = threading.Event()

    def change():
        while not ended.is_set():
            CHANGES[name](model)

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change)
        for number in range(300):
            model.views = ({"number": number},)
            if model.views[0]["number"] != number:  # for what is lost now cannot come back
                break
            model.minimum_probability = number / 1000
        ended.set()
    assert changing.exception() is None
    assert model.views[0]["number"] == number == 299


@pytest.mark.usefixtures("_eager_threads")
def test_no_setting_of_one_thread_undoes_that_of_another():
    model = small_model()

    def change(name):
        for number in range(1, 2000):
            setattr(model, name, number)
            assert getattr(model, name) == number

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(change, ["chunksize", "minimum_phi_value"]))


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: DnmfModel.load(io.BytesIO(file_of(model))),
    ],
    ids=["copy", "deepcopy", "pickle", "file"],
)
def test_neither_readers_nor_copies_wait_for_an_update(copied):
    model = small_model()
    inside, done = threading.Event(), threading.Event()

    class Waits(Sizes):
        def __reduce__(self):  # copies and pickles do not wait
            return Sizes, ()

        def get_value(self, model, **_):
            inside.set()
            assert done.wait(60)
            return 0

    model.callbacks = [Waits()]
    with ThreadPoolExecutor(1) as pool:
        updating = pool.submit(model.update, CORPUS[:2])
        assert inside.wait(60)
        try:
            other = pool_of_its_own(copied, model)
            other.callbacks = None
            pool_of_its_own(other.update, CORPUS[:3])
            pool_of_its_own(other.update, CORPUS[:3])
            assert other.state.numdocs == len(CORPUS) + 6
            for read in READS.values():
                pool_of_its_own(read, model)
            assert not updating.done()
        finally:
            done.set()
    assert updating.exception() is None
    assert model.state.numdocs == len(CORPUS) + 2


def pool_of_its_own(call, *args):
    """What a call on another thread returns, within half a minute."""
    return ThreadPoolExecutor(1).submit(call, *args).result(timeout=30)


def test_a_metric_may_change_the_model_that_it_measures():
    model = small_model()

    class Changes(Sizes):
        def get_value(self, **_):
            model.chunksize = 7
            return model.update_alpha(np.ones((1, 3)), 0.5).sum()

    model.callbacks = [Changes()]
    pool_of_its_own(model.update, CORPUS[:2])
    assert model.chunksize == 7


# --- looking again


def test_refining_finds_what_updates_could_not_know():
    # The first documents show two of the three topics only; the others are assigned to these.
    counts, classes = planted_counts((60, 60, 60), length=30, noise=0.3)
    first = np.flatnonzero(classes < 2)[:80]
    order = np.concatenate([first, np.setdiff1d(np.arange(classes.size), first)])
    corpus, classes = as_bow(counts[order]), classes[order]
    model = small_model(corpus[:80], 3, dict(enumerate(map(str, range(counts.shape[1])))))
    model.update(corpus[80:])
    before = clustering_accuracy(classes, model.cluster_labels)
    model.refine(corpus)
    assert before < 0.9 < clustering_accuracy(classes, model.cluster_labels)
    # All else follows from the partition, as in a fit that is given it.
    labels = model.cluster_labels
    twin = small_model(corpus, 3, model.id2word, deep_model=labels)
    np.testing.assert_array_equal(twin.cluster_labels, labels)
    np.testing.assert_array_equal(twin.get_topics(), model.get_topics())
    np.testing.assert_array_equal(twin.doc_topics(), model.doc_topics())
    assert model.state.numdocs == model.num_updates == classes.size
    again = DnmfModel.load(io.BytesIO(file_of(model)))
    again.refine(corpus)
    again.update(corpus[:3])


def test_refining_a_settled_partition_changes_nothing():
    model = small_model()
    before = file_of(model)
    model.refine(CORPUS)
    assert file_of(model) == before


def test_refining_keeps_documents_without_words_and_empty_topics():
    corpus = [*CORPUS, []]
    model = small_model(corpus)
    model.refine(corpus)
    assert model.cluster_labels.size == len(corpus)
    with_empty = DnmfModel(CORPUS, 5, WORDS, deep_model=CLASSES, n_jobs=1)  # two without documents
    with_empty.refine(CORPUS)
    assert set(with_empty.cluster_labels) == {0, 1, 2}


def test_refining_wants_all_documents():
    model = small_model()
    with pytest.raises(ValueError, match=r"corpus must hold all 45 documents .* got 44"):
        model.refine(CORPUS[1:])
    without = DnmfModel.load(io.BytesIO(file_of(model, ignore="doc_topics")))
    with pytest.raises(ValueError, match="whose topics it must know"):
        without.refine(CORPUS)
    with pytest.raises(ValueError, match="corpus must hold all 0 documents"):
        DnmfModel(id2word=WORDS, num_topics=3).refine(CORPUS)
