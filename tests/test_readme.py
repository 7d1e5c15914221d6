"""What the README shows is executed here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gensim.corpora import Dictionary
from gensim.matutils import Sparse2Corpus
from gensim.test.utils import datapath
from scipy import sparse

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# The paper's corpora as the rivals' results call them, and numbers of topics.
PAPERS = {
    "20newsgroups-study": (5, 10, 20),
    "tdt2": (5, 10, 25),
    "reuters21578-30": (5, 10, 20),
}

NUM_DOCS, NUM_TOPICS, TERMS_PER_TOPIC = 400, 20, 15


@pytest.fixture
def counts() -> sparse.csr_matrix:
    """Word counts with 20 planted topics: a document uses its own topic's words and few others."""
    rng = np.random.default_rng(0)
    topics = np.repeat(np.arange(NUM_TOPICS), NUM_DOCS // NUM_TOPICS)
    own_words = np.kron(np.eye(NUM_TOPICS), np.ones(TERMS_PER_TOPIC))
    return sparse.csr_matrix(rng.poisson(2.0 * own_words[topics] + 0.05))


def test_readme_examples_run(
    counts: sparse.csr_matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the examples read and write files
    lines = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()[:40]
    rows = [f'"{line.replace(chr(34), "")}",{len(line) % 2}' for line in lines]
    (tmp_path / "news.csv").write_text("\n".join(["body,section", *rows]), encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL))
    assert blocks, "the README shows no example"
    # One namespace for all: a later block may use what an earlier one made.
    corpus = [[(int(j), int(n)) for j, n in doc] for doc in Sparse2Corpus(counts.T)]
    dictionary = Dictionary.from_corpus(
        corpus, {term: f"word{term}" for term in range(counts.shape[1])}
    )
    namespace: dict[str, Any] = {
        "counts": counts, "corpus": corpus, "dictionary": dictionary, "new_corpus": corpus[:10],
    }  # fmt: skip
    for block in blocks:
        # Empty lines in front let a traceback name the line of the README.
        padding = "\n" * README.count("\n", 0, block.start(1))
        exec(compile(padding + block[1], ROOT / "README.md", "exec"), namespace)

    assert len(namespace["news"].ids) == 40
    assert namespace["news"].excerpts[7][:30] in (tmp_path / "report.html").read_text("utf-8")
    assert namespace["model"].state.numdocs == NUM_DOCS + 10
    assert "ldavis" in (tmp_path / "topics.html").read_text(encoding="utf-8").lower()
    fit = namespace["fit"]
    assert fit.cluster_labels.shape == (counts.shape[0],)
    assert fit.topic_term.shape == (NUM_TOPICS, counts.shape[1])
    assert fit.doc_topic.shape == (counts.shape[0], NUM_TOPICS)


@pytest.mark.parametrize("tag", ["run", "test"])
def test_readme_has_the_commands_that_the_checks_execute(tag: str) -> None:
    # .ci/run takes the block directly below the comment.
    assert len(re.findall(rf"^<!-- {tag} -->\n```sh\n.+\n```$", README, flags=re.MULTILINE)) == 1


def test_readme_links_lead_somewhere() -> None:
    places = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(places) > 8
    missing = [place for place in places if "://" not in place and not (ROOT / place).exists()]
    assert missing == []


def test_the_readmes_accuracies_are_the_results() -> None:
    results = pd.read_csv(ROOT / "tests/benchmarks/study/tables" / "results.csv")
    results = results[results.metric == "acc"].set_index(["method", "corpus", "num_topics"])
    cells = [
        *(("20newsgroups", number) for number in (5, 10, 20)),
        *(("tdt2", number) for number in (5, 10, 25)),
        *(("reuters21578", number) for number in (5, 10, 20)),
    ]
    for start, method, column in [
        ("| **dnmf_topics**", "sdnmf", "mean"),
        ("| the paper's DNMF", "sdnmf", "paper"),
        ("| LDA (gensim", "lda", "mean"),
        ("| NMF (scikit-learn, TF-IDF)", "sklearn-nmf", "mean"),
    ]:
        line = [line for line in README.splitlines() if line.startswith(start)][-1]
        printed = [float(value) for value in line.split("|")[2:-1]]
        measured = [results.loc[(method, *cell), column] for cell in cells]
        np.testing.assert_allclose(printed, measured, atol=0.0051)


def rivals() -> pd.DataFrame:
    lines = (ROOT / "tests/benchmarks/results/rivals.jsonl").read_text("utf-8").splitlines()
    return pd.DataFrame([json.loads(line) for line in lines])


def test_the_readmes_rivals_on_the_papers_corpora_are_the_measured_ones() -> None:
    means = rivals().groupby(["corpus", "num_topics", "method"])["acc"].mean()
    cells = [(corpus, size) for corpus, sizes in PAPERS.items() for size in sizes]
    for start, method in [("| LDA (tomotopy", "tomotopy"), ("| BERTopic", "bertopic")]:
        line = [line for line in README.splitlines() if line.startswith(start)][-1]
        for (corpus, size), printed in zip(cells, line.split("|")[2:-1], strict=True):
            if method == "bertopic" and corpus.startswith("reuters"):
                corpus += "-texts"
            if "." not in printed:  # not measured
                assert (corpus, size, method) not in means.index
            else:
                assert float(printed) == pytest.approx(means[corpus, size, method], abs=0.0051)


def test_the_readmes_rivals_are_the_measured_ones() -> None:
    runs = rivals()
    runs = runs[runs["subset"].isna()]
    means = runs.groupby(["corpus", "num_topics", "method"])[["acc", "nmi"]].mean()
    columns = [
        ("agnews", 4), ("stackoverflow", 20), ("biomedical", 20), ("webkb", 4),
        ("20newsgroups", 20), ("20newsgroups-bare-3000", 20), ("arxiv-10000", 50),
    ]  # fmt: skip
    for start, method in [
        ("| **dnmf_topics**", "ours"),
        ("| NMF (scikit-learn, on TF-IDF)", "nmf"),
        ("| k-means (on TF-IDF)", "kmeans"),
        ("| LDA (tomotopy", "tomotopy"),
        ("| BERTopic", "bertopic"),
        ("| k-means (on MiniLM", "minilm-kmeans"),
    ]:
        line = next(line for line in README.splitlines() if line.startswith(start))
        for column, printed in zip(columns, line.split("|")[2:-1], strict=True):
            if "/" not in printed:  # not measured
                assert (*column, method) not in means.index
            else:
                values = [float(value) for value in printed.split("/")]
                np.testing.assert_allclose(values, means.loc[(*column, method)], atol=0.0051)
