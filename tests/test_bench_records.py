"""The file of results: whole lines only, one writer, the last word of every cell."""

from __future__ import annotations

import json

import pytest

from dnmf_topics.bench.cells import Cell
from dnmf_topics.bench.records import FILE, OK, RecordFile, read_records

CELL = Cell("c", "lda", 3, 0, 0)


def record(cell=CELL, **found):
    return cell.as_json() | {"status": OK} | found


def test_lines_come_back_as_they_were_written(tmp_path):
    with RecordFile(tmp_path / "new") as file:
        file.append(record(error="ein Grund, größer"))
    assert read_records(tmp_path / "new") == [record(error="ein Grund, größer")]


def test_the_last_line_of_a_cell_counts(tmp_path):
    with RecordFile(tmp_path) as file:
        file.append(record(seconds=1))
        file.append(record(seconds=2))
    with RecordFile(tmp_path) as file:
        assert file.records == {CELL.key: record(seconds=2)}


@pytest.mark.parametrize("length", [1, 10, -1])
def test_half_a_line_is_dropped(tmp_path, caplog, length):
    with RecordFile(tmp_path) as file:
        file.append(record(seconds=1))
    path = tmp_path / FILE
    whole = path.read_bytes()
    half = json.dumps(record(Cell("c", "lda", 3, 1, 1))).encode()[:length]
    path.write_bytes(whole + half)
    assert read_records(tmp_path) == [record(seconds=1)]  # reading changes nothing
    assert path.read_bytes() == whole + half
    with RecordFile(tmp_path) as file:
        assert list(file.records) == [CELL.key]
        file.append(record(seconds=2))
    assert "dropped half a line" in caplog.text
    assert read_records(tmp_path) == [record(seconds=1), record(seconds=2)]


def test_a_broken_line_among_others_is_not_passed_over(tmp_path):
    (tmp_path / FILE).write_text("{}\n", "utf-8")
    with pytest.raises(ValueError, match=r"cells.jsonl, line 1, is no record of a cell"):
        RecordFile(tmp_path)
    (tmp_path / FILE).write_text(json.dumps(record()) + "\nhello\n", "utf-8")
    with pytest.raises(ValueError, match=r"cells.jsonl, line 2, is no JSON"):
        RecordFile(tmp_path)


def test_no_number_that_json_does_not_have(tmp_path):
    with RecordFile(tmp_path) as file, pytest.raises(ValueError, match="JSON"):
        file.append(record(acc=float("nan")))
    assert read_records(tmp_path) == []


def test_two_runs_do_not_write_to_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    with RecordFile(tmp_path), pytest.raises(ValueError, match="written to by another run"):
        RecordFile(tmp_path)
    RecordFile(tmp_path).__exit__(None, None, None)  # free again


def test_a_folder_without_results(tmp_path):
    with pytest.raises(ValueError, match=r"has no cells\.jsonl; name the folder"):
        read_records(tmp_path)
