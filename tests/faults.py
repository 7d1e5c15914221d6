"""A fault at every file operation of a task in turn: the disk fails, or the process is killed.

python faults.py TASK {error,kill} FOLDER [STRIDE]

Each try is a process of its own, forked from this one after a try without a fault, which has loaded
and compiled all that there is. It counts the operations on files in the folder: those that Python
tells an audit hook of, and the writes, syncs and swaps, which it does not. At one of them the disk
fails, or the process is killed. Then what the task leaves is looked at, the task is done again, and
looked at once more. What went wrong is printed as JSON. With a stride of 8, the suite's, a fault
comes at every eighth operation.
"""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import json
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

from dnmf_topics import DnmfModel, storage
from dnmf_topics.bench import pages, records, runner, write_results
from dnmf_topics.cli import commands, main
from dnmf_topics.cli.run_folder import RESULTS, read_run
from dnmf_topics.common import writing
from dnmf_topics.report import Report
from dnmf_topics.storage import FileFormatError
from dnmf_topics.text import TextCorpus, Tokenization, build_corpus, corpus_folder, processes

EVENTS = {
    "open", "os.chmod", "os.chown", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.scandir", "os.truncate", "fcntl.flock",
}  # fmt: skip
DONE, REFUSED, WRONG = 0, 1, 3  # exit codes of a try
LAST_WORDS = "last words"


class Faults:
    """Counts operations on files below a folder, and fails at one of them."""

    def __init__(self, folder: Path, kind: str, number: int) -> None:
        self.folder, self.kind, self.number = os.fsencode(folder), kind, number
        self.count = itertools.count()
        sys.addaudithook(self._hear)
        os.fsync = self._counted(os.fsync)
        os.write = self._counted(os.write)
        writing._exchange = self._counted(writing._exchange)
        faults = self

        class Writer(io.BufferedWriter):
            def write(self, data):
                faults.step("write")
                return super().write(data)

        def open_writer(descriptor, mode, closefd=True):
            return Writer(io.FileIO(descriptor, "w", closefd=closefd))

        writing.open = open_writer

        class Reader(io.BufferedReader):
            def read(self, size=-1):
                faults.step("read")
                return super().read(size)

        storage.open = lambda descriptor, mode: Reader(io.FileIO(descriptor))

    def _counted(self, function):
        def step_first(*args, **kwargs):
            self.step(function.__name__)
            return function(*args, **kwargs)

        return step_first

    def _hear(self, event, args):
        if event in EVENTS and (event == "fcntl.flock" or any(map(self._is_inside, args[:2]))):
            self.step(event)

    def _is_inside(self, path):
        with contextlib.suppress(TypeError):
            return os.fsencode(path).startswith(self.folder)
        return False

    def step(self, event):
        if next(self.count) != self.number:
            return
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    @property
    def happened(self):
        return next(self.count) > self.number


# Tasks: what is there before, what is done, what must be there then

TEXTS = [
    "rain storm wind", "storm wind cloud", "rain cloud wind", "wine bread cheese",
    "bread cheese oil", "wine oil bread",
]  # fmt: skip


def model(seed: int) -> DnmfModel:
    words = sorted({word for text in TEXTS for word in text.split()})
    corpus = [[(words.index(word), 1) for word in text.split()] for text in TEXTS]
    return DnmfModel(
        corpus, 2, dict(enumerate(words)), random_state=seed, num_clusterings=5, n_jobs=1
    )


class Save:
    """A model over an older one."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.dnmf"
        self.old, self.new = model(0), model(1)

    def prepare(self) -> None:
        self.old.save(self.path)
        self.before = self.path.read_bytes()

    def do(self) -> None:
        self.new.save(self.path)

    def find_wrong(self, ended: int) -> str | None:
        if not self.path.exists():
            return None if self.before is None and ended != DONE else "there is no model"
        content = self.path.read_bytes()
        DnmfModel.load(self.path)
        if content == self.before:
            return "it says it is done" if ended == DONE else None
        return None if self.after in (None, content) else "neither the old nor the new"

    before: bytes | None = None
    after: bytes | None = None

    def remember(self) -> None:
        self.after = self.path.read_bytes()

    def expected(self) -> set[str]:
        return {"model.dnmf"}


class SaveNew(Save):
    """A model where there is none."""

    def prepare(self) -> None:
        self.before = None


class Load(Save):
    """A model that is read."""

    def do(self) -> None:
        DnmfModel.load(self.path)

    def find_wrong(self, ended: int) -> str | None:
        return None if self.path.read_bytes() == self.before else "reading wrote"


class Fit:
    """A run of `fit` into a new folder, with tables for the dates and the sub-topics."""

    columns = ("--date", "year", "--subtopics", "2")
    results = set(RESULTS) - {"topics_per_class.csv"}

    def __init__(self, folder: Path) -> None:
        self.out, self.source = folder / "topics", folder.parent / f"{folder.name}.csv"
        rows = [f"{text},{1987 + number % 2}" for number, text in enumerate(TEXTS * 2)]
        self.source.write_text("\n".join(["text,year", *rows]))
        self.models: dict[str, bytes] = {}
        # Training and drawing touch no file: once is enough.
        trained: dict[int, DnmfModel] = {}
        train = commands.DnmfModel

        def train_once(*args, random_state, **options):
            if random_state not in trained:
                trained[random_state] = train(*args, random_state=random_state, **options)
            return trained[random_state]

        commands.DnmfModel = train_once
        # So is looking inside of topics, which are few documents here.
        insides: dict[int, object] = {}
        look_inside, commands.ENOUGH_TO_DIVIDE = commands._look_inside, 2

        def look_once(model, *rest):
            if id(model) not in insides:
                insides[id(model)] = look_inside(model, *rest)
            return insides[id(model)]

        commands._look_inside = look_once
        page: list[str] = []
        draw = Report.html
        Report.html = lambda report: page[0] if page else page.append(draw(report)) or page[0]

    def run(self, seed: int, *options: str) -> int:
        return main([
            "fit", str(self.source), "-k", "2", "--num-clusterings", "5", "--jobs", "1", "--quiet",
            "--no-above", "1", "--seed", str(seed), "--out", str(self.out), *self.columns,
            *options,
        ])  # fmt: skip

    def prepare(self) -> None:
        pass

    def do(self) -> None:
        # A run that got as far as its results finds them there the next time.
        if code := self.run(1, *["--force"] * self.out.exists()):
            sys.exit(code)

    def find_wrong(self, ended: int) -> str | None:
        if not self.out.exists():
            return None if "old" not in self.models and ended != DONE else "the results are gone"
        found = set(os.listdir(self.out)) - {f".{name}.unfinished" for name in RESULTS}
        if not self.results - {"report.html"} <= found <= self.results:
            return f"half a folder: {found}"
        trained = read_run(self.out)[0]
        content = (self.out / "model.dnmf").read_bytes()
        which = [name for name, known in self.models.items() if known == content]
        if trained.settings.num_topics != 2 or (self.models.get("new") and not which):
            return "neither the old nor the new"
        if which == ["old"] and "report.html" not in found:
            return "the old page is gone"
        return "it says it is done" if which == ["old"] and ended == DONE else None

    def remember(self) -> None:
        self.models["new"] = (self.out / "model.dnmf").read_bytes()

    def expected(self) -> set[str]:
        return {"topics", *(f"topics/{name}" for name in self.results)}


class FitForce(Fit):
    """A run of `fit` over older results, without dates and sub-topics."""

    columns = ()
    results = Fit.results - {"topics_over_time.csv", "subtopics.dnmf", "subtopics.csv"}

    def prepare(self) -> None:
        kept = self.source.with_suffix(".kept")
        if not kept.exists():
            self.run(0)
            self.models["old"] = (self.out / "model.dnmf").read_bytes()
            shutil.copytree(self.out, kept)
        elif not self.out.exists():
            shutil.copytree(kept, self.out)


class Edit(FitForce):
    """Results that get a name; they are read before, so that there are more operations."""

    def do(self) -> None:
        if code := main(["edit", str(self.out), "--name", "0=Space", "--quiet"]):
            sys.exit(code)


class Spool:
    """A corpus that goes to a new folder, with its phrases; several files of each kind."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "corpus"
        processes.CHUNK_TEXTS, corpus_folder.PART_SIZE = 6, 8

    def prepare(self) -> None:
        pass

    def do(self) -> None:
        steps = Tokenization(phrases=True, phrase_min_count=1)
        # A try that got as far as its corpus finds it there the next time.
        expected = FileExistsError if self.out.exists() else ()
        with contextlib.suppress(expected):
            build_corpus(TEXTS * 2, steps, no_above=1.0, folder=self.out)

    def find_wrong(self, ended: int) -> str | None:
        if not self.out.exists():
            return "it says it is done" if ended == DONE else None
        return None if self.after in (None, self.values()) else "another corpus"

    after: list[object] | None = None

    def values(self) -> list[object]:
        corpus = TextCorpus.load(self.out)
        return [list(corpus.counts), list(corpus.ids), list(corpus.excerpts)]

    def remember(self) -> None:
        self.after = self.values()
        self.files = names_below(self.out.parent)

    def expected(self) -> set[str]:
        return self.files


WORKER = """
import json, sys
for line in sys.stdin:
    task = json.loads(line)
    print(json.dumps({"event": "started", "documents": 1, "terms": 1}), flush=True)
    print(json.dumps({"event": "ended", "status": "ok", "error": None, "seconds": 1.0, "acc": 0.5,
        "nmi": 0.5, "purity": 0.5, "coherence": -1.0, "sim_count": 1, "npmi": 0.1, "diversity": 1.0,
        "peak_mb": 1.0, "threads": 1, "versions": {}}), flush=True)
"""


class Bench:
    """A study of some cells, whose results are appended, then its tables."""

    def __init__(self, folder: Path) -> None:
        self.out, self.config = folder / "study", folder.parent / f"{folder.name}.toml"
        self.config.write_text(
            "methods = ['kmeans', 'spa']\nsubsets = 1\n"
            "corpus.planted = {built_in = 'planted', num_topics = [3]}\n"
        )
        pages.has_matplotlib = lambda: False  # plots take long, and are written as tables are

    def prepare(self) -> None:
        pass

    def do(self) -> None:
        runner.run(self.config, self.out, command=(sys.executable, "-S", "-c", WORKER))
        write_results(self.out)

    def lines(self) -> list[bytes]:
        path = self.out / records.FILE
        return path.read_bytes().splitlines(keepends=True) if path.exists() else []

    def find_wrong(self, ended: int) -> str | None:
        whole = [line for line in self.lines() if line.endswith(b"\n")]
        if len(self.lines()) - len(whole) > 1:
            return "more than the last line is in halves"
        for line in whole:
            json.loads(line)
        if ended == DONE and len(whole) != self.cells:
            return f"{len(whole)} cells of {self.cells}"
        if self.kept and whole[: len(self.kept)] != self.kept:
            return "a finished cell is lost"
        self.kept = [] if ended == DONE else whole
        return None

    cells = 2
    kept: list[bytes] = []  # noqa: RUF012

    def remember(self) -> None:
        self.files = {str(path.relative_to(self.out.parent)) for path in self.out.rglob("*")}
        self.cells = len(self.lines())

    def expected(self) -> set[str]:
        return {"study", *self.files}


TASKS = {
    "save": Save, "save new": SaveNew, "load": Load, "fit": Fit, "fit --force": FitForce,
    "edit": Edit,
    "bench": Bench, "spool": Spool,
}  # fmt: skip


# Tries


def try_it(task, folder: Path, kind: str, number: int) -> tuple[int, bool, str]:
    """How a try in a process of its own ended, whether the fault happened, and what it said."""
    said = folder.parent / LAST_WORDS
    child = os.fork()
    if child == 0:
        words = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(words, 1)
        os.dup2(words, 2)
        faults = Faults(folder, kind, number)
        code = DONE
        try:
            task.do()
        except (OSError, FileFormatError):
            code = REFUSED
        except SystemExit as error:
            code = error.code
        except BaseException:
            traceback.print_exc()
            code = WRONG
        sys.stderr.flush()
        os._exit(code + 10 * faults.happened)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return -os.WTERMSIG(status), True, said.read_text()
    code = os.WEXITSTATUS(status)
    return code % 10, code >= 10, said.read_text()


def names_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def look(task, ended: int) -> str | None:
    try:
        return task.find_wrong(ended)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def try_all(name: str, kind: str, folder: Path, stride: int = 1) -> dict[str, object]:
    """Faults of a kind, at every `stride`th operation; what went wrong."""
    folder.mkdir()
    task = TASKS[name](folder)
    task.prepare()
    task.do()  # in this process, so that all is loaded and compiled
    task.remember()
    wrong: list[str] = []
    # Errors and kills at different operations, where not all are tried.
    for number in itertools.count(0 if kind == "error" else stride // 2, stride):
        shutil.rmtree(folder)
        folder.mkdir()
        task.prepare()
        ended, happened, said = try_it(task, folder, kind, number)
        if ended == WRONG or "Traceback" in said:
            wrong.append(f"{number}: {said}")
        if fault := look(task, ended):
            wrong.append(f"{number}: {fault}")
        if not happened:
            return {"operations": number, "wrong": wrong}
        ended, _, said = try_it(task, folder, "none", -1)
        if ended != DONE or (fault := look(task, DONE)):
            wrong.append(f"{number}, done again: {said or fault}")
        if names_below(folder) != task.expected():
            wrong.append(f"{number}, left over: {names_below(folder) ^ task.expected()}")


if __name__ == "__main__":
    found = try_all(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *map(int, sys.argv[4:]))
    json.dump(found, sys.stdout, indent=1)
