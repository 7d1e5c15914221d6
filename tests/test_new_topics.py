"""Topics that an update adds: what is new is found, what was there stays as it is."""

from __future__ import annotations

import copy
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import joblib
import numpy as np
import pytest
from gensim.models.callbacks import ConvergenceMetric, DiffMetric
from hypothesis import given
from hypothesis import strategies as st
from planted import TERMS_PER_TOPIC, planted_counts
from trained import answers, as_bow, assert_same_answers, file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.adapters import pyldavis
from dnmf_topics.core import VARIANTS
from dnmf_topics.core.choice import SCORE_PRIOR
from dnmf_topics.core.novelty import merge_clusters
from dnmf_topics.evaluation import clustering_accuracy
from dnmf_topics.model import learning
from dnmf_topics.report import Report

EVERY = pytest.mark.parametrize("variant", VARIANTS)
# Topics 0 to 2 are known; the new documents have topics 0 to 4.
COUNTS, CLASSES = planted_counts((40, 30, 30, 20, 15))
WORDS = {term: f"word{term}" for term in range(COUNTS.shape[1])}
IS_OLD = (CLASSES < 3) & (np.arange(CLASSES.size) % 2 == 0)
OLD, NEW = as_bow(COUNTS[IS_OLD]), as_bow(COUNTS[~IS_OLD])
OLD_CLASSES, NEW_CLASSES = CLASSES[IS_OLD], CLASSES[~IS_OLD]


def old_model(**options):
    return small_model(OLD, 3, WORDS, **options)


def grown_model(new_topics=2, corpus=NEW, **options):
    model = old_model(**options)
    model.update(corpus, new_topics=new_topics)
    return model


def words_of(model, topic):
    return {int(word.removeprefix("word")) for word, _ in model.show_topic(topic, TERMS_PER_TOPIC)}


def own_words(planted):
    return set(range(TERMS_PER_TOPIC * planted, TERMS_PER_TOPIC * (planted + 1)))


# ------------------------------------------------------------------------- what is merged


def slowly_merged(known, found, num_new):
    """Merge by trying all pairs; clusters are sets of columns."""
    sums = np.hstack([known, found])
    shares = sums.sum(axis=1) / sums.sum()
    num_known = known.shape[1]
    prior = SCORE_PRIOR * sums.sum() / (num_known + num_new)

    def likelihood(columns):
        own = sums[:, sorted(columns)].sum(axis=1)
        has = own > 0
        p = (own + prior * shares) / (own.sum() + prior)
        return (own[has] * np.log(p[has] / shares[has])).sum()

    clusters = [{column} for column in range(sums.shape[1])]
    for _ in range(found.shape[1] - num_new):
        losses = {
            (i, j): likelihood(one) + likelihood(other) - likelihood(one | other)
            for j, other in enumerate(clusters)
            for i, one in enumerate(clusters[:j])
            if min(other) >= num_known and all(sums[:, min(each)].any() for each in (one, other))
        }
        i, j = min(losses, key=losses.get)
        clusters[i] |= clusters.pop(j)
    return [
        next(number for number, cluster in enumerate(clusters) if num_known + c in cluster)
        for c in range(found.shape[1])
    ]


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 6), st.integers(1, 3))
def test_merging_is_that_of_a_slow_twin(seed, num_known, num_found, num_new):
    rng = np.random.default_rng(seed)
    sums = rng.gamma(0.3, 5, (15, num_known + num_found)) * (
        rng.random((15, num_known + num_found)) < 0.6
    )
    sums[0, num_known:] += 0.1  # no found cluster is empty
    known, found = sums[:, :num_known], sums[:, num_known:]
    before = sums.copy()
    merged = merge_clusters(known, found, num_new)
    assert merged.tolist() == slowly_merged(known, found, num_new)
    np.testing.assert_array_equal(sums, before)


def test_parts_of_a_new_topic_become_one_and_known_topics_take_theirs():
    known = np.kron(np.eye(4)[:, :2], np.ones((5, 1))) * 20
    parts = np.kron(np.eye(4)[:, [2, 0, 2, 3, 1, 2]], np.ones((5, 1))) * [9, 9, 6, 4, 7, 5]
    assert merge_clusters(known, parts, 2).tolist() == [2, 0, 2, 3, 1, 2]


def test_nothing_joins_a_topic_without_documents():
    known = np.array([[5.0, 0.0], [5.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = np.array([[0.0, 4.0, 0.0], [0.0, 4.0, 0.0], [3.0, 0.0, 2.0], [3.0, 0.0, 2.5]])
    assert merge_clusters(known, found, 1).tolist() == [2, 0, 2]


# ----------------------------------------------------------------------------- what is found


@EVERY
def test_new_topics_are_found_and_old_ones_stay(variant):
    before, model = old_model(variant=variant), grown_model(variant=variant)
    assert model.num_topics == model.settings.num_topics == 5
    np.testing.assert_array_equal(model.cluster_labels[: len(OLD)], before.cluster_labels)
    all_classes = np.concatenate([OLD_CLASSES, NEW_CLASSES])
    assert clustering_accuracy(all_classes, model.cluster_labels) == 1
    for topic in range(5):
        (planted,) = np.unique(all_classes[model.cluster_labels == topic])
        assert words_of(model, topic) == own_words(planted)
        if topic < 3:
            assert words_of(before, topic) == own_words(planted)
    assert set(model.get_document_info(NEW)["topic"]) == set(range(5))


def test_one_topic_for_two_new_ones_leaves_the_old_topics_clean():
    model = grown_model(new_topics=1)
    assert set(NEW_CLASSES[model.cluster_labels[len(OLD) :] == 3]) >= {3}
    for topic in range(3):
        assert words_of(model, topic) == words_of(old_model(), topic)


def test_documents_of_new_topics_alone():
    new = [bow for bow, planted in zip(NEW, NEW_CLASSES, strict=True) if planted >= 3]
    model = grown_model(corpus=new)
    assert set(model.cluster_labels[len(OLD) :]) == {3, 4}
    assert {frozenset(words_of(model, k)) for k in (3, 4)} == {
        frozenset(own_words(k)) for k in (3, 4)
    }


def test_weights_as_they_come():
    model = old_model(weighting="none")
    model.update(NEW, new_topics=2)
    assert clustering_accuracy(NEW_CLASSES, model.cluster_labels[len(OLD) :]) > 0.95


def test_topics_can_be_added_again_and_again():
    model = old_model()
    for planted in (3, 4):
        new = [bow for bow, own in zip(NEW, NEW_CLASSES, strict=True) if own in (0, planted)]
        model.update(new, new_topics=1)
        assert words_of(model, planted) == own_words(planted)
    assert model.num_topics == 5


def test_sums_and_labels_agree():
    model = grown_model()
    state = model.state
    assert state.numdocs == model.num_updates == CLASSES.size
    np.testing.assert_array_equal(np.bincount(model.cluster_labels), state.topic_sizes)
    np.testing.assert_array_equal(state.doc_frequency, COUNTS.astype(bool).sum(axis=0))
    np.testing.assert_allclose(state.word_counts.sum(axis=0), COUNTS.sum(axis=0))
    shares = model.doc_topics()
    assert shares.shape == (CLASSES.size, 5)
    np.testing.assert_array_equal(shares[: len(OLD), :3], old_model().doc_topics())
    assert not shares[: len(OLD), 3:].any()
    assert model.doc_embedding.shape == (0, 5)


def test_no_new_topics_is_the_update_that_it_was():
    one, other = old_model(), old_model()
    one.update(NEW)
    other.update(NEW, new_topics=0)
    assert file_of(one) == file_of(other)


def test_the_result_depends_on_neither_threads_nor_files(tmp_path):
    expected = file_of(grown_model())
    assert file_of(grown_model()) == expected
    for model in (grown_model(n_jobs=2), grown_model(max_in_memory=0, spool=tmp_path)):
        model.n_jobs = 1
        assert file_of(model) == expected


def test_fewer_documents_than_new_topics(caplog):
    model = grown_model(new_topics=4, corpus=[NEW[0], NEW[1], []])
    assert model.num_topics == 7
    assert model.state.topic_sizes[5:].tolist() == [0, 0]
    assert np.isfinite(model.get_topics()).all()
    assert set(model.get_document_info(NEW)["topic"]) <= set(range(5))


def test_of_many_documents_their_own_shares_are_kept(monkeypatch):
    monkeypatch.setattr(learning, "MOST_SHARES", len(OLD))
    model = grown_model()
    weights, before = (each.get_document_info()["weight"] for each in (model, old_model()))
    assert model._learnt.documents.doc_topics.shape == (CLASSES.size, 1)
    np.testing.assert_allclose(weights[: len(OLD)], before)
    with pytest.raises(ValueError, match="keeps the shares of all topics"):
        model.doc_topics()


# ------------------------------------------------------------------------------- the priors


def test_default_priors_follow_the_number_of_topics():
    model = grown_model()
    np.testing.assert_allclose(model.alpha, 1 / 5)
    np.testing.assert_allclose(model.eta, 1 / 5)
    assert model.eta.shape == (COUNTS.shape[1],)


def test_given_priors_stay_and_new_topics_get_the_mean():
    eta = np.full((3, COUNTS.shape[1]), [[0.1], [0.2], [0.6]])
    model = grown_model(alpha=[0.1, 0.2, 0.6], eta=eta)
    np.testing.assert_allclose(model.alpha, [0.1, 0.2, 0.6, 0.3, 0.3])
    np.testing.assert_allclose(model.eta[:, 0], [0.1, 0.2, 0.6, 0.3, 0.3])
    assert grown_model(eta=0.7).eta.tolist() == [0.7] * COUNTS.shape[1]


def test_learnt_priors_are_learnt():
    model = grown_model(alpha="auto", eta="auto")
    np.testing.assert_allclose(model.alpha, (model.state.topic_sizes + 1 / 5) / (CLASSES.size + 1))
    assert model.eta.shape == (COUNTS.shape[1],)


# ----------------------------------------------------------------------- what works afterwards


@EVERY
def test_a_grown_model_is_saved_and_goes_on(variant):
    model = grown_model(variant=variant)
    loaded = DnmfModel.load(BytesIO(file_of(model)))
    assert_same_answers(answers(model, NEW), answers(loaded, NEW))
    for each in (model, loaded):
        each.update(NEW[:9])
        each.update(NEW[:9], new_topics=1)
    assert file_of(model) == file_of(loaded)
    assert model.num_topics == 6


def test_refining_afterwards():
    model = grown_model()
    labels = model.cluster_labels
    model.refine(OLD + NEW)
    assert model.num_topics == 5
    np.testing.assert_array_equal(model.cluster_labels, labels)


def test_page_and_pyldavis():
    model = grown_model()
    page = Report(model, OLD + NEW).summary
    assert page["num_topics"] == len(page["topics"]) == 5
    assert len(pyldavis.prepare(model, NEW).topic_coordinates) == 5


def test_metrics_compare_new_topics_with_none():
    options = {"distance": "hellinger", "normed": False, "logger": "shell"}
    metrics = [
        DiffMetric(title="pairs", diagonal=False, **options),
        DiffMetric(title="each", **options),
        ConvergenceMetric(title="sum", **options),
    ]
    model = old_model(callbacks=metrics)
    model.update(NEW, passes=2, new_topics=2)
    first, second = model.metrics["pairs"]
    assert first.shape == second.shape == (5, 5)
    each, unchanged = model.metrics["each"]
    np.testing.assert_allclose(each, np.diag(first))
    assert each[3:].min() > 2 * each[:3].max()  # from no words to those of the topic
    assert model.metrics["sum"] == [pytest.approx(each.sum()), 0]
    assert not unchanged.any()


# -------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize("value", [-1, 1.5, "auto", None, True, np.nan])
def test_a_number_of_topics_is_a_whole_number(value):
    model = old_model()
    before = file_of(model)
    with pytest.raises((TypeError, ValueError), match="new_topics must be"):
        model.update(NEW, new_topics=value)
    assert file_of(model) == before


def test_the_first_documents_make_the_topics():
    model = small_model(None, 3, WORDS)
    before = file_of(model)
    with pytest.raises(ValueError, match="new_topics must be 0 for the first documents"):
        model.update(OLD, new_topics=1)
    assert file_of(model) == before
    model.update(OLD)
    assert model.num_topics == 3


def test_empty_documents_have_no_topics():
    model = old_model()
    before = file_of(model)
    with pytest.raises(ValueError, match="a document with a weight to find new topics in"):
        model.update([[], []], new_topics=1)
    model.update([], new_topics=1)
    assert file_of(model) == before


@pytest.mark.parametrize("step", ["find_new_clusters", "add_documents", "own_cosines"])
def test_what_is_interrupted_leaves_the_model_as_it_was(step, monkeypatch):
    model = old_model()
    before = file_of(model)

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(learning, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.update(NEW, new_topics=2)
    assert file_of(model) == before
    model.update(NEW, new_topics=2)
    assert file_of(model) == file_of(grown_model())


def test_a_metric_that_fails_leaves_the_model_as_it_was():
    model = old_model()
    before = file_of(model)
    model.callbacks = [ConvergenceMetric(distance="none", logger="shell")]
    with pytest.raises(ValueError, match="distance must be one of"):
        model.update(NEW, new_topics=2)
    assert file_of(model) == before
    assert model.num_topics == 3


# ----------------------------------------------------------------------------- several threads


@pytest.fixture
def _eager_threads():
    """Threads take turns all the time, not every few milliseconds."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


READS = {
    "inference": lambda model: model.inference(NEW)[0],
    "tables": lambda model: model.get_topic_info(5).to_dict("list"),
    "last topic": lambda model: model.show_topic(-1),
    "its documents": lambda model: model.get_representative_docs(-1),
    "top topics": lambda model: model.top_topics(NEW[:9], topn=3),
    "likelihood": lambda model: model.log_perplexity(NEW[:9]),
    "copy": lambda model: (lambda one: (one.num_topics, one.doc_topics()))(copy.copy(model)),
    "file": lambda model: DnmfModel.load(BytesIO(file_of(model))).get_topics(),
}


@pytest.mark.usefixtures("_eager_threads")
@pytest.mark.parametrize("name", READS)
def test_a_reader_on_another_thread_sees_the_old_model_or_the_grown_one(name):
    model, twin, read = old_model(), old_model(), READS[name]
    whole = [joblib.hash(read(twin))]
    for _ in range(8):
        twin.update(NEW[:20], new_topics=1)
        whole.append(joblib.hash(read(twin)))
    seen, ended = [], threading.Event()

    def read_on():
        while not ended.is_set():
            seen.append(joblib.hash(read(model)))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read_on) for _ in range(2)]
        for _ in range(8):
            model.update(NEW[:20], new_topics=1)
        ended.set()
    assert [reader.result() for reader in readers] == [None, None]
    assert set(seen) <= set(whole)
    assert len(set(seen)) > 1


def test_threads_that_add_topics_lose_none():
    model = old_model()
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(model.update, NEW, new_topics=1) for _ in range(3)]
        calls += [pool.submit(model.do_estep, NEW[:5]) for _ in range(9)]
    assert [call.exception() for call in calls] == [None] * 12
    assert model.num_topics == 6
    assert model.state.numdocs == len(OLD) + 3 * len(NEW) + 45
