"""Topics and documents as tables: sizes, words, shares, and every document in its place."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy import sparse
from trained import CLASSES, CORPUS, COUNTS, NUM_TERMS, file_of, small_model

from dnmf_topics.core import VARIANTS, Tfidf
from dnmf_topics.model import inference

# Empty documents at the start, in the middle and at the end.
SPREAD = [[], *CORPUS[:20], [], [], *CORPUS[20:], []]
EMPTY = np.array([not bow for bow in SPREAD])


@pytest.fixture(scope="module")
def model():
    return small_model()


@pytest.fixture(scope="module")
def untrained():
    return small_model(None)


# ------------------------------------------------------------------------------------------ topics


def test_topics_come_the_largest_first_with_size_share_and_words(model):
    table = model.get_topic_info()
    assert list(table.columns) == ["topic", "size", "share", "name", "words"]
    assert table["topic"].tolist() == [0, 1, 2]
    assert table["size"].tolist() == [20, 15, 10]
    np.testing.assert_allclose(table["share"], [20 / 45, 15 / 45, 10 / 45])
    for topic, words in zip(table["topic"], table["words"], strict=True):
        assert words == [word for word, _ in model.show_topic(topic, 10)]
        terms = {int(word.removeprefix("word")) for word in words}
        assert len({term // 12 for term in terms}) == 1


def test_as_many_words_as_asked_for(model):
    assert {len(words) for words in model.get_topic_info(topn=3)["words"]} == {3}
    assert {len(words) for words in model.get_topic_info(topn=None)["words"]} == {NUM_TERMS}
    assert {len(words) for words in model.get_topic_info(topn=0)["words"]} == {0}


def test_sizes_follow_updates():
    # The smallest topic becomes the largest.
    model = small_model()
    smallest = [b for b, label in zip(CORPUS, model.cluster_labels, strict=True) if label == 2]
    model.update(smallest * 2)
    table = model.get_topic_info()
    assert table["topic"].tolist() == [2, 0, 1]
    assert table["size"].tolist() == [30, 20, 15]
    assert table["share"].sum() == pytest.approx(1)


def test_sizes_count_documents_also_where_memberships_are_soft():
    membership = np.where(np.eye(3)[CLASSES] > 0, 0.4, 0.3)
    model = small_model(deep_model=membership)
    assert model.get_topic_info()["size"].tolist() == [20, 15, 10]
    # By another measure, the sum of memberships, topic 2 need not be the last.
    skewed = np.full((45, 3), [0.4, 0.25, 0.35])
    skewed[CLASSES == 1] = [0.25, 0.4, 0.35]
    model = small_model(deep_model=skewed)
    assert model.state.topic_sizes.argmin() == 1
    table = model.get_topic_info()
    assert table["topic"].tolist() == [0, 1, 2]
    assert table["size"].tolist() == [30, 15, 0]


def test_an_untrained_model_has_topics_without_documents(untrained):
    table = untrained.get_topic_info()
    assert table["topic"].tolist() == [0, 1, 2]
    assert table["size"].tolist() == [0, 0, 0]
    assert table["share"].tolist() == [0, 0, 0]


# --------------------------------------------------------------------------------------- documents


def test_training_documents_have_the_topics_they_were_trained_in(model):
    table = model.get_document_info()
    assert list(table.columns) == ["topic", "weight", "confidence"]
    assert table["topic"].tolist() == model.cluster_labels.tolist()
    shares = model.doc_topics()
    np.testing.assert_array_equal(table["weight"], shares[range(45), model.cluster_labels])
    assert clusters_are(model.cluster_labels, CLASSES)


def clusters_are(labels, classes):
    return len(set(zip(labels.tolist(), classes.tolist(), strict=True))) == len(set(classes))


def test_new_documents_have_the_topics_the_model_sees(model):
    new = [*CORPUS[3:8], [(0, 1), (30, 2)]]
    table = model.get_document_info(new)
    for (topic, weight, _), bow in zip(table.itertuples(index=False), new, strict=True):
        assert (topic, weight) == max(model[bow], key=lambda pair: pair[1])
    again = model.get_document_info(sparse.csc_array(COUNTS[3:8].T))
    assert again.equals(table[:5])


@pytest.mark.parametrize("corpus", [None, CORPUS[:4]], ids=["training", "new"])
def test_the_full_table_has_the_share_of_every_topic(model, corpus):
    table = model.get_document_info(corpus, full=True)
    assert list(table.columns) == ["topic", "weight", "confidence", 0, 1, 2]
    np.testing.assert_allclose(table[[0, 1, 2]].sum(axis=1), 1)
    assert (table[[0, 1, 2]].max(axis=1) == table["weight"]).all()
    assert table[["topic", "weight", "confidence"]].equals(model.get_document_info(corpus))
    expected = model.doc_topics()[: len(table)]
    np.testing.assert_array_equal(table[[0, 1, 2]], expected)


def test_no_threshold_hides_a_share():
    model = small_model(minimum_probability=0.9)
    np.testing.assert_allclose(model.doc_topics().sum(axis=1), 1)
    full = model.get_document_info(CORPUS, full=True)
    np.testing.assert_allclose(full[[0, 1, 2]].sum(axis=1), 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_empty_documents_keep_their_places(variant):
    model = small_model(SPREAD, variant=variant)
    model.update(SPREAD)
    assert len(model.cluster_labels) == len(model.doc_topics()) == 2 * len(SPREAD)
    assert model.state.numdocs == 2 * len(SPREAD)
    for start in (0, len(SPREAD)):
        rows = slice(start, start + len(SPREAD))
        assert clusters_are(model.cluster_labels[rows][~EMPTY], CLASSES)
        # They belong to the largest topic, and share all topics alike.
        assert set(model.cluster_labels[rows][EMPTY]) == {0}
        np.testing.assert_allclose(model.doc_topics()[rows][EMPTY], 1 / 3)
        assert (model.doc_topics()[rows][~EMPTY].max(axis=1) > 1 / 3 + 0.05).all()
    table = model.get_document_info(SPREAD)
    assert table["topic"].tolist() == model.cluster_labels[: len(SPREAD)].tolist()
    # Nothing is known of them, and nothing counts them.
    for confidence in (table["confidence"], model.get_document_info()["confidence"][: len(SPREAD)]):
        np.testing.assert_array_equal(confidence == 0, EMPTY)
    again = copy.copy(model)
    again.refine([*SPREAD, *SPREAD])
    for counted in (model, again, model.merge_topics([[0, 1, 2]])):
        sizes = counted.get_topic_info().set_index("topic")["size"]
        known = counted.get_document_info().query("confidence > 0")["topic"]
        assert sizes.to_dict() == known.value_counts().to_dict()
        assert sizes.sum() == counted.state.topic_sizes.sum() == 2 * len(CORPUS)
        np.testing.assert_array_equal(counted.hierarchy().sizes[-1], 2 * len(CORPUS))
    assert not set(np.flatnonzero(EMPTY)) & set(model.get_representative_docs(0, 1000))
    assert model.topics_per_class(["x"] * 2 * len(SPREAD))["size"].sum() == 2 * len(CORPUS)
    inside = model.subtopics(0, 1, [*SPREAD, *SPREAD])
    assert inside.cluster_labels.size == model.get_topic_info()["size"][0]


def test_empty_documents_are_not_counted_where_documents_mix_topics():
    model = small_model([*SPREAD, *SPREAD[10:]], mixing_rounds=10)
    known = model.get_document_info().query("confidence > 0")["topic"].to_numpy()
    sizes = np.bincount(known, minlength=3)
    assert sizes.sum() == np.count_nonzero([*~EMPTY, *~EMPTY[10:]])
    np.testing.assert_array_equal(model.state.topic_sizes, sizes)
    np.testing.assert_array_equal(model.cluster_labels[: len(SPREAD)][EMPTY], sizes.argmax())
    assert model.get_settings()["mixing_rounds"] == 10


def test_the_embedding_has_a_row_for_each_training_document():
    model = small_model(SPREAD)
    embedding = model.doc_embedding
    assert (embedding.shape, embedding.dtype) == ((len(SPREAD), 3), np.float32)
    assert not embedding[EMPTY].any()
    # Documents of a class lie closer to their own mean than to the others'.
    rows, classes = embedding[~EMPTY], CLASSES
    means = np.array([rows[classes == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(rows[:, None] - means, axis=2).argmin(axis=1)
    assert (nearest == classes).mean() > 0.9
    model.update(SPREAD[:2])
    assert model.doc_embedding.shape == (0, 3)
    assert small_model(SPREAD, 100).doc_embedding.shape == (len(SPREAD), 100)
    labels = np.zeros(len(SPREAD), int)
    assert small_model(SPREAD, deep_model=labels).doc_embedding.shape == (0, 3)


def test_tables_are_copies(model):
    before = file_of(model)
    for table in (model.get_document_info(), model.get_document_info(full=True)):
        table.loc[:, "topic"] = 2
        table.iloc[0, 1] = 7
    topics = model.get_topic_info()
    topics.loc[:, "size"] = -1
    topics["words"][0].clear()
    model.doc_topics()[:] = 7
    assert file_of(model) == before


def test_an_untrained_model_knows_no_documents_and_has_no_preference(untrained):
    for full in (False, True):
        table = untrained.get_document_info(full=full)
        assert len(table) == 0
        assert list(table.columns) == ["topic", "weight", "confidence", 0, 1, 2][: 6 if full else 3]
    assert untrained.doc_topics().shape == (0, 3)
    assert untrained.cluster_labels.tolist() == []
    new = untrained.get_document_info([*CORPUS[:2], []])
    np.testing.assert_allclose(new["weight"], 1 / 3)


def test_no_documents_make_an_empty_table(model):
    assert model.get_document_info([]).shape == (0, 3)
    assert model.get_document_info(iter([]), full=True).shape == (0, 6)


# ---------------------------------------------------------------------------------- representatives


def test_representative_documents_are_most_like_the_topic(model):
    weighted = Tfidf.fit(COUNTS).transform(COUNTS).toarray()
    for topic in range(3):
        found = model.get_representative_docs(topic, 1000)
        assert sorted(found) == np.flatnonzero(model.cluster_labels == topic).tolist()
        words = model.get_topics()[topic]
        cosines = weighted[found] @ words / np.linalg.norm(weighted[found], axis=1)
        assert (np.diff(cosines) <= 1e-12).all()
        assert model.get_representative_docs(topic, 3) == found[:3]
        assert model.get_representative_docs(topic) == found[:10]
        assert all(type(document) is int for document in found)
    assert model.get_representative_docs(-1) == model.get_representative_docs(2)
    assert model.get_representative_docs(0, 0) == []


def test_of_copies_only_the_first_represents_a_topic():
    copies = small_model([*CORPUS, *CORPUS], deep_model=np.tile(CLASSES, 2))
    for topic in range(3):
        found = copies.get_representative_docs(topic, 1000)
        assert sorted(found) == np.flatnonzero(topic == CLASSES).tolist()


def test_positions_count_empty_and_later_documents():
    model = small_model(SPREAD)
    model.update(SPREAD)
    for topic in range(3):
        found = model.get_representative_docs(topic, 5)
        assert all(SPREAD[document % len(SPREAD)] for document in found)
        assert set(model.cluster_labels[found]) == {topic}


@pytest.mark.parametrize("topic", [3, -4, 1.5, "0", None])
def test_a_topic_that_is_not_there_has_no_representatives(model, topic):
    with pytest.raises((ValueError, TypeError), match="topic must be"):
        model.get_representative_docs(topic)


@pytest.mark.parametrize("n", [-1, 2.5, None])
def test_a_number_of_documents_is_a_number(model, n):
    with pytest.raises((ValueError, TypeError), match="n must be"):
        model.get_representative_docs(0, n)


def test_an_empty_topic_has_no_representatives(untrained):
    assert untrained.get_representative_docs(0) == []
    few = small_model(CORPUS[:2], 4)
    assert few.get_representative_docs(3) == []


# ---------------------------------------------------------------------------------------- settings


def test_settings_of_the_text_are_not_taken_for_those_of_the_model():
    class Tokenized(list):
        tokenization = {"model": "en_core_web_sm", "num_topics": 99}  # noqa: RUF012

    settings = small_model(Tokenized(CORPUS)).get_settings()
    assert settings["tokenization.model"] == "en_core_web_sm"
    assert "model" not in settings
    assert settings["num_topics"] == 3


# ------------------------------------------------------------------------------------------- texts


def test_beginnings_of_texts_stand_beside_the_topics(model):
    texts = [f"Document {number}\n" + "word " * 100 for number in range(len(CORPUS))]
    table = model.get_document_info(texts=iter(texts), full=True)
    assert list(table.columns) == ["topic", "weight", "confidence", "text", 0, 1, 2]
    assert table["text"][7].startswith("Document 7 word word")
    assert table["text"].str.len().max() <= 200
    without = model.get_document_info(full=True)
    assert table.drop(columns="text").equals(without)
    assert model.get_document_info(CORPUS[:2], texts=["a", "b"])["text"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        (["a"], ValueError, "texts must have 2 entries, one for each document, got 1"),
        (["a", None], TypeError, "texts must be strings, got None"),
        ("ab", TypeError, "texts must be a list of strings"),
    ],
)
def test_texts_are_as_many_as_documents(model, texts, error, message):
    with pytest.raises(error, match=message):
        model.get_document_info(CORPUS[:2], texts=texts)


def test_a_known_document_has_a_confidence_however_unlikely_its_topic_is():
    labels, known = np.array([0, 0, 1]), np.array([True, False, True])
    posteriors = np.array([[0.0, 1.0], [0.5, 0.5], [0.2, 0.8]])
    found = inference._confidence(posteriors, labels, known)
    assert 0 < found[0] < 1e-300
    assert found[1:].tolist() == [0, 0.8]
