"""The tables of the README and of the page of results have the figures that were measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
PAGES = {"README": ROOT / "README.md", "results": ROOT / "tutorials/results.md"}
MEASURED = ROOT / "tests/benchmarks"

# Rows and columns of tables, by how they begin, and what the files of results call them.
METHODS = {
    "**dnmf_topics**": "ours",
    "NMF (scikit-learn": "nmf",
    "k-means (on TF-IDF)": "kmeans",
    "LDA (tomotopy": "tomotopy",
    "LDA (gensim": "gensim-lda",
    "BERTopic": "bertopic",
    "k-means (on MiniLM": "minilm-kmeans",
}
CORPORA = {
    "news (AG News)": "agnews",
    "AG News": "agnews",
    "question titles": "stackoverflow",
    "paper titles": "biomedical",
    "web pages": "webkb",
    "WebKB": "webkb",
    "newsgroup posts with headers": "20newsgroups",
    "posts with headers": "20newsgroups",
    "3,000 posts without": "20newsgroups-bare-3000",
    "abstracts (arXiv)": "arxiv-10000",
    "arXiv": "arxiv-10000",
    "English": "debian-en",
    "German": "debian-de",
    "French": "debian-fr",
    "Italian": "debian-it",
}
# With vectors.
VECTOR_METHODS = {
    "**dnmf_topics** by words and": "dnmf-minilm",
    "**dnmf_topics** by words alone": "bdnmf",
    "k-means on": "minilm-kmeans",
    "UMAP": "umap-kmeans",
    "BERTopic": "bertopic",
}
VECTOR_CORPORA = {
    "question titles": "stackoverflow",
    "news (AG News)": "agnews",
    "titles of arXiv": "arxiv-titles-6000",
    "posts without": "20newsgroups-bare-6000",
}
# On the corpora of the paper: the study's method and column, or the rivals' name.
STUDIED = {
    "**dnmf_topics**": ("sdnmf", "mean"),
    "the paper's DNMF": ("sdnmf", "paper"),
    "LDA (gensim": ("lda", "mean"),
    "NMF (scikit-learn": ("sklearn-nmf", "mean"),
    "LDA (tomotopy": "tomotopy",
    "BERTopic": "bertopic",
}
STUDIED_CORPORA = {
    "20 Newsgroups": ("20newsgroups", "20newsgroups-study"),
    "TDT2": ("tdt2", "tdt2"),
    "Reuters": ("reuters21578", "reuters21578-30"),
}
# Tables of lines that a script printed: the file, what a line begins with in a column, and how it
# goes on in a row.
PRINTED = {
    "error": (
        "mixtures.txt",
        {
            "10 newsgroups: pure": "ten newsgroups, pure, ",
            "10 newsgroups: half": "ten newsgroups, 50-50, ",
            "10 newsgroups: three": "ten newsgroups, thirds, ",
            "TDT2: pure": "TDT2, pure, ",
            "TDT2: half": "TDT2, 50-50, ",
            "TDT2: three": "TDT2, thirds, ",
            "60 %": "ten newsgroups, 60 % mixed, 50-50, ",
        },
        {
            "**dnmf_topics**": "DnmfModel",
            "LDA (gensim)": "LdaModel",
            "LDA (tomotopy)": "tomotopy",
            "NMF": "NMF",
        },
    ),
    "NMI with parents": (
        "tree.txt",
        {
            "20 Newsgroups with headers": "20 Newsgroups, parents: ",
            "20 Newsgroups without": "20 Newsgroups without headers, parents: ",
            "arXiv": "arXiv, parents: ",
        },
        {
            "**`hierarchy()`**": "hierarchy",
            "c-TF-IDF": "c-TF-IDF, Ward",
            "the same of topics by k-means": "k-means, c-TF-IDF, Ward",
            "Ward's linkage": "Ward on SVD-100",
            "best possible": "best possible",
        },
    ),
    "ACC of new documents": (
        "new_topics.txt",
        {
            "20 Newsgroups": "20newsgroups-plain, new classes: ",
            "TDT2": "tdt2, new classes: ",
            "AG News": "agnews, new classes: ",
        },
        {
            "`update`": "update",
            "`update(new_topics=...)`": "update, new_topics=",
            "then `refine`": "the same, then refine",
            "all documents at once": "all documents at once",
        },
    ),
}


def tables(head: str, page: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Columns and rows of the tables of a page whose first cell is this."""
    text = PAGES[page].read_text("utf-8")
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        if lines[0][0] == head:
            yield lines[0][1:], lines[2:]


def known(name: str, names: dict) -> object:
    """What begins like this; an unknown name fails, so that no figure goes unchecked."""
    [found] = {str(value): value for key, value in names.items() if name.startswith(key)}.values()
    return found


def whole_names(columns: list[str], separator: str) -> list[str]:
    """'TDT2, K = 5', '10' stand for 'TDT2, K = 5', 'TDT2, K = 10'."""
    whole: list[str] = []
    for column in columns:
        if separator not in column:
            column = whole[-1].rpartition(separator)[0] + separator + column
        whole.append(column)
    return whole


def numbers(cell: str) -> list[float]:
    """Those of a cell; none where nothing was measured."""
    return [float(value) for value in re.findall(r"\.\d\d\b", cell)]


def rivals(file: str = "rivals.jsonl") -> pd.DataFrame:
    lines = (MEASURED / "results" / file).read_text("utf-8").splitlines()
    return pd.DataFrame([json.loads(line) for line in lines])


@pytest.mark.parametrize(
    ("page", "head", "measures"),
    [
        ("README", "ACC / NMI", ["acc", "nmi"]),
        ("results", "ACC / NMI", ["acc", "nmi"]),
        ("results", "NMI", ["nmi"]),
        ("results", "package descriptions, ACC / NMI", ["acc", "nmi"]),
    ],
)
def test_methods_on_labeled_texts(page: str, head: str, measures: list[str]) -> None:
    runs = rivals()
    runs = runs[runs["subset"].isna()]
    means = runs.groupby(["corpus", "num_topics", "method"])[measures].mean()
    [(columns, rows)] = tables(head, page)
    for name, *cells in rows:
        for column, cell in zip(whole_names(columns, ", "), cells, strict=True):
            corpus, _, num_topics = column.rpartition(", ")
            key = (known(corpus, CORPORA), int(num_topics), known(name, METHODS))
            if numbers(cell):
                np.testing.assert_allclose(numbers(cell), means.loc[key], atol=0.0051, err_msg=key)
            else:
                assert key not in means.index


def test_methods_with_vectors() -> None:
    measures = ["acc", "nmi"]
    means = rivals("embeddings.jsonl").groupby(["corpus", "num_topics", "method"])[measures].mean()
    [(columns, rows)] = tables("with vectors, ACC / NMI", "results")
    assert len(rows) * len(columns) == len(means)
    for name, *cells in rows:
        for column, cell in zip(columns, cells, strict=True):
            corpus, _, num_topics = column.rpartition(", ")
            key = (known(corpus, VECTOR_CORPORA), int(num_topics), known(name, VECTOR_METHODS))
            np.testing.assert_allclose(numbers(cell), means.loc[key], atol=0.0051, err_msg=key)


def test_methods_on_the_papers_corpora() -> None:
    study = pd.read_csv(MEASURED / "study/tables/results.csv")
    study = study[study["metric"] == "acc"].set_index(["method", "corpus", "num_topics"])
    means = rivals().groupby(["corpus", "num_topics", "method"])["acc"].mean()
    found = [table for page in PAGES for table in tables("ACC", page)]
    assert found
    for columns, rows in found:
        for name, *cells in rows:
            for column, cell in zip(whole_names(columns, " = "), cells, strict=True):
                corpus, _, num_topics = column.rpartition(", K = ")
                in_study, in_rivals = STUDIED_CORPORA[corpus]
                what, number = known(name, STUDIED), int(num_topics)
                if isinstance(what, tuple):
                    value = study.loc[(what[0], in_study, number), what[1]]
                else:
                    texts = "-texts" * (what == "bertopic" and corpus == "Reuters")
                    value = means.get((in_rivals + texts, number, what))
                if numbers(cell):
                    assert numbers(cell) == pytest.approx([value], abs=0.0051), (name, column)
                else:
                    assert value is None, (name, column)


@pytest.mark.parametrize("head", PRINTED)
def test_figures_that_a_script_printed(head: str) -> None:
    file, beginnings, rest = PRINTED[head]
    printed = (MEASURED / "results" / file).read_text("utf-8")
    [(columns, rows)] = tables(head, "results")
    parts = whole_names(columns, ": ") if ": " in columns[0] else columns
    for name, *cells in rows:
        for column, cell in zip(parts, cells, strict=True):
            # 'without' alone is of the corpus before it.
            column = f"20 Newsgroups {column}" if column == "without" else column
            line = f"{known(column, beginnings)}{known(name, rest)}"
            [value] = re.findall(
                rf"^{re.escape(line)}\d?\s+(?:ACC )?(\d\.\d+)", printed, flags=re.MULTILINE
            )
            assert numbers(cell) == pytest.approx([float(value)], abs=0.0051), line


def test_numbers_of_topics() -> None:
    lines = (MEASURED / "results/num_topics.jsonl").read_text("utf-8").splitlines()
    runs = pd.DataFrame([json.loads(line) for line in lines])
    runs = runs[runs["method"] == "ours"]
    corpora = CORPORA | {
        "20 Newsgroups with headers": "20newsgroups",
        "20 Newsgroups without": "20newsgroups-bare",
        "TDT2": "tdt2",
        "Reuters": "reuters21578-30",
        "arXiv": "arxiv",
    }
    [(_, rows)] = tables("number of topics", "results")
    for name, *cells in rows:
        of_all = name in ("**all**", "always 10")
        problems = runs if of_all else runs[runs["corpus"] == known(name, corpora)]
        found = 10 if name == "always 10" else problems["found"]
        factor = np.exp(np.abs(np.log(found / problems["classes"]))) - 1e-9
        measured = [len(problems), 100 * (factor <= 2).mean(), 100 * (factor <= 1.25).mean()]
        assert [float(cell.rstrip(" %")) for cell in cells] == pytest.approx(measured, abs=0.51)
