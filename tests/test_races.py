"""Processes that write and read one place at the same time: each reader gets one whole value."""

from __future__ import annotations

import multiprocessing
import os
import traceback

import pytest
from trained import file_of, small_model

from dnmf_topics import DnmfModel
from dnmf_topics.cli import run_folder
from dnmf_topics.cli.run_folder import read_run, write_run
from dnmf_topics.common.writing import only_writer, put_in_place
from dnmf_topics.text import TextCorpus, build_corpus

ROUNDS = 500
FORK = multiprocessing.get_context("fork")


def rounds_of(function, turns, failures, name):
    """What one process does; its failures are counted, and the first is shown."""
    for turn in range(turns):
        try:
            function(turn)
        except Exception:
            with failures.get_lock():
                failures.value += 1
                if failures.value == 1:
                    traceback.print_exc()
    os._exit(0)


def race(*tasks):
    """How often one of the tasks failed, all of them doing their rounds at the same time."""
    failures = FORK.Value("i", 0)
    processes = [
        FORK.Process(target=rounds_of, args=(task, ROUNDS, failures, task)) for task in tasks
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * len(tasks)
    return failures.value


def test_a_folder_that_is_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    folder, runs = tmp_path / "topics", two_runs()
    write(folder, *runs[0])
    load = TextCorpus.load

    def replace_first(path):
        monkeypatch.setattr(run_folder.TextCorpus, "load", load)
        write(folder, *runs[1])
        return load(path)

    monkeypatch.setattr(run_folder.TextCorpus, "load", replace_first)
    model, corpus, _ = read_run(folder)
    assert corpus.dictionary.token2id == model.id2word.token2id == runs[1][1].dictionary.token2id


@pytest.mark.parametrize("name", ["model.dnmf", "model.dnmf.gz"])
def test_two_writers_and_two_readers_of_a_model(tmp_path, name):
    path = tmp_path / name
    models = [small_model(random_state=0), small_model(random_state=7, variant="sdnmf")]
    contents = {file_of(model) for model in models}
    models[0].save(path)

    def read(turn):
        mmap = "r" if turn % 2 and path.suffix != ".gz" else None
        assert file_of(DnmfModel.load(path, mmap=mmap)) in contents

    writers = [lambda _, model=model: model.save(path) for model in models]
    assert race(*writers, read, read) == 0
    assert os.listdir(tmp_path) == [name]


def two_runs():
    """Models and corpora that have nothing in common."""
    runs = []
    for texts in (["rain storm", "storm rain", "wine bread"], ["tea cup", "cup tea", "goal ball"]):
        corpus = build_corpus(texts, no_below=1, no_above=1.0)
        options = {"num_clusterings": 5, "n_jobs": 1, "random_state": 0}
        runs.append((DnmfModel(corpus.counts, 2, corpus.dictionary, **options), corpus))
    return runs


def write(folder, model, corpus):
    """What `fit --force` does at its end; a run is told at once that another one writes."""
    while True:
        try:
            with only_writer(folder) as workshop:
                new = workshop / "new"
                new.mkdir()
                about = {"title": corpus.ids[0], "options": {}, "num_words": 3, "subtopics": {}}
                write_run(new, model, corpus, {}, **about)
                put_in_place(new, folder)
            return
        except BlockingIOError:
            continue


def test_two_writers_and_two_readers_of_a_folder_of_results(tmp_path):
    folder, runs = tmp_path / "topics", two_runs()

    def read(_):
        model, corpus, _ = read_run(folder)
        assert corpus.dictionary.token2id == model.id2word.token2id

    write(folder, *runs[0])
    writers = [lambda _, run=run: write(folder, *run) for run in runs]
    assert race(*writers, read, read) == 0
    assert os.listdir(tmp_path) == ["topics"]
