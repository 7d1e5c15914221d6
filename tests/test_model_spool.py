"""Corpora beyond memory: the same model, bit for bit, wherever the documents are meanwhile."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import planted_counts
from scipy import sparse
from trained import as_bow, file_of

from dnmf_topics import DnmfModel
from dnmf_topics.common import blocks, documents, spool
from dnmf_topics.common.blocks import DerivedBlocks, FolderBlocks, part_path, write_part
from dnmf_topics.common.documents import BlockCorpus, MatrixCorpus
from dnmf_topics.common.spool import PREFIX, spool_folder
from dnmf_topics.core import Mbn
from dnmf_topics.evaluation import clustering_accuracy
from dnmf_topics.model import learning, workshop
from dnmf_topics.text import build_corpus

COUNTS, CLASSES = planted_counts((120, 90, 60), noise=0.3)
COUNTS[[17, 101]] = 0  # documents without words
COUNTS.eliminate_zeros()
CORPUS = as_bow(COUNTS)
WORDS = {term: f"word{term}" for term in range(COUNTS.shape[1])}
NETWORK = Mbn(num_clusterings=15, landmarks=40)


@pytest.fixture
def many_blocks(monkeypatch):
    """Blocks of 32 documents, of which the network sees a sample."""
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 32)
    monkeypatch.setattr("dnmf_topics.core.deep.MOST_SEEN", 100)
    monkeypatch.setattr("dnmf_topics.core.deep.SCORING_SAMPLE", 50)
    monkeypatch.setattr("dnmf_topics.core.deep.SAMPLE_PER_TOPIC", 1)


@pytest.fixture
def temporary(monkeypatch, tmp_path):
    """Where temporary files belong."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def train(corpus, **options):
    return DnmfModel(corpus, 3, WORDS, deep_model=NETWORK, random_state=0, **options)


def in_folder(folder, matrix, size):
    """A matrix as a corpus in files of `size` documents."""
    sizes = []
    for number, start in enumerate(range(0, matrix.shape[0], size)):
        write_part(folder, "counts", number, matrix[start : start + size])
        sizes.append(min(size, matrix.shape[0] - start))
    return BlockCorpus(FolderBlocks(folder, "counts", sizes, matrix.shape[1], np.float64))


# Blocks in a folder


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=6),
    numbers=st.sets(st.integers(0, 60)),
    start=st.integers(0, 60),
    length=st.integers(1, 60),
    dtype=st.sampled_from([np.float64, np.float32, np.int64]),
    scale=st.sampled_from([1.0, 200.0, 70_000.0, 0.3]),
)
def test_rows_of_files_are_those_of_the_matrix(sizes, numbers, start, length, dtype, scale):
    num_docs = sum(sizes)
    rng = np.random.default_rng(num_docs)
    matrix = sparse.random_array((num_docs, 7), density=0.4, rng=rng, format="csr")
    matrix.data = np.ceil(3 * matrix.data) * scale
    matrix = matrix.astype(dtype)
    matrix.eliminate_zeros()
    with tempfile.TemporaryDirectory() as folder:
        limits = np.cumsum([0, *sizes])
        for part, (first, last) in enumerate(pairwise(limits)):
            write_part(Path(folder), "rows", part, matrix[first:last])
        found = FolderBlocks(Path(folder), "rows", sizes, 7, dtype)
        found.block_size = 4
        for each in (found, DerivedBlocks(found, abs)):
            rows = each.rows(min(start, num_docs), min(start + length, num_docs))
            assert (rows != matrix[start : start + length]).nnz == 0
            assert rows.dtype == dtype
            chosen = np.array(sorted(number for number in numbers if number < num_docs), np.int64)
            assert (each.take(chosen) != matrix[chosen]).nnz == 0
        for number in range(len(found)):
            assert (found[number] != matrix[found.limits(number)]).nnz == 0


def test_a_file_is_complete_or_absent(tmp_path, monkeypatch):
    matrix = COUNTS.astype(np.float64)
    write_part(tmp_path, "rows", 0, matrix)
    before = part_path(tmp_path, "rows", 0).read_bytes()

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr(blocks.npy, "write_array_header_1_0", fail)
    with pytest.raises(OSError, match="disk full"):
        write_part(tmp_path, "rows", 0, matrix)
    assert [path.name for path in tmp_path.iterdir()] == ["rows-000000.npy"]
    assert part_path(tmp_path, "rows", 0).read_bytes() == before


@pytest.mark.parametrize("end", [0, 3, 90, 1000, -1])
def test_a_file_that_was_cut_is_refused(tmp_path, end):
    corpus = in_folder(tmp_path, COUNTS.astype(np.float64), 500)
    path = part_path(tmp_path, "counts", 0)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(ValueError, match=r"counts-000000\.npy .* build it anew"):
        list(corpus)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 0.0])
def test_a_file_with_entries_that_no_document_has_is_refused(tmp_path, value):
    matrix = COUNTS.astype(np.float64)
    matrix.data[5] = value
    corpus = in_folder(tmp_path, matrix, 500)
    with pytest.raises(ValueError, match=r"counts-000000\.npy .* build it anew"):
        train(corpus)


def test_a_corpus_in_files_is_a_gensim_corpus(tmp_path):
    corpus = in_folder(tmp_path, COUNTS, 50)
    assert len(corpus) == len(CORPUS)
    assert list(corpus) == CORPUS == list(corpus)
    assert corpus[3] == CORPUS[3]
    assert corpus[-1] == CORPUS[-1]
    assert list(corpus[40:120:7]) == CORPUS[40:120:7]
    assert list(corpus[120:40:-7]) == CORPUS[120:40:-7]
    with pytest.raises(IndexError):
        corpus[len(CORPUS)]


def test_some_documents_are_read_without_the_others(tmp_path, monkeypatch):
    corpus = in_folder(tmp_path, COUNTS, 50)
    read = []
    rows = FolderBlocks.rows

    def watched(self, start, stop):
        read.append((start, stop))
        return rows(self, start, stop)

    monkeypatch.setattr(FolderBlocks, "rows", watched)
    assert list(corpus[30:40]) == CORPUS[30:40]
    assert read == [(30, 40)]


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "open", lambda *_: Full())
    with pytest.raises(OSError, match=r"No space left on device: .*rows-000000\.npy"):
        write_part(tmp_path, "rows", 0, COUNTS)


# Models


@pytest.mark.parametrize("variant", ["bdnmf", "sdnmf", "cdnmf"])
def test_a_model_has_the_same_bits_wherever_its_documents_are(
    many_blocks, tmp_path, monkeypatch, variant
):
    wanted = train(MatrixCorpus(COUNTS.astype(np.float64)), n_jobs=1, variant=variant)
    assert clustering_accuracy(CLASSES, wanted.cluster_labels) > 0.95
    wanted.n_jobs = 2
    corpora = {
        "in memory": CORPUS,
        "a stream": iter(CORPUS),
        "files of 7": in_folder(tmp_path, COUNTS, 7),
    }
    for name, corpus in corpora.items():
        found = train(corpus, n_jobs=2, variant=variant)
        assert file_of(found) == file_of(wanted), name
    for entries in (900, 10**6):
        monkeypatch.setattr(documents, "ENTRIES_PER_PART", entries)
        found = train(iter(CORPUS), n_jobs=2, variant=variant, max_in_memory=0)
        assert file_of(found) == file_of(wanted), entries


def test_updates_and_refinement_have_the_same_bits_too(many_blocks, tmp_path):
    models = []
    for options in ({"n_jobs": 1}, {"n_jobs": 2, "max_in_memory": 0, "spool": tmp_path}):
        model = train(CORPUS[:150], **options)
        model.update(CORPUS[150:])
        updated = file_of(model)
        model.refine(iter(CORPUS))
        assert file_of(model) != updated
        model.n_jobs = 1
        models.append(file_of(model))
    assert models[0] == models[1]
    assert list(tmp_path.iterdir()) == []


def test_a_weighted_stream_is_taken_as_it_is(many_blocks):
    weighted = [[(term, n / 4) for term, n in document] for document in CORPUS]
    spooled = train(iter(weighted), max_in_memory=0)
    assert spooled.weighting == "none"
    assert file_of(spooled) == file_of(train(weighted))


def test_without_words_a_stream_says_how_many_there_are(many_blocks):
    spooled, wanted = (
        DnmfModel(corpus, 3, deep_model=NETWORK, random_state=0, max_in_memory=limit)
        for corpus, limit in ((iter(CORPUS), 0), (CORPUS, 10**6))
    )
    assert spooled.num_terms == wanted.num_terms
    assert file_of(spooled) == file_of(wanted)


def test_what_is_wrong_is_said_with_the_number_of_the_document(monkeypatch):
    monkeypatch.setattr(documents, "ENTRIES_PER_PART", 20)
    for wrong, message in (
        ([(999, 1)], "document 200 has the id 999"),
        ([(0, -1.0)], "document 200 has -1"),
        ([(0, 1, 2)], "document 200 is"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            train([*CORPUS[:200], wrong, *CORPUS[200:]], max_in_memory=0)


# The folder


def test_only_what_does_not_fit_goes_to_a_folder(temporary, monkeypatch):
    made = []

    def watched(parent):
        made.append(parent)
        return spool_folder(parent)

    monkeypatch.setattr(workshop, "spool_folder", watched)
    train(CORPUS, max_in_memory=COUNTS.nnz)
    assert made == []
    train(CORPUS, max_in_memory=COUNTS.nnz - 1)
    assert made == [None]
    # A matrix is there already, but the documents at unit length are as large again.
    train(MatrixCorpus(COUNTS.astype(np.float64)), max_in_memory=COUNTS.nnz - 1)
    assert len(made) == 2
    assert list(temporary.iterdir()) == []


def test_a_training_that_fails_leaves_no_folder(temporary, monkeypatch):
    def fail(*_, **__):
        assert len(list(temporary.iterdir())) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(learning, "fit_blocks", fail)
    with pytest.raises(KeyboardInterrupt):
        train(CORPUS, max_in_memory=0)
    assert list(temporary.iterdir()) == []


KILLED = """
import os, signal, sys
from dnmf_topics.common.spool import spool_folder
with spool_folder(sys.argv[1]) as folder:
    (folder / "documents").write_text("many")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_training_removes_what_a_killed_one_left(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    foreign = tmp_path / "dnmf-spool.txt"
    foreign.write_text("not ours")
    os.symlink(foreign, tmp_path / f"{PREFIX}link")
    with spool_folder(tmp_path) as first, spool_folder(tmp_path) as second:
        assert not left.exists()
        assert first.is_dir()  # whose owner is alive
        assert first != second
    assert {path.name for path in tmp_path.iterdir()} == {foreign.name, f"{PREFIX}link"}


def test_a_folder_that_is_taken_for_a_leftover_is_made_again(tmp_path, monkeypatch):
    make, made = tempfile.mkdtemp, []

    def taken_once(**options):
        made.append(make(**options))
        if len(made) == 1:
            spool._remove_leftovers(tmp_path)
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", taken_once)
    with spool_folder(tmp_path) as folder:
        assert folder.is_dir()
    assert len(made) == 2


def test_a_folder_that_is_not_there_is_said_before_anything_is_read(tmp_path):
    def corpus():
        raise AssertionError("read")
        yield

    with pytest.raises(FileNotFoundError, match=r"There is no folder .* to spool to"):
        train(corpus(), spool=tmp_path / "nowhere")
    with pytest.raises(TypeError, match="spool must be a folder, got 7"):
        train(CORPUS, spool=7)
    with pytest.raises(ValueError, match="max_in_memory must be at least 0, got -1"):
        train(CORPUS, max_in_memory=-1)


# What is kept of the documents


@pytest.fixture
def few_shares(monkeypatch):
    monkeypatch.setattr(learning, "MOST_SHARES", 200)


def test_of_many_documents_the_share_of_the_topic_is_kept(few_shares, tmp_path):
    whole = train(CORPUS[:200])
    assert whole.doc_topics().shape == (200, 3)
    model = train(CORPUS)
    with pytest.raises(ValueError, match=r"for up to 65,536 training documents, and it has 270; "):
        model.doc_topics()
    with pytest.raises(ValueError, match="get_document_info"):
        model.get_document_info(full=True)
    table, inferred = model.get_document_info(), model.get_document_info(iter(CORPUS))
    same = (table["topic"] == inferred["topic"]).to_numpy()
    assert same.mean() > 0.95
    np.testing.assert_allclose(table["weight"][same], inferred["weight"][same])
    assert len(model.get_representative_docs(1, 5)) == 5
    model.save(tmp_path / "model")
    again = DnmfModel.load(tmp_path / "model")
    assert again.get_document_info().equals(table)
    # An update may bring a model beyond the limit, where it stays.
    whole.update(CORPUS[200:])
    whole.update(CORPUS[:3])
    assert len(whole.get_document_info()) == 273
    with pytest.raises(ValueError, match="it has 273"):
        whole.doc_topics()


def test_a_table_of_a_stream_is_that_of_the_whole(tmp_path):
    model = train(CORPUS)
    model.chunksize = 31
    wanted = model.get_document_info(MatrixCorpus(COUNTS.astype(np.float64)), full=True)
    for corpus in (iter(CORPUS), in_folder(tmp_path, COUNTS, 100), COUNTS.T):
        assert model.get_document_info(corpus, full=True).equals(wanted)
    assert model.get_document_info([]).empty


def test_a_stream_of_real_text_gives_the_same_model(corpora_folder, tmp_path):
    with gzip.open(corpora_folder / "diverse" / "webkb.jsonl.gz", "rt", encoding="utf-8") as file:
        corpus = build_corpus(json.loads(line)["text"] for line in islice(file, 1000))
    options = {"num_topics": 4, "id2word": corpus.dictionary, "random_state": 0}
    wanted = DnmfModel(corpus.counts, **options)
    spooled = DnmfModel(iter(corpus.counts), **options, max_in_memory=0, spool=tmp_path)
    spooled.tokenization = wanted.tokenization
    assert file_of(spooled) == file_of(wanted)
