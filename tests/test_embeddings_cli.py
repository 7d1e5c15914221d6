"""Vectors on their way through the front end and the command line."""

from __future__ import annotations

import csv
import json
import sys
import types

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from dnmf_topics import DnmfModel
from dnmf_topics.cli import main
from dnmf_topics.text import Document, embed_texts
from dnmf_topics.text.libraries import MissingError

WEATHER = ["rain and wind", "storm and rain", "wind and cloud", "cloud and storm"]
KITCHEN = ["bread and wine", "soup and bread", "wine and cheese", "cheese and soup"]
TEXTS = [*WEATHER * 5, *KITCHEN * 5]
QUICK = ["--num-clusterings", "20", "-k", "2", "--jobs", "1", "--no-below", "1", "--quiet"]


def count_letters(texts):
    return [[text.count(letter) - 1 for letter in "aeiourst"] for text in texts]


class SentenceTransformer:
    """As that of the library, which need not be installed here."""

    def __init__(self, name, local_files_only=False):
        assert local_files_only
        if name == "away":
            raise OSError("not there")

    def encode(self, texts, show_progress_bar=None):
        return np.array(count_letters(texts), np.float16)


@pytest.fixture
def library(monkeypatch):
    module = types.SimpleNamespace(SentenceTransformer=SentenceTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_texts_become_vectors_part_by_part(library, monkeypatch):
    monkeypatch.setattr("dnmf_topics.text.embedding.BATCH", 3)
    events = []
    found = embed_texts(TEXTS, progress=events.append)
    np.testing.assert_array_equal(found, count_letters(TEXTS))
    assert found.dtype == np.float32
    assert (events[0].step, events[-1].step, events[-1].total) == (3, 40, 40)
    documents = (Document(text=text, id=str(number)) for number, text in enumerate(TEXTS))
    np.testing.assert_array_equal(embed_texts(documents, count_letters), found)


def test_what_is_missing_is_said(library, monkeypatch):
    with pytest.raises(MissingError, match=r"^The model 'away' is not there; `python -c"):
        embed_texts(TEXTS, "away")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingError, match=r"`pip install sentence_transformers` gets it"):
        embed_texts(TEXTS)


def rows(value):
    return lambda texts: np.full((len(texts), 2), value)


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (
            lambda texts: [[1.0]],
            ValueError,
            r"^model must give a row for each of 3 texts, got 1 rows\.$",
        ),
        (
            lambda texts: np.ones(len(texts)),
            ValueError,
            r"must be a matrix with a row .* got the shape \(3,\)",
        ),
        (lambda texts: [[1], [1, 2], [1]], ValueError, "got rows of unequal length"),
        (
            lambda texts: np.eye(len(texts)),
            ValueError,
            r"vectors of one length, got 3 numbers and then 1\.$",
        ),
        (
            rows(np.nan),
            ValueError,
            r"^what model gives for texts 0 to 2 must be finite, .* in row 0\.$",
        ),
        (rows(1e300), ValueError, "must be finite"),  # as float32, which it becomes
        (rows("1"), TypeError, "must be an array of numbers, got dtype <U1"),
        (rows(None), TypeError, "must be an array of numbers, got dtype object"),
        (lambda texts: iter(np.eye(3)), TypeError, "must be an array of numbers, got dtype object"),
        (lambda texts: sparse.eye(len(texts)), TypeError, "must be a dense array"),
        (
            lambda texts: np.ma.masked_equal([[1, 2]] * 3, 2),
            ValueError,
            "must not have masked values, got 3",
        ),
        (None, TypeError, "^model must be a name or a function from texts to vectors, such as"),
        (
            SentenceTransformer("there", True),
            TypeError,
            "such as the method `encode` of an encoder",
        ),
    ],
)
def test_models_that_give_something_else_are_refused(model, error, sentence, monkeypatch):
    monkeypatch.setattr("dnmf_topics.text.embedding.BATCH", 3)
    with pytest.raises(error, match=sentence):
        embed_texts(["a", "b", "c", "d"], model)


@pytest.mark.parametrize(
    ("texts", "error", "sentence"),
    [
        ([], ValueError, r"^texts must have at least one text, got none\.$"),
        ("rain", TypeError, r"^texts must be a list of strings, got 'rain'\.$"),
        ({"a": "rain"}, TypeError, "texts must be a list of strings, got {"),
        (pd.DataFrame({"text": ["rain"]}), TypeError, "texts must be a list of strings"),
        (None, TypeError, "texts must be a list of strings, got None"),
        (iter(["rain", None]), TypeError, r"^texts must be strings, got None at position 1\.$"),
    ],
)
def test_texts_that_are_none_are_refused(texts, error, sentence):
    with pytest.raises(error, match=sentence):
        embed_texts(texts, count_letters)


def test_texts_may_be_a_column():
    np.testing.assert_array_equal(
        embed_texts(pd.Series(TEXTS, index=range(7, 47)), count_letters), count_letters(TEXTS)
    )


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with texts, and their vectors beside them."""
    monkeypatch.chdir(tmp_path)
    # The last two texts have no known words, and the last one has no vector either.
    (tmp_path / "texts.txt").write_text("\n".join([*TEXTS, "??", "??"]), "utf-8")
    (tmp_path / "new.txt").write_text("rain\n??\n", "utf-8")
    vectors = np.repeat([[1.0, -1.0], [-1.0, 1.0]], 20, axis=0)
    vectors += 0.1 * np.random.default_rng(0).standard_normal(vectors.shape)
    np.save("texts.npy", np.concatenate([vectors, [[-1.0, 1.0]], [[0.0, 0.0]]]))
    np.save("new.npy", np.array([[1.0, -1.0], [-1.0, 1.0]], np.float32))
    return tmp_path


def test_fit_and_infer_with_vectors(place, capsys):
    fit = [
        "fit",
        "texts.txt",
        *QUICK,
        "--embeddings",
        "texts.npy",
        "--out",
        "run",
        "--subtopics",
        "2",
    ]
    assert main(fit) == 0
    model = DnmfModel.load("run/model.dnmf")
    kitchen = model.cluster_labels[-3]
    assert model.cluster_labels[:-1].tolist() == [1 - kitchen] * 20 + [kitchen] * 21
    rows = list(csv.DictReader((place / "run/documents.csv").open(encoding="utf-8")))
    topics = [str(topic) for topic in model.cluster_labels]
    assert [row["topic"] for row in rows] == [*topics[:-1], ""]
    assert {name for name, cell in rows[-1].items() if cell} == {"id", "known_words", "text"}
    assert json.loads((place / "run/run.json").read_text("utf-8"))["options"]["embeddings"]
    capsys.readouterr()
    assert main(["infer", "run", "new.txt", "--embeddings", "new.npy", "--out", "new.csv"]) == 0
    assert "have no topic" not in capsys.readouterr().err
    rows = list(csv.DictReader((place / "new.csv").open(encoding="utf-8")))
    assert [int(row["topic"]) for row in rows] == [1 - kitchen, kitchen]
    assert min(float(row["confidence"]) for row in rows) > 0.9
    # Words alone
    assert main(["infer", "run", "new.txt", "--out", "words.csv"]) == 0
    assert "which have no topic: 1 of 2" in capsys.readouterr().err


def test_embed_writes_what_fit_reads(place, library, capsys):
    assert main(["embed", "texts.txt", "--out", "vectors.npy"]) == 0
    assert "vectors.npy, 42 vectors of 8 numbers" in capsys.readouterr().err
    np.testing.assert_array_equal(np.load("vectors.npy")[:40], count_letters(TEXTS))
    fit = ["fit", "texts.txt", *QUICK, "--embeddings", "vectors.npy", "--out", "run"]
    assert main([*fit, "--no-report"]) == 0


def test_rows_are_those_of_documents_that_were_read(place, capsys):
    with open("lines.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS)
        file.write('{"no": "text"}\n')
    fit = [
        "fit",
        "lines.jsonl",
        *QUICK,
        "--embeddings",
        "texts.npy",
        "--out",
        "run",
        "--skip-errors",
    ]
    assert main(fit) == 1
    sentence = (
        "texts.npy must have a row for each of the 40 documents (1 were left out), got 42 rows."
    )
    assert sentence in capsys.readouterr().err
    assert not (place / "run").exists()
