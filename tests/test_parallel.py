"""Blocks on threads: order, cancellation that waits, and no trace on the process."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import parallel_config
from planted import planted_counts, planted_docs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info, threadpool_limits
from trained import CORPUS, small_model

from dnmf_topics.common.parallel import AHEAD, map_blocks, no_convergence_warnings, one_blas_thread
from dnmf_topics.core import fit_topics


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blocks_come_back_in_order_and_cover_all_rows():
    blocks = list(map_blocks(lambda start, stop: (start, stop), 10, block_size=4, n_jobs=2))
    assert blocks == [(0, 4), (4, 8), (8, 10)]


def test_blocks_wait_for_the_consumer_and_end_with_it():
    release, begun = threading.Event(), []

    def block(start, _):
        begun.append(start)
        assert start == 0 or release.wait(10)
        return start

    results = map_blocks(block, 50, block_size=1, n_jobs=2)
    assert next(results) == 0
    # Two are under way now, and the one behind them is not to begin.
    timer = threading.Timer(0.05, release.set)
    timer.start()
    results.close()
    assert set(begun) <= {0, 1, 2}
    ahead = map_blocks(lambda start, _: begun.append(start), 50, block_size=1, n_jobs=2)
    begun.clear()
    next(ahead)
    ahead.close()
    assert max(begun) < 2 * AHEAD


def test_a_fit_that_outlives_the_main_thread_goes_on():
    script = """
import threading
from dnmf_topics.common.parallel import map_blocks

def work():
    threading.main_thread().join()
    print(sum(map_blocks(lambda start, stop: stop - start, 10, block_size=2, n_jobs=2)))

threading.Thread(target=work).start()
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == "10\n"


@pytest.mark.parametrize("failing", ["consumer", "worker"])
def test_an_error_waits_for_the_blocks_under_way(failing):
    first_done, release, finished = threading.Event(), threading.Event(), []

    def block(start, _):
        if start == 0:
            if failing == "worker":
                assert first_done.wait(10)  # the other block is under way
                raise KeyError("worker")
            assert first_done.wait(10)
            return start
        first_done.set()
        assert release.wait(10)
        finished.append(start)
        return start

    def consume():
        for _ in map_blocks(block, 50, block_size=1, n_jobs=2):
            timer.start()
            raise KeyError("consumer")

    # The other blocks may only end once the error is on its way.
    timer = threading.Timer(0.05, release.set)
    if failing == "worker":
        timer.start()
    with pytest.raises(KeyError, match=failing):
        consume()
    assert 1 in finished
    assert len(finished) < 10


def test_concurrent_fits_have_one_blas_thread_and_give_the_others_back():
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as another:

        def on(thread, function, *arguments):
            return thread.submit(function, *arguments).result()

        # One thread has limits of its own, so that threadpoolctl may not listen to others.
        limits = on(one, threadpool_limits, 2, "blas")
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        on(another, first.__enter__)
        assert set(blas_threads()) == {1}
        on(one, second.__enter__)
        on(another, first.__exit__, None, None, None)
        assert set(blas_threads()) == {1}
        on(one, second.__exit__, None, None, None)
        assert blas_threads() == before
        on(one, limits.restore_original_limits)


def test_whatever_a_model_learns_is_learnt_with_one_blas_thread():
    seen = []

    def watched(corpus):
        seen.extend(blas_threads())
        yield from corpus

    with threadpool_limits(2, user_api="blas"):
        model = small_model(watched(CORPUS))
        model.update(watched(CORPUS))
        model.refine(watched(CORPUS + CORPUS))
    assert set(seen) == {1}


def test_a_likelihood_does_not_depend_on_blas_threads():
    counts, _ = planted_counts((300, 300, 300), noise=0.3)
    assert counts.nnz > 10_000  # from where on BLAS takes several threads for a sum
    model = small_model(counts.T, id2word=None, mixing_rounds=0)
    found = []
    for num_threads in (1, 2):
        with threadpool_limits(num_threads):
            found.append(model.bound(counts.T))
    assert found[0] == found[1]


def test_fits_leave_no_trace_on_warnings():
    docs, _ = planted_docs((20, 15, 10))
    before = list(warnings.filters)
    inside = []

    def fit_another(event):
        # while the first fit is under way, and has not ended when this one ends
        if event.stage == "clusters" and not inside:
            inside.append(fit_topics(docs, 3, random_state=1))

    outer = fit_topics(docs, 3, random_state=0, n_jobs=2, progress=fit_another)
    assert warnings.filters == before
    np.testing.assert_array_equal(outer.topic_term, fit_topics(docs, 3, random_state=0).topic_term)


def test_overlapping_fits_give_the_warnings_back():
    before = list(warnings.filters)
    first, second = no_convergence_warnings(), no_convergence_warnings()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    with warnings.catch_warnings(record=True) as seen:
        warnings.warn("as many as there are", ConvergenceWarning, stacklevel=1)
    second.__exit__(None, None, None)
    assert not seen
    assert warnings.filters == before


@pytest.mark.parametrize("variant", ["sdnmf", "cdnmf"])
def test_the_result_does_not_depend_on_blas_threads(variant):
    docs, _ = planted_docs((300, 200, 100), length=30)
    results = []
    for num_threads in (1, 2):
        with threadpool_limits(num_threads):
            results.append(fit_topics(docs, 3, variant=variant, random_state=0))
    for name in ("topic_term", "doc_topic", "membership"):
        np.testing.assert_array_equal(getattr(results[0], name), getattr(results[1], name))


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_any_joblib_backend_gives_the_same(backend):
    docs, _ = planted_docs((20, 15, 10))
    expected = fit_topics(docs, 3, random_state=0, n_jobs=1)
    with parallel_config(backend=backend, n_jobs=2):
        fit = fit_topics(docs, 3, random_state=0, n_jobs=None)
    np.testing.assert_array_equal(fit.topic_term, expected.topic_term)
