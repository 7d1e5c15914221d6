"""Whole fits on a real dask cluster: the model of threads, bit for bit, also if a worker dies."""

from __future__ import annotations

import contextvars
import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest
from planted import planted_counts
from trained import as_bow, file_of

from dnmf_topics import DnmfModel, choose_num_topics
from dnmf_topics.cli import main
from dnmf_topics.common import blocks
from dnmf_topics.common.dask_cluster import local_cluster
from dnmf_topics.common.documents import MatrixCorpus
from dnmf_topics.core import Mbn
from dnmf_topics.model import learning

pytest.importorskip("distributed", reason="dask is not installed")

COUNTS, CLASSES = planted_counts((120, 90, 60), noise=0.3)
CORPUS = as_bow(COUNTS)
WORDS = {term: f"word{term}" for term in range(COUNTS.shape[1])}


@pytest.fixture(autouse=True)
def many_blocks(monkeypatch):
    """Blocks of 70 documents, of which the network sees a sample."""
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 70)
    monkeypatch.setattr("dnmf_topics.core.deep.MOST_SEEN", 100)
    monkeypatch.setattr("dnmf_topics.core.deep.SCORING_SAMPLE", 50)
    monkeypatch.setattr("dnmf_topics.core.deep.SAMPLE_PER_TOPIC", 1)


def train(corpus=CORPUS, **options):
    network = Mbn(num_clusterings=15, landmarks=40)
    return DnmfModel(corpus, 3, WORDS, deep_model=network, random_state=0, n_jobs=2, **options)


@pytest.fixture(scope="module")
def client():
    """A cluster of two workers."""
    with local_cluster(2) as client:
        yield client


@pytest.mark.parametrize("num_workers", [1, 3])  # with two there are others
def test_a_fit_on_a_cluster_is_that_of_threads(num_workers, tmp_path):
    with local_cluster(num_workers):
        ours = train(iter(CORPUS), distributed=True, spool=tmp_path)
    assert file_of(ours) == file_of(train())
    assert list(tmp_path.iterdir()) == []


def test_vectors_go_to_a_cluster_too(client):
    vectors = np.eye(3)[CLASSES] + 0.5 * np.random.default_rng(0).standard_normal((270, 3))
    models = []
    with client.as_current():
        for distributed in (True, False):
            model = train(CORPUS[:200], distributed=distributed, embeddings=vectors[:200])
            model.update(CORPUS[200:], embeddings=vectors[200:])
            model.refine(CORPUS, embeddings=vectors)
            models.append(file_of(model))
        assert client.nthreads()
    assert models[0] == models[1]


def test_the_number_of_topics_is_chosen_on_a_cluster_too(client, tmp_path):
    options = {"max_topics": 5, "num_clusterings": 15, "random_state": 0, "n_jobs": 2}
    with client.as_current():
        ours = choose_num_topics(CORPUS, distributed=True, spool=tmp_path, **options)
    assert ours.number == 3
    assert ours.scores == choose_num_topics(CORPUS, **options).scores
    assert list(tmp_path.iterdir()) == []


def test_a_matrix_updates_refinement_and_variants_go_to_a_cluster_too(client):
    models = []
    with client.as_current():
        for distributed in (True, False):
            model = train(
                MatrixCorpus(COUNTS[:150].astype(np.float64)),
                distributed=distributed, variant="sdnmf", overlap=0,
                seed_words={"third": ["word25", "word30"]},
            )  # fmt: skip
            model.update(CORPUS[150:])
            model.refine(CORPUS)
            models.append(file_of(model))
        assert models[0] == models[1]
        connected = {"address": client.scheduler.address}
        ours = contextvars.Context().run(train, distributed=True, ns_conf=connected)
    assert file_of(ours) == file_of(train())


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(monkeypatch):
    wanted = file_of(train())
    killed = []
    with local_cluster(2) as client:

        @contextmanager
        def reporting(show):
            def report(event):
                if event.stage in ("network", "refinement") and event.step == 2:
                    victim = min(client.run(os.getpid).values())
                    os.kill(victim, signal.SIGKILL)
                    killed.append(event.stage)

            yield report

        monkeypatch.setattr(learning, "reporting", reporting)
        ours = train(distributed=True)
    assert killed == ["network", "refinement"]
    assert file_of(ours) == wanted


def test_a_cluster_that_is_not_there_is_said_before_anything_is_read():
    def corpus():
        raise AssertionError("read")
        yield

    with pytest.raises(ConnectionError, match="distributed=True needs a dask cluster"):
        contextvars.Context().run(train, corpus(), distributed=True)  # where no client is current
    with pytest.raises(ConnectionError, match="No dask scheduler answers at"):
        train(corpus(), distributed=True, ns_conf={"address": "tcp://127.0.0.1:9"})
    with pytest.raises(ValueError, match="ns_conf must be"):
        train(corpus(), distributed=True, ns_conf={"host": "nowhere"})


def test_the_command_line_starts_workers_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["apple pear plum fig", "rain snow wind fog"]
    source = tmp_path / "texts"
    source.mkdir()
    for number, era in enumerate(["alpha", "beta", "gamma"]):
        lines = [f"{words[i % 2]} {words[i % 2].split()[i % 4]} word{i % 7}" for i in range(40)]
        rows = "\n".join(f'{{"text": "{line} {era}", "year": {1980 + number}}}' for line in lines)
        (source / f"{number}.jsonl").write_text(rows, encoding="utf-8")
    fit = ["fit", "texts", "-k", "2", "--num-clusterings", "5", "--no-report", "--quiet"]
    fit += ["--date", "year"]
    assert main([*fit, "--out", "threads"]) == 0
    assert main([*fit, "--out", "workers", "--workers", "2", "--spool", str(tmp_path)]) == 0
    tables = ("topics.csv", "documents.csv", "topics_over_time.csv")
    for name in (*tables, "corpus.dnmf", "model.dnmf"):
        ours = (tmp_path / "workers" / name).read_bytes()
        assert ours == (tmp_path / "threads" / name).read_bytes(), name
    over_time = (tmp_path / "workers" / "topics_over_time.csv").read_text("utf-8")
    assert [over_time.count(f",{era}\n") for era in ("alpha", "beta", "gamma")] == [2] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["texts", "threads", "workers"]
