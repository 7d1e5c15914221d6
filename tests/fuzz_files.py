"""Changes files of models and corpora at random, and sees what loading makes of them.

python fuzz_files.py [--cases 50000] [--seed 0] [--only NUMBER]

A changed file must raise FileFormatError, or give a value that works and, saved again, is the same.
Each case may take five seconds and 500 MB. A case depends on the seed and its number alone, so that
one that failed can be repeated. The last line counts those that were refused and those that loaded.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
from gensim.test.utils import common_corpus, common_dictionary, common_texts

from dnmf_topics import DnmfModel, storage
from dnmf_topics.cli.inside import Inside, load_inside, save_inside
from dnmf_topics.storage import ALIGNMENT, PREFIX, SIGNATURE, TYPES, FileFormatError
from dnmf_topics.text import Document, TextCorpus, build_corpus

BATCH = 250  # cases in one process
SECONDS, MEGABYTES = 5, 500
NASTY = [
    None, True, False, 0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, -(2**63),
    10**30, 10**300, 0.0, -0.0, 0.5, 1e-300, 1e300, -1.5, "", "a", "tfidf", "auto", "none",
    "\ud800", "\0", "../x", "/etc/passwd", "a" * 5000, [], {}, [[]], [None], [0], [-1], ["a"],
    {"a": 1}, {"": {}},
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 1e-300, 1e300, 1e154, np.nan, np.inf, -np.inf, 2**31, 2**62, -(2**62), 0.5]


TOPICS = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])  # of the nine documents, for sub-topics

# Files to begin with


def seeds() -> list[tuple[str, bytes]]:
    """Small files of both kinds, with and without what a file may lack."""
    texts = [" ".join(text) for text in common_texts]
    documents = [
        Document(text, str(number), None if number % 3 else "odd", {"date": f"{1987 + number}"})
        for number, text in enumerate(texts)
    ]
    corpora = [
        build_corpus(documents, no_below=1, no_above=1.0),
        TextCorpus.of_matrix([[1, 0, 2], [0, 3, 0]]),
    ]
    quick = {"num_clusterings": 5, "n_jobs": 1, "random_state": 0}
    models = [
        DnmfModel(common_corpus, 2, common_dictionary, **quick),
        DnmfModel(corpora[0].counts, 3, corpora[0].dictionary, variant="cdnmf", **quick),
        DnmfModel(common_corpus, 2, alpha="auto", eta="auto", variant="sdnmf", **quick),
        DnmfModel(common_corpus, 2, dict(common_dictionary.items()), weighting="none", **quick),
        DnmfModel(id2word=common_dictionary, num_topics=2, seed_words={"trees": ["graph"]}),
    ]
    models.append(models[0].subtopics(0, 2, common_corpus))
    models[-1].topic_names = {0: "inside"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        files = []
        for value in [*models, *corpora]:
            value.save(path)
            files.append((type(value).__name__, path.read_bytes()))
        topic = int(TOPICS[0])
        save_inside(path, {topic: Inside.of(models[-1])}, TOPICS)
        files.append(("Subtopics", path.read_bytes()))
    return files


# Changes


def change_bytes(draw: random.Random, data: bytes, others: list[bytes]) -> bytes:
    content = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 5, 30])):
        start = draw.randrange(len(content) + 1)
        stop = min(len(content), start + draw.choice([1, 2, 4, 8, 64, 1000]))
        match draw.randrange(7):
            case 0 if start < len(content):
                content[start] ^= 1 << draw.randrange(8)
            case 1:
                content[start:stop] = draw.randbytes(stop - start)
            case 2:
                content[start:start] = draw.randbytes(draw.choice([1, 8, 100]))
            case 3:
                del content[start:stop]
            case 4:
                del content[start:]
            case 5:
                content[start:start] = content[start:stop]
            case 6:
                other = draw.choice(others)
                place = draw.randrange(len(other))
                content[start:stop] = other[place : place + stop - start]
        if not content:
            break
    return bytes(content)


def take_apart(data: bytes) -> tuple[dict, dict[str, bytes]]:
    """The header, and the bytes of every array."""
    _, length, _ = PREFIX.unpack(data[: PREFIX.size])
    header = json.loads(data[PREFIX.size : PREFIX.size + length])
    start, contents = PREFIX.size + length, {}
    for name, entry in header["arrays"].items():
        size = int(np.prod(entry["shape"], dtype=int)) * np.dtype(entry["type"]).itemsize
        contents[name] = data[start : start + size]
        start += size + -size % ALIGNMENT
    return header, contents


def put_together(header: object, contents: dict[str, bytes]) -> bytes:
    """A file whose lengths and checksums are right, whatever it says."""
    if isinstance(header, dict) and isinstance(header.get("arrays"), dict):
        for name, entry in header["arrays"].items():
            if isinstance(entry, dict) and "checksum" in entry and name in contents:
                entry["checksum"] = zlib.crc32(contents[name])
    encoded = json.dumps(header).encode("ascii")
    encoded += b" " * (-(PREFIX.size + len(encoded)) % ALIGNMENT)
    parts = [PREFIX.pack(SIGNATURE, len(encoded), zlib.crc32(encoded)), encoded]
    for content in contents.values():
        parts += [content, bytes(-len(content) % ALIGNMENT)]
    return b"".join(parts)


def places_in(value: object) -> list[tuple[object, object]]:
    """Every container of a JSON value with each of its keys."""
    found: list[tuple[object, object]] = []
    waiting = [value]
    while waiting:
        container = waiting.pop()
        keys = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
    return found


def change_json(draw: random.Random, data: bytes, _: list[bytes]) -> bytes:
    header, contents = take_apart(data)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        container, key = draw.choice(places_in(header) or [({"a": 0}, "a")])
        match draw.randrange(6):
            case 0 | 1 | 2:
                container[key] = copy.deepcopy(draw.choice(NASTY))
            case 3:
                del container[key]
            case 4:
                other, place = draw.choice(places_in(header) or [({"a": 0}, "a")])
                container[key] = copy.deepcopy(other[place])
            case 5:
                nested = container[key]
                for _ in range(draw.choice([1, 10, 100])):
                    nested = [nested]
                container[key] = nested
    return put_together(header, contents)


def change_arrays(draw: random.Random, data: bytes, others: list[bytes]) -> bytes:
    header, contents = take_apart(data)
    for _ in range(draw.choice([1, 1, 2, 4])):
        name = draw.choice(list(contents))
        entry = header["arrays"].get(name)
        if entry is None:
            continue
        dtype = np.dtype(entry["type"])
        values = np.frombuffer(contents[name], dtype).copy()
        match draw.randrange(7):
            case 0 | 1 | 2 if values.size:
                with np.errstate(all="ignore"):
                    number = np.array(draw.choice(NUMBERS)).astype(dtype)
                where = slice(None) if draw.random() < 0.2 else draw.randrange(values.size)
                values[where] = number
            case 3:
                dtype = np.dtype(draw.choice(TYPES))
                with np.errstate(all="ignore"):
                    values = values.astype(dtype)
            case 4:
                values = np.resize(values, draw.choice([0, 1, values.size + 1, 1000]))
                entry["shape"] = [values.size]
            case 5:
                shape = list(entry["shape"])
                draw.shuffle(shape)
                entry["shape"] = draw.choice([shape, [*shape, 1], [1, *shape], [values.size], []])
                entry["fortran"] = draw.random() < 0.5
            case 6:
                other = draw.choice(list(contents))
                header["arrays"][name] = copy.deepcopy(header["arrays"].get(other, entry))
                contents[name] = contents[other]
                continue
        entry["type"] = dtype.name
        contents[name] = values.tobytes()
    if draw.random() < 0.1:
        del contents[draw.choice(list(contents))]
    return put_together(header, contents)


CHANGES = [change_bytes, change_json, change_arrays]


def make_case(files: list[tuple[str, bytes]], seed: int, number: int) -> tuple[str, bytes]:
    draw = random.Random(f"{seed} {number}")
    kind, data = draw.choice(files)
    others = [other for _, other in files]
    data = draw.choice(CHANGES)(draw, data, others)
    if draw.random() < 0.1:  # inside and outside of a compressed file
        data = gzip.compress(data, 1, mtime=0)
        if draw.random() < 0.5:
            data = change_bytes(draw, data, others)
    return kind, data


# What loading makes of it


def use_model(model: DnmfModel) -> bytes:
    model.show_topics(-1)
    model.get_topic_info()
    model.get_document_info()
    if model.state.numdocs:
        str(model.hierarchy())
        model.reduce_topics(1).show_topics()
    model.get_settings()
    assert np.isfinite(model.get_topics()).all()
    shares = model.get_document_topics([(0, 2), (1, 1)], minimum_probability=0)
    assert abs(sum(share for _, share in shares) - 1) < 1e-6, shares
    assert np.isfinite(model.log_perplexity([[(0, 1)]]))
    target = io.BytesIO()
    model.save(target)
    return target.getvalue()


def use_corpus(corpus: TextCorpus, folder: Path) -> bytes:
    assert len(list(corpus.counts)) == len(corpus) == len(list(corpus.tfidf))
    str(corpus), dict(corpus.dictionary.items())
    corpus.save(folder / "again")
    return (folder / "again").read_bytes()


def judge(kind: str, data: bytes, folder: Path) -> str:
    """How a case ended; anything else than an error of ours is raised."""
    path = folder / "case"
    path.write_bytes(data)
    try:
        if kind == "DnmfModel":
            value = DnmfModel.load(path, mmap=None if data[:2] == storage.GZIP else "r")
            twin = DnmfModel.load(path)
        elif kind == "Subtopics":
            value, twin = load_inside(path, TOPICS), load_inside(path, TOPICS)
        else:
            value, twin = TextCorpus.load(path), TextCorpus.load(path)
    except FileFormatError as error:
        return "refused" if len(str(error).splitlines()) == 1 else f"WRONG {json.dumps(str(error))}"
    if kind == "Subtopics":
        for each in value.values():
            each.get_topic_info()
            assert each.get_representative_docs(0, 2) is not None
    elif kind == "DnmfModel":
        once = use_model(value)
        assert use_model(twin) == once == use_model(DnmfModel.load(io.BytesIO(once)))
    else:
        once = use_corpus(value, folder)
        assert use_corpus(TextCorpus.load(folder / "again"), folder) == once
    return "loaded"


def run_batch(files: list[tuple[str, bytes]], seed: int, numbers: range, report: Path) -> None:
    """The cases of one process; it notes each before it begins."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEGABYTES * 2**20,) * 2)

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGALRM, too_slow)
    with tempfile.TemporaryDirectory() as folder, report.open("w") as notes:
        for number in numbers:
            print(number, end=" ", file=notes, flush=True)
            kind, data = make_case(files, seed, number)
            signal.alarm(SECONDS)
            try:
                outcome = judge(kind, data, Path(folder))
            except BaseException:
                outcome = "WRONG " + json.dumps(traceback.format_exc()[-1500:])
            finally:
                signal.alarm(0)
            print(outcome, file=notes, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case, to look at it")
    args = parser.parse_args()
    np.seterr(all="ignore")
    files = seeds()
    if args.only is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(judge(*make_case(files, args.seed, args.only), Path(folder)))
        return 0
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        for start in range(0, args.cases, BATCH):
            numbers = range(start, min(start + BATCH, args.cases))
            child = os.fork()
            if child == 0:
                try:
                    run_batch(files, args.seed, numbers, report)
                finally:
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            lines = report.read_text().splitlines()
            for line in lines:
                number, _, outcome = line.partition(" ")
                outcomes[outcome.split(" ")[0] or "CRASHED"] += 1
                if not outcome or outcome.startswith("WRONG"):
                    print(f"case {number}: {outcome and json.loads(outcome[6:])} {status=}")
    print(dict(outcomes))
    return int(outcomes["refused"] + outcomes["loaded"] < args.cases)


if __name__ == "__main__":
    sys.exit(main())
