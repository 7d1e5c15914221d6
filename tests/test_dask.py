"""The dask engine: the result of threads, bit for bit, whatever happens to the cluster."""

from __future__ import annotations

import contextvars
import gc
import os
import signal
import sys
import time
from functools import cache
from pathlib import Path

import cluster_tasks as tasks
import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import planted_docs

from dnmf_topics.cli import main
from dnmf_topics.common import blocks, dask_cluster
from dnmf_topics.common.blocks import FolderBlocks, RowBlocks, write_part
from dnmf_topics.common.dask_cluster import connection, engine_for, local_cluster
from dnmf_topics.common.engines import Threads, tree_sum
from dnmf_topics.core.refine import refine_equal, refine_unequal

distributed = pytest.importorskip("distributed", reason="dask is not installed")
from dnmf_topics.common import dask_engine  # noqa: E402
from dnmf_topics.common.dask_engine import DaskEngine, group_size  # noqa: E402

SOON = 15  # seconds
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/cwd").exists(), reason="no path that means another folder elsewhere"
)


@pytest.fixture(scope="module", params=[1, 2, 3], ids="{} workers".format)
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spool")
    with local_cluster(request.param, folder), engine_for(True, None, 2, folder) as engine:
        yield engine


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with local_cluster(2, tmp_path_factory.mktemp("workers")) as client:
        yield client


@pytest.fixture
def other_engine(client, tmp_path):
    """An engine of another cluster, where much may happen."""
    return DaskEngine(client, tmp_path, n_jobs=2)


@cache
def planted():
    docs, classes = planted_docs((90, 80, 60), noise=0.5, num_common=40)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(classes.size) < 0.3, rng.integers(3, size=classes.size), classes)
    return docs, labels


def in_blocks(docs, block_size):
    documents = RowBlocks(docs)
    documents.block_size = block_size
    return documents


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.kept, theirs.kept, strict=True)
    np.testing.assert_array_equal(ours.summand, theirs.summand, strict=True)


# The same bits


@given(num_docs=st.integers(0, 230), block_size=st.integers(1, 60), most=st.integers(1, 5))
@settings(max_examples=15)
def test_a_pass_is_that_of_threads(engine, num_docs, block_size, most):
    docs, labels = planted()
    docs, labels = docs[:num_docs], labels[:num_docs]
    documents = in_blocks(docs, block_size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_engine, "TASKS_PER_THREAD", most)
        ours = engine.over(documents, tasks.measure, 2, split=(labels,))
    assert_same(ours, Threads(1).over(documents, tasks.measure, 2, split=(labels,)))


@given(num_blocks=st.integers(1, 300), most=st.integers(1, 70))
def test_groups_of_blocks_are_branches_of_the_tree(num_blocks, most):
    leaves = [str(number) for number in range(num_blocks)]
    size = group_size(num_blocks, most)
    assert -(-num_blocks // size) <= most

    def add(first, second):
        return f"({first} {second})"

    level, steps = leaves, [size]
    while len(level) > 1:
        width = steps.pop() if steps else dask_engine.SUMMANDS_PER_TASK
        level = [tree_sum(group, add) for group in dask_engine.chunks(level, width)]
    assert level == [tree_sum(leaves, add)]


@pytest.mark.parametrize("refine", [refine_unequal, refine_equal])
def test_refinement_is_that_of_threads(engine, refine, monkeypatch, tmp_path):
    monkeypatch.setattr(blocks, "BLOCK_SIZE", 50)
    docs, labels = planted()
    docs = docs.astype(np.float32)
    write_part(tmp_path, "units", 0, docs[:120])
    write_part(tmp_path, "units", 1, docs[120:])
    in_files = FolderBlocks(tmp_path, "units", [120, 110], docs.shape[1], np.float32)
    expected = refine(RowBlocks(docs), labels, 3, Threads(2))
    for documents in (RowBlocks(docs), in_files):
        np.testing.assert_array_equal(refine(documents, labels, 3, engine), expected)


def test_what_is_kept_need_not_be_an_array(other_engine):
    docs, _ = planted()
    documents = in_blocks(docs, 100)
    ours = other_engine.over(documents, tasks.keep_pairs)
    assert ours == Threads(1).over(documents, tasks.keep_pairs)


def test_items_come_in_order_and_few_are_under_way(engine):
    drawn = 0

    def items():
        nonlocal drawn
        while drawn < 100:
            drawn += 1
            yield drawn

    results = engine.map(divmod, items(), 7)
    first = [next(results) for _ in range(3)]
    assert drawn <= 20
    assert first + list(results) == [divmod(number, 7) for number in range(1, 101)]
    assert list(engine.map(divmod, [], 7)) == []


def test_arrays_of_a_task_can_be_written_to(other_engine):
    """Kernels would be compiled once more for those that cannot."""
    docs, labels = planted()
    weights = np.ones((docs.shape[1], 3))
    for _ in range(2):  # the sum of one call is an argument of the next
        kept, total = other_engine.over(
            in_blocks(docs, 100), tasks.count_writable, weights, split=(labels,)
        )
        assert (kept, total) == ([True] * 3, 15)
        weights = other_engine.over(in_blocks(docs, 100), tasks.measure, 1, split=(labels,)).summand


# What tasks are


def test_an_error_of_a_task_comes_back_as_itself(other_engine):
    with pytest.raises(ZeroDivisionError, match="7 is unlucky"):
        list(other_engine.map(tasks.fail_at, range(20), 7))
    with pytest.raises(TypeError, match="measure"):
        other_engine.over(in_blocks(planted()[0], 100), tasks.measure)
    assert list(other_engine.map(tasks.fail_at, range(20), 20)) == list(range(20))


def test_a_task_has_one_thread(other_engine):
    assert (
        list(other_engine.map(tasks.describe_engine, range(2), other_engine))
        == [("Threads", 1)] * 2
    )
    assert list(other_engine.map(tasks.count_blas_threads, range(2))) == [1, 1]
    assert (other_engine.local.n_jobs, other_engine.jobs_inside) == (2, 1)


def test_stages_have_names_on_the_dashboard(other_engine):
    other_engine.over(in_blocks(planted()[0], 100), tasks.keep_pairs)
    names = other_engine.client.run_on_scheduler(
        lambda dask_scheduler: [*dask_scheduler.task_prefixes]
    )
    assert {"keep_pairs", "keep_pairs-sum"} <= set(names)


def test_a_call_leaves_no_files_and_a_matrix_goes_with_its_blocks(other_engine):
    documents = in_blocks(planted()[0], 100)
    for _ in range(2):
        other_engine.over(documents, tasks.keep_pairs)
    (matrix,) = other_engine.folder.glob("matrix-*")
    assert {path.name for path in other_engine.folder.iterdir()} == {"token", matrix.name}
    del documents
    gc.collect()
    assert [path.name for path in other_engine.folder.iterdir()] == ["token"]


# What can happen


def test_a_worker_that_is_killed_changes_nothing(other_engine, tmp_path):
    docs, _ = planted()
    numbers = np.arange(docs.shape[0])
    last = numbers[-1]
    documents = in_blocks(docs, 10)
    expected = Threads(1).over(documents, tasks.wait_for_the_end, None, last, split=(numbers,))
    with tasks.when_there(tmp_path / "victim", tasks.kill_who_wrote):
        ours = other_engine.over(
            documents, tasks.wait_for_the_end, tmp_path, last, split=(numbers,)
        )
    assert_same(ours, expected)


def test_a_task_that_kills_its_workers_is_one_sentence(other_engine, client):
    def allow_failures(number):
        def change(dask_scheduler):
            before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
            return before

        return client.run_on_scheduler(change)

    before = allow_failures(0)
    try:
        with pytest.raises(ConnectionError, match="died again and again at the same task"):
            list(other_engine.map(os._exit, [1]))
    finally:
        allow_failures(before)


def test_an_interrupted_driver_leaves_nothing(other_engine, client, tmp_path):
    go = tmp_path / "go"
    go.touch()
    with (
        pytest.raises(KeyboardInterrupt),
        tasks.when_there(tmp_path / "begun", lambda _: os.kill(os.getpid(), signal.SIGINT)),
    ):
        list(other_engine.map(tasks.wait_while_there, range(50), tmp_path, go))
    go.unlink()  # a task that runs cannot be stopped, it ends
    tasks.wait_until(lambda: not any(client.processing().values()))
    tasks.wait_until(lambda: not any(client.run(tasks.num_running).values()))
    tasks.wait_until(lambda: not client.run_on_scheduler(tasks.num_known))
    assert not client.futures
    assert not list(tmp_path.glob("wait*"))


def test_an_abandoned_map_leaves_nothing(other_engine, client, tmp_path):
    results = other_engine.map(tasks.fail_at, range(1000), -1)
    assert next(results) == 0
    results.close()
    tasks.wait_until(lambda: not client.run_on_scheduler(tasks.num_known))
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_a_scheduler_that_is_gone_is_one_sentence(tmp_path):
    go = tmp_path / "go"
    go.touch()
    with tasks.process_with_cluster(1) as (pid, address):

        def kill(_):
            os.kill(pid, signal.SIGKILL)

        with engine_for(True, {"address": address}, folder=tmp_path) as engine:
            start = time.monotonic()
            with (
                tasks.when_there(tmp_path / "begun", kill),
                pytest.raises(ConnectionError, match=f"at {address} is gone or was restarted; st"),
            ):
                list(engine.map(tasks.wait_while_there, range(3), tmp_path, go))
            with pytest.raises(ConnectionError, match="is gone"):
                engine.over(in_blocks(planted()[0], 100), tasks.keep_pairs)
        assert time.monotonic() - start < SOON


def test_a_cluster_without_workers_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine, "WORKER_SECONDS", 0.2)
    with (
        tasks.process_with_cluster(0) as (_, address),
        pytest.raises(ConnectionError, match="has no workers; start some with `dask worker tcp"),
        engine_for(True, {"address": address}, folder=tmp_path),
    ):
        pass


def test_workers_that_are_no_more_are_one_sentence(tmp_path, monkeypatch):
    go = tmp_path / "go"
    go.touch()
    with (
        tasks.process_with_cluster(0) as (_, address),
        tasks.process_with_worker(address) as pid,
        engine_for(True, {"address": address}, folder=tmp_path) as engine,
        tasks.when_there(tmp_path / "begun", lambda _: os.kill(pid, signal.SIGKILL)),
    ):
        monkeypatch.setattr(dask_engine, "WORKER_SECONDS", 0.2)
        with pytest.raises(ConnectionError, match="has no workers"):
            list(engine.map(tasks.wait_while_there, range(3), tmp_path, go))


@needs_proc
def test_a_folder_that_workers_do_not_see_is_one_sentence(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the driver is, but not its workers
    with pytest.raises(FileNotFoundError, match="cannot use the folder /proc/self/cwd; spool to a"):
        DaskEngine(client, "/proc/self/cwd")


@needs_proc
def test_a_worker_that_comes_later_may_not_see_the_folder(other_engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other_engine.folder = Path("/proc/self/cwd")
    with pytest.raises(FileNotFoundError, match="cannot use the folder /proc/self/cwd; spool to a"):
        list(other_engine.map(divmod, range(3), 2))


def test_another_version_is_one_sentence(tmp_path):
    with (
        tasks.process_with_cluster(1, version="0.0.1") as (_, address),
        pytest.raises(ConnectionError, match=r"has dnmf_topics 0\.0\.1, this process "),
        engine_for(True, {"address": address}, folder=tmp_path),
    ):
        pass


def test_another_numpy_is_a_warning(client, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(dask_engine.np, "__version__", "0.9")
    DaskEngine(client, tmp_path)
    assert "this process 0.9: the last bits may differ" in caplog.text


# Which engine


def test_without_distributed_threads_work():
    with engine_for(False, {"host": "of gensim's"}, n_jobs=3) as engine:
        assert isinstance(engine, Threads)
        assert engine.n_jobs == 3


def test_the_current_client_is_used_and_stays_open(client, tmp_path):
    with client.as_current(), engine_for(True, folder=tmp_path) as engine:
        assert engine.client is client
        assert engine.folder.parent == tmp_path
    assert client.status == "running"
    assert list(tmp_path.iterdir()) == []


def test_an_own_client_is_closed(client, tmp_path):
    address = client.scheduler.address
    with engine_for(True, {"address": address}, folder=tmp_path) as engine:
        assert engine.client is not client
        assert list(engine.map(divmod, range(3), 2)) == [(0, 0), (0, 1), (1, 0)]
    assert engine.client.status == "closed"


@pytest.mark.parametrize(
    ("ns_conf", "error", "sentence"),
    [
        (None, ConnectionError, "create a dask.distributed.Client first, or give ns_conf="),
        ({"host": "a", "port": 1}, ValueError, "ns_conf must be .*, got {'host': 'a', 'port': 1}"),
        ({"address": 8786}, ValueError, "ns_conf must be"),
        ({"address": "tcp://a:1", "hmac_key": "b"}, ValueError, "ns_conf must be"),
        ("tcp://a:1", ValueError, "ns_conf must be"),
        ({"address": "nonsense"}, ValueError, "must be like tcp://10.0.0.1:8786, got 'nonsense'"),
        ({"address": ""}, ValueError, "must be like"),
        ({"address": "http://a:1"}, ValueError, "must be like"),
        ({"address": "tcp://127.0.0.1:9"}, ConnectionError, "No dask scheduler answers at tcp://1"),
    ],
)
def test_no_cluster_is_one_sentence(ns_conf, error, sentence, monkeypatch):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)

    def enter():
        with engine_for(True, ns_conf):
            pass

    with pytest.raises(error, match=sentence):
        contextvars.Context().run(enter)  # where no client is the current one


def test_without_dask_the_command_that_gets_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    for start in (lambda: engine_for(True), lambda: connection("a:1"), lambda: local_cluster(1)):
        with pytest.raises(ImportError, match=r"pip install 'dnmf_topics\[dask\]'"), start():
            pass


def test_joblibs_dask_backend_changes_nothing(client):
    """What needs shared memory stays in this process, so that backend is of no use here."""
    docs, labels = planted()
    documents = in_blocks(docs, 50)
    expected = Threads(1).over(documents, tasks.measure, 2, split=(labels,))
    with client.as_current(), joblib.parallel_config(backend="dask"):
        assert_same(Threads(2).over(documents, tasks.measure, 2, split=(labels,)), expected)
        assert_same(Threads(None).over(documents, tasks.measure, 2, split=(labels,)), expected)
    assert client.run_on_scheduler(tasks.num_known) == 0


# The command line


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "0"], "must be from 1 to 256, got 0"),
        (["--workers", "many"], "must be a whole number, got 'many'"),
        (
            ["--workers", "2", "--cluster", "tcp://a:1"],
            "--cluster cannot be given together with --workers",
        ),
    ],
)
def test_wrong_usage(options, sentence, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["fit", "texts.txt", "-k", "2", "--out", "t", *options])
    assert sentence in capsys.readouterr().err


def test_a_dead_address_at_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.5)
    (tmp_path / "texts.txt").write_text("rain and storms\n" * 9)
    out = tmp_path / "out"
    arguments = ["fit", str(tmp_path / "texts.txt"), "-k", "2", "--out", str(out)]
    assert main([*arguments, "--cluster", "tcp://127.0.0.1:9"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("dnmf-topics: error: No dask scheduler answers at tcp://127.0.0.1:9;")
    assert not out.exists()
