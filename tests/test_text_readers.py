"""Readers: every kind of file, real encodings and real damage; nothing is lost without a word."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import os
import sys
import tarfile
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dnmf_topics.text import Document, ReadError, build_corpus, decoding, formats, read_documents
from dnmf_topics.text.formats import FORMATS

TEXT_FORMATS = [name for name, form in FORMATS.items() if form.is_text]
RECORDS = [("first text", "a", "x"), ('wörld, "quoted"\nand two lines', "b", "y"), ("", "c", "x")]


def csv_of(records, delimiter):
    quoted = [[field.replace('"', '""') for field in record] for record in records]
    rows = [delimiter.join(f'"{field}"' for field in record) for record in quoted]
    return "\n".join([delimiter.join(["body", "name", "kind"]), *rows]) + "\n"


def jsonl_of(records):
    keys = ("body", "name", "kind")
    return "".join(json.dumps(dict(zip(keys, r, strict=True))) + "\n" for r in records)


WRITERS = {
    ".csv": lambda records: csv_of(records, ","),
    ".tsv": lambda records: csv_of(records, "\t"),
    ".jsonl": jsonl_of,
}


def texts(source, **options):
    return [document.text for document in read_documents(source, **options)]


def write(path, content):
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def message(source, **options):
    with pytest.raises(ReadError) as caught:
        list(read_documents(source, **options))
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


# What is there comes out


@pytest.mark.parametrize(
    "suffix",
    [
        name + packed
        for name, form in FORMATS.items()
        if form.has_columns
        for packed in (["", ".gz"] if form.is_text else [""])
    ],
)
def test_records_with_named_parts(tmp_path, suffix):
    path = tmp_path / f"news{suffix}"
    if suffix == ".parquet":
        body, name, kind = map(list, zip(*RECORDS, strict=True))
        write_parquet(path, body=body, name=name, kind=kind)
    else:
        write(path, WRITERS[suffix.removesuffix(".gz")](RECORDS))
    read = list(read_documents(str(path), text="body", label="kind", id="name"))
    assert read == [Document(*record) for record in RECORDS]
    assert [document.id for document in read_documents(path, text="body")] == ["1", "2", "3"]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_column_that_is_called_id_need_not_be_named(tmp_path, suffix):
    path = tmp_path / f"news{suffix}"
    if suffix == ".parquet":
        write_parquet(path, id=["a7", "", "a9"], text=["one", "two", "three"])
    elif suffix == ".csv":
        write(path, "id,text\na7,one\n,two\na9,three\n")
    else:
        lines = [{"id": "a7", "text": "one"}, {"id": [1], "text": "two"}]
        write(path, "\n".join(map(json.dumps, [*lines, {"text": "three", "id": "a9"}])))
    assert [document.id for document in read_documents(path)] == ["a7", "2", "a9"]


DATED = [{"text": "one", "date": "1987-10-19", "n": 3, "url": ""}, {"text": "two", "n": None}]
COLUMNS = [{"date": "1987-10-19", "url": None, "n": "3"}, {"date": None, "url": None, "n": None}]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("in_folder", [False, True])
def test_further_columns(tmp_path, suffix, in_folder):
    path = tmp_path / f"news{suffix}"
    frame = pd.DataFrame(DATED).astype({"n": "Int64"})
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".jsonl":
        write(path, "\n".join(json.dumps(record) for record in DATED))
    else:
        frame.to_csv(path, sep={".csv": ",", ".tsv": "\t"}[suffix], index=False)
    source = tmp_path if in_folder else path
    read = list(read_documents(source, columns=["date", "url", "n", "date"]))
    assert [document.columns for document in read] == COLUMNS
    assert [list(document.columns) for document in read] == [["date", "url", "n"]] * 2
    assert [document.text for document in read] == ["one", "two"]
    assert [document.columns for document in read_documents(source)] == [{}, {}]
    assert [document.columns for document in read_documents(frame, columns=COLUMNS[0])] == COLUMNS


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_all_columns(tmp_path, suffix):
    path = tmp_path / f"news{suffix}"
    records = [{"text": "one", "n": "3", "kind": "a"}, {"text": "two", "n": "4", "kind": ""}]
    frame = pd.DataFrame(records)
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".jsonl":
        write(path, "\n".join(json.dumps(record) for record in records))
    else:
        frame.to_csv(path, sep={".csv": ",", ".tsv": "\t"}[suffix], index=False)
    expected = [{"n": "3", "kind": "a"}, {"n": "4", "kind": None}]
    for source in (path, tmp_path, frame):
        read = read_documents(source, all_columns=True)
        assert [document.columns for document in read] == expected
    # What has another role is no further column; what is named must be there, and comes first.
    (first, _) = read_documents(path, id="n", all_columns=True)
    assert (first.id, first.columns) == ("3", {"kind": "a"})
    (first, _) = read_documents(path, columns=["kind"], all_columns=True)
    assert list(first.columns) == ["kind", "n"]
    assert "date" in message(path, columns=["date"], all_columns=True)


def test_all_columns_may_be_of_any_kind(tmp_path):
    lines = ['{"text": "one", "tags": ["a", "é"]}', '{"text": "two", "late": {"x": null}}']
    read = list(read_documents(write(tmp_path / "a.jsonl", "\n".join(lines)), all_columns=True))
    assert [document.columns for document in read] == [
        {"tags": '["a", "é"]'}, {"late": '{"x": null}'},
    ]  # fmt: skip
    frame = pd.DataFrame({"text": ["one"], 7: [[1, 2]]})
    assert [document.columns for document in read_documents(frame, all_columns=True)] == [
        {"7": "[1, 2]"}
    ]
    # Of whatever library they are, and whatever is in them.
    day = datetime.date(1987, 10, 19)
    several = {
        "vector": np.array([[0.5, np.nan]], np.float32),
        "days": np.array(["2001-02-03", "NaT"], "M8[D]"),
        "series": pd.Series([1, 2], [5, 6]),
        "set": {7},
        "bytes": b"caf\xc3\xa9 \xff",
        "one": np.array(3),
        "parts": [{1: (np.int64(4), True, np.bool_(False), None, pd.NA, day)}],
    }
    frame = pd.DataFrame({"text": ["one"], **{name: [each] for name, each in several.items()}})
    (document,) = read_documents(frame, all_columns=True)
    assert document.columns.pop("bytes") == "café \\xff"
    assert {name: json.loads(cell) for name, cell in document.columns.items()} == {
        "vector": [[0.5, None]], "days": ["2001-02-03", None], "series": [1, 2], "set": [7],
        "one": 3, "parts": [{"1": [4, True, False, None, None, "1987-10-19"]}],
    }  # fmt: skip
    deep = write(tmp_path / "deep.jsonl", f'{{"text": "one", "x": {"[" * 900}{"]" * 900}}}')
    assert "its columns hold lists in lists" in message(deep, all_columns=True)
    twice = write(tmp_path / "twice.csv", "text,a,a\none,1,2\n")
    assert "has the column 'a' twice" in message(twice, all_columns=True)
    # Where there are no columns, there is nothing to keep.
    (document,) = read_documents(write(tmp_path / "a.txt", "one"), all_columns=True)
    assert document.columns == {}


def test_columns_hold_single_values_of_any_type():
    day = datetime.date(1987, 10, 19)
    values = [1.5, True, day, pd.Timestamp(day), pd.NaT, pd.NA, float("nan"), " ", "\ud800"]
    read = read_documents(
        pd.DataFrame({"text": "a", "x": pd.Series(values, dtype=object)}), columns=["x"]
    )
    assert [document.columns["x"] for document in read] == [
        "1.5", "True", "1987-10-19", "1987-10-19 00:00:00", None, None, None, " ", "\ufffd",
    ]  # fmt: skip
    # Ids and labels too, such as pandas' own types that can be missing.
    frame = pd.DataFrame({"text": ["a", "b"], "id": [7, None], "kind": ["x", None]})
    frame = frame.convert_dtypes()
    assert list(read_documents(frame, id="id", label="kind")) == [
        Document("a", "7", "x"), Document("b", "1"),
    ]  # fmt: skip


def test_documents_bring_their_columns():
    given = Document("one", "a", columns={"n": 5, "date": None})
    assert list(read_documents([given])) == [Document("one", "a", columns={"n": "5", "date": None})]
    assert len({given, Document("one", "a")}) == 2  # they can be in sets


@pytest.mark.parametrize("value", [["a"], {"a": 1}, []])
def test_columns_of_several_values_are_refused(tmp_path, value):
    path = write(tmp_path / "a.jsonl", json.dumps({"text": "one", "tags": value}))
    assert f"line 1: 'tags' must be a string or a number, got {value}." in message(
        path, columns=["tags"]
    )


def test_columns_that_are_not_there(tmp_path):
    path = write(tmp_path / "a.csv", "text,date\none,1987\n")
    said = message(path, columns=["date", "dat"])
    assert "no column 'dat', it has 'text', 'date'; name one of these as one of the colu" in said
    assert said.endswith("(did you mean 'date'?).")
    path = write(tmp_path / "a.jsonl", '{"text": "one", "date": "1987"}\n{"text": "", "url": ""}\n')
    said = message(path, columns=["dat"])
    assert "no line has the key 'dat', they have 'text', 'date', 'url'; name another one" in said
    assert said.endswith("(did you mean 'date'?).")
    path = write(tmp_path / "a.txt", "one\n")
    assert "further columns name columns, and such a file has none" in message(path, columns=["x"])
    (tmp_path / "texts").mkdir()
    write(tmp_path / "texts" / "a.txt", "one\n")
    assert "neither ids nor further columns" in message(tmp_path / "texts", columns=["date"])
    for source in (["one"], io.BytesIO(b"one")):
        assert "put them into each Document" in message(source, columns=["date"])


@pytest.mark.parametrize("columns", ["date", None, [5], [["date"]]])
def test_columns_are_names(tmp_path, columns):
    path = write(tmp_path / "a.csv", "text,date\none,1987\n")
    with pytest.raises(TypeError, match="columns must be"):
        read_documents(path, columns=columns)


@pytest.mark.parametrize("name", ["news.txt", "news.txt.gz", "NEWS.TXT"])
def test_lines_are_documents_and_blank_ones_too(tmp_path, name):
    path = write(tmp_path / name, "one\n\n  three  \nfour")
    assert [(d.id, d.text) for d in read_documents(path)] == [
        ("1", "one"), ("2", ""), ("3", "  three  "), ("4", "four"),
    ]  # fmt: skip


def test_a_folder_in_the_order_of_its_paths(tmp_path):
    for name, text in [("b/2", "two"), ("b/10.txt", "ten"), ("a.md", "a\nb"), (".git/x", "no")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(tmp_path / name, text)
    write(tmp_path / "b" / "z.txt.gz", "packed")
    write(tmp_path / "b" / ".hidden", "no")
    read = list(read_documents(tmp_path, label="folder"))
    assert read == [
        Document("a\nb", "a.md"),
        Document("ten", "b/10.txt", "b"),
        Document("two", "b/2", "b"),
        Document("packed", "b/z.txt.gz", "b"),
    ]
    assert {document.label for document in read_documents(tmp_path)} == {None}


def test_python_iterables():
    given = ["one", Document("two", "b", "y"), ""]
    expected = [Document("one", "1"), Document("two", "b", "y"), Document("", "3")]
    assert list(read_documents(given)) == expected
    assert list(read_documents(tuple(given))) == expected
    documents = read_documents(given)
    assert list(documents) == list(documents)
    assert documents.total == 3


def test_a_pandas_column():
    frame = pd.DataFrame({"text": ["one", "two"]}, index=["x", 7])
    assert list(read_documents(frame["text"])) == [Document("one", "x"), Document("two", "7")]
    frame.loc["x", "text"] = None
    assert "row x" in message(frame["text"])


def test_a_pandas_table():
    columns = {"body": ["one", "two"], "name": ["a", "b"], "kind": ["x", np.nan]}
    frame = pd.DataFrame(columns, index=[5, 7])
    found = list(read_documents(frame, text="body", label="kind"))
    assert found == [Document("one", "5", "x"), Document("two", "7")]
    assert [document.id for document in read_documents(frame, text="body", id="name")] == ["a", "b"]
    assert "The table has no column 'text', it has 'body'" in message(frame)


def test_frames_of_polars():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    day = datetime.date(1987, 10, 19)
    frame = polars.DataFrame(
        {"body": ["rain", None, "wine"], "kind": ["x", None, "y"], "n": [1.5, None, float("nan")],
         "day": [day, None, day], "tags": [["a"], [], ["b"]]}
    )  # fmt: skip
    documents = read_documents(
        frame, text="body", label="kind", columns=["n", "day"], errors="skip"
    )
    assert list(documents) == [
        Document("rain", "1", "x", {"n": "1.5", "day": "1987-10-19"}),
        Document("wine", "3", "y", {"n": None, "day": "1987-10-19"}),
    ]
    assert documents.total == 3
    assert documents.skipped[0].place == "The table, row 2"
    whole = frame.drop_nulls("body")
    assert [each.id for each in read_documents(whole, text="body", id="kind")] == ["x", "y"]
    assert list(read_documents(whole["body"])) == [Document("rain", "1"), Document("wine", "2")]
    corpus = build_corpus(read_documents(whole, text="body", columns=["day"]), no_below=1)
    assert corpus.columns == {"day": ("1987-10-19", "1987-10-19")}
    assert "has no column 'text', it has 'body'" in message(frame)
    assert "'tags' must be a string or a number" in message(whole, text="body", columns=["tags"])
    found = [each.columns["tags"] for each in read_documents(whole, text="body", all_columns=True)]
    assert found == ['["a"]', '["b"]']
    assert message(frame.lazy()) == "source is a lazy frame of polars; give its collect()."


def test_a_binary_stream_is_read_line_by_line():
    stream = io.BytesIO("café\r\n\r\nthé\r\n".encode("latin-1"))
    found = list(read_documents(stream, encoding="latin-1"))
    assert found == [Document("café", "1"), Document("", "2"), Document("thé", "3")]
    documents = read_documents(io.BytesIO(b"good\ncaf\xe9\n"), errors="skip")
    assert [document.text for document in documents] == ["good"]
    assert "0xe9" in documents.skipped[0].reason


@pytest.mark.parametrize("name", ["sectoin", "idd"])
def test_a_key_that_no_line_has(tmp_path, name):
    path = write(tmp_path / "a.jsonl", '{"text": "one", "section": "x"}\n')
    argument = {"sectoin": "label", "idd": "id"}[name]
    assert f"no line has the key '{name}'" in message(path, **{argument: name})


def test_semicolons_and_columns_with_the_same_name(tmp_path):
    path = write(tmp_path / "a.csv", 'text;kind\n"one; and, two";x\n')
    assert list(read_documents(path, label="kind")) == [Document("one; and, two", "1", "x")]
    path = write(tmp_path / "b.csv", "text,kind,kind\none,x,y\n")
    assert "the column 'kind' twice" in message(path, label="kind")
    assert list(read_documents(path)) == [Document("one", "1")]


def test_rows_keep_their_numbers_after_one_that_cannot_be_read(tmp_path):
    path = write(tmp_path / "a.csv", 'text\none\n"tw"o\nthree\n')
    found = list(read_documents(path, errors="skip"))
    assert found == [Document("one", "1"), Document("three", "3")]
    path = write(tmp_path / "b.csv", '"te"xt\none\n')
    assert "the quotes of the first row do not match" in message(path, errors="skip")


def test_if_nothing_can_be_read_it_is_said(tmp_path):
    path = write(tmp_path / "a.jsonl", "nothing\n[]\n")
    assert "all 2 records were left out, the first (" in message(path, errors="skip")


def test_a_folder_tells_what_it_cannot_read(tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    write(folder / "sub" / "a.txt", "one")
    (folder / "broken").symlink_to(tmp_path / "missing")
    (folder / "linked").symlink_to(folder / "sub")
    os.mkfifo(folder / "pipe")
    documents = read_documents(folder, errors="skip")
    assert [document.id for document in documents] == ["sub/a.txt"]
    reasons = {Path(each.place).name: each.reason for each in documents.skipped}
    assert reasons == {
        "broken": "it is neither a file nor a folder",
        "linked": "it is a link to a folder; name that folder itself",
        "pipe": "it is neither a file nor a folder",
    }
    assert "broken: it is neither" in message(folder)


def test_an_iterator_is_read_once():
    documents = read_documents(text for text in ["one", "two"])
    assert [document.text for document in documents] == ["one", "two"]
    with pytest.raises(ReadError, match="only once"):
        list(documents)


# Encodings


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("utf-8", "utf-8"), ("utf-8", "utf-8-sig"), ("latin-1", "latin-1"), ("utf-16", "utf-16"),
     ("cp1252", "cp1252")],
)  # fmt: skip
@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_encodings_and_a_byte_order_mark(tmp_path, suffix, encoding, written):
    content = {".txt": "café\nnaïve\n", ".jsonl": '{"text": "café"}\n{"text": "naïve"}\n'}
    path = write(
        tmp_path / f"a{suffix}", content.get(suffix, "text\ncafé\nnaïve\n").encode(written)
    )
    assert texts(path, encoding=encoding) == ["café", "naïve"]


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_windows_line_ends(tmp_path, suffix):
    content = {".txt": "one\r\ntwo\r\n", ".jsonl": '{"text": "one"}\r\n{"text": "two"}\r\n'}
    path = write(tmp_path / f"a{suffix}", content.get(suffix, "text\r\none\r\ntwo\r\n"))
    assert texts(path) == ["one", "two"]


ENGLISH = {
    ".txt": "rain in the north\n",
    ".jsonl": '{"text": "rain in the north"}\n',
    "": "text\nrain in the north\n",
}


@pytest.mark.parametrize(
    ("written", "name"),
    [("utf-16", "utf-16"), ("utf-32", "utf-32"), ("utf-16-le", "utf-16-le"),
     ("utf-16-be", "utf-16-be"), ("utf-32-le", "utf-32-le"), ("utf-32-be", "utf-32-be")],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [s + gz for s in TEXT_FORMATS for gz in ("", ".gz")])
def test_two_or_four_bytes_for_each_character_are_known(tmp_path, suffix, written, name):
    content = ENGLISH.get(suffix.removesuffix(".gz"), ENGLISH[""])
    path = write(tmp_path / f"a{suffix}", content.encode(written))
    for encoding in ("utf-8", "latin-1"):
        said = f"{path}: its text is {name}, not {encoding.replace('latin-1', 'iso8859-1')}; "
        assert message(path, encoding=encoding) == f"{said}name the encoding '{name}'."
    assert texts(path, encoding=name) == ["rain in the north"]
    assert f"name the encoding '{name}'" in message(io.BytesIO(content.encode(written)))


def test_a_byte_order_mark_is_enough_to_know_it(tmp_path):
    write(tmp_path / "a.txt", "good")
    write(tmp_path / "b.txt", "北京欢迎你".encode("utf-16"))
    documents = read_documents(tmp_path, errors="skip")
    assert [document.id for document in documents] == ["a.txt"]
    assert "name the encoding 'utf-16'" in documents.skipped[0].reason


# A record that is too long


@pytest.fixture
def short_records(monkeypatch):
    monkeypatch.setattr(decoding, "LONGEST_RECORD", 100_000)


LONG = {  # the lines, and the number of the one that is too long
    ".txt": (["good", "LONG", "good"], 2),
    ".csv": (["text,kind", "good,x", "LONG,x", "good,x"], 3),
    ".tsv": (["text\tkind", "good\tx", "LONG\tx", "good\tx"], 3),
    ".jsonl": (['{"text": "good"}', '{"text": "LONG"}', '{"text": "good"}'], 2),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_a_record_that_is_too_long_is_left_out_alone(tmp_path, short_records, suffix, end):
    lines, number = LONG[suffix]
    for length in (99_999, 200_000, 100_000 + decoding.PIECE):
        content = end.join(lines).replace("LONG", "x" * length)
        path = write(tmp_path / f"a{suffix}.gz", content)
        place = f"{path}, line {number}"
        said = "it has 100,000 characters or more, too many for one document"
        assert message(path) == f"{place}: {said}."
        documents = read_documents(path, errors="skip")
        assert [(d.text, d.id) for d in documents] == [("good", "1"), ("good", "3")]
        assert [(each.place, each.reason) for each in documents.skipped] == [(place, said)]


def test_rows_of_many_lines_can_be_too_long_too(tmp_path, short_records):
    long = '"' + "x\n" * 60_000 + '",y'
    fields = ",".join(['"x\n"'] * 60_000)
    for record in (long, fields, '"' + "x\n" * 200_000):
        path = write(tmp_path / "a.csv", f"text,kind\ngood,x\n{record}\n")
        assert message(path).startswith(f"{path}, line 3: it has 100,000 characters or more")
    assert "line 1: it has 100,000" in message(write(tmp_path / "b.csv", "x" * 200_000))


def test_files_of_a_folder_can_be_too_long(tmp_path, short_records):
    write(tmp_path / "a.txt", "x" * 200_000)
    write(tmp_path / "b.txt.gz", "x" * 200_000)
    write(tmp_path / "c.txt.gz", "y" * 99_999)
    write(tmp_path / "d.txt", "é" * 99_999)  # of more bytes
    documents = read_documents(tmp_path, errors="skip")
    assert [document.text for document in documents] == ["y" * 99_999, "é" * 99_999]
    assert ["characters or more" in each.reason for each in documents.skipped] == [True, True]


@pytest.mark.parametrize("suffix", [*TEXT_FORMATS, "folder", "stream"])
def test_a_small_file_that_unpacks_to_a_lot_is_not_held_in_memory(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(decoding, "LONGEST_RECORD", 10**6)
    zeros = gzip.compress(bytes(10**6)) * 600  # a gzip file may have several parts
    path = tmp_path / f"a{'.txt' if suffix in ('folder', 'stream') else suffix}.gz"
    path.write_bytes(zeros)
    tracemalloc.start()
    try:
        with gzip.open(path) as stream:
            source = {"folder": tmp_path, "stream": stream}.get(suffix, path)
            assert "1,000,000 characters or more" in message(source)
        if suffix == ".txt":  # and passing over it takes no memory either
            path.write_bytes(gzip.compress(bytes(10**6)) * 60 + gzip.compress(b"\ngood\n"))
            assert texts(path, errors="skip") == ["good"]
        _, highest = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert highest < 12_000_000


SCRIPTS = ["🎉👩‍💻 emoji", "مرحبا بالعالم", "北京 欢迎 你", "हिन्दी भाषा", "e\u0301galite\u0301"]


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_all_scripts_pass_unchanged(tmp_path, suffix):
    lines = {".txt": SCRIPTS, ".jsonl": [json.dumps({"text": text}) for text in SCRIPTS]}
    content = "\n".join(lines.get(suffix, ["text", *SCRIPTS]))
    assert texts(write(tmp_path / f"a{suffix}", content)) == SCRIPTS


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_a_line_of_ten_megabytes(tmp_path, suffix):
    long = "river bank " * (10**7 // 11)
    lines = {".txt": [long, "b"], ".jsonl": [json.dumps({"text": text}) for text in (long, "b")]}
    path = write(tmp_path / f"a{suffix}", "\n".join(lines.get(suffix, ["text", long, "b"])))
    assert texts(path) == [long, "b"]


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_a_nul_is_a_space(tmp_path, suffix):
    lines = {".txt": "a\0b\nc", ".jsonl": '{"text": "a\\u0000b"}\n{"text": "c"}'}
    assert texts(write(tmp_path / f"a{suffix}", lines.get(suffix, "text\na\0b\nc"))) == ["a b", "c"]


def test_half_a_character_of_json_can_still_be_written(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "half \\ud83d and whole \\ud83d\\ude00"}')
    assert texts(path) == ["half \ufffd and whole 😀"]


# What cannot be read is said, or counted

BAD_BYTES = {
    ".txt": (b"good\nbad \xe9\ngood", 2),
    ".csv": (b"text\ngood\nbad \xe9\ngood", 3),
    ".tsv": (b"text\ngood\nbad \xe9\ngood", 3),
    ".jsonl": (b'{"text": "good"}\n{"text": "bad \xe9"}\n{"text": "good"}', 2),
}


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_bytes_that_are_no_text(tmp_path, suffix):
    content, line = BAD_BYTES[suffix]
    path = write(tmp_path / f"a{suffix}", content)
    assert f"{path}, line {line}: the byte 0xe9 is not utf-8" in message(path)
    documents = read_documents(path, errors="skip")
    assert [document.text for document in documents] == ["good", "good"]
    [skipped] = documents.skipped
    assert skipped.place == f"{path}, line {line}"
    list(documents)
    assert len(documents.skipped) == 1  # of the last iteration, not of all
    assert texts(path, encoding="latin-1")[1] == "bad é"


def test_a_damaged_file_in_a_folder_is_one_document_less(tmp_path):
    write(tmp_path / "a.txt", "fine")
    write(tmp_path / "b.png", b"\x89PNG\xff\xfe")
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(b"packed " * 99)[:-9])
    assert "b.png: the byte 0x89" in message(tmp_path)
    documents = read_documents(tmp_path, errors="skip")
    assert [document.id for document in documents] == ["a.txt"]
    assert [skipped.place for skipped in documents.skipped] == [
        str(tmp_path / "b.png"), str(tmp_path / "c.txt.gz"),
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_a_gzip_that_is_cut_off(tmp_path, suffix):
    lines = {".txt": "line {}", ".jsonl": '{{"text": "line {}"}}'}
    rows = [lines.get(suffix, "line {}").format(i) for i in range(20_000)]
    whole = gzip.compress(
        "\n".join(["text", *rows] if suffix in (".csv", ".tsv") else rows).encode()
    )
    path = tmp_path / f"a{suffix}.gz"
    path.write_bytes(whole[: len(whole) // 2])
    assert "cut off or damaged" in message(path)
    documents = read_documents(path, errors="skip")
    read = [document.text for document in documents]
    assert 0 < len(read) < 20_000
    assert read == [f"line {i}" for i in range(len(read))]
    assert "cut off" in documents.skipped[-1].reason


def test_a_file_that_is_no_gzip(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_text("plain text")
    assert "cut off or damaged" in message(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a"', "not JSON"),
        ("[1, 2]", "JSON object"),
        ('{"body": "a", "x": 1}', "no key 'text'; it has 'body', 'x'"),
        ('{"text": 5}', "must be a string, got 5"),
        ('{"text": null}', "must be a string, got None"),
        ('{"text": "a", "label": ["x"]}', "label must be"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_lines_that_are_no_record(tmp_path, line, reason):
    path = write(tmp_path / "a.jsonl", f'{{"text": "good", "label": 1}}\n\n{line}\n')
    said = message(path, label="label")
    assert f"{path}, line 3: " in said
    assert reason in said
    documents = read_documents(path, label="label", errors="skip")
    assert len(list(documents)) == 1
    assert reason in documents.skipped[0].reason


def test_numbers_and_nothing_as_id_and_label(tmp_path):
    rows = [{"text": "a", "id": 7, "label": 1.5}, {"text": "b", "id": None, "label": None}]
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    read = list(read_documents(path, id="id", label="label"))
    assert read == [Document("a", "7", "1.5"), Document("b", "2")]


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("one,x\ntwo\nthree,x", 3, "number of fields: 1 in this row, 2 in the first"),
        ("one,x\ntwo,x,y\nthree,x", 3, "number of fields: 3 in this row, 2 in the first"),
        ('one,x\n"never closed,x\nthree,x\n', 3, "quotes"),
    ],
)
def test_rows_that_do_not_fit(tmp_path, rows, line, reason):
    path = write(tmp_path / "a.csv", "text,kind\n" + rows)
    said = message(path)
    assert f"{path}, line {line}: " in said
    assert reason in said
    documents = read_documents(path, errors="skip")
    assert next(iter(documents)).text == "one"
    list(documents)
    assert reason in documents.skipped[0].reason


def test_a_missing_column_lists_those_there(tmp_path):
    path = write(tmp_path / "a.csv", "\ufefftitle,body\nx,y\n")
    said = message(path)
    assert "no column 'text', it has 'title', 'body'; name one of these as the text" in said
    assert "as the label" in message(path, text="body", label="kind", errors="skip")


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_an_empty_file(tmp_path, suffix, packed):
    path = write(tmp_path / f"a{suffix}{packed}", "")
    assert message(path, errors="skip") == f"{path}: there are no documents in it."


def test_other_sources_that_cannot_be_read(tmp_path):
    assert "no documents" in message(tmp_path)
    assert "no documents" in message([])
    assert "no documents" in message(write(tmp_path / "a.csv", "text\n"))
    assert "no file or folder 'missing.txt'" in message("missing.txt")
    assert "no file or folder" in message("A text, not a path. " * 1000)
    assert "no file or folder" in message("")
    assert ".jsonl" in message(write(tmp_path / "a.pdf", "x"))
    assert "item 2: the text must be a string, got b'x'" in message(["a", b"x"])
    assert "int" in message(5)
    assert "bytes" in message(b"text")
    assert "has none" in message(write(tmp_path / "a.txt", "x"), label="kind")
    assert "'folder'" in message(tmp_path, label="kind")
    assert "Document" in message(["a"], label="kind")


@pytest.mark.parametrize(("option", "value"), [("errors", "ignore"), ("encoding", "utf-9")])
def test_options_that_do_not_exist(option, value):
    with pytest.raises(ValueError, match=f"{option} must be .*'{value}'"):
        read_documents(["a"], **{option: value})


# Real files


def test_reuters_sgml_is_latin_1(corpora_folder, tmp_path):
    with tarfile.open(corpora_folder / "reuters21578" / "reuters21578.tar.gz") as archive:
        for name in ("reut2-000.sgm", "reut2-017.sgm"):
            (tmp_path / name).write_bytes(archive.extractfile(name).read())
    assert "reut2-017.sgm: the byte 0xfc is not utf-8" in message(tmp_path)
    documents = read_documents(tmp_path, errors="skip")
    assert [document.id for document in documents] == ["reut2-000.sgm"]
    assert len(documents.skipped) == 1
    first, second = read_documents(tmp_path, encoding="latin-1")
    assert first.text.count("<REUTERS ") == second.text.count("<REUTERS ") == 1000
    assert "ü" in second.text


def test_arxiv_is_read_record_by_record(corpora_folder):
    documents = iter(
        read_documents(corpora_folder / "arxiv" / "arxiv-100k.jsonl.gz", label="label")
    )
    first = [next(documents) for _ in range(1500)]
    assert all(document.text and document.label for document in first)
    corpus = build_corpus(first)
    assert corpus.ids[-1] == first[-1].id == "1207.1595"
    assert len(set(corpus.labels)) > 10


# Parquet, and folders of tables


def write_parquet(path, **columns):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(columns), path)


def test_a_parquet_file_is_read_row_by_row(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "ROWS_AT_A_TIME", 2)
    path = tmp_path / "texts.parquet"
    texts = ["ein", "zwei", None, "vier", "fünf"]
    write_parquet(path, body=texts, n=[1, 2, 3, None, 5], x=[0] * 5)
    documents = read_documents(path, text="body", label="n", errors="skip")
    assert [(d.id, d.text, d.label) for d in documents] == [
        ("1", "ein", "1"), ("2", "zwei", "2"), ("4", "vier", None), ("5", "fünf", "5"),
    ]  # fmt: skip
    assert [skipped.place for skipped in documents.skipped] == [f"{path}, row 3"]
    assert next(iter(read_documents(path, text="body", id="n"))).id == "1"
    with pytest.raises(ReadError, match="has no column 'text', it has 'body', 'n', 'x'"):
        list(read_documents(path))


def test_parquet_files_that_are_none(tmp_path, monkeypatch):
    path = tmp_path / "texts.parquet"
    write_parquet(path, text=["a"] * 100)
    whole = path.read_bytes()
    for content in (b"", b"PAR1", b"hello", whole[: len(whole) // 2], whole[:-20]):
        path.write_bytes(content)
        with pytest.raises(ReadError, match="it is no whole parquet file") as caught:
            list(read_documents(path))
        assert len(str(caught.value).splitlines()) == 1
    (tmp_path / "texts.parquet.gz").write_bytes(b"")
    with pytest.raises(ReadError, match="the name must end in"):
        read_documents(tmp_path / "texts.parquet.gz")
    path.write_bytes(whole)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pyarrow is not installed; `pip install pyarrow`"):
        list(read_documents(path))


def test_a_folder_of_tables_gives_the_documents_of_all(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.csv").write_text("text,kind\nrain,x\nwind,y\n")
    (tmp_path / "b.jsonl").write_text('{"text": "wine", "kind": "z"}\n')
    (tmp_path / "sub" / "c.csv.gz").write_bytes(gzip.compress(b"text,kind\nbread,x\n"))
    (tmp_path / ".hidden").write_text("not a table")
    documents = read_documents(tmp_path, label="kind")
    assert [(d.id, d.text, d.label) for d in documents] == [
        ("a.csv:1", "rain", "x"), ("a.csv:2", "wind", "y"), ("b.jsonl:1", "wine", "z"),
        ("sub/c.csv.gz:1", "bread", "x"),
    ]  # fmt: skip
    assert [d.id for d in read_documents(tmp_path, id="kind")] == ["x", "y", "z", "x"]
    write_parquet(tmp_path / "d.parquet", text=["oil"], kind=["z"])
    assert [d.id for d in read_documents(tmp_path)][-2] == "d.parquet:1"
    (tmp_path / "e.csv").write_text("body\noil\n")
    with pytest.raises(ReadError, match=r"e\.csv has no column 'text'"):
        list(read_documents(tmp_path))
    # One text among them makes it a folder of texts.
    (tmp_path / "d.parquet").unlink()
    (tmp_path / "f.txt").write_text("a text")
    assert "a.csv" in [d.id for d in read_documents(tmp_path)]
