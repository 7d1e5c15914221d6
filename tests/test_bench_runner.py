"""Cells in processes of their own: what breaks, hangs or is killed leaves the rest as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import bench_stub
import numpy as np
import pytest
from bench_stub import COMMAND, GATE, PIDS, STUBS
from gensim.matutils import Sparse2Corpus
from scipy import sparse

from dnmf_topics import DnmfModel
from dnmf_topics.baselines import BASELINES
from dnmf_topics.bench import METHODS, Method, measure_completion, run
from dnmf_topics.bench.cells import Cell
from dnmf_topics.bench.corpora import Problem, Source, load, select
from dnmf_topics.bench.measure import PeakMemory, measure_fit, score_fit
from dnmf_topics.bench.records import FILE, RecordFile, read_records
from dnmf_topics.bench.runner import run_cells
from dnmf_topics.cli import main
from dnmf_topics.common.documents import MatrixCorpus
from dnmf_topics.common.progress import Progress
from dnmf_topics.core import Tfidf, fit_topics
from dnmf_topics.evaluation import clustering_accuracy

CONFIG = """
methods = [{methods}]
num_topics = [3]
subsets = {subsets}
timeout = 600
[corpus.planted]
built_in = "planted"
{more}"""
NO_PROGRAM = ("there is no such program",)
PATIENCE = 120  # seconds to wait for what must come; nothing is measured by them


@pytest.fixture
def stubs(monkeypatch):
    """The methods of `bench_stub`, as the workers have them."""
    for name, method in STUBS.items():
        monkeypatch.setitem(METHODS, name, method)


def config(folder, *methods, subsets=1):
    path = folder / "study.toml"
    more = "[method.hangs]\ntimeout = 0.5\n" if "hangs" in methods else ""
    named = ", ".join(f'"{name}"' for name in methods)
    path.write_text(CONFIG.format(methods=named, subsets=subsets, more=more), "utf-8")
    return path


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.02)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def end_in_the_third_cell(number, path, out, monkeypatch):
    """Start a run in a process, send it a signal, see it and its workers end."""
    monkeypatch.setenv(GATE, str(path.parent / "gate"))
    monkeypatch.setenv(PIDS, str(path.parent / "pids"))
    runner = subprocess.Popen(
        [sys.executable, bench_stub.__file__, "run", path, out],
        stderr=subprocess.DEVNULL,
        # A shell's job in the background ignores Ctrl-C, and so would all that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_until(lambda: (out / FILE).is_file() and (out / FILE).read_bytes().count(b"\n") == 2)
        runner.send_signal(number)
        runner.wait(PATIENCE)
    finally:
        runner.kill()
        code = runner.wait()
    workers = [int(line) for line in (path.parent / "pids").read_text("ascii").split()]
    assert workers
    wait_until(lambda: not any(map(is_alive, workers)))
    return code


@pytest.mark.usefixtures("stubs")
def test_what_fails_crashes_or_hangs_is_recorded_and_the_rest_goes_on(tmp_path):
    methods = ["quick", "fails", "crashes", "is-killed", "hangs", "prints"]
    seen = []
    outcome = run(
        config(tmp_path, *methods), tmp_path / "out",
        command=COMMAND, progress=seen.append,
    )  # fmt: skip
    assert (outcome.ok, outcome.failed, outcome.timeout, outcome.found) == (2, 3, 1, 0)
    assert seen == [Progress("cells", step, 6) for step in range(7)]
    found = {record["method"]: record for record in read_records(tmp_path / "out")}
    assert {name: record["status"] for name, record in found.items()} == {
        "quick": "ok", "fails": "failed", "crashes": "failed", "is-killed": "failed",
        "hangs": "timeout", "prints": "ok",
    }  # fmt: skip
    assert found["quick"]["error"] is None
    assert found["fails"]["error"] == "ArithmeticError: nothing converged"
    assert found["crashes"]["error"] == ("the process ended with code 3: what a library says last")
    assert "SIGKILL, as it does when the memory is full" in found["is-killed"]["error"]
    assert found["hangs"]["error"] == "no result after 0.5 seconds"
    for record in found.values():
        assert record["documents"] == 300
        assert record["versions"]["numpy"] == np.__version__
        assert (record["acc"] is None) == (record["status"] != "ok")

    # Nothing is run again, unless it is asked for: then what did not end well is.
    before = (tmp_path / "out" / FILE).read_bytes()
    again = run(config(tmp_path, *methods), tmp_path / "out", command=NO_PROGRAM)
    assert (again.ok, again.found) == (2, 6)
    run(config(tmp_path, "quick", "prints"), tmp_path / "out", retry=True, command=NO_PROGRAM)
    with pytest.raises(FileNotFoundError):
        run(config(tmp_path, "fails"), tmp_path / "out", retry=True, command=NO_PROGRAM)
    assert (tmp_path / "out" / FILE).read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.usefixtures("stubs")
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path, monkeypatch):
    path, out = config(tmp_path, "quick", "prints", "gated"), tmp_path / "out"
    end_in_the_third_cell(signal.SIGKILL, path, out, monkeypatch)
    first = (out / FILE).read_bytes()
    (out / FILE).write_bytes(first + b'{"corpus": "pla')  # as a kill in mid-line leaves it
    (tmp_path / "gate").touch()
    outcome = run(path, out, command=COMMAND)
    assert (outcome.ok, outcome.found) == (3, 2)
    assert (out / FILE).read_bytes().startswith(first)
    assert [record["method"] for record in read_records(out)] == ["quick", "prints", "gated"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.usefixtures("stubs")
def test_ctrl_c_leaves_whole_lines_and_no_process(tmp_path, monkeypatch):
    path, out = config(tmp_path, "quick", "prints", "gated"), tmp_path / "out"
    code = end_in_the_third_cell(signal.SIGINT, path, out, monkeypatch)
    assert code == -signal.SIGINT  # as Python ends where nobody catches it
    assert [record["status"] for record in read_records(out)] == ["ok", "ok"]
    assert (out / FILE).read_bytes().endswith(b"}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.usefixtures("stubs")
def test_leaving_the_iterator_ends_the_processes(tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    monkeypatch.setenv(GATE, str(tmp_path / "never"))
    monkeypatch.setenv(PIDS, str(pids))
    cells = [Cell("planted", name, 3, 0, 0) for name in ("quick", "gated", "gated")]
    results = run_cells(cells, {"planted": Source(built_in="planted")}, 2, COMMAND)
    assert next(results)["method"] == "quick"
    results.close()
    workers = [int(line) for line in pids.read_text("ascii").split()]
    assert workers
    assert not any(map(is_alive, workers))


@pytest.mark.usefixtures("stubs")
def test_a_run_goes_on_from_the_configuration_that_it_left_in_the_folder(tmp_path):
    run(config(tmp_path, "quick"), tmp_path / "out", command=COMMAND)
    left = tmp_path / "out" / "study.toml"
    before = left.read_bytes()
    assert run(left, tmp_path / "out", command=COMMAND).found == 1
    assert left.read_bytes() == before


@pytest.mark.usefixtures("stubs")
def test_cells_are_run_again_where_they_lack_the_completion_that_is_asked_for(tmp_path):
    path, out = config(tmp_path, "quick", "fails"), tmp_path / "out"
    run(path, out, command=COMMAND)
    assert not any("completion" in record for record in read_records(out))
    path.write_text("completion = true\n" + path.read_text("utf-8"), "utf-8")
    outcome = run(path, out, command=COMMAND)
    assert (outcome.ok, outcome.failed, outcome.found) == (1, 1, 1)  # what failed stays as it is
    first, _, again = read_records(out)
    assert again["method"] == "quick"
    assert again["completion"] < 0
    assert again["acc"] == first["acc"]
    assert run(path, out, command=NO_PROGRAM).found == 2
    # A study that does not ask for it has nothing to run either.
    assert run(config(tmp_path, "quick", "fails"), out, command=NO_PROGRAM).found == 2


def test_another_corpus_under_the_same_name_is_refused(tmp_path):
    path, out = config(tmp_path, "lda"), tmp_path / "out"
    cell = Cell("planted", "lda", 3, 0, 0)
    with RecordFile(out) as file:
        file.append(cell.as_json() | {"status": "ok"})
    assert run(path, out, command=NO_PROGRAM).found == 1
    path.write_text(path.read_text("utf-8").replace('"planted"', '"lee"'), "utf-8")
    with pytest.raises(ValueError, match="has results of another corpus planted: 400 documents"):
        run(path, out, command=NO_PROGRAM)


def test_what_cannot_be_run_is_said_before_any_work(tmp_path):
    with pytest.raises(ValueError, match="config must name a TOML file"):
        run(None, tmp_path)
    with pytest.raises(ValueError, match="processes must be from 1 to 256, got 0"):
        run(None, tmp_path, smoke=True, processes=0)


# Methods and measures


def test_the_baselines_are_all_there():
    assert set(BASELINES) < set(METHODS)
    ours = {name for name in METHODS if name not in BASELINES}
    assert ours == {"bdnmf", "sdnmf", "cdnmf", "sdnmf-paper-rule", "dnmf"}


def test_the_table_names_the_methods_of_the_paper():
    assert [method.title for method in METHODS.values() if method.in_paper] == [
        "PLSI", "LDA (gensim)", "LapPLSI", "LTM", "SPA", "SNPA", "XRAY", "AnchorFree", "DPFA",
        "bDNMF", "sDNMF", "cDNMF",
    ]  # fmt: skip
    assert all(method.reference for method in METHODS.values())


def test_one_name_means_one_method():
    titles = [method.title for method in METHODS.values()]
    assert len(set(titles)) == len(titles)
    # Libraries differ in their LDA, NMF and k-means: there is no such thing without a source.
    assert not {"LDA", "NMF", "k-means"} & set(titles)


def test_the_model_is_that_of_its_users():
    problem = select(load(Source(built_in="planted")), 3, 0)
    bows = [[(int(i), int(n)) for i, n in doc] for doc in Sparse2Corpus(problem.counts.T)]
    model = DnmfModel(bows, 3, problem.words, random_state=5, num_clusterings=20)
    found = METHODS["dnmf"].fit(problem, {"num_clusterings": 20}, 5)
    assert (found.topic_term == model.get_topics()).all()
    assert (found.cluster_labels == model.cluster_labels).all()


def test_dnmf_runs_with_its_defaults_and_the_seed():
    problem = select(load(Source(built_in="planted")), 3, 0)
    weighted = Tfidf.fit(problem.counts).transform(problem.counts)
    expected = fit_topics(weighted, 3, variant="sdnmf", random_state=5)
    found = METHODS["sdnmf"].fit(problem, {}, 5)
    assert (found.topic_term == expected.topic_term).all()
    assert (found.cluster_labels == expected.cluster_labels).all()


def test_no_label_reaches_a_method_that_does_not_say_so():
    problem = select(load(Source(built_in="planted")), 3, 0)
    blind = Problem(problem.counts, None, 3, problem.is_balanced)
    opposite = Problem(problem.counts, problem.classes[::-1], 3, not problem.is_balanced)
    for name, method in METHODS.items():
        if name in BASELINES or method.knows_classes:
            continue  # baselines are given the counts and nothing else
        few = {"num_clusterings": 20}
        labels = [method.fit(each, few, 1).cluster_labels for each in (problem, blind, opposite)]
        assert (labels[0] == labels[1]).all()
        assert (labels[0] == labels[2]).all()


def test_the_papers_rule_takes_the_width_from_the_classes():
    problem = select(load(Source(built_in="planted")), 3, 0)
    rule = METHODS["sdnmf-paper-rule"]
    balanced = rule.fit(problem, {"num_clusterings": 20}, 0)
    assert balanced.deep.layers[-1].size == 4  # 1.5 K
    unequal = Problem(problem.counts, problem.classes, 3, is_balanced=False)
    # 30 ceil(300 / 100)
    assert rule.fit(unequal, {"num_clusterings": 20}, 0).deep.layers[-1].size == 90


def test_scores_are_those_of_the_evaluation():
    problem = select(load(Source(built_in="planted")), 3, 0)
    fitted = bench_stub.quick(problem, {}, 0)
    found = score_fit(fitted, problem)
    assert found["acc"] == clustering_accuracy(problem.classes, fitted.cluster_labels)
    blind = Problem(problem.counts, None, 3, is_balanced=True)
    assert score_fit(fitted, blind) == found | {"acc": None, "nmi": None, "purity": None}


# Document completion


def few(name):
    """Settings that make our methods quick."""
    return {"num_clusterings": 20} if name not in BASELINES else {}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_completes_documents_better_than_one_topic_does(name):
    problem = select(load(Source(built_in="planted")), 3, 0)
    value = measure_completion(METHODS[name], problem, few(name), 0)
    one_topic = Method("words of the corpus", lambda given, *_: SimpleNamespace(
        topic_term=given.counts.sum(axis=0)[None, :], cluster_labels=np.zeros(270)
    ))  # fmt: skip
    # Our topics have words of their own: so much (about 0.75 nats) is to be won.
    assert measure_completion(one_topic, problem, {}, 0) + 0.4 < value < 0
    if name in ("dnmf", "kmeans", "lda"):
        assert measure_completion(METHODS[name], problem, few(name), 0) == value
        assert measure_completion(METHODS[name], problem, few(name), 1) != value


def seen_by(problem, seed=0):
    """What a method is fitted to."""
    seen = []

    def fit(given, settings, _):
        seen.append((given, settings))
        return bench_stub.quick(given, {}, 0)

    groups = np.arange(problem.counts.shape[0])
    value = measure_completion(Method("", fit), problem, {"deep_model": groups}, seed)
    return value, seen


def test_nine_tenths_are_learnt_from_and_no_hidden_word_is_seen():
    problem = select(load(Source(built_in="planted")), 3, 0)
    value, [(given, settings)] = seen_by(problem)
    assert value < 0
    rows = settings["deep_model"]  # groups of the documents are those of the same documents
    assert len(rows) == given.counts.shape[0] == 270
    kept = [term for term in range(problem.counts.shape[1]) if problem.counts[rows][:, [term]].nnz]
    assert (given.counts != problem.counts[rows][:, kept]).nnz == 0
    assert given.classes.tolist() == problem.classes[rows].tolist()
    assert given.words == {new: problem.words[old] for new, old in enumerate(kept)}
    _, [(_, again)] = seen_by(problem)
    assert again["deep_model"].tolist() == rows.tolist()
    _, [(_, other)] = seen_by(problem, seed=1)
    assert other["deep_model"].tolist() != rows.tolist()


def test_completion_by_a_methods_own_inference():
    """Shares by `infer`, words by `word_distributions`, or else by `topic_term`."""
    problem = select(load(Source(built_in="planted")), 3, 0)

    def fit(given, settings, _):
        num_terms = given.counts.shape[1]
        uniform, skewed = np.full((3, num_terms), 1 / num_terms), np.zeros((3, num_terms))
        skewed[:, 0] = 1.0
        equal = SimpleNamespace(infer=lambda shown: np.full((shown.shape[0], 3), 1 / 3))
        equal.topic_term = skewed if settings["has_words"] else uniform
        if settings["has_words"]:
            equal.word_distributions = uniform
        sizes.append(num_terms)
        return equal

    sizes = []
    for has_words in (True, False):
        value = measure_completion(Method("", fit), problem, {"has_words": has_words}, 0)
        assert value == pytest.approx(-np.log(sizes[-1]))


def test_inferences_are_those_of_the_models():
    problem = select(load(Source(built_in="planted")), 3, 0)
    counts = problem.counts[:20]
    found = METHODS["dnmf"].fit(problem, {"num_clusterings": 20}, 5)
    model = DnmfModel(
        MatrixCorpus(problem.counts), 3, problem.words, random_state=5, num_clusterings=20
    )
    assert (found.word_distributions == model.get_word_distributions()).all()
    weights, _ = model.inference(MatrixCorpus(counts))
    assert (found.infer(counts) == weights / weights.sum(axis=1, keepdims=True)).all()
    lda = METHODS["lda"].fit(problem, {}, 5)
    shares = lda.infer(counts)
    assert (lda.infer(counts) == shares).all()  # though gensim draws its start
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # They were trained on too: what the fit says of them is about the same.
    trained = lda.doc_topic[:20] / lda.doc_topic[:20].sum(axis=1, keepdims=True)
    assert abs(shares - trained).max() < 0.05
    assert METHODS["plsi"].fit(problem, {}, 5).infer is None


def test_completion_has_no_value_where_it_cannot_be_measured():
    problem = select(load(Source(built_in="planted")), 3, 0)
    weighted = replace(problem, counts=problem.counts * 0.5)
    nine = problem.rows(np.arange(9))
    single = replace(problem, counts=sparse.csr_array(np.eye(30, dtype=int)))  # a word in each
    many = replace(problem.rows(np.arange(20)), num_topics=19)
    equal = np.ones((30, 4), dtype=int)  # whoever is held out, the others have the same terms
    same = replace(problem, counts=sparse.csr_array(equal), words=None)
    for impossible in (weighted, nine, replace(single, words=None), many, same):
        assert seen_by(impossible) == (None, [])
    assert seen_by(problem.rows(np.arange(10)))[0] < 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak cannot be forgotten")
def test_peak_memory_is_that_of_the_fit_alone():
    def grown(megabytes):
        memory = PeakMemory()
        np.ones(megabytes * 2**17)  # freed at once: only the peak has seen it
        return memory.growth()

    if grown(1) is None:
        pytest.skip("this system does not let the peak be forgotten")
    assert 95 < grown(100) < 130
    assert grown(5) < 40


def test_the_record_of_a_fit_has_plain_rounded_numbers():
    problem = select(load(Source(built_in="planted")), 3, 0)
    method = SimpleNamespace(fit=bench_stub.quick)
    assert "completion" not in measure_fit(method, problem, {}, 0)
    found = measure_fit(method, problem, {}, 0, completion=True)
    assert found["seconds"] >= 0
    assert found["completion"] == round(measure_completion(method, problem, {}, 0), 6)
    assert all(value is None or value == round(value, 6) for value in found.values())


def test_smoke(tmp_path, capsys):
    """Every method on a small corpus, and tables and plots of it all, by the command."""
    assert main(["bench", "--smoke", "--out", str(tmp_path), "--quiet", "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    records = read_records(tmp_path)
    assert [record["error"] for record in records if record["status"] != "ok"] == []
    assert outcome["ok"] == outcome["cells"] == len(records)
    assert {record["method"] for record in records} == set(METHODS) - {"dnmf"}
    assert all(Path(path).is_file() for path in outcome["written"])
    assert "NaN" not in (tmp_path / "README.md").read_text("utf-8")
    assert os.listdir(tmp_path / "plots")
