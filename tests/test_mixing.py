"""Documents that mix topics: whether they do is decided without labels, and parts are found."""

from __future__ import annotations

import io

import numpy as np
import pytest
from literal import literal_words
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from trained import as_bow, file_of

from dnmf_topics import DnmfModel
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.common.progress import silent
from dnmf_topics.core.mixing import Rounds, choose_mixing, halve_words

NUM_TOPICS, WORDS_OF_TOPIC = 4, 15
NUM_TERMS = NUM_TOPICS * WORDS_OF_TOPIC
NAMES = {term: f"topic{term // WORDS_OF_TOPIC}word{term}" for term in range(NUM_TERMS)}


def written(topics_per_document, num_docs=240, num_words=50, seed=0):
    """Counts of documents with so many topics each, in equal parts, and their true shares."""
    rng = np.random.default_rng(seed)
    counts, shares = np.zeros((num_docs, NUM_TERMS)), np.zeros((num_docs, NUM_TOPICS))
    for document, row in zip(counts, shares, strict=True):
        row[rng.choice(NUM_TOPICS, topics_per_document, replace=False)] = 1 / topics_per_document
        topics = rng.choice(NUM_TOPICS, num_words, p=row)
        words = np.minimum(rng.geometric(0.2, num_words) - 1, WORDS_OF_TOPIC - 1)
        np.add.at(document, topics * WORDS_OF_TOPIC + words, 1)
    return sparse.csr_array(counts), shares


MIXED, TRUE_SHARES = written(2)
PURE, PURE_SHARES = written(1)


def trained(counts, **options):
    quick = {"num_clusterings": 20, "n_jobs": 1, "random_state": 0}
    return DnmfModel(as_bow(counts), NUM_TOPICS, NAMES, **(quick | options))


def error(model, counts, true_shares):
    """The part of documents that goes to wrong topics, topics matched as well as can be."""
    gamma, _ = model.inference(as_bow(counts))
    shares = gamma / gamma.sum(axis=1, keepdims=True)
    cost = np.abs(shares[:, :, None] - true_shares[:, None, :]).sum(axis=0)
    return cost[linear_sum_assignment(cost)].sum() / 2 / len(true_shares)


@pytest.fixture(scope="module")
def mixed():
    return trained(MIXED)


def test_documents_about_one_thing_want_no_rounds():
    model, without = trained(PURE), trained(PURE, mixing_rounds=0)
    assert model.get_settings()["mixing_rounds"] == 0
    assert error(model, PURE, PURE_SHARES) < 0.03
    np.testing.assert_array_equal(model.get_topics(), without.get_topics())
    np.testing.assert_array_equal(model.cluster_labels, without.cluster_labels)


def test_documents_that_mix_topics_are_taken_apart(mixed):
    assert mixed.get_settings()["mixing_rounds"] in (10, 30, 100)
    assert error(mixed, MIXED, TRUE_SHARES) < 0.1
    assert error(trained(MIXED, mixing_rounds=0), MIXED, TRUE_SHARES) > 0.3
    for topic in range(NUM_TOPICS):
        subjects = {word[:6] for word, _ in mixed.show_topic(topic, 8)}
        assert len(subjects) == 1
    unseen, shares = written(2, 50, seed=1)
    assert error(mixed, unseen, shares) < 0.1


def test_topics_come_by_size_and_labels_are_the_largest_shares(mixed):
    sizes = mixed.get_topic_info()
    assert sizes["topic"].tolist() == list(range(NUM_TOPICS))
    assert (np.diff(np.bincount(mixed.cluster_labels)) <= 0).all()
    same = mixed.doc_topics().argmax(axis=1) == mixed.cluster_labels
    assert same.mean() > 0.9  # two equal shares may change places in the last step


def test_words_are_divided_and_none_is_lost(mixed):
    state = mixed.state
    np.testing.assert_allclose(state.word_counts.sum(axis=0), MIXED.sum(axis=0))
    np.testing.assert_allclose(state.sstats.sum(axis=0), (MIXED > 0).sum(axis=0))
    np.testing.assert_allclose(state.topic_weights.sum(), MIXED.shape[0])
    assert state.topic_sizes.sum() == MIXED.shape[0]
    np.testing.assert_allclose(
        mixed.get_word_distributions(), literal_words(state.word_counts + mixed.eta)
    )


def test_an_update_divides_words_too(mixed):
    model = DnmfModel.load(io.BytesIO(file_of(mixed)))
    more, shares = written(2, 60, seed=2)
    model.update(as_bow(more))
    total = MIXED.sum(axis=0) + more.sum(axis=0)
    np.testing.assert_allclose(model.state.word_counts.sum(axis=0), total)
    assert error(model, more, shares) < 0.1
    both = sparse.csr_array(sparse.vstack([MIXED, more]))
    model.refine(as_bow(both))
    np.testing.assert_allclose(model.state.word_counts.sum(axis=0), total)
    assert error(model, more, shares) < 0.1


@pytest.mark.parametrize("variant", ["sdnmf", "cdnmf"])
def test_every_variant_has_topics_of_parts(variant):
    model = trained(MIXED, variant=variant)
    assert error(model, MIXED, TRUE_SHARES) < 0.1
    for topic in range(NUM_TOPICS):
        assert len({word[:6] for word, _ in model.show_topic(topic, 5)}) == 1


def test_the_same_bits_on_threads_and_from_files(mixed, tmp_path):
    for options in ({"n_jobs": 2}, {"max_in_memory": 0, "spool": tmp_path}):
        other = trained(MIXED, **options)
        np.testing.assert_array_equal(other.get_topics(), mixed.get_topics())
        np.testing.assert_array_equal(other.doc_topics(), mixed.doc_topics())


def test_a_mixed_model_is_saved_whole(mixed):
    again = DnmfModel.load(io.BytesIO(file_of(mixed)))
    np.testing.assert_array_equal(again.doc_topics(), mixed.doc_topics())
    assert again.get_settings() == mixed.get_settings()
    document = [as_bow(MIXED)[0]]
    assert list(again[document]) == list(mixed[document])


@pytest.mark.parametrize(
    ("value", "error"), [(-1, ValueError), (1.5, TypeError), ("some", TypeError)]
)
def test_rounds_are_a_number_or_auto(value, error):
    with pytest.raises(error, match="mixing_rounds"):
        trained(PURE, mixing_rounds=value)


def test_few_documents_decide_nothing():
    few = written(2, 60)[0]
    labels = np.arange(60) % NUM_TOPICS
    seed = np.random.SeedSequence(0)
    smoothing = np.full(NUM_TERMS, 0.25)
    found = choose_mixing(RowBlocks(few), labels, NUM_TOPICS, smoothing, seed, Threads(1))
    assert found.num_rounds == 0


def test_groups_of_the_user_stay_unless_rounds_are_asked_for():
    labels = TRUE_SHARES.argmax(axis=1)
    model = trained(MIXED, deep_model=labels)
    assert model.get_settings()["mixing_rounds"] == 0
    assert model.cluster_labels.tolist() == labels.tolist()
    asked = trained(MIXED, deep_model=labels, mixing_rounds=30)
    assert asked.get_settings()["mixing_rounds"] == 30
    assert error(asked, MIXED, TRUE_SHARES) < 0.1


def test_a_round_is_one_step_of_em():
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.poisson(0.7, (6, 9)).astype(float))
    start, smoothing = rng.gamma(1.0, 5.0, (3, 9)), np.full(9, 0.1)
    rounds = Rounds(counts, start, smoothing, Threads(1))
    rounds.go_on(1, silent)
    smooth = start + smoothing
    corpus = smooth.sum(axis=0) / smooth.sum()
    prior = 0.1 * smooth.sum() / 3
    own = 0.98 * (smooth + prior * corpus) / (smooth.sum(axis=1, keepdims=True) + prior)
    topics = own + 0.02 * corpus
    shares = np.full((6, 3), 1 / 3)
    dense = counts.toarray()
    for _ in range(3):
        joint = shares[:, :, None] * own
        words = (dense[:, None] * joint / (shares @ topics)[:, None]).sum(axis=2)
        filled = words.sum(axis=1) > 0
        shares[filled] = words[filled] / words[filled].sum(axis=1, keepdims=True)
    joint = shares[:, :, None] * own
    expected = (dense[:, None] * joint / (shares @ topics)[:, None]).sum(axis=0)
    np.testing.assert_allclose(rounds.word_counts, expected)


def test_halves_hold_all_words():
    first, second = halve_words(MIXED, np.random.default_rng(0))
    np.testing.assert_array_equal((first + second).toarray(), MIXED.toarray())
    assert first.sum() == pytest.approx(second.sum(), rel=0.05)
    assert (first.data == np.floor(first.data)).all()
