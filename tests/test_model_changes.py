"""Topics over time and by class: planted changes, the slow twin, and what is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from trained import CORPUS, NUM_TERMS, file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.common import blocks
from dnmf_topics.common.blocks import RowBlocks
from dnmf_topics.common.engines import Threads
from dnmf_topics.model.changes import Groups, changed_words
from dnmf_topics.report import Report
from dnmf_topics.text import build_corpus

# A year of documents about three things. One is always there; one comes in May and goes in July;
# of the third the words change in July: "oldword" is said before, "newword" after.
MONTHS = [f"2019-{month:02}" for month in range(1, 13)]
ALWAYS, GUEST, CHANGING = (
    [f"{name}{letter}" for letter in "abcdefghijkl"] for name in ("always", "guest", "changing")
)


def planted_year(seed=0):
    """Texts, and the months that they are of, in any order."""
    rng = np.random.default_rng(seed)
    written = []
    for number, month in enumerate(MONTHS):
        kinds = [(ALWAYS, []), (CHANGING, ["oldword" if number < 6 else "newword"])]
        if 4 <= number <= 6:
            kinds.append((GUEST, []))
        for words, more in kinds:
            for _ in range(10):
                chosen = rng.choice(words, size=8, replace=False).tolist()
                written.append((" ".join([*chosen, *more]), month))
    order = rng.permutation(len(written))
    return [written[each][0] for each in order], [written[each][1] for each in order]


TEXTS, DATES = planted_year()
YEAR = build_corpus(TEXTS)


@pytest.fixture(scope="module")
def year():
    """The model, and the topic of each of the three things."""
    model = small_model(YEAR.counts, 3, YEAR.dictionary)
    words = [" ".join(word for word, _ in model.show_topic(topic, 3)) for topic in range(3)]
    kinds = ("always", "guest", "changing")
    return model, {kind: words.index(next(w for w in words if kind in w)) for kind in kinds}


def sizes_over_time(table):
    return table.pivot(index="start", columns="topic", values="size")


# Planted changes


def test_a_topic_that_comes_and_goes_is_found(year):
    model, topics = year
    table = model.topics_over_time(DATES, YEAR.counts, bins="month")
    sizes = sizes_over_time(table)
    assert sizes.shape == (12, 3)
    assert sizes[topics["guest"]].tolist() == [0] * 4 + [10] * 3 + [0] * 5
    assert set(sizes.drop(columns=topics["guest"]).to_numpy().ravel()) == {10}
    shares = table.pivot(index="start", columns="topic", values="share")[topics["guest"]]
    np.testing.assert_allclose(shares, [0] * 4 + [1 / 3] * 3 + [0] * 5)


def test_words_that_change_are_found_and_no_others(year):
    model, topics = year
    table = model.topics_over_time(DATES, YEAR.counts, bins="quarter")
    words = table.pivot(index="start", columns="topic", values="words")
    assert words[topics["changing"]].tolist() == [["oldword"]] * 2 + [["newword"]] * 2
    assert [*words[topics["always"]], *words[topics["guest"]]] == [[]] * 8


def test_words_that_differ_between_classes_are_found(year):
    model, topics = year
    labels = ["early" if date < "2019-07" else "late" for date in DATES]
    table = model.topics_per_class(labels, YEAR.counts)
    assert list(table.columns) == ["label", "topic", "name", "size", "share", "words"]
    table = table.set_index(["label", "topic"])
    assert table.loc[("early", topics["changing"]), "words"] == ["oldword"]
    assert table.loc[("late", topics["changing"]), "words"] == ["newword"]
    assert table.loc[("early", topics["guest"]), ["size", "share"]].tolist() == [20, 20 / 140]
    assert table.loc[("late", topics["guest"]), "words"] == []


# The table


def test_a_row_for_each_time_and_topic(year):
    model, _ = year
    table = model.topics_over_time(DATES, bins="month")
    assert list(table.columns) == ["start", "end", "topic", "name", "size", "share"]
    assert table["topic"].tolist() == [0, 1, 2] * 12
    assert table["start"].iloc[::3].tolist() == [pd.Timestamp(date) for date in MONTHS]
    assert table["end"].iloc[::3].tolist() == [*table["start"].iloc[3::3], pd.Timestamp("2020")]
    assert table["size"].sum() == len(DATES)
    assert table.groupby("start")["share"].sum().tolist() == pytest.approx([1] * 12)
    for topic, name in zip(table["topic"], table["name"], strict=True):
        assert name.split()[0].strip(",") == model.show_topic(topic, 1)[0][0]


def test_bins_are_chosen_or_asked_for(year):
    model, _ = year
    numbers = {
        bins: model.topics_over_time(DATES, bins=bins)["start"].nunique()
        for bins in ("auto", "quarter", "year", 4)
    }
    assert numbers == {"auto": 12, "quarter": 4, "year": 1, 4: 4}


def test_times_without_documents_are_there(year):
    model, _ = year
    dates = [1987] * 100 + [1990] * (len(DATES) - 100)
    table = model.topics_over_time(dates, YEAR.counts)
    assert table["start"].dt.year.unique().tolist() == [1987, 1988, 1989, 1990]
    empty = table[table["start"].dt.year == 1988]
    assert empty["size"].tolist() == [0] * 3
    assert empty["share"].isna().all()
    assert empty["words"].tolist() == [[]] * 3


def test_documents_without_a_date_or_label_are_left_out_and_said(year, caplog):
    model, _ = year
    known = np.arange(len(DATES)) % 3 > 0
    for missing in (None, "", float("nan"), pd.NaT):
        dates = [date if is_known else missing for date, is_known in zip(DATES, known, strict=True)]
        caplog.clear()
        table = model.topics_over_time(dates, YEAR.counts)
        assert table["size"].sum() == known.sum()
        assert f"documents without a date, which are left out: {(~known).sum()} of" in caplog.text
    for missing in (None, "", float("nan"), pd.NA):
        labels = ["x" if is_known else missing for is_known in known]
        assert model.topics_per_class(labels)["size"].sum() == known.sum()
    assert "documents without a label, which are left out" in caplog.text


@pytest.mark.parametrize(
    ("labels", "names"),
    [(["b", "a", "c"], ["a", "b", "c"]), ([10, 9, 2], [2, 9, 10]), (["b", 1, 2.5], [1, 2.5, "b"]),
     (pd.Categorical(["b", "a", "c"]), ["a", "b", "c"]), (np.array([2, 0, 1]), [0, 1, 2])],
)  # fmt: skip
def test_classes_in_their_order(labels, names):
    model = small_model()
    table = model.topics_per_class(list(labels) * 15)
    assert table["label"].tolist() == [name for name in names for _ in range(3)]
    counted = pd.crosstab(
        np.array([names.index(label) for label in labels] * 15), model.cluster_labels
    )
    assert table["size"].tolist() == counted.to_numpy().ravel().tolist()


def test_as_many_words_as_asked_for():
    # Two words that are said in one year alone, and one in the other.
    texts = [text for text in TEXTS if "always" in text]
    texts = [
        f"{text} {'gamma' if number % 2 else 'alpha beta'}" for number, text in enumerate(texts)
    ]
    corpus = build_corpus(texts, no_above=1.0)
    model = small_model(corpus.counts, 1, corpus.dictionary)
    years = [1987, 1988] * 60
    found = {n: model.topics_over_time(years, corpus.counts, topn=n)["words"] for n in (0, 1, 10)}
    assert found[0].tolist() == [[], []]
    assert found[1].tolist() == [["alpha"], ["gamma"]]
    assert found[10].tolist() == [["alpha", "beta"], ["gamma"]]


def test_two_documents_do_not_speak_for_a_time():
    texts = [*TEXTS[:-2], TEXTS[-2] + " zebra", TEXTS[-1] + " zebra"]
    corpus = build_corpus(texts)
    assert "zebra" in corpus.dictionary.token2id
    model = small_model(corpus.counts, 3, corpus.dictionary)
    dates = [*DATES[:-2], "2020-05-01", "2020-05-01"]
    table = model.topics_over_time(dates, corpus.counts, bins="month")
    assert not any(table[table["start"] >= "2020"]["words"])


# The documents may come in any form, and later


def test_updates_are_included(year):
    model = small_model(YEAR.counts[:200], 3, YEAR.dictionary)
    model.update(YEAR.counts[200:])
    with pytest.raises(ValueError, match="each of the 270 training documents, those of updates"):
        model.topics_over_time(DATES[:200])
    table = model.topics_over_time(DATES, YEAR.counts, bins="month")
    assert (
        table["size"].tolist()
        == pd.crosstab(DATES, model.cluster_labels).to_numpy().ravel().tolist()
    )


def test_the_form_of_the_corpus_does_not_matter(year, tmp_path, monkeypatch):
    model, _ = year
    expected = model.topics_over_time(DATES, YEAR.counts, bins="quarter")
    assert any(expected["words"])
    folder = build_corpus(TEXTS, folder=tmp_path / "corpus")
    matrix = sparse.csc_matrix(YEAR.counts.matrix.T)
    forms = [list(YEAR.counts), iter(list(YEAR.counts)), matrix, YEAR.tfidf, folder.counts]
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 50)
    for corpus in forms:
        pd.testing.assert_frame_equal(model.topics_over_time(iter(DATES), corpus, bins=4), expected)
    loaded = pickle.loads(pickle.dumps(model))
    loaded.max_in_memory = 10  # so that a list goes to files
    table = loaded.topics_over_time(DATES, list(YEAR.counts), bins=4)
    pd.testing.assert_frame_equal(table, expected)


def test_main_topics_count_where_documents_mix_topics():
    model = small_model(YEAR.counts, 3, YEAR.dictionary, mixing_rounds=1)
    assert model.get_settings()["mixing_rounds"] == 1
    table = model.topics_over_time(DATES, YEAR.counts)
    assert (
        table.groupby("topic")["size"].sum().tolist() == np.bincount(model.cluster_labels).tolist()
    )


# The twin


def literal_words(counts, labels, groups, topic, group, topn):
    """Document by document."""
    own = [i for i in range(len(labels)) if labels[i] == topic and groups[i] == group]
    every = [i for i in range(len(labels)) if labels[i] == topic and groups[i] >= 0]
    own, every = ([i for i in each if counts[i].any()] for each in (own, every))
    weights = {}
    for term in range(counts.shape[1]):
        has = sum(counts[i, term] > 0 for i in own)
        if has < 3:
            continue
        p, q = has / len(own), sum(counts[i, term] > 0 for i in every) / len(every)
        lacking = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0
        if p > q and 2 * len(own) * (p * math.log(p / q) + lacking) > 2 * math.log(1000):
            weights[term] = p * math.log(p / q)
    return sorted(weights, key=lambda term: (-round(weights[term], 12), term))[:topn]


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 60))
def test_words_are_those_of_the_twin(seed, num_groups, block_size):
    rng = np.random.default_rng(seed)
    groups = rng.integers(-1, num_groups, size=150)
    labels = rng.integers(3, size=150)
    rates = rng.choice([0, 0.02, 0.3, 2], size=(num_groups + 1, 3, 12))
    counts = rng.poisson(rates[groups, labels])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_SIZE", block_size)
        documents = RowBlocks(sparse.csr_array(counts.astype(float)))
        found = changed_words(documents, labels, Groups(groups, num_groups), 3, 5, Threads(2))
    for group in range(num_groups):
        for topic in range(3):
            expected = literal_words(counts, labels, groups, topic, group, 5)
            assert found[group][topic] == expected


# What is refused


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.topics_over_time(["2019"] * 44), "dates must have an entry for each of the"),
        (lambda m: m.topics_per_class(["x"] * 46), "labels must have an entry for each of the 45"),
        (lambda m: m.topics_over_time("2019"), "dates must be a sequence, got '2019'"),
        (lambda m: m.topics_per_class(None), "labels must be a sequence, got None"),
        (lambda m: m.topics_over_time([None] * 45), "dates must not all be unknown"),
        (lambda m: m.topics_per_class([""] * 45), "labels must not all be unknown"),
        (lambda m: m.topics_over_time(["2019"] * 44 + ["soon"]), "got 'soon' at position 44"),
        (lambda m: m.topics_over_time(["2019"] * 45, bins="aeon"), "bins must be"),
        (lambda m: m.topics_over_time(["2019"] * 45, CORPUS[1:]), "corpus must have the 45 train"),
        (lambda m: m.topics_over_time(["2019"] * 45, topn=-1), "topn must be at least 0"),
        (lambda m: m.topics_per_class([["x"]] * 45), "labels must be strings or numbers"),
        (lambda m: m.topics_over_time(["2019"] * 45, [[(NUM_TERMS, 1)]] * 45), "vocabulary"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_sentence(call, said):
    model = small_model()
    before = file_of(model)
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        call(model)
    assert len(str(caught.value).splitlines()) == 1
    assert file_of(model) == before


def test_a_model_without_documents_says_so(tmp_path):
    small_model().save(tmp_path / "model", ignore=["doc_topics"])
    for model in (small_model(None), DnmfModel.load(tmp_path / "model")):
        with pytest.raises(ValueError, match="knows no topics of training documents"):
            model.topics_over_time(["2019"] * 45)


def test_what_is_masked_is_unknown(year):
    model, _ = year
    mask = np.arange(len(DATES)) % 5 == 0
    for values in (np.array(DATES), np.array(DATES, "M8[s]")):
        hidden = np.ma.array(values, mask=mask)
        given = [
            None if is_masked else value for value, is_masked in zip(values, mask, strict=True)
        ]
        for method in (model.topics_over_time, model.topics_per_class):
            pd.testing.assert_frame_equal(method(hidden), method(given))
        found, expected = (
            Report(model, YEAR.counts, labels=each, dates=each, columns={"n": each}).summary
            for each in (hidden, given)
        )
        assert found == expected
