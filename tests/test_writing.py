"""Files and folders that appear when they are complete, whoever else writes to the same place."""

from __future__ import annotations

import multiprocessing
import os
import signal

import pytest

from dnmf_topics.common.writing import new_file, new_folder, new_text_file, write_text


def write_often(path, letter):
    for _ in range(150):
        write_text(path, letter * 1000)


def test_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file.txt"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_often, args=(path, letter)) for letter in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0, 0]
    assert path.read_text() in {letter * 1000 for letter in "abcd"}
    assert os.listdir(tmp_path) == ["file.txt"]


def be_killed_while_writing(path, is_folder):
    with (new_folder if is_folder else new_file)(path) as unfinished:
        if is_folder:
            (unfinished / "part").write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize("exists", [False, True], ids=["new", "old"])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path, is_folder, exists):
    path = tmp_path / "results"
    if exists and is_folder:
        path.mkdir()
        (path / "part").write_text("old")
    elif exists:
        path.write_text("old")
    killed = multiprocessing.get_context("fork").Process(
        target=be_killed_while_writing, args=(path, is_folder)
    )
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    if is_folder:
        with new_folder(path) as unfinished:
            (unfinished / "part").write_text("new")
        assert os.listdir(path) == ["part"]
        assert (path / "part").read_text() == "new"
    else:
        write_text(path, "new")
        assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["results"]


def test_what_another_writer_is_at_is_not_removed(tmp_path):
    path = tmp_path / "results"
    with new_folder(path) as first:
        (first / "part").write_text("first")
        with new_folder(tmp_path / "others"), new_text_file(path.with_suffix(".txt")) as file:
            file.write("second")
        write_text(tmp_path / "third.txt", "third")
        assert (first / "part").read_text() == "first"
    assert sorted(os.listdir(tmp_path)) == ["others", "results", "results.txt", "third.txt"]


def test_a_block_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")

    def fail():
        with new_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_long_name_is_written(tmp_path):
    path = tmp_path / ("n" * 250)
    write_text(path, "text")
    assert path.read_text() == "text"
