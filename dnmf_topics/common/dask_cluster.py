"""Which engine works: threads of this process, or a dask cluster that is there or started here.

dask is imported when it is asked for. joblib's own way to it, ``parallel_config(backend="dask")``,
changes nothing: threads share memory here, and joblib keeps such work in this process.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from .engines import Engine, Threads
from .spool import spool_folder

if TYPE_CHECKING:
    from distributed.client import Client

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5.0  # in which a scheduler must answer
ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^\s/]+:\d+")
WORKER_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"


@contextmanager
def engine_for(
    distributed: bool,
    ns_conf: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Iterator[Engine]:
    """An engine, as long as the block lasts.

    Parameters
    ----------
    distributed : bool
        Whether the workers of a dask cluster do the work, or threads of this process.
    ns_conf : dict, optional
        ``{"address": "tcp://host:port"}`` of a dask scheduler; by default the current
        `dask.distributed` client's. The keys of gensim's own name server (host, port, broadcast,
        hmac_key) are refused, as it is no dask scheduler. Ignored without `distributed`.
    n_jobs : int, optional
        Number of threads of this process.
    folder : path, optional
        A folder that this process and all workers can read and write, under the same path; by
        default that for temporary files, which serves where all of them run on one machine.

    Yields
    ------
    Engine
        All give the same result.
    """
    if not distributed:
        yield Threads(n_jobs)
        return
    with ExitStack() as stack:
        if ns_conf:
            client = stack.enter_context(connection(_address(ns_conf)))
        else:
            client = _current_client()
        from .dask_engine import DaskEngine

        yield DaskEngine(client, stack.enter_context(spool_folder(folder)), n_jobs)


@contextmanager
def connection(address: str) -> Iterator[Client]:
    """A client of the dask scheduler at an address; the current one, as long as the block lasts."""
    distributed = _dask()
    if not ADDRESS.fullmatch(address):
        raise ValueError(
            f"The address of a dask scheduler must be like tcp://10.0.0.1:8786, got {address!r}."
        )
    try:
        with distributed.utils.silence_logging_cmgr(logging.CRITICAL):
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"No dask scheduler answers at {address}; start one there with `dask scheduler`, or "
            "name another address."
        ) from error
    with _used(client):
        yield client


@contextmanager
def local_cluster(
    num_workers: int, folder: str | os.PathLike[str] | None = None
) -> Iterator[Client]:
    """A dask cluster on this machine, and its client; the current one, as long as the block lasts.

    Parameters
    ----------
    num_workers : int
        Number of worker processes, of one thread each.
    folder : path, optional
        For the workers' own files; by default that for temporary files.

    Yields
    ------
    dask.distributed.Client
        A client of the cluster.
    """
    distributed = _dask()
    import dask

    # A worker's arrays of some MB are its own for reuse, not the system's after each call.
    environment = {
        name: value
        for name, value in dask.config.get(WORKER_ENVIRONMENT).items()
        if name != "MALLOC_TRIM_THRESHOLD_"
    }
    with ExitStack() as stack:
        own = str(stack.enter_context(spool_folder(folder)))
        settings = {WORKER_ENVIRONMENT: environment, "temporary-directory": own}
        stack.enter_context(dask.config.set(settings))
        with _deaf_children():
            cluster = distributed.LocalCluster(
                n_workers=num_workers, threads_per_worker=1, processes=True, memory_limit=0,
                dashboard_address="127.0.0.1:0", local_directory=own,
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
        with cluster, _used(distributed.Client(cluster, set_as_default=False)) as client:
            logger.info("dask workers: %i, dashboard: %s", num_workers, client.dashboard_link)
            yield client


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that are started inside leave Ctrl-C to this one, which ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _used(client: Client) -> Iterator[Client]:
    """A client as the current one; closed at the end, without a word if its scheduler is gone."""
    from distributed.utils import silence_logging_cmgr

    with silence_logging_cmgr(logging.CRITICAL):
        try:
            with client.as_current():
                yield client
        finally:
            client.close(timeout=CONNECT_SECONDS)


def _current_client() -> Client:
    distributed = _dask()
    try:
        client = distributed.Client.current()
    except ValueError:
        raise ConnectionError(
            "distributed=True needs a dask cluster; create a dask.distributed.Client first, or "
            "give ns_conf={'address': 'tcp://HOST:PORT'}."
        ) from None
    if client.asynchronous:
        raise ConnectionError(
            "The current dask client is asynchronous; create one with asynchronous=False."
        )
    return client


def _address(ns_conf: Any) -> str:
    address = ns_conf.get("address") if isinstance(ns_conf, Mapping) else None
    if not isinstance(address, str) or len(ns_conf) > 1:
        raise ValueError(
            "ns_conf must be {'address': 'tcp://HOST:PORT'}, that of a dask scheduler, got "
            f"{ns_conf!r}."
        )
    return address


def _dask() -> Any:
    """The module `distributed`, or the command that gets it."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            "dask is not installed; `pip install 'dnmf_topics[dask]'` gets it."
        ) from error
    return distributed
