"""The command line as a user runs it: files in, files out, one sentence when something is wrong."""

from __future__ import annotations

import csv
import fcntl
import gzip
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import ascii_lowercase

import pytest
from gensim.test.utils import datapath
from test_report_page import data_of

import dnmf_topics
from dnmf_topics import DnmfModel
from dnmf_topics.bench import METHODS
from dnmf_topics.cli import main
from dnmf_topics.cli.arguments import COMMANDS as ARGUMENTS
from dnmf_topics.cli.commands import COMMANDS
from dnmf_topics.cli.screen import table
from dnmf_topics.common.excerpts import cut_excerpt
from dnmf_topics.comparison import COMPARED
from dnmf_topics.text import TextCorpus

LINES = Path(datapath("lee_background.cor")).read_text("utf-8").splitlines()[:120]
COMMAND = [sys.executable, "-m", "dnmf_topics"]
QUICK = ["--num-clusterings", "10", "--num-topics", "4"]
RESULTS = {"corpus.dnmf", "documents.csv", "model.dnmf", "report.html", "run.json", "topics.csv"}
OWN_COLUMNS = ["id", "topic", "name", "weight", "confidence", "known_words"]
LABELED = RESULTS | {"topics_per_class.csv"}


def environment():
    """The subprocess gets the package that this process tests, installed or not."""
    return {**os.environ, "PYTHONPATH": str(Path(dnmf_topics.__file__).parents[1])}


def run(*arguments, cwd, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd, env=environment(), capture_output=True, text=True, timeout=300, check=False,
        **options,
    )  # fmt: skip


@pytest.fixture
def call(capsys):
    """A command in this process: its exit code, standard output and standard error."""

    def call_main(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as error:  # argparse's
            code = error.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call_main


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """News items as a CSV file, with labels of no meaning."""
    path = tmp_path_factory.mktemp("news") / "news.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "section", "body"])
        for number, line in enumerate(LINES):
            writer.writerow([f"item-{number}", "odd" if number % 2 else "even", line])
    return path


COLUMNS = ["--text", "body", "--label", "section", "--id", "name"]


@pytest.fixture(scope="module")
def fitted(news):
    """What `fit` wrote and said, run as a user does."""
    finished = run("fit", "news.csv", *COLUMNS, *QUICK, "--out", "topics", cwd=news.parent)
    assert finished.returncode == 0, finished.stderr
    return news.parent / "topics", finished


def test_each_command_has_arguments_and_a_function():
    assert list(ARGUMENTS) == list(COMMANDS)


# ------------------------------------------------------------------------------------------ fitting


def test_fit_writes_a_folder_with_all_that_it_found(fitted):
    folder, _ = fitted
    assert {path.name for path in folder.iterdir()} == LABELED
    model = DnmfModel.load(folder / "model.dnmf")
    corpus = TextCorpus.load(folder / "corpus.dnmf")
    assert model.num_topics == 4
    assert corpus.ids == tuple(f"item-{number}" for number in range(120))
    assert corpus.labels[:2] == ("even", "odd")
    with (folder / "documents.csv").open(encoding="utf-8", newline="") as file:
        documents = list(csv.DictReader(file))
    assert [row["id"] for row in documents] == list(corpus.ids)
    assert [int(row["topic"]) for row in documents] == model.cluster_labels.tolist()
    assert list(documents[0]) == [*OWN_COLUMNS, "label", "words", "text"]
    for row, line, bow in zip(documents, LINES, corpus.counts, strict=True):
        topic = int(row["topic"])
        assert row["name"] == model.topic_names[topic]
        assert row["words"].split() == [word for word, _ in model.show_topic(topic)]
        assert row["text"] == cut_excerpt(line, 200)
        assert int(row["known_words"]) == sum(count for _, count in bow)
    with (folder / "topics.csv").open(encoding="utf-8", newline="") as file:
        topics = list(csv.DictReader(file))
    assert sum(int(row["size"]) for row in topics) == 120
    assert topics[0]["words"].split() == [word for word, _ in model.show_topic(0)]
    assert [row["name"] for row in topics] == [
        model.topic_names[int(row["topic"])] for row in topics
    ]
    assert "item-7" in (folder / "report.html").read_text("utf-8")
    # Nothing was left beside it.
    assert {path.name for path in folder.parent.iterdir()} == {"news.csv", "topics"}


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_dates_links_and_other_columns_are_kept(call, tmp_path):
    path = tmp_path / "news.jsonl"
    records = [
        {"text": line, "day": f"2019-{1 + number % 12:02}-{1 + number % 28:02}", "kind": "=1+1"}
        | ({"url": f"http://x/{number}", "n": number} if number % 2 else {})
        for number, line in enumerate(LINES)
    ]
    records[7]["day"] = None
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    options = ["--date", "day", "--link", "url", "--column", "n", "--column", "kind"]
    out = tmp_path / "t"
    code, _, err = call("fit", path, "--label", "kind", *options, *QUICK, "--out", out)
    assert code == 0, err
    assert "documents without a date, which are left out: 1 of 120" in err
    assert {each.name for each in out.iterdir()} == LABELED | {"topics_over_time.csv"}
    corpus = TextCorpus.load(out / "corpus.dnmf")
    assert list(corpus.columns) == ["day", "url", "n", "kind"]
    assert corpus.columns["n"][:4] == (None, "1", None, "3")
    kept = json.loads((out / "run.json").read_text("utf-8"))["options"]
    assert (kept["date"], kept["link"], kept["column"]) == ("day", "url", ["n", "kind"])
    model = DnmfModel.load(out / "model.dnmf")
    table = model.topics_over_time(corpus.columns["day"], corpus.counts)
    rows = read_csv(out / "topics_over_time.csv")
    assert list(rows[0]) == ["start", "end", "topic", "name", "size", "share", "words"]
    assert [row["start"] for row in rows] == table["start"].dt.strftime("%Y-%m-%d").tolist()
    assert (rows[0]["start"], rows[-1]["end"]) == ("2019-01-01", "2020-01-01")
    assert [int(row["size"]) for row in rows] == table["size"].tolist()
    assert [row["words"].split() for row in rows] == table["words"].tolist()
    rows = read_csv(out / "topics_per_class.csv")
    assert [(row["label"], int(row["topic"])) for row in rows] == [("'=1+1", k) for k in range(4)]
    assert sum(int(row["size"]) for row in rows) == 120
    for arguments in ([], ["report", out]):  # as `fit` wrote it, and made anew
        assert not arguments or call(*arguments)[0] == 0
        page = data_of((out / "report.html").read_text("utf-8"))
        assert len(page["time"]["labels"]) == 12
        assert page["documents"]["date"][7] is None
        assert page["documents"]["link"][:2] == [None, "http://x/1"]
        kinds = {column["name"]: column["kind"] for column in page["columns"]}
        assert kinds == {"n": "number", "kind": "category"}
    # Another run without them leaves none of their tables.
    assert call("fit", path, *QUICK, "--out", out, "--force", "--no-report")[0] == 0
    assert {each.name for each in out.iterdir()} == RESULTS - {"report.html"}


def test_all_columns_of_the_input_are_in_the_tables_on_request(call, tmp_path):
    path, out = tmp_path / "news.jsonl", tmp_path / "t"
    records = [
        {"text": line, "n": number, "topic": "=A1", "input_topic": "x", "tags": ["a", "b"]}
        for number, line in enumerate(LINES)
    ]
    del records[0]["n"]
    records[1]["late"] = "y"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    fit = ["fit", path, "--column", "n", "--all-columns", *QUICK, "--out", out]
    assert call(*fit)[0] == 0
    kept = ["n", "input_topic", "input_input_topic", "tags", "late"]
    rows = read_csv(out / "documents.csv")
    assert list(rows[0]) == [*OWN_COLUMNS, *kept, "words", "text"]
    assert [rows[0][name] for name in kept] == ["", "'=A1", "x", '["a", "b"]', ""]
    assert [rows[1][name] for name in kept] == ["1", "'=A1", "x", '["a", "b"]', "y"]
    # The page has those that were named for it.
    page = data_of((out / "report.html").read_text("utf-8"))
    assert [column["name"] for column in page["columns"]] == ["n"]
    # An edit keeps them.
    assert call("edit", out, "--name", "0=News")[0] == 0
    again = read_csv(out / "documents.csv")
    assert [row | {"name": ""} for row in again] == [row | {"name": ""} for row in rows]
    assert {row["name"] for row in again if row["topic"] == "0"} == {"News"}
    _, said, _ = call("infer", out, path, "--all-columns")
    found = list(csv.DictReader(io.StringIO(said)))
    assert list(found[0]) == [*OWN_COLUMNS, *kept[1:-1], "n", "late", "words", "text"]
    assert [[row[name] for name in kept] for row in found] == [
        [row[name] for name in kept] for row in rows
    ]
    _, said, _ = call("infer", out, path, "--all-columns", "--json")
    assert [json.loads(said.splitlines()[0])[name] for name in kept[1:4]] == [
        "=A1", "x", '["a", "b"]',
    ]  # fmt: skip


def test_a_column_that_comes_late_is_left_out_of_a_table(fitted, call, tmp_path, monkeypatch):
    monkeypatch.setattr("dnmf_topics.cli.inferring.BATCH", 2)
    path = tmp_path / "new.jsonl"
    records = [{"text": "fire", "a": 1}, {"text": "river"}, {"text": "rain", "b": 2}] * 2
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    code, out, err = call("infer", fitted[0], path, "--all-columns")
    assert code == 0
    assert err.count("columns that no document had before number 3, and that are left out: b") == 1
    assert [row["a"] for row in csv.DictReader(io.StringIO(out))] == ["1", "", "", "1", "", ""]


def test_what_is_no_date_can_be_skipped(call, tmp_path):
    path = tmp_path / "news.jsonl"
    days = ["soon" if number in (3, 5) else f"{2001 + number // 30}" for number in range(120)]
    records = [{"text": line, "day": day} for line, day in zip(LINES, days, strict=True)]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    fit = ["fit", path, "--date", "day", *QUICK, "--no-report", "--out", tmp_path / "t"]
    code, _, err = call(*fit)
    assert code == 1
    assert "the document '4' has 'soon', which is no date (2 of 120 are none)" in err
    code, _, err = call(*fit, "--skip-errors")
    assert code == 0, err
    assert "--date day: 2 of 120 are no dates and are left out" in err
    rows = read_csv(tmp_path / "t" / "topics_over_time.csv")
    assert sum(int(row["size"]) for row in rows) == 118


def test_results_come_on_standard_output_and_the_log_on_standard_error(fitted):
    _, finished = fitted
    lines = finished.stdout.splitlines()
    assert lines[0].split() == ["topic", "documents", "share", "name", "words"]
    assert len(lines) == 5
    assert re.search(
        r"^\d\d:\d\d:\d\d network: \d+ done in \d+\.\d s$", finished.stderr, re.MULTILINE
    )
    said = [line.partition(" ")[2] for line in finished.stderr.splitlines()]
    stages = ["reading", "tokenizing", "training", "network", "clusters", "bdnmf", "model and tab"]
    places = [[line.startswith(stage) for line in said].index(True) for stage in stages]
    assert places == sorted(places)
    assert said[-3:-1] == ["page ...", "page: done in" + said[-2].rpartition("in")[2]]
    assert "report.html" in finished.stderr
    assert "\r" not in finished.stderr  # no bar where there is no terminal


def test_the_same_seed_gives_the_same_folder(fitted, news, call, tmp_path):
    folder, _ = fitted
    call("fit", news, *COLUMNS, *QUICK, "--out", tmp_path / "again")
    for name in ("model.dnmf", "corpus.dnmf", "topics.csv", "documents.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes(), name


def test_quiet_says_nothing_and_json_is_json(news, call, tmp_path):
    # With more topics than `QUICK` has none is too large, which would be said.
    code, out, err = call(
        "fit", news, *COLUMNS, *QUICK, "--num-topics", "6", "--no-report", "--quiet", "--json",
        "--out", tmp_path / "a",
    )  # fmt: skip
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["documents"] == 120
    assert sum(topic["size"] for topic in said["topics"]) == 120
    assert not (tmp_path / "a" / "report.html").exists()


def test_doubtful_topics_are_said_once_also_when_quiet_and_on_the_page(call, tmp_path):
    # Two texts fill most of the topics; the rest has nowhere else to go.
    lines = ["rain storm flood river", "goal match cup final"] * 12 + [
        f"{word} {other} paper question answer"
        for word, other in zip(LINES[:90], LINES[30:], strict=False)
    ]
    (tmp_path / "lines.txt").write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "topics"
    code, _, err = call("fit", tmp_path / "lines.txt", "-k", "3", "--out", folder, "--quiet")
    assert code == 0
    assert err.count("the topics may not be what you want: topic 0 holds") == 1
    model = DnmfModel.load(folder / "model.dnmf")
    assert len(model.doubts) == 1
    assert model.doubts[0] in (folder / "report.html").read_text(encoding="utf-8")


def test_a_terminal_gets_bars(news, tmp_path):
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    arguments = ["fit", str(news), *COLUMNS, *QUICK, "--out", str(tmp_path / "topics")]
    # The variable would overrule the width of the terminal; test runners set it.
    without_width = {name: value for name, value in environment().items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=without_width,
        stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    said = b""
    while True:
        try:
            part = os.read(controller, 4096)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        said += part
    assert process.wait() == 0, said
    os.close(controller)
    text = said.decode("utf-8")
    assert re.search(r"network: 100%", text)
    table = [line for line in text.splitlines() if re.match(r"\s*\d+\s+\d+\s+\d+\.\d%  ", line)]
    assert len(table) == 4
    assert all(len(line) <= 60 for line in table)


@pytest.mark.parametrize("option", ["--phrases", "--strip-accents", "--keep-case"])
def test_settings_of_the_text_reach_the_model(option, news, call, tmp_path):
    folder = tmp_path / "topics"
    code, _, err = call("fit", news, *COLUMNS, *QUICK, option, "--out", folder, "--no-report")
    assert code == 0, err
    settings = DnmfModel.load(folder / "model.dnmf").tokenization
    name = {"--keep-case": "lowercase"}.get(option, option[2:].replace("-", "_"))
    assert settings[name] is (option != "--keep-case")


def test_stop_words_come_from_a_file_too(news, call, tmp_path):
    (tmp_path / "stop.txt").write_text("the\nsaid australia\n", encoding="utf-8")
    code, _, err = call(
        "fit", news, *COLUMNS, *QUICK, "--stop-words", tmp_path / "stop.txt",
        "--out", tmp_path / "topics", "--no-report",
    )  # fmt: skip
    assert code == 0, err
    words = TextCorpus.load(tmp_path / "topics" / "corpus.dnmf").dictionary.token2id
    assert not {"the", "said", "australia"} & words.keys()
    assert "about" in words


def test_documents_come_on_standard_input_too(tmp_path):
    finished = run(
        "fit", "-", *QUICK, "--out", "topics", "--json", cwd=tmp_path, input="\n".join(LINES)
    )
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["documents"] == 120


def test_two_dashes_end_the_options_wherever_they_stand(fitted, call):
    folder, _ = fitted
    expected = call("topics", folder, "--json")
    assert expected[0] == 0
    for arguments in (["--", "topics", "--json", "--", folder], ["topics", folder, "--json", "--"]):
        assert call(*arguments) == expected


def test_documents_without_known_words_are_counted_and_kept(call, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join([*LINES[:60], "??", *LINES[60:]]), encoding="utf-8")
    code, out, err = call("fit", path, *QUICK, "--out", tmp_path / "t", "--json", "--no-report")
    assert code == 0
    assert json.loads(out)["documents"] == 121
    assert "which keep their places, but have no topic: 1 of 121" in err
    rows = read_csv(tmp_path / "t" / "documents.csv")
    unknown = {"id": "61", "known_words": "0", "text": "??"}
    assert rows[60] == dict.fromkeys([*OWN_COLUMNS, "words"], "") | unknown
    assert all(row["topic"] and int(row["known_words"]) for row in rows if row["id"] != "61")
    # No topic counts it.
    sizes = {row["topic"]: int(row["size"]) for row in read_csv(tmp_path / "t" / "topics.csv")}
    assert sizes == Counter(row["topic"] for row in rows if row["topic"])


def test_many_copies_are_told(tmp_path, call):
    lines = [
        " ".join(f"{word}{word}{number % 5}" for word in ascii_lowercase) for number in range(40)
    ]
    short = [" ".join(line.split()[:9]) for line in lines]  # the same by chance
    (tmp_path / "few.txt").write_text("\n".join([*lines[:5], *short]))
    (tmp_path / "many.txt").write_text("\n".join(lines))
    options = ("--min-topics", "2", "--max-topics", "3", "--keep-numbers", "--no-below", "1")
    _, _, err = call("choose", tmp_path / "few.txt", *options)
    assert "same words" not in err
    _, _, err = call("choose", tmp_path / "many.txt", *options)
    assert "documents with the same words as another one: 35 of 40" in err


# ------------------------------------------------------------------------------- reading the folder


def test_shares_stand_below_each_other():
    lines = table(["topic", "share"], [[0, "17.6%"], [1, "9.2%"]]).splitlines()
    assert lines == ["topic  share", "    0  17.6%", "    1   9.2%"]


def test_topics_are_shown_as_a_table_and_as_json(fitted, call):
    folder, finished = fitted
    assert call("topics", folder) == (0, finished.stdout, "")
    code, out, _ = call("topics", folder, "--json", "--words", 3)
    assert code == 0
    assert [len(topic["words"]) for topic in json.loads(out)] == [3] * 4
    assert call("topics", folder / "model.dnmf")[1] == finished.stdout


def test_infer_finds_the_topics_of_the_training_documents_again(fitted, news, call, tmp_path):
    folder, _ = fitted
    code, out, _ = call("infer", folder, news, *COLUMNS)
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == [*OWN_COLUMNS, "label", "words", "text"]
    model = DnmfModel.load(folder / "model.dnmf")
    labels = model.cluster_labels
    for row in rows:
        assert row["name"] == model.topic_names[int(row["topic"])]
        assert row["words"].split() == [word for word, _ in model.show_topic(int(row["topic"]))]
    assert rows[3]["text"] == cut_excerpt(LINES[3], 200) != LINES[3]
    assert [row["id"] for row in rows] == [f"item-{number}" for number in range(120)]
    same = sum(int(row["topic"]) == label for row, label in zip(rows, labels, strict=True))
    assert same >= 115
    # Files: the suffix decides the format.
    for name in ("new.csv", "new.jsonl"):
        code, _, _ = call("infer", folder, news, *COLUMNS, "--out", tmp_path / name)
        assert code == 0
    assert (tmp_path / "new.csv").read_text("utf-8") == out
    lines = (tmp_path / "new.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["topic"] for line in lines] == [int(row["topic"]) for row in rows]
    assert len(list(tmp_path.iterdir())) == 2


def test_infer_gives_all_shares_and_says_what_it_does_not_know(fitted, call, tmp_path):
    folder, _ = fitted
    path = tmp_path / "new.txt.gz"
    path.write_bytes(gzip.compress(f"{LINES[0]}\nxyzzy plugh\n".encode()))
    code, out, err = call("infer", folder, path, "--full", "--json")
    assert code == 0
    first, unknown = map(json.loads, out.splitlines())
    shares = [first[f"topic_{number}"] for number in range(4)]
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    assert first["topic"] == shares.index(max(shares))
    assert "documents without a word that the model knows, which have no topic: 1 of 2" in err
    empty = ["topic", "name", "weight", "confidence", "words", *(f"topic_{k}" for k in range(4))]
    assert unknown == dict.fromkeys(empty) | {"id": "2", "known_words": 0, "text": "xyzzy plugh"}
    _, out, _ = call("infer", folder, path, "--full")
    row = list(csv.DictReader(io.StringIO(out)))[1]
    assert {name for name, cell in row.items() if not cell} == set(empty)


def test_infer_reads_standard_input_and_stops_when_the_reader_does(fitted):
    folder, _ = fitted
    finished = run("infer", folder, "-", "--json", cwd=folder, input=LINES[3] + "\n")
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["id"] == "1"
    process = subprocess.Popen(
        [*COMMAND, "infer", str(folder), "-"], env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.close()  # as `head` does, only sooner
    _, err = process.communicate("\n".join(LINES * 20).encode())
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert b"Broken" not in err


def test_the_report_is_written_anew(fitted, call, tmp_path):
    folder, _ = fitted
    before = (folder / "report.html").read_bytes()
    code, out, err = call("report", folder, "--out", tmp_path / "page.html")
    assert re.search(r"page \.\.\.\n.* page: done in \d+\.\d s\n$", err)
    assert (code, out) == (0, f"written: {tmp_path / 'page.html'}\n")
    assert (tmp_path / "page.html").read_bytes() == before
    code, out, _ = call(
        "report", folder, "--out", tmp_path / "page.html", "--title", "A <b>title", "--json"
    )
    assert json.loads(out) == {"report": str(tmp_path / "page.html")}
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<b>title" not in page


# ---------------------------------------------------------------------------- comparison and demo


def test_compare_measures_every_method(news, call):
    code, out, _ = call("compare", news, *COLUMNS, *QUICK)
    assert code == 0
    titles = [METHODS[name].title for name in COMPARED]
    header, *rows = [re.split("  +", line.strip()) for line in out.splitlines()[:4]]
    assert header == [
        "method", "c_v", "c_npmi", "diversity", "sim_count", "completion", "seconds", "accuracy",
        "nmi",
    ]  # fmt: skip
    assert [row[0] for row in rows] == titles
    assert "nmi: what topics tell of labels, higher is better" in out
    assert re.findall(r"^topics of (.+)$", out, re.MULTILINE) == titles
    assert "completion: log-likelihood per word of hidden halves of documents, higher" in out
    code, out, _ = call("compare", news, "--text", "body", *QUICK, "--json", "--quiet")
    scores = json.loads(out)
    assert all(score["completion"] < 0 for score in scores)
    assert [score["method"] for score in scores] == titles
    assert all(score["accuracy"] is None and score["nmi"] is None for score in scores)
    assert all(len(score["topics"]) == 4 for score in scores)


def test_compare_without_a_second_training(news, call):
    shared = ["compare", news, "--text", "body", *QUICK, "--no-completion"]
    code, out, err = call(*shared)
    assert code == 0
    assert "completion" not in out + err
    assert all(score["completion"] is None for score in json.loads(call(*shared, "--json")[1]))


def test_settings_of_the_model_reach_the_comparison(news, call):
    shared = ["compare", news, "--text", "body", "-k", "4", "--json", "--quiet", "--no-completion"]
    one, other = (
        json.loads(call(*shared, "--num-clusterings", number)[1])[0]["topics"] for number in (1, 30)
    )
    assert one != other
    given = ["--num-clusterings", "30", "--variant"]
    assert other == json.loads(call(*shared, *given, "bdnmf")[1])[0]["topics"]
    plain, wider = (
        json.loads(call(*shared, *given, "sdnmf", "--overlap", number)[1])[0]["topics"]
        for number in "01"
    )
    assert plain != wider != other
    code, _, err = call(*shared, "--variant", "sdnmf", "--overlap", "nan")
    assert code == 1
    assert "overlap must be at least 0 and finite, got nan" in err
    code, _, err = call(*shared, "--overlap", "1")
    assert code == 1
    assert "overlap is no option of bdnmf; its options are: none" in err
    code, _, err = call(*shared, "--jobs", "0")
    assert code == 1
    assert "n_jobs" in err


def test_the_demo_needs_no_arguments_and_replaces_its_own_results(tmp_path):
    facts = {"title": "", "facts": {"input": "lee_background.cor"}}
    (tmp_path / "dnmf-demo").mkdir()
    (tmp_path / "dnmf-demo" / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    finished = run("demo", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    titles = [METHODS[name].title for name in COMPARED]
    rows = [re.split("  +", line.strip()) for line in finished.stdout.splitlines()]
    scores = {row[0]: [float(cell) for cell in row[1:]] for row in rows if row[0] in titles}
    assert list(scores) == titles
    # The topics cohere better (c_npmi; by c_v about as well as NMF's) and share fewer words.
    for other in titles[1:]:
        assert scores["DNMF"][0] > scores[other][0] - 0.02
        assert scores["DNMF"][1] > scores[other][1]
        assert scores["DNMF"][3] < scores[other][3]
    assert {path.name for path in tmp_path.iterdir()} == {"dnmf-demo"}
    assert {path.name for path in (tmp_path / "dnmf-demo").iterdir()} == RESULTS
    assert "afghanistan" in finished.stdout


# ------------------------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["unknown"], ["fit"], ["fit", "news.csv"], ["fit", "a.csv", "--out", "t", "-k", "0"],
        ["fit", "a.csv", "--out", "t", "-k", "some"], ["topics"], ["infer", "t"],
        ["fit", "a.csv", "--out", "t", "-k", "3", "--tokenizer", "none"],
        ["compare", "a.csv", "-k", "3", "--no-above", "2"],
    ],
)  # fmt: skip
def test_wrong_usage_has_its_own_code(arguments, call):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"dnmf-topics( \w+)?: .+; see dnmf-topics( \w+)? --help\n", err)


def test_the_process_keeps_its_own_way_to_end(call):
    before = signal.getsignal(signal.SIGTERM)
    assert call("topics", "nothing here")[0] == 1
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_thread_may_run_a_command(call):
    with ThreadPoolExecutor() as threads:
        assert threads.submit(call, "topics", "nothing here").result()[0] == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_examples(name, call):
    code, out, _ = call(name, "--help")
    assert code == 0
    assert f"dnmf-topics {name}" in out.split("examples:")[1]


def test_results_are_replaced_only_when_asked_and_only_when_the_new_ones_are_complete(
    fitted, news, call, tmp_path, monkeypatch
):
    folder = tmp_path / "topics"
    call("fit", news, *COLUMNS, *QUICK, "--out", folder, "--no-report")
    before = (folder / "model.dnmf").read_bytes()
    again = ["fit", news, *COLUMNS, "--num-clusterings", 10, "-k", 3, "--out", folder]
    code, _, err = call(*again)
    assert code == 1
    assert "--force" in err

    def fail(*_, **__):
        raise OSError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(TextCorpus, "save", fail)
        code, _, err = call(*again, "--force")
    assert (code, err.splitlines()[-1]) == (1, "dnmf-topics: error: The disk is full.")
    assert (folder / "model.dnmf").read_bytes() == before
    assert os.listdir(tmp_path) == ["topics"]
    assert call(*again, "--force")[0] == 0
    assert DnmfModel.load(folder / "model.dnmf").num_topics == 3
    assert (folder / "report.html").exists()
    assert os.listdir(tmp_path) == ["topics"]


@pytest.mark.parametrize("place", ["empty", "link"])
def test_results_go_into_a_folder_that_is_there(place, news, call, tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    arguments = ["fit", news, *COLUMNS, *QUICK, "--no-report", "--out", place]
    assert call(*arguments)[0] == 0
    assert {path.name for path in folder.iterdir()} == LABELED - {"report.html"}
    assert call(*arguments, "--force")[0] == 0
    assert {path.name for path in folder.iterdir()} == LABELED - {"report.html"}
    assert (tmp_path / "link").is_symlink()
    # What is not ours is not replaced, whatever is asked.
    (folder / "mine.txt").write_text("mine")
    code, _, err = call(*arguments, "--force")
    assert code == 1
    assert "such as mine.txt" in err
    assert len(list(tmp_path.iterdir())) == 2


def test_the_folder_one_works_in_is_not_replaced(news, call, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    code, _, err = call("fit", news, *COLUMNS, *QUICK, "--out", ".")
    assert code == 1
    assert "here is replaced as a whole, but you work in it" in err
    assert call("fit", news, *COLUMNS, *QUICK, "--no-report", "--out", "topics")[0] == 0


def test_a_disk_of_its_own_is_not_replaced(news, call, tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path).name == "disk")
    code, _, err = call("fit", news, *COLUMNS, *QUICK, "--out", tmp_path / "disk")
    assert code == 1
    assert "disk is a disk of its own, which no new folder can replace; name a folder in it" in err


def test_the_demo_replaces_no_other_results(fitted, call):
    folder, _ = fitted
    before = (folder / "model.dnmf").read_bytes()
    code, _, err = call("demo", "--out", folder)
    assert code == 1
    assert "holds results already" in err
    assert (folder / "model.dnmf").read_bytes() == before


def test_a_name_that_is_no_text_is_shown_as_well_as_it_can_be(call, tmp_path):
    path = os.fsdecode(bytes(tmp_path / "na") + b"\xff.txt")
    Path(path).write_text("\n".join(LINES[:40]), encoding="utf-8")
    code, _, err = call("fit", path, *QUICK, "--out", tmp_path / "t", "--no-report")
    assert code == 0, err
    assert json.loads((tmp_path / "t" / "run.json").read_text("utf-8"))["title"] == "na?.txt"


def test_some_records_have_labels(fitted, call, tmp_path):
    folder, _ = fitted
    path = tmp_path / "new.jsonl"
    path.write_text('{"text": "fire"}\n{"text": "river", "kind": "x"}\n', encoding="utf-8")
    code, out, err = call("infer", folder, path, "--label", "kind")
    assert code == 0, err
    assert [row["label"] for row in csv.DictReader(io.StringIO(out))] == ["", "x"]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_closed_stream_is_no_error(fitted, stream):
    folder, finished = fitted
    number = {"stdout": 1, "stderr": 2}[stream]
    command = [*COMMAND, "topics", str(folder)]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {number}>&-', "sh", *command],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if stream == "stdout" else finished.stdout)


def test_a_corpus_of_another_run_is_refused(fitted, news, call, tmp_path):
    folder, _ = fitted
    call("fit", news, *COLUMNS, *QUICK, "--min-length", 5, "--out", tmp_path / "t", "--no-report")
    (tmp_path / "t" / "model.dnmf").write_bytes((folder / "model.dnmf").read_bytes())
    code, _, err = call("report", tmp_path / "t")
    assert code == 1
    assert "not of the same run" in err


@pytest.mark.parametrize(
    ("number", "code", "stage"),
    [(signal.SIGINT, 130, "words"), (signal.SIGTERM, 143, "network")],
    ids=["Ctrl-C", "kill"],
)
def test_an_interrupted_run_leaves_nothing(tmp_path, number, code, stage):
    (tmp_path / "lines.txt").write_text("\n".join(LINES * 100), encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "fit", "lines.txt", "-k", "20", "--out", "topics", "--processes", "2"],
        cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True,
        # A shell's job in the background ignores Ctrl-C, and so would all that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), start_new_session=True,
    )  # fmt: skip
    said = []
    for line in process.stderr:
        said.append(line)
        if stage in line:  # in the middle of it
            # Ctrl-C goes to all processes of a terminal.
            (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
            break
    said += process.stderr.readlines()
    assert process.wait() == code, said
    assert not any("Traceback" in line for line in said)
    assert os.listdir(tmp_path) == ["lines.txt"]


def test_infer_loads_only_what_is_allowed(call, corpora_folder, tmp_path):
    pytest.importorskip("spacy", reason="spacy is not installed")
    pipeline = corpora_folder / "spacy" / "en_core_web_sm-3.8.0"
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(LINES[:20]), encoding="utf-8")
    steps = ["--tokenizer", "spacy", "--model", pipeline, "--no-report"]
    code, _, err = call("fit", texts, *QUICK, *steps, "--out", tmp_path / "t")
    assert code == 0, err
    code, out, err = call("infer", tmp_path / "t", texts)
    assert (code, out) == (1, "")
    assert "could run code" in err
    assert "--allow" in err
    assert len(err.splitlines()) == 1
    code, out, err = call("infer", tmp_path / "t", texts, "--allow", "x", "--allow", pipeline)
    assert code == 0, err
    assert len(out.splitlines()) == 21


FORMULAS = ["=1+1", "+x", "-x", "@x", "\t=1", "\r=1", "-5", "+1.5e3", "x\r=1", "river"]
SHOWN = ["'=1+1", "'+x", "'-x", "'@x", "'\t=1", "'\n=1", "-5", "+1.5e3", "x\n=1", "river"]


def test_a_spreadsheet_executes_no_cell(call, tmp_path):
    path = tmp_path / "texts.jsonl"
    records = [
        {"text": line, "name": cell, "kind": cell}
        for line, cell in zip(LINES, FORMULAS, strict=False)
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    columns = ["--id", "name", "--label", "kind"]
    code, _, err = call("fit", path, *columns, *QUICK, "--out", tmp_path / "t", "--no-report")
    assert code == 0, err
    with (tmp_path / "t" / "documents.csv").open(encoding="utf-8", newline="") as file:
        fitted = list(csv.DictReader(file))
    for target in ("new.csv", "new.jsonl"):
        code, _, err = call("infer", tmp_path / "t", path, *columns, "--out", tmp_path / target)
        assert code == 0, err
    with (tmp_path / "new.csv").open(encoding="utf-8", newline="") as file:
        inferred = list(csv.DictReader(file))
    for rows in (fitted, inferred):
        assert [row["id"] for row in rows] == [row["label"] for row in rows] == SHOWN
    as_json = [
        json.loads(line) for line in (tmp_path / "new.jsonl").read_text("utf-8").split("\n")[:-1]
    ]
    assert [row["id"] for row in as_json] == FORMULAS
    # What the corpus says of its documents is not changed.
    assert list(TextCorpus.load(tmp_path / "t" / "corpus.dnmf").ids) == FORMULAS
