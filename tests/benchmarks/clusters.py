"""A dask cluster on one machine: threads, one worker and two workers on the same documents.

    DNMF_CORPORA=... python tests/benchmarks/clusters.py [--documents N] [--repeat R] [--folder DIR]

Text to a folder, the network and the whole fit, in seconds; labels and topics must be the same. The
documents are those of `abstracts.py`, in files of 25,000 each, which are read by one task each.
Every engine does all of it in a process of its own, by turns; medians count.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import numpy as np
from abstracts import mixed_abstracts
from large import NUM_TOPICS, Clock, timed_stages, warm_up
from printing import report

from dnmf_topics import DnmfModel
from dnmf_topics.common.dask_cluster import engine_for, local_cluster
from dnmf_topics.text import build_corpus, read_documents

DOCUMENTS_PER_FILE = 25_000
ENGINES = {"2 threads": 0, "1 worker": 1, "2 workers": 2}


def write_files(folder: Path, num_docs: int) -> None:
    """A folder of .jsonl files."""
    folder.mkdir(parents=True)
    documents = mixed_abstracts(num_docs)
    number = 0
    while part := list(islice(documents, DOCUMENTS_PER_FILE)):
        lines = (json.dumps(document, ensure_ascii=False) + "\n" for document in part)
        (folder / f"{number:04}.jsonl").write_text("".join(lines), encoding="utf-8")
        number += 1


def run_one(source: str, num_workers: str) -> None:
    """All of it with so many workers, 0 for threads; prints seconds and hashes as JSON."""
    warm_up()
    workers = int(num_workers)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = None
        if workers:
            stack.enter_context(local_cluster(workers))
            engine = stack.enter_context(engine_for(True, n_jobs=2))
            list(engine.map(_warm_up_worker, range(4 * workers)))
        clock = Clock()
        start = time.perf_counter()
        corpus = build_corpus(
            read_documents(source, label="label"),
            folder=folder / "corpus", engine=engine, processes=1 if workers else 2,
        )  # fmt: skip
        clock.stop("text")
        with timed_stages(clock):
            model = DnmfModel(
                corpus.counts, NUM_TOPICS, corpus.dictionary, random_state=0, n_jobs=2,
                max_in_memory=0, distributed=bool(workers),
            )  # fmt: skip
        clock.stop("description")
        whole = time.perf_counter() - start
    seconds = {stage: figures[0] for stage, figures in clock.stages.items()}
    hashes = [
        hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        for array in (model.cluster_labels, model.get_topics())
    ]
    print(json.dumps({"seconds": seconds, "whole": whole, "hashes": hashes}))


def _warm_up_worker(number: int) -> None:
    """Load and compile what tasks need."""
    warm_up(n_jobs=1)


def measure(source: Path, repeat: int) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {name: [] for name in ENGINES}
    for _ in range(repeat):
        for name, workers in ENGINES.items():
            command = [sys.executable, __file__, "--one", str(source), str(workers)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            found[name].append(json.loads(done.stdout.splitlines()[-1]))
    return found


def median(runs: list[dict], *stages: str) -> float:
    return float(np.median([sum(run["seconds"][stage] for stage in stages) for run in runs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    arguments = parser.parse_args()
    source = arguments.folder / f"abstracts-{arguments.documents}-files"
    if not source.exists():
        write_files(source, arguments.documents)
    found = measure(source, arguments.repeat)
    for name, runs in found.items():
        for stage in runs[0]["seconds"]:
            report(f"{name}: {stage}, seconds", f"{median(runs, stage):.1f}")
    fit = [stage for stage in found["2 threads"][0]["seconds"] if stage != "text"]
    fits = {name: median(runs, *fit) for name, runs in found.items()}
    for name, seconds in fits.items():
        report(f"{name}: the fit, seconds", f"{seconds:.1f}")
    ratio = fits["2 workers"] / fits["2 threads"]
    report("the fit, 2 workers / 2 threads", f"{ratio:.2f}", "<= 1.5")
    both = [median(found[name], "text", "network") for name in ("2 workers", "1 worker")]
    report("text and network, 2 workers / 1 worker", f"{both[0] / both[1]:.2f}", "<= .65")
    hashes = {tuple(run["hashes"]) for runs in found.values() for run in runs}
    report("different models", str(len(hashes)), "1")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(*sys.argv[2:])
    else:
        main()
