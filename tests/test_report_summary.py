"""The summary against the model's own tables."""

from __future__ import annotations

import json
from importlib import metadata

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import cosine_similarity
from trained import CLASSES, CORPUS, NUM_TERMS, small_model

from dnmf_topics.common.calendar_bins import calendar_bins
from dnmf_topics.core import Mbn
from dnmf_topics.report import Report
from dnmf_topics.report import summary as module
from dnmf_topics.report.doc_columns import column_of
from dnmf_topics.report.doc_map import bounds_of
from dnmf_topics.report.doc_parts import part_columns
from dnmf_topics.report.telling_words import telling_words

IDS = [f"d{i}" for i in range(len(CORPUS))]
LABELS = [f"class {k}" for k in CLASSES]
TEXTS = [f"text  number\n{i}" for i in range(len(CORPUS))]


def summary_of(model=None, corpus=CORPUS, **options):
    return Report(model or small_model(), corpus, **options).summary


@pytest.fixture(scope="module")
def model():
    return small_model()


@pytest.fixture(scope="module")
def summary(model):
    return summary_of(model, excerpts=TEXTS, ids=IDS, labels=LABELS, facts={"seconds": 1.23456789})


def test_topics_are_the_models(model, summary):
    info = model.get_topic_info().set_index("topic")
    for k, topic in enumerate(summary["topics"]):
        assert topic["size"] == info.loc[k, "size"]
        assert topic["share"] == pytest.approx(info.loc[k, "share"], abs=1e-5)
        assert topic["documents"] == model.get_representative_docs(k, 5)
        assert topic["name"] == model.topic_names[k]
        expected = [pair for pair in model.show_topic(k, 100) if pair[1] > 0]
        words, weights, ratios = zip(*topic["words"], strict=True)
        assert list(words) == [word for word, _ in expected]
        np.testing.assert_allclose(weights, [weight for _, weight in expected], rtol=1e-3)
        terms = [term for term, _ in model.get_topic_terms(k, len(words))]
        means = model.get_topics().mean(axis=0)[terms]
        np.testing.assert_allclose(ratios, np.divide(weights, means), rtol=1e-2)
    assert summary["num_topics"] == len(summary["topics"]) == 3
    assert summary["num_documents"] == len(CORPUS)
    assert summary["num_terms"] == NUM_TERMS


def test_documents_are_columns_in_the_corpus_order(model, summary):
    documents = summary["documents"]
    info = model.get_document_info()
    assert documents["topic"] == info["topic"].tolist()
    assert documents["id"] == IDS
    assert documents["label"] == LABELS
    assert documents["text"][7] == "text number 7"
    places = np.array([documents["x"], documents["y"]])
    assert places.min() >= 0
    assert places.max() == module.MAP_STEPS


def test_the_bounds_of_a_topic_hold_most_of_its_documents(model, summary):
    places = np.array([summary["documents"]["x"], summary["documents"]["y"]]).T
    for k, topic in enumerate(summary["topics"]):
        low, high = topic["bounds"]
        members = places[model.cluster_labels == k]
        inside = ((members >= low) & (members <= high)).all(axis=1)
        assert inside.mean() >= 2 / 3
        assert inside[np.abs(members - topic["place"]).max(axis=1).argmin()]


def test_a_far_document_does_not_stretch_the_bounds():
    places = np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.3], [0.9, 0.9]])
    assert bounds_of(places, places[0]).tolist() == [[0.1, 0.1], [0.2, 0.3]]
    assert bounds_of(places[:0], places[0]).tolist() == [[0.1, 0.1], [0.1, 0.1]]


def test_similarity_is_the_cosine_of_the_topics_words(model, summary):
    similarity = summary["similarity"]
    np.testing.assert_allclose(
        similarity["cosines"], cosine_similarity(model.get_topics()), atol=6e-4
    )
    assert sorted(similarity["order"]) == [0, 1, 2]


def test_like_topics_are_neighbors_in_the_order():
    one, other = np.eye(6)[0], np.eye(6)[3]
    near = [one, other, one + 0.1 * np.eye(6)[1], other + 0.1 * np.eye(6)[4]]
    order = module._similarity(np.array(near))["order"]
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}


def test_the_table_counts_topics_and_labels(model, summary):
    table = summary["labels"]
    for k, row in enumerate(table["counts"]):
        for name, count in zip(table["names"], row, strict=True):
            members = [LABELS[i] for i in np.flatnonzero(model.cluster_labels == k)]
            assert count == members.count(name)
    counts = np.array(table["counts"])
    assert table["num_labeled"] == counts.sum() == len(CORPUS)
    assert table["num_majority"] == counts.max(axis=1).sum()
    assert table["largest"] == ["class 0", 20]
    assert counts.argmax(axis=0).tolist() == sorted(counts.argmax(axis=0))


def test_documents_without_a_label_are_left_out_of_the_table(model):
    table = summary_of(model, labels=[None] * 40 + LABELS[40:])["labels"]
    assert table["num_labeled"] == np.sum(table["counts"]) == 5
    assert summary_of(model, labels=[None] * len(CORPUS))["labels"] is None


def test_rare_labels_share_a_column(model, monkeypatch):
    monkeypatch.setattr(module, "MAX_LABELS", 2)
    labels = ["a"] * 20 + ["b"] * 15 + [f"rare {i}" for i in range(10)]
    table = summary_of(model, labels=labels)["labels"]
    assert sorted(table["names"]) == ["a", "b"]
    assert table["num_others"] == 10
    assert np.array(table["counts"])[:, -1].sum() == 10


def test_settings_facts_and_versions_are_written_as_text(summary):
    assert ["seconds", "1.23457"] in summary["facts"]
    assert ["variant", "bdnmf"] in summary["settings"]
    assert ["num_clusterings", "10"] in summary["settings"]
    assert ["numpy", metadata.version("numpy")] in summary["versions"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "none"), (True, "yes"), (np.False_, "no"), (3, "3"), (np.float32(0.5), "0.5"),
        (float("nan"), "nan"), ("a <b>", "a <b>"), ([], "none"),
        ({"x": 1, "y": None}, "x: 1, y: none"),
        (("the", "of"), "the, of"), (range(100), "0, 1, 2, 3, 4, 5, 6, 7, … (100 in all)"),
    ],
)  # fmt: skip
def test_values_are_shown_as_people_write_them(value, shown):
    assert module._shown_value(value) == shown


def test_what_else_made_the_topics_is_shown():
    shared = summary_of(small_model(variant="sdnmf", overlap=0.5))
    assert ["overlap", "0.5"] in shared["settings"]
    assert ["lambda1", "0.5"] in summary_of(small_model(variant="cdnmf", lambda1=0.5))["settings"]
    given = summary_of(small_model(deep_model=CLASSES))
    assert ["deep_model", "ndarray"] in given["settings"]
    assert "delta" not in dict(given["settings"])
    assert ["refine", "no"] in summary_of(small_model(deep_model=Mbn(5, refine=False)))["settings"]


def test_without_an_embedding_the_topic_shares_make_the_map():
    model = small_model(deep_model=CLASSES)
    assert not len(model.doc_embedding)
    documents = summary_of(model)["documents"]
    places = np.array([documents["x"], documents["y"]]).T
    for k in range(3):
        members = places[model.cluster_labels == k]
        others = places[model.cluster_labels != k]
        center = members.mean(axis=0)
        inside = np.linalg.norm(members - center, axis=1).mean()
        assert inside < np.linalg.norm(others - center, axis=1).mean()
    assert documents["id"] is documents["label"] is documents["text"] is None


def test_it_is_json(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_documents_of_which_nothing_is_known_are_left_out_and_counted():
    corpus = [[], *CORPUS[:20], [], *CORPUS[20:]]
    numbers = np.delete(np.arange(len(corpus)), [0, 21])
    model = small_model(corpus)
    ids = [f"d{i}" for i in range(len(corpus))]
    options = {
        "labels": [None, *LABELS[:20], "none", *LABELS[20:]],
        "excerpts": [f"text {i}" for i in range(len(corpus))],
        "dates": np.arange(len(corpus)).astype("datetime64[Y]"),
        "columns": {"number": range(len(corpus))},
        "subtopics": {0: model.subtopics(0, 2, corpus)},
    }
    summary = summary_of(model, corpus, ids=ids, **options)
    assert (summary["num_documents"], summary["num_unknown"]) == (len(CORPUS), 2)
    documents = summary["documents"]
    assert documents["id"] == [f"d{i}" for i in numbers]
    assert documents["text"] == [f"text {i}" for i in numbers]
    assert documents["label"] == LABELS
    assert {len(documents[name]) for name in ("x", "topic", "num_parts", "subtopic")} == {
        len(CORPUS)
    }
    assert documents["topic"] == model.cluster_labels[numbers].tolist()
    assert (
        [topic["size"] for topic in summary["topics"]]
        == np.bincount(documents["topic"]).tolist()
        == summary["tree"]["sizes"][:3]
    )
    assert sum(map(sum, summary["labels"]["counts"])) == len(CORPUS)
    for k, topic in enumerate(summary["topics"]):
        shown = numbers[topic["documents"]].tolist()
        assert shown == model.get_representative_docs(k, 5)
    for inside in summary["subtopics"][0]:
        assert {documents["topic"][i] for i in inside["documents"]} == {0}
    # Without ids they keep their numbers all the same.
    assert summary_of(model, corpus)["documents"]["id"] == [f"Document {i}" for i in numbers]


def test_an_empty_topic_is_shown_as_such():
    corpus = CORPUS[:3]
    summary = summary_of(small_model(corpus, num_topics=5), corpus)
    assert summary["num_unknown"] == 0
    empty = [topic for topic in summary["topics"] if not topic["size"]]
    assert empty
    assert all(topic["words"] == topic["documents"] == [] for topic in empty)
    assert [topic["name"] for topic in empty] == ["topic 3", "topic 4"]


def test_a_name_has_no_two_forms_of_a_word():
    words = {term: f"{'abcdefgh'[term // 6]}word" + "s" * (term % 2) for term in range(NUM_TERMS)}
    model = small_model(id2word=words)
    for k, topic in enumerate(summary_of(model)["topics"]):
        assert len(topic["name"].split()) > 1
        assert len({word.removesuffix("s") for word in topic["name"].split()}) == len(
            topic["name"].split()
        )
        # The words themselves are all there.
        assert [word for word, _, _ in topic["words"]] == [
            word for word, _ in model.show_topic(k, 100)
        ]


def test_parts_are_the_shares_from_five_percent_on(model):
    rng = np.random.default_rng(0)
    doc_topic = rng.dirichlet([0.3] * 9, size=60)
    doc_topic[7] = 1 / 9
    doc_topic[8] = [0.05, 0.95, 0, 0, 0, 0, 0, 0, 0]
    is_empty = np.arange(60) == 9
    columns = part_columns(doc_topic, is_empty)
    ends = np.cumsum(columns["num_parts"])
    assert len(columns["part_topic"]) == len(columns["part_percent"]) == ends[-1]
    for i, (end, length) in enumerate(zip(ends, columns["num_parts"], strict=True)):
        ranked = sorted(enumerate(doc_topic[i]), key=lambda part: (-part[1], part[0]))
        expected = [(k, round(100 * part)) for k, part in ranked[:5] if part >= 0.05]
        listed = zip(
            columns["part_topic"][end - length : end],
            columns["part_percent"][end - length : end],
            strict=True,
        )
        assert list(listed) == ([] if is_empty[i] else expected)
    assert max(columns["num_parts"]) == columns["num_parts"][7] == 5
    assert columns["num_parts"][8] == 2


def test_the_parts_of_the_documents_are_the_models(model, summary):
    documents = summary["documents"]
    expected = part_columns(model.doc_topics(), np.zeros(len(CORPUS), dtype=bool))
    assert {name: documents[name] for name in expected} == expected
    assert summary["shares"] == {"min_percent": 5, "mixed_percent": 60}


def test_a_document_with_a_vector_and_without_words_has_no_parts():
    corpus = [*CORPUS[:20], [], []]
    vectors = np.eye(2)[[0] * 10 + [1] * 10 + [1, 1]]
    model = small_model(corpus, 2, embeddings=vectors)
    summary = summary_of(model, corpus)
    assert (summary["num_documents"], summary["num_unknown"]) == (22, 0)
    assert summary["documents"]["num_parts"][-2:] == [0, 0]
    assert min(summary["documents"]["num_parts"][:-2]) >= 1


def spelled_out(told):
    """Words with their topics and ratios."""
    ends = np.cumsum(told["num_topics"])
    return {
        word: list(zip(told["topic"][end - n : end], told["ratio"][end - n : end], strict=True))
        for word, end, n in zip(told["word"], ends, told["num_topics"], strict=True)
    }


def test_words_tell_topics_by_their_ratio(model, summary):
    topic_word = model.get_word_distributions()
    sizes = [topic["size"] for topic in summary["topics"]]
    expected = {}
    for term in range(NUM_TERMS):
        overall = sum(n * row[term] for n, row in zip(sizes, topic_word, strict=True)) / sum(sizes)
        ratios = [(k, row[term] / overall) for k, row in enumerate(topic_word)]
        told = sorted((pair for pair in ratios if pair[1] >= 1.5), key=lambda pair: -pair[1])
        if told:
            expected[f"word{term}"] = told
    found = spelled_out(summary["telling_words"])
    assert found.keys() == expected.keys()
    for word, told in found.items():
        assert [topic for topic, _ in told] == [topic for topic, _ in expected[word]]
        np.testing.assert_allclose(
            [ratio for _, ratio in told], [ratio for _, ratio in expected[word]], atol=0.051
        )


def test_few_topics_are_told_by_a_word_and_none_by_common_ones():
    weights = np.array([[1, 8, 1]] * 6 + [[1, 1, 8]] * 14, dtype=float)
    weights[:, 0] = 3
    topic_word = weights / weights.sum(axis=1, keepdims=True)
    told = spelled_out(telling_words(topic_word, np.ones(20), dict(enumerate("abc"))))
    assert list(told) == ["b"]
    assert [topic for topic, _ in told["b"]] == [0, 1, 2, 3]


def test_a_topic_without_documents_is_told_by_no_word():
    topic_word = np.array([[0.9, 0.1], [0.1, 0.9], [0.01, 0.99]])
    told = spelled_out(telling_words(topic_word, np.array([5, 5, 0]), {0: "a", 1: "b"}))
    assert told == {"a": [(0, 1.8)], "b": [(1, 1.8)]}


def test_only_frequent_words_tell_topics(monkeypatch):
    monkeypatch.setattr("dnmf_topics.report.telling_words.MAX_WORDS", 2)
    topic_word = np.array([[0.7, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.7]])
    told = telling_words(topic_word, np.array([3, 2]), dict(enumerate("abcd")))
    assert told["word"] == ["a", "d"]


def test_what_has_no_word_tells_nothing():
    topic_word = np.array([[0.5, 0.3, 0.2], [0.0, 0.3, 0.7]])
    told = telling_words(topic_word, np.array([1, 1]), {0: "0", 2: "c"})  # 1 is a gap
    assert told["word"] == ["c"]


def test_without_texts_no_words_are_needed(model):
    assert summary_of(model)["telling_words"] is None


def test_a_page_of_many_documents_and_terms_stays_light():
    """As many as 20 Newsgroups has: each document with three parts, words as frequent as Zipf."""
    rng = np.random.default_rng(0)
    num_docs, num_topics, num_terms = 19_000, 20, 30_000
    parts = part_columns(
        rng.dirichlet([0.1] * num_topics, num_docs), np.zeros(num_docs, dtype=bool)
    )
    weights = rng.gamma(0.3, size=(num_topics, num_terms)) / np.arange(1, num_terms + 1)
    words = {term: f"word{term:05}" for term in range(num_terms)}
    told = telling_words(
        weights / weights.sum(axis=1, keepdims=True), np.full(num_topics, 950), words
    )
    assert 6000 < len(told["word"]) <= 8000
    size = len(json.dumps([parts, told], separators=(",", ":")))
    assert size < 800_000


@pytest.mark.parametrize(("budget", "length"), [(10**9, 1000), (1500, 500), (0, 240)])
def test_long_texts_are_cut_so_that_all_fit(monkeypatch, budget, length):
    monkeypatch.setattr(module, "EXCERPT_BUDGET", budget)
    for text in module._excerpts(["wörd " * 1000] * 3):
        assert length - 5 <= len(text) <= length
        assert text.startswith("wörd wörd")
        assert text.endswith("…")
    assert module._excerpts([" a\n\tb "]) == ["a b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"corpus": CORPUS[:-1]}, "corpus must hold the 45 documents .* got 44"),
        ({"excerpts": ["one"]}, "excerpts must have one entry for each of the 45 .* got 1"),
        ({"ids": IDS[1:]}, "ids must have one entry .* got 44"),
        ({"labels": []}, "labels must have one entry .* got 0"),
        ({"dates": ["2020"]}, "dates must have one entry .* got 1"),
        ({"dates": ["soon"] * len(CORPUS)}, "dates must be dates .* got 'soon' at position 0"),
        ({"links": []}, "links must have one entry .* got 0"),
        ({"columns": {"a b": [1]}}, r"columns\['a b'\] must have one entry .* got 1"),
        ({"subtopics": {3: None}}, "subtopics must be given for topics from 0 to 2, got 3"),
        ({"subtopics": {0: small_model()}}, r"subtopics\[0\] must be a model of the .* one of 45"),
    ],
)
def test_what_does_not_fit_is_refused(model, options, message):
    with pytest.raises(ValueError, match=message):
        Report(model, **({"corpus": CORPUS} | options))


def test_a_model_without_its_documents_is_refused(tmp_path):
    model = small_model()
    model.save(tmp_path / "model", ignore=["doc_topics"])
    with pytest.raises(ValueError, match="model must know the topics of its documents"):
        Report(type(model).load(tmp_path / "model"), CORPUS)


# The tree, time, columns, sub-topics


def test_a_model_that_was_cleared_has_a_page_without_a_tree():
    model = small_model()
    model.clear()
    assert summary_of(model)["tree"] is None


def test_the_tree_is_the_models_with_a_place_for_every_group():
    model = small_model(num_topics=5)
    summary = summary_of(model)
    tree, expected = summary["tree"], model.hierarchy()
    assert tree["merges"] == expected.merges.tolist()
    assert tree["names"] == list(expected.names)
    assert tree["sizes"] == expected.sizes.tolist()
    assert tree["words"] == [list(words[:10]) for words in expected.words]
    np.testing.assert_allclose(tree["heights"], expected.heights, rtol=1e-3)
    for node in range(5):
        assert tree["places"][node] == summary["topics"][node]["place"]
        assert tree["bounds"][node] == summary["topics"][node]["bounds"]
    places = np.array([summary["documents"]["x"], summary["documents"]["y"]]).T
    low, high = tree["bounds"][-1]
    assert ((places >= low) & (places <= high)).all(axis=1).mean() >= 2 / 3
    assert summary_of(small_model(num_topics=1))["tree"] is None


def test_names_that_users_gave_are_the_topics_names():
    model = small_model()
    model.topic_names = {1: "Their own"}
    summary = summary_of(model)
    assert summary["topics"][1]["name"] == summary["tree"]["names"][1] == "Their own"


def test_dates_are_bins_and_days(model):
    dates = [None, "", "2020-03-01", "1 May 2020", *["2020-04-02"] * (len(CORPUS) - 4)]
    summary = summary_of(model, dates=dates)
    bins = calendar_bins(dates)
    assert summary["time"]["unit"] == bins.unit
    assert summary["time"]["labels"] == list(bins.labels)
    assert summary["time"]["starts"][0].startswith("2020-0")
    documents = summary["documents"]
    assert documents["time"] == [None, None, *bins.index[2:].tolist()]
    assert documents["date"][:5] == [None, None, "2020-03-01", "2020-05-01", "2020-04-02"]
    times = [f"2020-03-01 10:{i % 50:02}" for i in range(len(CORPUS))]
    assert summary_of(model, dates=times)["documents"]["date"][7] == "2020-03-01 10:07"
    unknown = summary_of(model, dates=[None] * len(CORPUS))
    assert unknown["time"] is unknown["documents"]["time"] is None


@pytest.mark.parametrize(
    ("values", "limits", "codes"),
    [
        ([3, 1.5, None], [1.53, 2.97], [3, 1.5, None]),
        (["7", "7", ""], [7, 7], [7, 7, None]),
        ([float("nan"), np.float32(2), np.int64(123456789)], None, [None, 2, 123456789]),
        ([pd.NA, pd.NaT, 4], [4, 4], [None, None, 4]),
        ([0] * 99 + [1000], [0, 1000], [0] * 99 + [1000]),
        (list(range(101)), [2, 98], list(range(101))),
    ],
)
def test_a_column_of_numbers_is_a_scale(values, limits, codes):
    column = column_of("c", values)
    assert column["kind"] == "number"
    assert column["codes"] == codes
    assert limits is None or column["values"] == pytest.approx(limits)


@pytest.mark.parametrize(
    ("values", "names", "codes"),
    [
        (["b", "a", "a", None], ["a", "b"], [1, 0, 0, None]),
        (["1", "2", "x"], ["1", "2", "x"], [0, 1, 2]),
        ([True, False, True], ["True", "False"], [0, 1, 0]),
        ([" a\n b", "a b", "  "], ["a b"], [0, 0, None]),
        (["inf", "1"], ["inf", "1"], [0, 1]),
        (["x" * 300], ["x" * 100], [0]),
    ],
)
def test_any_other_column_has_categories(values, names, codes):
    column = column_of("c", values)
    assert column == {"name": "c", "kind": "category", "values": names, "codes": codes}


def test_columns_of_nothing_are_left_out(model):
    columns = {"nothing": [None] * len(CORPUS), 5: range(len(CORPUS))}
    assert [column["name"] for column in summary_of(model, columns=columns)["columns"]] == ["5"]


def test_sub_topics_are_those_of_their_models(model):
    members = np.flatnonzero(model.cluster_labels == 1)
    inside = small_model([CORPUS[i] for i in members], 2)
    inside.topic_names = {1: "The second"}
    summary = summary_of(model, subtopics={1: inside})
    assert [len(found) for found in summary["subtopics"]] == [0, 2, 0]
    column = np.array(summary["documents"]["subtopic"])
    assert column[members].tolist() == inside.cluster_labels.tolist()
    assert all(value is None for value in np.delete(column, members))
    info = inside.get_topic_info().set_index("topic")
    for label, found in enumerate(summary["subtopics"][1]):
        assert found["name"] == inside.topic_names[label]
        assert found["size"] == info.loc[label, "size"]
        assert found["words"] == info.loc[label, "words"]
        typical = inside.get_representative_docs(label, 3)
        assert found["documents"] == members[typical].tolist()
        assert set(inside.cluster_labels[typical]) == {label}


def test_what_was_not_given_is_none(model):
    summary = summary_of(model)
    assert summary["time"] is None
    assert summary["columns"] == []
    assert summary["subtopics"] == [[], [], []]
    documents = summary["documents"]
    for name in ("link", "time", "date", "subtopic"):
        assert documents[name] is None
    links = summary_of(model, links=["x", None] + [""] * (len(CORPUS) - 2))["documents"]["link"]
    assert links[:3] == ["x", None, ""]


def test_what_pandas_calls_missing_is_none(model):
    number = len(CORPUS) - 3
    missing = pd.Series(["x", float("nan"), pd.NA] + ["y"] * number, dtype=object)
    summary = summary_of(model, labels=missing, links=missing)
    for name in ("link", "label"):
        assert summary["documents"][name][:4] == ["x", None, None, "y"]
    assert sorted(summary["labels"]["names"]) == ["x", "y"]
    assert summary["labels"]["num_labeled"] == number + 1
