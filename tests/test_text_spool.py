"""Corpora in a folder: those in memory, whoever counts them, in bounded memory; whole or absent."""

from __future__ import annotations

import csv
import errno
import json
import logging
import os
import pickle
import random
import signal
import tempfile
import tracemalloc
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from gensim.models import LdaModel
from hypothesis import given, settings
from hypothesis import strategies as st
from real_texts import lee_texts, newsgroups_texts

from dnmf_topics import DnmfModel, storage
from dnmf_topics.cli import commands, main, results
from dnmf_topics.common.documents import BlockCorpus, MatrixCorpus
from dnmf_topics.common.engines import Threads
from dnmf_topics.storage import FileFormatError
from dnmf_topics.text import (
    Document,
    ReadError,
    TextCorpus,
    Tokenization,
    build_corpus,
    corpus_folder,
    counting,
    formats,
    portions,
    processes,
    read_documents,
    spooling,
)
from dnmf_topics.text.lazy_strings import LabelList, LabelNumbers, StringFile, StringWriter

LEE = lee_texts()
LABELED = [
    Document(
        text, f"item {number}", [None, "even", "ö"][number % 3],
        {"date": f"2019-03-{number % 31:02}"} if number % 2 else {"late ö": "ö" * (number > 130)},
    )
    for number, text in enumerate(LEE)
]  # fmt: skip


@pytest.fixture
def small_sizes(monkeypatch):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 20)
    monkeypatch.setattr(corpus_folder, "PART_SIZE", 70)


def fields_of(corpus):
    """All values of a corpus, read."""
    dictionary = corpus.dictionary
    named = ("token2id", "id2token", "dfs", "cfs", "num_docs", "num_pos", "num_nnz")
    return {
        **{name: getattr(dictionary, name) for name in named},
        "counts": list(corpus.counts), "tfidf": list(corpus.tfidf),
        "steps": corpus.counts.tokenization, "ids": tuple(corpus.ids),
        "labels": None if corpus.labels is None else tuple(corpus.labels),
        "excerpts": tuple(corpus.excerpts), "tokenization": corpus.tokenization,
        "columns": {name: tuple(column) for name, column in corpus.columns.items()},
        "skipped": corpus.skipped, "num_empty": corpus.num_empty,
        "lengths": corpus.lengths.tolist(), "repr": repr(corpus),
    }  # fmt: skip


def assert_same(one, other):
    one, other = fields_of(one), fields_of(other)
    assert {name for name in one if one[name] != other[name]} == set()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Elsewhere:
    """An engine as a cluster may be: all goes through pickle, runs twice, and out of order."""

    task_rows = 64
    local = Threads(1)

    def __init__(self):
        self.asked = []

    def map(self, function, items, *shared):
        self.asked.append((function.__name__, len(items)))
        answers = {}
        for number in [*reversed(range(len(items))), *range(len(items))]:
            call, item, rest = pickle.loads(pickle.dumps((function, items[number], shared)))
            answers[number] = pickle.dumps(call(item, *rest))
        return (pickle.loads(answers[number]) for number in range(len(items)))


# The same as in memory


@pytest.mark.parametrize("phrases", [False, True])
def test_the_corpus_and_its_files_are_the_same_whoever_counts(tmp_path, small_sizes, phrases):
    steps = Tokenization(phrases=phrases)
    whole = build_corpus(LABELED, steps)
    ways = {
        "one": {}, "two": {"processes": 2}, "threads": {"engine": Threads(2)},
        "elsewhere": {"engine": Elsewhere()},
    }  # fmt: skip
    for name, options in ways.items():
        corpus = build_corpus(LABELED, steps, folder=tmp_path / name, **options)
        assert_same(corpus, whole)
        assert contents(tmp_path / name) == contents(tmp_path / "one")
        assert isinstance(corpus.counts, BlockCorpus)
        assert corpus.counts.id2word is corpus.dictionary
        assert corpus.counts.blocks.rows(0, 300).dtype == np.float64
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(ways)
    assert sorted(contents(tmp_path / "one")) == [
        "column_0.utf8", "column_1.utf8",
        "corpus.dnmf", *(f"counts-00000{number}.npy" for number in range(5)),
        "excerpts.utf8", "ids.utf8",
    ]  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 7, 299, 300, 1000])
def test_the_sizes_of_chunks_change_nothing(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", chunk)
    monkeypatch.setattr(spooling, "WINDOW", 3)
    whole = build_corpus(LABELED[:120], no_below=3)
    for number, options in enumerate([{}, {"engine": Threads(2)}]):
        folder = tmp_path / str(number)
        assert_same(build_corpus(LABELED[:120], no_below=3, folder=folder, **options), whole)
    assert contents(tmp_path / "0") == contents(tmp_path / "1")


words = st.sampled_from(["river", "bank", "flood", "Flood", "the", "été", "x", "水利"])
some_texts = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=8)


@settings(max_examples=40)
@given(some_texts, st.integers(1, 3), st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_any_texts_give_the_corpus_in_memory(texts, no_below, keep_n, chunk, part):
    options = {"no_below": no_below, "no_above": 1.0, "keep_n": keep_n}
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(processes, "CHUNK_TEXTS", chunk)
        patch.setattr(corpus_folder, "PART_SIZE", part)
        place = Path(folder, "corpus")
        try:
            whole = build_corpus(texts, **options)
        except ValueError:
            whole = None
        if whole is None:
            with pytest.raises(ValueError, match=r"change these limits|have no words"):
                build_corpus(texts, folder=place, **options)
            assert os.listdir(folder) == []
        else:
            assert_same(build_corpus(texts, folder=place, **options), whole)
            assert_same(TextCorpus.load(place), whole)


def test_real_posts(corpora_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 50)
    monkeypatch.setattr(corpus_folder, "PART_SIZE", 333)
    texts = newsgroups_texts(corpora_folder)[:1000]
    steps = Tokenization(strip_headers=True, strip_quotes=True, strip_accents=True)
    whole = build_corpus(texts, steps)
    corpus = build_corpus(texts, steps, folder=tmp_path / "corpus", processes=2)
    assert_same(corpus, whole)
    whole.save(tmp_path / "whole")
    corpus.save(tmp_path / "pieces")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "pieces").read_bytes()


@pytest.mark.parametrize("phrases", [False, True])
def test_documents_are_read_once_also_from_an_iterator(tmp_path, small_sizes, phrases):
    steps = Tokenization(phrases=phrases)
    corpus = build_corpus(iter(LEE), steps, folder=tmp_path / "corpus")
    assert_same(corpus, build_corpus(LEE, steps))


def test_phrases_are_joined_by_the_corpus_that_comes_back(tmp_path, small_sizes):
    texts = [f"New York {place * 3}" for place in "abcdefghijklmnopqrstuvwxyz"]
    steps = Tokenization(phrases=True, phrase_threshold=1.0)
    build_corpus(texts, steps, no_below=1, no_above=1.0, folder=tmp_path / "corpus")
    corpus = TextCorpus.load(tmp_path / "corpus")
    assert corpus.tokenization.learnt_phrases == ("new_york",)
    assert corpus.bows(["new york"]) == [[(corpus.dictionary.token2id["new_york"], 1)]]


@pytest.mark.parametrize("tokenizer", ["nltk", "spacy"])
def test_other_tokenizers_go_to_the_folder_too(tmp_path, tokenizer):
    pytest.importorskip(tokenizer)
    steps = Tokenization(tokenizer=tokenizer)
    corpus = build_corpus(LEE[:40], steps, folder=tmp_path / "corpus", processes=2)
    assert_same(corpus, build_corpus(LEE[:40], steps))


def test_models_train_from_the_folder_as_from_memory(tmp_path, small_sizes):
    whole = build_corpus(LEE)
    corpus = build_corpus(LEE, folder=tmp_path / "corpus")
    for kind, options in [(LdaModel, {}), (DnmfModel, {"num_clusterings": 5, "n_jobs": 1})]:
        models = [kind(each.counts, 3, each.dictionary, random_state=0, **options)
                  for each in (whole, corpus)]  # fmt: skip
        np.testing.assert_allclose(models[0].get_topics(), models[1].get_topics(), rtol=1e-5)


def test_without_excerpts_there_are_none(tmp_path):
    corpus = build_corpus(LEE, excerpt_length=0, folder=tmp_path / "corpus")
    assert corpus.excerpts == TextCorpus.load(tmp_path / "corpus").excerpts == ()
    assert corpus.labels is None


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("phrases", [False, True])
def test_progress_counts_documents(tmp_path, small_sizes, in_folder, phrases):
    events = []
    folder = tmp_path / "corpus" if in_folder else None
    build_corpus(LEE, Tokenization(phrases=phrases), folder=folder, progress=events.append)
    stages = ["phrases", "tokenizing"] if phrases else ["tokenizing"]
    assert list(dict.fromkeys(event.stage for event in events)) == stages
    for stage in stages:
        steps = [event.step for event in events if event.stage == stage]
        assert steps == sorted(steps)
        assert steps[-1] == 300
    assert {event.total for event in events} == {300}


# Folders of files, each read where it is


@pytest.fixture
def tables(tmp_path):
    """Three tables of 300 items, one of them empty, and two records that are none."""
    folder = tmp_path / "tables"
    (folder / "more").mkdir(parents=True)
    rows = [{"text": text, "kind": f"k{number % 4}"} for number, text in enumerate(LEE)]
    lines = [json.dumps(row) for row in rows[:120]]
    lines[7] = "{"
    (folder / "a.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "b.csv").write_text("text,kind\n", "utf-8")
    with (folder / "more" / "c.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["text", "kind"])
        writer.writeheader()
        writer.writerows(rows[120:])
        file.write("too,many,fields\n")
    return folder


@pytest.mark.parametrize("phrases", [False, True])
@pytest.mark.parametrize("kind", [Elsewhere, lambda: Threads(2)], ids=["elsewhere", "threads"])
def test_an_engine_reads_each_table_where_it_is(tmp_path, small_sizes, tables, kind, phrases):
    steps, engine = Tokenization(phrases=phrases), kind()
    source = read_documents(tables, label="kind", errors="skip")
    whole = build_corpus(source, steps)
    assert len(whole.skipped) == 2
    build_corpus(source, steps, folder=tmp_path / "local")
    source.skipped = []
    corpus = build_corpus(source, steps, folder=tmp_path / "corpus", engine=engine)
    assert_same(corpus, whole)
    assert source.skipped == list(whole.skipped)
    assert contents(tmp_path / "local") == contents(tmp_path / "corpus")
    if isinstance(engine, Elsewhere):
        expected = [("tokenize_portion", 3), ("count_tokens", 3)]
        assert engine.asked == (expected if phrases else [("count_portion", 3)])


def test_an_engine_reads_some_texts_of_a_folder_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "TEXTS_AT_A_TIME", 7)
    folder = tmp_path / "texts"
    for number, text in enumerate(LEE[:30]):
        path = folder / f"class {number % 3}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "bad.txt").write_bytes(b"\xff\xff")
    source, engine = read_documents(folder, label="folder", errors="skip"), Elsewhere()
    corpus = build_corpus(source, folder=tmp_path / "corpus", engine=engine)
    assert engine.asked == [("count_portion", 5)]
    assert_same(corpus, build_corpus(source))


def test_what_an_engine_cannot_read_is_said_as_without_one(tmp_path, tables):
    (tmp_path / "none").mkdir()
    for source in (tables, tmp_path / "none"):
        said = []
        for options in ({}, {"folder": tmp_path / "corpus", "engine": Threads(1)}):
            with pytest.raises(ReadError) as caught:
                build_corpus(source, **options)
            said.append(str(caught.value))
        assert said[0] == said[1]
    assert sorted(os.listdir(tmp_path)) == ["none", "tables"]


def test_an_engine_gets_few_chunks_at_a_time(tmp_path, small_sizes, monkeypatch):
    monkeypatch.setattr(spooling, "WINDOW", 2)
    taken = 0

    def texts():
        nonlocal taken
        for text in LEE:
            taken += 1
            yield text

    class Watching(Elsewhere):
        def map(self, function, items, *shared):
            assert taken <= 20 * 2 * (len(self.asked) + 1)
            return super().map(function, items, *shared)

    engine = Watching()
    build_corpus(texts(), folder=tmp_path / "corpus", engine=engine)
    assert engine.asked == [("count_portion", 2)] * 7 + [("count_portion", 1)]


# Too many words


@pytest.mark.parametrize("by_engine", [False, True])
def test_the_rarest_of_too_many_words_are_forgotten(tmp_path, monkeypatch, caplog, by_engine):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 20)
    monkeypatch.setattr(counting, "MOST_WORDS", 1000)
    path = tmp_path / "tables"
    path.mkdir()
    (path / "lee.jsonl").write_text("\n".join(json.dumps({"text": each}) for each in LEE), "utf-8")
    options = {"engine": Threads(1)} if by_engine else {}
    with caplog.at_level(logging.WARNING):
        corpus = build_corpus(path, no_below=10, folder=tmp_path / "corpus", **options)
    assert "more than 1000 different words" in caplog.text
    whole = build_corpus(LEE, no_below=10)
    both = set(corpus.dictionary.token2id) & set(whole.dictionary.token2id)
    assert len(both) > 0.8 * len(whole.dictionary)
    assert set(corpus.dictionary.token2id) <= set(whole.dictionary.token2id)
    assert_columns_are_right(corpus, whole)


def assert_columns_are_right(corpus, whole):
    """A column has the counts of its own word, from where the word was last forgotten on."""
    counts = corpus.counts.blocks.rows(0, len(corpus)).tocsc()
    expected = whole.counts.matrix.tocsc()
    num_forgotten = 0
    for word, number in corpus.dictionary.token2id.items():
        found = counts[:, [number]].toarray().ravel()
        known = expected[:, [whole.dictionary.token2id[word]]].toarray().ravel()
        start = np.flatnonzero(found)[0]
        np.testing.assert_array_equal(found[start:], known[start:])
        assert corpus.dictionary.dfs[number] == (found > 0).sum()
        assert corpus.dictionary.cfs[number] == found.sum()
        num_forgotten += known[:start].any()
    assert num_forgotten > 0  # else this test shows nothing


# Small corpora may stay in memory


def test_a_small_corpus_stays_in_memory(tmp_path, small_sizes):
    whole = build_corpus(LABELED)
    limit = whole.dictionary.num_nnz
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        corpus = build_corpus(LABELED, folder=tmp_path / name, max_in_memory=limit)
        assert_same(corpus, whole)
        assert isinstance(corpus.counts, MatrixCorpus)
        assert corpus.counts.matrix.dtype == whole.counts.matrix.dtype
        assert corpus.counts.matrix.indices.dtype == whole.counts.matrix.indices.dtype
        assert isinstance(corpus.ids, tuple)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]
    corpus = build_corpus(LABELED, folder=tmp_path / "new", max_in_memory=limit - 1)
    assert isinstance(corpus.counts, BlockCorpus)
    assert_same(corpus, whole)


# The folder is complete or absent


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folder": "full"}, r"full is not empty; name a new folder\."),
        ({"folder": "full/file"}, r"file is a file; name a folder\."),
        ({"folder": "none/corpus"}, r"There is no folder .*none; create it first\."),
        ({"engine": Threads(1)}, r"engine is for corpora that may go to disk; name a folder too\."),
        ({"max_in_memory": 5}, r"max_in_memory is for corpora that may go to disk; name a folder"),
        ({"folder": "new", "max_in_memory": -1}, "max_in_memory must be at least 0, got -1"),
        ({"folder": "new", "max_in_memory": 0.5}, "max_in_memory must be a whole number"),
    ],
)
def test_what_cannot_be_is_said_before_reading(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")

    def texts():
        raise AssertionError("read")
        yield

    with pytest.raises((ValueError, TypeError, OSError), match=said):
        build_corpus(texts(), **options)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full"]


def test_an_empty_folder_is_filled_and_a_link_followed(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    build_corpus(LEE, folder=tmp_path / "link")
    assert sorted(os.listdir(tmp_path)) == ["empty", "link"]
    assert_same(TextCorpus.load(tmp_path / "link"), build_corpus(LEE))


def kill_itself(item, job):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("number", [1, 2])
def test_whatever_fails_nothing_is_left(tmp_path, small_sizes, monkeypatch, number):
    def texts():
        yield from LEE[:100]
        raise RuntimeError("the source failed")

    with pytest.raises(RuntimeError, match="the source failed"):
        build_corpus(texts(), folder=tmp_path / "corpus", processes=number)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_corpus(LEE, folder=tmp_path / "corpus", processes=number, progress=stop)
    if number == 2:
        monkeypatch.setattr(processes, "LOOK_SECONDS", 0.1)
        monkeypatch.setattr(spooling, "count_portion", kill_itself)
        with pytest.raises(ChildProcessError, match="was killed"):
            build_corpus(LEE, folder=tmp_path / "corpus", processes=2)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [1, 2])
def test_a_full_disk_says_where(tmp_path, monkeypatch, number):
    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(portions, "write_part", fail)
    with pytest.raises(OSError, match="No space left") as caught:
        build_corpus(LEE, folder=tmp_path / "corpus", processes=number)
    assert caught.value.filename == str(tmp_path / "corpus")
    assert os.listdir(tmp_path) == []


def test_a_corpus_does_not_see_what_another_one_leaves(tmp_path, small_sizes):
    """What a killed run left is removed, and is no part of the next one's folder."""
    left = tmp_path / ".corpus.unfinished" / "work"
    left.mkdir(parents=True)
    (left / "texts-000000-000000").write_text("left")
    corpus = build_corpus(LEE, folder=tmp_path / "corpus")
    assert os.listdir(tmp_path) == ["corpus"]
    assert_same(corpus, build_corpus(LEE))


# Files


@pytest.fixture
def saved(tmp_path, small_sizes):
    """A corpus in a folder, opened again, and the one in memory."""
    source = [*LABELED, Document("", "nothing", "ö"), 7]
    whole = build_corpus(read_documents(source, errors="skip"))
    build_corpus(read_documents(source, errors="skip"), folder=tmp_path / "corpus")
    return TextCorpus.load(tmp_path / "corpus"), whole


def test_a_folder_is_opened_again(saved):
    corpus, whole = saved
    assert_same(corpus, whole)
    assert corpus.num_empty == 1
    assert len(corpus.skipped) == 1
    for lazy, known in [
        (corpus.ids, whole.ids), (corpus.labels, whole.labels), (corpus.excerpts, whole.excerpts)
    ]:  # fmt: skip
        assert not isinstance(lazy, tuple)
        assert (lazy[7], lazy[-1], lazy[5:9]) == (known[7], known[-1], known[5:9])
        assert lazy[::-2] == known[::-2]
        with pytest.raises(IndexError):
            lazy[301]
    for ours, known in [(corpus.counts, whole.counts), (corpus.tfidf, whole.tfidf)]:
        assert ours[-3] == known[-3]
        assert list(ours[60:80]) == list(known[60:80])
        assert ours.tokenization == known.tokenization


@pytest.mark.parametrize("name", ["file", "file.gz"])
def test_the_file_has_the_bytes_of_the_corpus_in_memory(saved, tmp_path, name):
    corpus, whole = saved
    (tmp_path / "whole").mkdir()
    corpus.save(tmp_path / name)
    whole.save(tmp_path / "whole" / name)
    assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert_same(TextCorpus.load(tmp_path / name), whole)


def read_all(path):
    return fields_of(TextCorpus.load(path))


def test_files_of_another_size_are_refused_when_the_folder_is_opened(saved, tmp_path):
    folder = tmp_path / "corpus"
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for changed in (content[:-1], content + b"\0", b"", None):
            path.unlink()
            if changed is not None:
                path.write_bytes(changed)
            with pytest.raises(FileFormatError) as caught:
                TextCorpus.load(folder)
            assert len(str(caught.value).splitlines()) == 1
        if path.name != "corpus.dnmf":
            path.mkdir()
            with pytest.raises(FileFormatError, match=path.name):
                TextCorpus.load(folder)
            path.rmdir()
        path.write_bytes(content)
    read_all(folder)


def test_damaged_bytes_are_one_sentence_or_another_text(saved, tmp_path):
    """Sizes are right; what is read is sound or refused, and nothing crashes."""
    folder, rng = tmp_path / "corpus", random.Random(0)
    expected = read_all(folder)
    num_refused = 0
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        for _ in range(30):
            changed = bytearray(content)
            for _ in range(rng.choice([1, 1, 8])):
                # The first bytes are the headers and limits, which matter most.
                place = rng.randrange(rng.choice([200, len(changed)]) % len(changed) or 1)
                changed[place] = rng.randrange(256)
            path.write_bytes(changed)
            try:
                found = read_all(folder)
            except FileFormatError:
                num_refused += 1
            else:
                assert found["num_docs"] == expected["num_docs"]
        path.write_bytes(content)
    assert num_refused > 100


FORGED = [
    {"num_docs": 300}, {"num_docs": 2**62}, {"num_docs": "3"},
    {"part_sizes": np.array([70, 70, 70, 70, 20])},
    {"part_sizes": np.array([70, 70, 70, 70, -70])},
    {"part_sizes": np.array([301])},
    {"part_bytes": np.array([1, 2, 3, 4, 5])},
    {"id_ends": np.arange(301)[::-1].copy()},
    {"id_ends": np.arange(301)},
    {"id_ends": np.ones(301)},
    {"excerpt_ends": np.arange(5)},
    {"column_0_ends": np.arange(301)[::-1].copy()},
    {"column_0_ends": np.arange(5)},
    {"column_2_ends": np.zeros(301, np.int64)},
    {"columns": ["date"]}, {"columns": ["date", "late", "more"]}, {"columns": ["a", "a"]},
    {"label_numbers": np.full(301, 2)},
    {"label_numbers": np.full(301, -2)},
    {"doc_frequency": np.array([1])},
    {"more": np.array([1])},
    {"words": ["flood"]},
    {"skipped_places": []},
    {"tokenization": {"tokenizer": "os"}},
]  # fmt: skip


@pytest.mark.parametrize("changes", FORGED, ids=lambda changes: next(iter(changes)))
def test_parts_that_do_not_fit_together_are_refused(saved, tmp_path, changes):
    path = tmp_path / "corpus" / "corpus.dnmf"
    stored = storage.load(path, corpus_folder.KIND)
    for name, value in changes.items():
        known = (stored.strings, stored.meta, stored.arrays)
        next(part for part in known if name in part or part is stored.arrays)[name] = value
    storage.save(path, corpus_folder.KIND, stored.meta, stored.arrays, stored.strings)
    with pytest.raises(FileFormatError, match="does not hold a whole corpus") as caught:
        TextCorpus.load(tmp_path / "corpus")
    assert len(str(caught.value).splitlines()) == 1


def test_a_corpus_is_read_from_any_folder_that_one_works_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build_corpus(["river bank", "bank river"], no_above=1.0, folder="corpus")
    corpus = TextCorpus.load("corpus")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert list(corpus.counts) == [[(0, 1), (1, 1)]] * 2
    assert list(corpus.ids) == ["1", "2"]


@pytest.mark.parametrize(
    "counts",
    [[-1.0, 1.0], [0.5, 1.0], [np.nan, 1.0], [np.inf, 1.0], [0.0, 1.0], [2.0**60, 1.0]],
    ids=str,
)
def test_counts_that_are_none_are_refused_when_they_are_read(tmp_path, counts):
    folder = tmp_path / "corpus"
    build_corpus(["river bank", "bank river"], no_above=1.0, folder=folder)
    forge_counts(folder, np.array([0, 1], np.int32), np.array(counts))
    wrong = "counts must be whole numbers, one for each word|is no whole file of documents"
    with pytest.raises(FileFormatError, match=f"does not hold a whole corpus .*({wrong})"):
        read_all(folder)


@pytest.mark.parametrize("columns", [[0, 2], [0, 0], [1, 0], [-1, 0]], ids=str)
def test_words_that_are_none_are_refused_when_they_are_read(tmp_path, columns):
    folder = tmp_path / "corpus"
    build_corpus(["river bank", "bank river"], no_above=1.0, folder=folder)
    forge_counts(folder, np.array(columns, np.int32), np.ones(2))
    with pytest.raises(FileFormatError, match="does not hold a whole corpus"):
        read_all(folder)


def forge_counts(folder, columns, counts):
    """Other entries of the first document, in a file of the size that is written down."""
    with (folder / "counts-000000.npy").open("wb") as file:
        for array in (np.array([0, 2, 2]), columns, counts):
            np.lib.format.write_array(file, array, (1, 0), allow_pickle=False)
        size = file.tell()
    stored = storage.load(folder / "corpus.dnmf", corpus_folder.KIND)
    stored.arrays["part_bytes"] = np.array([size])
    storage.save(
        folder / "corpus.dnmf", corpus_folder.KIND, stored.meta, stored.arrays, stored.strings
    )


def test_a_folder_that_is_no_corpus(tmp_path):
    with pytest.raises(FileFormatError, match=r"holds no corpus\.dnmf; name a folder that"):
        TextCorpus.load(tmp_path)
    build_corpus(["a river", "a river"], no_above=1.0).save(tmp_path / "corpus.dnmf")
    with pytest.raises(FileFormatError, match="holds 'TextCorpus', not 'TextCorpus in a folder'"):
        TextCorpus.load(tmp_path)


def test_a_folder_loads_nothing_that_is_not_allowed(tmp_path):
    pytest.importorskip("spacy")
    build_corpus(["a river", "a river"], no_above=1.0, folder=tmp_path / "corpus")
    path = tmp_path / "corpus" / "corpus.dnmf"
    stored = storage.load(path, corpus_folder.KIND)
    stored.meta["tokenization"] |= {"tokenizer": "spacy", "model": "os"}
    storage.save(path, corpus_folder.KIND, stored.meta, stored.arrays, stored.strings)
    with pytest.raises(ValueError, match="names 'os', which would be loaded and could run code"):
        TextCorpus.load(tmp_path / "corpus").bows(["a river"])


# Strings that are read when they are asked for


@given(st.lists(st.text(max_size=5) | st.just("\ud800")), st.slices(12), st.integers(1, 4))
def test_lazy_strings_are_a_sequence(strings, part, at_a_time):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("dnmf_topics.text.lazy_strings.AT_A_TIME", at_a_time)
        path = Path(folder, "strings")
        with path.open("wb") as file:
            writer = StringWriter(file)
            writer.extend(strings[:3])
            writer.extend(strings[3:])
        lazy = StringFile(path, writer.ends)
        labels = LabelNumbers()
        labels.extend([string or None for string in strings])
        for found, known in [
            (lazy, strings),
            (LabelList(labels.numbers, labels.names), [string or None for string in strings]),
        ]:
            assert list(found) == known
            assert len(found) == len(known)
            assert found[part] == tuple(known[part])
            assert [found[number] for number in range(-len(known), 0)] == known


# Memory


def peak_of_building(folder, num_docs):
    """By how many bytes the memory grew at most: building, reading, saving."""
    vocabulary = [f"word{number}" for number in range(500)]

    def texts():
        rng = random.Random(0)
        for _ in range(num_docs):
            yield " ".join(rng.choices(vocabulary, k=60))

    tracemalloc.start()
    try:
        corpus = build_corpus(texts(), folder=folder, no_above=1.0)
        assert corpus.num_empty == 0
        for sequence in (corpus.ids, corpus.excerpts, islice(corpus.tfidf, 10)):
            for _ in sequence:
                pass
        corpus.save(folder / "file.dnmf")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "CHUNK_TEXTS", 200)
    monkeypatch.setattr(corpus_folder, "PART_SIZE", 250)
    monkeypatch.setattr("dnmf_topics.common.blocks.BLOCK_SIZE", 250)
    monkeypatch.setattr("dnmf_topics.text.lazy_strings.AT_A_TIME", 100)
    monkeypatch.setattr(storage, "STRINGS_AT_A_TIME", 100)
    peak_of_building(tmp_path / "first", 300)  # what is loaded once
    few, many = (peak_of_building(tmp_path / str(num), num) for num in (500, 4000))
    # In memory a document takes 640 bytes; of those on disk only their places are held.
    assert many - few < 3500 * 100


# The command line


@pytest.fixture
def run_fit(tmp_path, monkeypatch):
    """A run of `fit` on LEE with labels; what it warned of is in caplog."""
    source = tmp_path / "lee.jsonl"
    rows = ({"text": each.text, "name": each.id, "kind": each.label} for each in LABELED)
    source.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (tmp_path / "spool").mkdir()

    def run(name, limit=0, *options):
        monkeypatch.setattr(commands, "MAX_IN_MEMORY", limit)
        code = main([
            "fit", str(source), "-k", "3", "--num-clusterings", "5", "--jobs", "1", "--label",
            "kind", "--id", "name", "--out", str(tmp_path / name), "--quiet",
            "--spool", str(tmp_path / "spool"), *options,
        ])  # fmt: skip
        assert code == 0
        assert list((tmp_path / "spool").iterdir()) == []
        return contents(tmp_path / name)

    return run


def test_fit_finds_the_same_whether_the_corpus_is_in_memory_or_not(run_fit, monkeypatch):
    kinds = []
    train = commands.DnmfModel

    def seen(corpus, *args, **options):
        kinds.append(type(corpus))
        return train(corpus, *args, **options)

    monkeypatch.setattr(commands, "DnmfModel", seen)
    in_memory, on_disk = run_fit("memory", 10**6), run_fit("disk")
    assert kinds == [MatrixCorpus, BlockCorpus]
    assert set(in_memory) == set(on_disk)
    for name in ("model.dnmf", "corpus.dnmf", "topics.csv", "documents.csv"):
        assert in_memory[name] == on_disk[name]


def test_a_page_of_too_many_documents_is_left_out_with_a_word(run_fit, monkeypatch, capsys):
    monkeypatch.setattr(results, "MOST_ON_PAGE", 300)
    assert "report.html" in run_fit("fits")
    assert "no page" not in capsys.readouterr().err
    monkeypatch.setattr(results, "MOST_ON_PAGE", 299)
    assert "report.html" not in run_fit("large")
    said = capsys.readouterr().err
    assert "no page is written: it shows up to 299 documents, and there are 300" in said
    assert "report.html" not in run_fit("quiet", 0, "--no-report")
    assert "no page" not in capsys.readouterr().err
