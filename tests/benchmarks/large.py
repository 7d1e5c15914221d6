"""Corpora larger than memory: time, memory and NMI from 100,000 to 1,000,000 abstracts, and peers.

    DNMF_CORPORA=... python tests/benchmarks/large.py [--sizes N ...] [--seeds S] [--folder DIR]

1. `dnmf-topics fit` of a .jsonl file, as users call it: time, CPU time, the peak of the resident
   memory of all its processes, NMI with the categories.
2. The stages, each in the process of its own run: text to a folder, network, clusters, refinement,
   factorization and description of the documents.
3. 100,000 abstracts as they are: the same fit in memory and from files, over some seeds, and
   scikit-learn's MiniBatchNMF and gensim's LdaMulticore beside it.

The documents of 1 and 2 are those of `abstracts.py`; --folder keeps their files for the next time.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from abstracts import SOURCE, write_abstracts
from loading import folder, read_texts
from printing import mean_and_error, report

from dnmf_topics.evaluation import normalized_mutual_information

NUM_TOPICS = 50
SIZES = (100_000, 300_000, 1_000_000)
LOOK_SECONDS = 0.05
NEVER = 10**12  # entries: all stay in memory


# Memory and time of processes


def memory_of_tree(root: int) -> float:
    """Resident memory of a process and its children, in megabytes."""
    total, waiting = 0.0, [root]
    while waiting:
        process = waiting.pop()
        try:
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except (OSError, ValueError):  # it has just ended
            continue
        total += pages * resource.getpagesize() / 1e6
    return total


class Peak:
    """The largest memory of a process and its children since the last `take`."""

    def __init__(self, process: int) -> None:
        self._process, self._largest, self._ended = process, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            self._largest = max(self._largest, memory_of_tree(self._process))

    def take(self) -> float:
        largest, self._largest = self._largest, 0.0
        return max(largest, memory_of_tree(self._process))

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


def cpu_seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run_alone(*arguments: str) -> tuple[float, float, float, str]:
    """Seconds, CPU seconds, peak of memory and output of a command."""
    start, cpu = time.perf_counter(), cpu_seconds(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        peak = Peak(process.pid)
        output = process.stdout.read()
        largest = peak.take()
        peak.end()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    cpu = cpu_seconds(resource.RUSAGE_CHILDREN) - cpu
    return time.perf_counter() - start, cpu, largest, output


# 1. The command line


def command_line(path: Path, num_docs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [
            sys.executable, "-m", "dnmf_topics", "fit", str(path), "-k", str(NUM_TOPICS),
            "--label", "label", "--no-report", "--seed", "0", "--out", str(out), "--processes", "2",
        ]  # fmt: skip
        seconds, cpu, largest, _ = run_alone(*command)
        with (out / "documents.csv").open(encoding="utf-8", newline="") as file:
            rows = [(int(row["topic"]), row["label"]) for row in csv.DictReader(file)]
    topics = np.array([topic for topic, _ in rows])
    classes = np.unique([label for _, label in rows], return_inverse=True)[1]
    nmi = normalized_mutual_information(classes, topics)
    report(f"{num_docs:,}: fit, seconds (CPU seconds)", f"{seconds:.0f} ({cpu:.0f})")
    bar = "bar <= 2000" if num_docs == max(SIZES) else ""
    report(f"{num_docs:,}: peak of all processes, MB", f"{largest:.0f}", bar)
    report(f"{num_docs:,}: NMI", f"{nmi:.3f}")


# 2. The stages


class Clock:
    """Time, CPU time and peak of memory between events."""

    def __init__(self) -> None:
        self.stages: dict[str, tuple[float, float, float]] = {}
        self._peak = Peak(os.getpid())
        self._last = time.perf_counter(), self._cpu()

    @staticmethod
    def _cpu() -> float:
        return cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds(resource.RUSAGE_CHILDREN)

    def stop(self, stage: str) -> None:
        """What was since the last stop belongs to this stage."""
        now = time.perf_counter(), self._cpu()
        seconds, cpu, peak = self.stages.get(stage, (0.0, 0.0, 0.0))
        self.stages[stage] = (
            seconds + now[0] - self._last[0],
            cpu + now[1] - self._last[1],
            max(peak, self._peak.take()),
        )
        self._last = now


@contextmanager
def timed_stages(clock: Clock) -> Iterator[None]:
    """Inside, the progress of trainings goes to the clock."""
    from dnmf_topics.model import learning

    @contextmanager
    def reporting(show: bool):
        yield lambda event: clock.stop(event.stage)

    before, learning.reporting = learning.reporting, reporting
    try:
        yield
    finally:
        learning.reporting = before


def run_stages(path: str) -> None:
    """Text and fit of a file, in this process; prints the stages as JSON."""
    from dnmf_topics import DnmfModel
    from dnmf_topics.text import build_corpus, read_documents

    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        source = read_documents(path, label="label")
        corpus = build_corpus(source, folder=f"{folder}/corpus", processes=2)
        clock.stop("text")
        with timed_stages(clock):
            model = DnmfModel(
                corpus.counts, NUM_TOPICS, corpus.dictionary, random_state=0, max_in_memory=0
            )
        clock.stop("description")
        classes = np.unique(list(corpus.labels), return_inverse=True)[1]
    nmi = normalized_mutual_information(classes, model.cluster_labels)
    print(json.dumps({"stages": clock.stages, "nmi": nmi}))


def warm_up(n_jobs: int = -1) -> None:
    """Compile all loops."""
    from dnmf_topics import DnmfModel
    from dnmf_topics.text import build_corpus

    with gzip.open(folder() / SOURCE, "rt", encoding="utf-8") as lines:
        corpus = build_corpus([json.loads(line)["text"] for line in islice(lines, 3000)])
    DnmfModel(corpus.counts, 5, corpus.dictionary, random_state=0, n_jobs=n_jobs)


def stages(path: Path, num_docs: int) -> tuple[float, float]:
    """CPU seconds and peak of the fit."""
    output = run_alone(sys.executable, __file__, "--stages", str(path))[-1]
    found = json.loads(output.splitlines()[-1])
    for stage, (seconds, cpu, peak) in found["stages"].items():
        report(f"{num_docs:,}: {stage}, s (CPU s), MB", f"{seconds:.1f} ({cpu:.1f}) {peak:.0f}")
    fit = [figures for stage, figures in found["stages"].items() if stage != "text"]
    cpu, peak = sum(figures[1] for figures in fit), max(figures[2] for figures in fit)
    report(f"{num_docs:,}: the fit, CPU s, MB", f"{cpu:.1f} {peak:.0f}")
    return cpu, peak


# 3. As they are, and peers


def run_fit(limit: str, seed: str) -> None:
    """One fit of the 100,000 abstracts, in this process; prints CPU seconds and NMI as JSON."""
    from dnmf_topics import DnmfModel
    from dnmf_topics.text import build_corpus

    warm_up()
    texts, labels = read_texts(SOURCE)
    corpus = build_corpus(texts, processes=2)
    stream = list(corpus.counts)
    cpu, start = Clock._cpu(), time.perf_counter()
    model = DnmfModel(
        stream, NUM_TOPICS, corpus.dictionary, random_state=int(seed), max_in_memory=int(limit)
    )
    seconds, cpu = time.perf_counter() - start, Clock._cpu() - cpu
    nmi = normalized_mutual_information(
        np.unique(labels, return_inverse=True)[1], model.cluster_labels
    )
    print(json.dumps({"seconds": seconds, "cpu": cpu, "nmi": nmi}))


def run_peers() -> None:
    """MiniBatchNMF and LdaMulticore on the same words; prints seconds and NMI as JSON."""
    from gensim.models import LdaMulticore
    from sklearn.decomposition import MiniBatchNMF

    from dnmf_topics.core import Tfidf
    from dnmf_topics.text import build_corpus

    texts, labels = read_texts(SOURCE)
    classes = np.unique(labels, return_inverse=True)[1]
    corpus = build_corpus(texts, processes=2)
    doc_term = Tfidf.fit(corpus.counts.matrix).transform(corpus.counts.matrix)
    found = {}

    def measure(name, call):
        start = time.perf_counter()
        weights = call()
        nmi = normalized_mutual_information(classes, weights.argmax(axis=1))
        found[name] = (time.perf_counter() - start, nmi)

    def lda():
        bows = list(corpus.counts)
        model = LdaMulticore(
            bows, NUM_TOPICS, corpus.dictionary, workers=2, passes=1, random_state=0
        )
        return model.inference(bows)[0]

    nmf = MiniBatchNMF(NUM_TOPICS, random_state=0)
    measure("MiniBatchNMF", lambda: nmf.fit_transform(doc_term))
    measure("LdaMulticore", lda)
    print(json.dumps(found))


def as_they_are(num_seeds: int) -> None:
    ours: dict[str, list[dict[str, float]]] = {"in memory": [], "from files": []}
    for seed in range(num_seeds):
        for name, limit in (("in memory", NEVER), ("from files", 0)):
            output = run_alone(sys.executable, __file__, "--fit", str(limit), str(seed))[-1]
            ours[name].append(json.loads(output.splitlines()[-1]))
    for name, fits in ours.items():
        cpu = np.median([fit["cpu"] for fit in fits])
        seconds = np.median([fit["seconds"] for fit in fits])
        nmi = mean_and_error([fit["nmi"] for fit in fits])
        report(f"abstracts, {name}: seconds (CPU seconds), medians", f"{seconds:.1f} ({cpu:.1f})")
        report(f"abstracts, {name}: NMI", nmi)
    ratios = [
        files["cpu"] / memory["cpu"]
        for memory, files in zip(ours["in memory"], ours["from files"], strict=True)
    ]
    report("CPU time from files / in memory, median", f"{np.median(ratios):.2f}", "bar <= 1.1")
    peers = json.loads(run_alone(sys.executable, __file__, "--peers")[-1].splitlines()[-1])
    for name, (seconds, nmi) in peers.items():
        report(f"{name}: seconds", f"{seconds:.1f}")
        report(f"{name}: NMI", f"{nmi:.3f}", "bar: ours is ahead by .2")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    arguments = parser.parse_args()
    fits = {}
    for num_docs in arguments.sizes:
        path = arguments.folder / f"abstracts-{num_docs}.jsonl"
        if not path.exists():
            write_abstracts(path, num_docs)
        command_line(path, num_docs)
        fits[num_docs] = stages(path, num_docs)
    if {min(SIZES), max(SIZES)} <= fits.keys():
        (cpu, peak), (least_cpu, least_peak) = fits[max(SIZES)], fits[min(SIZES)]
        report("1,000,000 / 100,000: CPU time of the fit", f"{cpu / least_cpu:.2f}", "bar <= 11")
        report("1,000,000 / 100,000: peak of the fit", f"{peak / least_peak:.2f}", "bar <= 1.5")
    if arguments.seeds:
        as_they_are(arguments.seeds)


CHILDREN = {"--stages": run_stages, "--fit": run_fit, "--peers": run_peers}

if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in CHILDREN:
        CHILDREN[sys.argv[1]](*sys.argv[2:])
    else:
        main()
