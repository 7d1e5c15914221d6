"""The corpus: the dictionary and weights of gensim, rows that stay aligned, files, bad input."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import LdaModel, TfidfModel
from hypothesis import given
from hypothesis import strategies as st
from real_texts import lee_texts, newsgroups_texts
from scipy import sparse

from dnmf_topics import storage
from dnmf_topics.storage import FileFormatError
from dnmf_topics.text import (
    Document,
    TextCorpus,
    Tokenization,
    build_corpus,
    processes,
    read_documents,
)

LEE = lee_texts()


def literal_corpus(texts, steps, no_below, no_above, keep_n):
    """The slow, obvious twin: gensim, token by token."""
    token_lists = list(steps.tokens(texts))
    dictionary = Dictionary(token_lists)
    dictionary.filter_extremes(no_below, no_above, keep_n)
    return dictionary, [dictionary.doc2bow(tokens) for tokens in token_lists]


def assert_same_corpus(corpus, dictionary, bows):
    assert corpus.dictionary.token2id == dictionary.token2id
    assert corpus.dictionary.dfs == dictionary.dfs
    assert corpus.dictionary.cfs == dictionary.cfs
    assert corpus.dictionary.num_docs == len(bows)
    assert corpus.dictionary.num_nnz == sum(map(len, bows))
    assert corpus.dictionary.num_pos == sum(count for bow in bows for _, count in bow)
    assert list(corpus.counts) == bows


def assert_equal_values(one, other):
    assert list(one.counts) == list(other.counts)
    assert list(one.tfidf) == list(other.tfidf)
    assert one.dictionary.token2id == other.dictionary.token2id
    for name in ("dfs", "cfs", "num_docs", "num_pos", "num_nnz"):
        assert getattr(one.dictionary, name) == getattr(other.dictionary, name)
    for name in ("ids", "labels", "excerpts", "tokenization", "skipped", "columns"):
        assert getattr(one, name) == getattr(other, name)


# The twin


@pytest.mark.parametrize("keep_n", [None, 500])
def test_real_news_give_the_dictionary_of_gensim(keep_n):
    corpus = build_corpus(LEE, keep_n=keep_n)
    assert_same_corpus(corpus, *literal_corpus(LEE, Tokenization(), 2, 0.5, keep_n))
    assert len(corpus) == 300


def test_real_posts_give_the_dictionary_of_gensim(corpora_folder, monkeypatch):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 50)  # several chunks
    texts = newsgroups_texts(corpora_folder)[:1200]
    steps = Tokenization(strip_headers=True, strip_accents=True)
    twin = literal_corpus(texts, steps, 5, 0.5, 100_000)
    assert_same_corpus(build_corpus(texts, steps), *twin)
    assert_same_corpus(build_corpus(texts, steps, processes=2), *twin)


words = st.sampled_from(["river", "bank", "flood", "Flood", "the", "été", "x", "水利"])
some_texts = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=8)


@given(some_texts, st.integers(1, 3), st.floats(0.1, 1), st.integers(1, 9), st.integers(1, 9))
def test_any_texts_give_the_dictionary_of_gensim(texts, no_below, no_above, keep_n, chunk):
    dictionary, bows = literal_corpus(texts, Tokenization(), no_below, no_above, keep_n)
    options = {"no_below": no_below, "no_above": no_above, "keep_n": keep_n}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "CHUNK_TEXTS", chunk)
        if len(dictionary):
            assert_same_corpus(build_corpus(texts, **options), dictionary, bows)
        else:
            with pytest.raises(ValueError, match=r"change these limits|have no words"):
                build_corpus(texts, **options)


def test_tfidf_is_that_of_gensim():
    corpus = build_corpus(LEE)
    model = TfidfModel(dictionary=corpus.dictionary)
    assert len(corpus.tfidf) == 300
    for ours, theirs in zip(corpus.tfidf, model[corpus.counts], strict=True):
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        np.testing.assert_allclose([w for _, w in ours], [w for _, w in theirs], rtol=1e-12)


def test_a_word_of_all_documents_has_no_weight():
    corpus = build_corpus(["river", "river bank", ""], no_below=1, no_above=1.0)
    assert [len(bow) for bow in corpus.tfidf] == [1, 2, 0]
    everywhere = build_corpus(["river", "river"], no_above=1.0)
    assert list(everywhere.tfidf) == [[], []]


@pytest.mark.parametrize(("num_docs", "no_below"), [(999, 2), (1000, 5)])
def test_rare_words_depend_on_the_size(num_docs, no_below):
    texts = [f"stream {'rarely' if i < no_below else ''}" for i in range(num_docs)]
    assert "rarely" in build_corpus(texts, no_above=1.0).dictionary.token2id
    assert "rarely" not in build_corpus([*texts[1:], ""], no_above=1.0).dictionary.token2id


# Rows


def test_documents_keep_their_rows():
    documents = [
        Document("rivers flood", "a", "x", {"year": "1987"}),
        Document("", "b", columns={"place": "Rome", "year": ""}),
        Document("unique nothing", "c", "y"),
        Document("rivers flood", "a", "x"),
    ]
    corpus = build_corpus(documents)
    assert list(corpus.counts) == [[(0, 1), (1, 1)], [], [], [(0, 1), (1, 1)]]
    assert corpus.ids == ("a", "b", "c", "a")
    assert corpus.labels == ("x", None, "y", "x")
    assert corpus.excerpts == ("rivers flood", "", "unique nothing", "rivers flood")
    assert corpus.columns == {
        "year": ("1987", None, None, None), "place": (None, "Rome", None, None),
    }  # fmt: skip
    plain = build_corpus(["a river", "a river"], no_above=1.0)
    assert plain.labels is None
    assert plain.columns == {}


def test_excerpts():
    texts = ["A  river\n\nof " + "words " * 99, "short", "x" * 99]
    corpus = build_corpus(texts, no_below=1, excerpt_length=20)
    assert corpus.excerpts == ("A river of words…", "short", "x" * 19 + "…")
    assert build_corpus(texts, no_below=1, excerpt_length=0).excerpts == ()


def test_skipped_records_are_remembered(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"river flood\nbad \xff\nriver flood\n")
    corpus = build_corpus(read_documents(path, errors="skip"), no_above=1.0)
    assert corpus.ids == ("1", "3")
    assert [record.place for record in corpus.skipped] == [f"{path}, line 2"]


def test_the_corpora_are_corpora_of_gensim():
    corpus = build_corpus(LEE)
    for bows in (corpus.counts, corpus.tfidf):
        assert bows.id2word is corpus.dictionary
        assert bows.tokenization == corpus.tokenization.as_json()
        assert bows[7] == list(bows)[7]
        assert bows[-1] == list(bows)[-1]
        assert list(bows[2:5]) == list(bows)[2:5]
        assert bows[2:5].tokenization == bows.tokenization
        assert bows.matrix.shape == (300, len(corpus.dictionary))
        with pytest.raises(IndexError):
            bows[300]
    assert {type(value) for bow in corpus.counts for pair in bow for value in pair} == {int}
    model = LdaModel(corpus.counts, 3, corpus.dictionary, random_state=0)
    assert model.get_topics().shape == (3, len(corpus.dictionary))


def test_reading_does_not_write():
    corpus = build_corpus(LEE)
    before = corpus.counts.matrix.copy()
    first, second = list(corpus.tfidf), list(corpus.tfidf)
    assert first == second
    assert (corpus.counts.matrix != before).nnz == 0


# New texts


def test_new_texts_take_the_same_steps():
    corpus = build_corpus(["The café floods", "A CAFE\u0301 floods"], no_above=1.0)
    assert corpus.dictionary.token2id == {"café": 0, "floods": 1}
    assert corpus.bows(["cafe\u0301, café: unknown", ""]) == [[(0, 2)], []]
    assert corpus.bows(["café"] * 3, processes=2) == [[(0, 1)]] * 3


def test_phrases_are_learnt_and_repeated():
    texts = [f"New York {place * 3}" for place in "abcdefghijklmnopqrstuvwxyz"]
    steps = Tokenization(phrases=True, phrase_threshold=1.0)
    corpus = build_corpus(texts, steps, no_below=1, no_above=1.0)
    assert "new_york" in corpus.dictionary.token2id
    assert corpus.tokenization.learnt_phrases == ("new_york",)
    assert corpus.bows(["new york"]) == [[(corpus.dictionary.token2id["new_york"], 1)]]
    again = Tokenization.from_json(corpus.counts.tokenization)
    assert list(again.tokens(["new york"])) == [["new_york"]]
    assert_equal_values(build_corpus(texts, again, no_below=1, no_above=1.0), corpus)
    twin = literal_corpus(texts, again, 1, 1.0, 100_000)
    assert_same_corpus(corpus, *twin)


@pytest.mark.parametrize("tokenizer", ["nltk", "spacy"])
def test_other_tokenizers_count_the_same_way(tokenizer):
    pytest.importorskip(tokenizer)
    texts = LEE[:60]
    steps = Tokenization(tokenizer=tokenizer)
    twin = literal_corpus(texts, steps, 2, 0.5, None)
    assert_same_corpus(build_corpus(texts, steps, keep_n=None, processes=2), *twin)


# Matrices and files


@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix, sparse.coo_array, sparse.csc_array])
def test_a_corpus_of_counts(form):
    corpus = TextCorpus.of_matrix(
        form([[2, 0, 0], [0, 0, 0], [1, 3, 0]]),
        labels=["x", None, "y"],
        columns={"date": ["1987", "", None]},
    )
    assert corpus.columns == {"date": ("1987", None, None)}
    assert list(corpus.counts) == [[(0, 2)], [], [(0, 1), (1, 3)]]
    assert corpus.dictionary.token2id == {"0": 0, "1": 1, "2": 2}
    assert corpus.dictionary.dfs == {0: 2, 1: 1, 2: 0}
    assert corpus.dictionary.cfs == {0: 3, 1: 3, 2: 0}
    assert corpus.ids == ("1", "2", "3")
    assert corpus.labels == ("x", None, "y")
    assert corpus.counts.tokenization is None
    assert [len(bow) for bow in corpus.tfidf] == [1, 0, 2]
    with pytest.raises(ValueError, match="made from counts"):
        corpus.bows(["text"])


def test_the_counts_given_stay_as_they_are():
    counts = sparse.csr_array(np.array([[0, 2], [1, 0]]))
    corpus = TextCorpus.of_matrix(counts)
    counts.data[:] = 9
    assert list(corpus.counts) == [[(1, 2)], [(0, 1)]]


@pytest.mark.parametrize(
    ("counts", "options", "said"),
    [
        ([[0.5]], {}, "counts must be whole numbers"),
        ([[-1]], {}, "counts must be whole numbers"),
        ([[np.nan]], {}, "counts must be a matrix of finite numbers"),
        (np.zeros((0, 2)), {}, "at least one row"),
        ([["a"]], {}, "counts must be a matrix of finite numbers"),
        ([[1]], {"words": ["a", "b"]}, "words must have 1 entries, got 2"),
        ([[1, 1]], {"words": ["a", "a"]}, "words must differ"),
        ([[1]], {"ids": [5]}, "ids must be strings, got 5"),
        ([[1]], {"labels": [5]}, "labels must be strings, got 5"),
        ([[1]], {"excerpts": ["a", "b"]}, "excerpts must have 1 entries"),
        ([[1]], {"columns": {"date": []}}, r"columns\['date'\] must have 1 entries, got 0"),
        ([[1]], {"columns": {"date": [1987]}}, r"columns\['date'\] must be strings, got 1987"),
    ],
)
def test_bad_counts_are_refused(counts, options, said):
    with pytest.raises((TypeError, ValueError), match=said):
        TextCorpus.of_matrix(counts, **options)


def test_a_corpus_comes_back_from_its_file(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        '{"text": "river 水利 flood", "kind": "x", "year": 1987, "url": null}',
        '{"text": "river 水利", "url": "http://水利"}',
        "{",
        '{"text": ""}',
    ]
    path.write_text("\n".join(lines), "utf-8")
    source = read_documents(path, label="kind", columns=["year", "url"], errors="skip")
    corpus = build_corpus(source, Tokenization(min_length=2), no_above=1.0)
    corpus.save(tmp_path / "corpus")
    loaded = TextCorpus.load(tmp_path / "corpus")
    assert_equal_values(loaded, corpus)
    assert loaded.columns == {"year": ("1987", None, None), "url": (None, "http://水利", None)}
    assert loaded.counts.matrix.dtype == np.int64
    assert loaded.bows(["A river"]) == corpus.bows(["A river"]) != [[]]


FORGED_PARTS = [
    {"starts": np.array([0, 10**7, 0])},  # what scipy's own check takes for sound
    {"starts": np.array([0, 2, 1])},
    {"starts": np.array([0, 1, 2, 3])},
    {"starts": np.array([-1, 1, 3])},
    {"starts": np.array([0.0, 2.0, 3.0])},
    {"terms": np.array([0, 1, 2])},
    {"terms": np.array([0, -1, 0])},
    {"terms": np.array([0, 2**40, 0])},
    {"terms": np.array([0, 1])},
    {"counts": np.array([1, -1, 1])},
    {"counts": np.array([1.5, 1.0, 1.0])},
    {"counts": np.array([np.nan, 1.0, 1.0])},
    {"counts": np.array([[1, 1, 1]])},
    {"label_numbers": np.array([0, 2])},
    {"label_numbers": np.array([0, -2])},
    {"label_numbers": np.array([0])},
    {"num_docs": 3},
    {"num_docs": -2},
    {"num_docs": "2"},
    {"num_docs": 2**62},
    {"words": ["flood"]},
    {"words": ["flood", "flood"]},
    {"ids": ["1"]},
    {"excerpts": ["a"]},
    {"column_0": ["1987"]},
    {"columns": ["date", "date"]},
    {"columns": ["date", "place"]},
    {"columns": ["date", 1]},
    {"columns": "date"},
    {"columns": None},
    {"skipped_places": ["line 1"]},
    {"tokenization": []},
    {"tokenization": {"tokenizer": "os"}},
    {"tokenization": {"min_length": "3"}},
    {"tokenization": {"new": True}},
]


def forge(path, changes):
    stored = storage.load(path, "TextCorpus")
    for name, value in changes.items():
        parts = stored.arrays, stored.strings, stored.meta
        next(part for part in parts if name in part)[name] = value
    storage.save(path, "TextCorpus", stored.meta, stored.arrays, stored.strings)


@pytest.mark.parametrize("changes", FORGED_PARTS, ids=str)
def test_parts_that_do_not_fit_together_are_refused(tmp_path, changes):
    path = tmp_path / "corpus"
    dated = {"date": "1987"}
    documents = [Document("a river flood", "1", "x", dated), Document("river", "2", "y", dated)]
    build_corpus(documents, no_below=1, no_above=1.0).save(path)
    forge(path, {})
    assert TextCorpus.load(path).labels == ("x", "y")
    forge(path, changes)
    with pytest.raises(FileFormatError, match="does not hold a whole corpus") as caught:
        TextCorpus.load(path)
    assert len(str(caught.value).splitlines()) == 1


def test_arrays_that_no_corpus_has_are_not_even_unpacked(tmp_path):
    path = tmp_path / "corpus.gz"
    build_corpus(["a river", "a river"], no_above=1.0).save(path)
    stored = storage.load(path, "TextCorpus")
    large = np.zeros(2**27, np.uint8)
    for name in ("more", "label_numbers", "counts"):
        arrays = stored.arrays | {name: large}
        storage.save(path, "TextCorpus", stored.meta, arrays, stored.strings)
        tracemalloc.start()
        try:
            with pytest.raises(FileFormatError, match=r"no corpus has an array|entries, got the"):
                TextCorpus.load(path)
            assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
        finally:
            tracemalloc.stop()


def test_no_part_of_the_file_may_be_missing(tmp_path):
    path = tmp_path / "corpus"
    build_corpus(["a river", "a river"], no_above=1.0).save(path)
    stored = storage.load(path, "TextCorpus")
    for part in (stored.arrays, stored.strings, stored.meta):
        for name in list(part):
            value = part.pop(name)
            storage.save(path, "TextCorpus", stored.meta, stored.arrays, stored.strings)
            with pytest.raises(FileFormatError, match=name):
                TextCorpus.load(path)
            part[name] = value


# The door


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"no_below": 0}, "no_below must be at least 1, got 0"),
        ({"no_below": "many"}, "no_below must be a whole number, got 'many'"),
        ({"no_above": 0.0}, "no_above must be a share above 0 and up to 1, got 0.0"),
        ({"no_above": 50}, "no_above must be a share"),
        ({"keep_n": 0}, "keep_n must be at least 1"),
        ({"keep_n": True}, "keep_n must be a whole number"),
        ({"excerpt_length": -1}, "excerpt_length must be at least 0"),
        ({"processes": 0}, "processes must be from 1 to 256, got 0"),
    ],
)
def test_bad_options_are_refused_before_reading(options, said):
    def texts():
        raise AssertionError("read")
        yield

    with pytest.raises((TypeError, ValueError), match=said):
        build_corpus(texts(), **options)


def test_missing_parts_are_said_before_reading():
    pytest.importorskip("spacy")
    texts = iter(["a text"])
    with pytest.raises(ValueError, match="spacy download"):
        build_corpus(texts, Tokenization(tokenizer="spacy", model="xx_none"))
    assert list(texts) == ["a text"]


def test_texts_without_any_word():
    with pytest.raises(ValueError, match=r"The 2 documents have no words; they are empty, or"):
        build_corpus(["", "..."])
