"""Files and folders that appear when they are complete, whoever else writes to the same place."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import shutil
import signal
import stat
import threading

import pytest

from dnmf_topics.common import writing
from dnmf_topics.common.signals import uninterrupted
from dnmf_topics.common.spool import spool_folder
from dnmf_topics.common.writing import (
    new_file,
    new_text_file,
    only_writer,
    put_in_place,
    write_text,
)

FORK = multiprocessing.get_context("fork")


def write_folder(folder, text, then=lambda: None):
    with only_writer(folder) as workshop:
        new = workshop / "new"
        new.mkdir()
        (new / "part").write_text(text)
        then()
        put_in_place(new, folder)


def write_often(path, letter):
    for _ in range(150):
        write_text(path, letter * 1000)


def test_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file.txt"
    writers = [FORK.Process(target=write_often, args=(path, letter)) for letter in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0, 0]
    assert path.read_text() in {letter * 1000 for letter in "abcd"}
    assert os.listdir(tmp_path) == ["file.txt"]


def be_killed_while_writing(path, is_folder):
    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    if is_folder:
        write_folder(path, "half", then=die)
    else:
        with new_file(path) as file:
            file.write(b"half")
            file.flush()
            die()


def kill_while_writing(path, is_folder):
    killed = FORK.Process(target=be_killed_while_writing, args=(path, is_folder))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize("exists", [False, True], ids=["new", "old"])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path, is_folder, exists):
    path = tmp_path / "results"
    if exists and is_folder:
        path.mkdir()
        (path / "part").write_text("old")
    elif exists:
        path.write_text("old")
    kill_while_writing(path, is_folder)
    assert len(os.listdir(tmp_path)) == 1 + exists  # what it left
    if is_folder:
        write_folder(path, "new")
        assert os.listdir(path) == ["part"]
        assert (path / "part").read_text() == "new"
    else:
        write_text(path, "new")
        assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["results"]


def test_a_second_writer_of_a_folder_is_told_at_once(tmp_path):
    path = tmp_path / "results"
    with only_writer(path) as workshop:
        (workshop / "part").write_text("first")
        with (
            pytest.raises(BlockingIOError, match=r"results is being written by another process"),
            only_writer(path),
        ):
            pass
        with only_writer(tmp_path / "others"), new_text_file(path.with_suffix(".txt")) as file:
            file.write("second")
        assert (workshop / "part").read_text() == "first"
    assert os.listdir(tmp_path) == ["results.txt"]


def test_a_second_writer_of_a_file_waits(tmp_path):
    path, entered = tmp_path / "file.txt", threading.Event()

    def second():
        entered.set()
        write_text(path, "second")

    thread = threading.Thread(target=second)
    with new_text_file(path) as file:
        thread.start()
        entered.wait()
        file.write("first")
    thread.join()
    assert path.read_text() == "second"


def test_waiting_for_a_file_ends(tmp_path, monkeypatch, caplog):
    path = tmp_path / "file.txt"
    monkeypatch.setattr(writing, "PATIENCE", 3.0)
    now = iter(range(100))
    monkeypatch.setattr(writing.time, "monotonic", lambda: float(next(now)))
    monkeypatch.setattr(writing.time, "sleep", lambda _: None)
    with new_file(path) as file:
        file.write(b"first")
        with (
            caplog.at_level(logging.WARNING),
            pytest.raises(BlockingIOError, match=r"file\.txt is being written by another process"),
        ):
            write_text(path, "second")
    assert caplog.messages == [
        f"waiting for another process: it writes {path.with_name('.file.txt.unfinished')}"
    ]
    assert path.read_text() == "first"


@pytest.mark.parametrize("kind", [new_file, new_text_file])
def test_a_block_that_fails_leaves_the_old_file(tmp_path, kind):
    path = tmp_path / "file.txt"
    write_text(path, "old")

    def fail():
        with kind(path) as file:
            file.write(b"half" if kind is new_file else "half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_long_name_is_written(tmp_path):
    path = tmp_path / ("n" * 250)
    write_text(path, "text")
    assert path.read_text() == "text"
    other = tmp_path / ("ü" * 120)
    write_text(other, "text")
    assert other.read_text() == "text"


def test_permissions_and_links_stay(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    write_text(real, "old")
    assert stat.S_IMODE(real.stat().st_mode) == 0o666 & ~os_umask()
    real.chmod(0o600)
    link.symlink_to("real.txt")
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    (tmp_path / "broken.txt").symlink_to("nothing.txt")
    write_text(tmp_path / "broken.txt", "new")
    assert (tmp_path / "nothing.txt").read_text() == "new"


def os_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_permissions_of_a_folder_and_its_files_stay(tmp_path):
    folder = tmp_path / "results"
    write_folder(folder, "old")
    folder.chmod(0o700)
    (folder / "part").chmod(0o640)
    write_folder(folder, "new")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "part").stat().st_mode) == 0o640
    assert (folder / "part").read_text() == "new"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    os.chown(path, 1234, 4321)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


def test_a_trap_under_the_hidden_name_is_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    (tmp_path / ".file.txt.unfinished").symlink_to(precious)
    write_text(tmp_path / "file.txt", "new")
    os.mkfifo(tmp_path / ".other.txt.unfinished")
    write_text(tmp_path / "other.txt", "new")
    assert precious.read_text() == "keep me"
    assert sorted(os.listdir(tmp_path)) == ["file.txt", "other.txt", "precious"]


def test_a_folder_is_replaced_in_one_step(tmp_path):
    folder = tmp_path / "results"
    write_folder(folder, "a")
    ended, wrong = threading.Event(), []

    def look():
        while not ended.is_set():
            text = (folder / "part").read_text()
            if text not in ("a", "b"):
                wrong.append(text)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for turn in range(200):
            write_folder(folder, "ab"[turn % 2])
    finally:
        ended.set()
        thread.join()
    assert wrong == []
    assert os.listdir(tmp_path) == ["results"]


def without_exchange(monkeypatch):
    monkeypatch.setattr(writing.sys, "platform", "elsewhere")


def test_where_there_is_no_such_step_folders_are_replaced_too(tmp_path, monkeypatch):
    without_exchange(monkeypatch)
    folder = tmp_path / "results"
    for text in "abc":
        write_folder(folder, text)
        assert (folder / "part").read_text() == text
        assert os.listdir(tmp_path) == ["results"]


def test_there_a_killed_writer_leaves_the_old_folder_to_the_next(tmp_path, monkeypatch):
    without_exchange(monkeypatch)
    folder = tmp_path / "results"
    write_folder(folder, "old")

    def write():
        rename = os.rename

        def die_after(*names):
            rename(*names)
            os.kill(os.getpid(), signal.SIGKILL)

        os.rename = die_after
        write_folder(folder, "new")

    killed = FORK.Process(target=write)
    killed.start()
    killed.join()
    assert not folder.exists()
    with only_writer(folder):
        assert (folder / "part").read_text() == "old"
    assert os.listdir(tmp_path) == ["results"]


def test_there_a_rename_that_fails_leaves_the_old_folder(tmp_path, monkeypatch):
    without_exchange(monkeypatch)
    folder = tmp_path / "results"
    write_folder(folder, "old")
    rename = os.rename

    def fail(source, target):
        if source.name == "new":
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OSError, match="Input/output"):
        write_folder(folder, "new")
    assert (folder / "part").read_text() == "old"
    assert os.listdir(tmp_path) == ["results"]


def test_a_child_does_not_keep_the_lock(tmp_path):
    path = tmp_path / "results"
    release, ready = FORK.Event(), FORK.Event()

    def wait():
        ready.set()
        release.wait()

    child = FORK.Process(target=wait)
    with only_writer(path):
        child.start()
        ready.wait()
    try:
        with only_writer(path) as workshop:
            assert workshop.is_dir()
    finally:
        release.set()
        child.join()
    shutil.rmtree(path, ignore_errors=True)
    assert os.listdir(tmp_path) == []


def test_what_is_in_place_is_on_the_disk(tmp_path, monkeypatch):
    """A file is synced before it takes its place, its folder after that; so is a whole folder."""
    steps = []
    fsync, replace, exchange = os.fsync, os.replace, writing._exchange

    def note_sync(descriptor):
        steps.append(f"sync {os.path.basename(os.readlink(f'/proc/self/fd/{descriptor}'))}")
        fsync(descriptor)

    def note_replace(old, new):
        steps.append("replace")
        replace(old, new)

    def note_exchange(new, old):
        steps.append("exchange")
        exchange(new, old)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    monkeypatch.setattr(writing, "_exchange", note_exchange)
    write_text(tmp_path / "file.txt", "text")
    assert steps == ["sync .file.txt.unfinished", "replace", f"sync {tmp_path.name}"]
    steps.clear()
    write_folder(tmp_path / "results", "old")
    write_folder(tmp_path / "results", "new")
    first, second = ["sync new", f"sync {tmp_path.name}"], ["sync new", "exchange"]
    assert steps == [*first, *second, f"sync {tmp_path.name}"]


@pytest.mark.parametrize("receiver", ["this thread", "another thread"])
def test_signals_wait_for_the_end_of_a_block(receiver):
    steps, go = [], threading.Event()

    def interrupt_when_told():
        go.wait()
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=interrupt_when_told)  # before signals are held back here

    def work():
        with uninterrupted():
            if receiver == "this thread":
                signal.raise_signal(signal.SIGINT)
            else:
                go.set()
                other.join()
            steps.append("not yet")

    if receiver == "another thread":
        other.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["not yet"]


def run_as(user, function):
    """A function as another user, in a process of its own: how it ended."""

    def become_and_run():
        os.setgid(user)
        os.setuid(user)
        function()

    child = FORK.Process(target=become_and_run)
    child.start()
    child.join(30)
    ended = child.exitcode
    child.kill()
    return ended


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")


@as_root
@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
def test_a_leftover_of_another_user_is_a_sentence_and_no_endless_loop(tmp_path, is_folder):
    for folder in (tmp_path, *list(tmp_path.parents)[:3]):
        folder.chmod(folder.stat().st_mode | 0o755)
    tmp_path.chmod(0o1777)  # as /tmp is: everybody may write, and remove what is his own
    hidden = tmp_path / ".place.unfinished"
    if is_folder:
        hidden.mkdir()
        (hidden / "part").write_text("half")
        hidden.chmod(0o755)
    else:
        hidden.write_text("half")
        hidden.chmod(0o644)

    def write():
        said = "cannot be removed; remove it" if not is_folder else "cannot be removed"
        with pytest.raises(PermissionError, match=said):
            write_folder(tmp_path / "place", "x") if is_folder else write_text(
                tmp_path / "place", "x"
            )

    assert run_as(4321, write) == 0
    assert hidden.exists()


@as_root
def test_a_file_that_cannot_be_opened_is_no_leftover(tmp_path):
    """Another writer of a private file is at work: what it writes is not ours to remove."""
    tmp_path.chmod(0o777)
    for folder in list(tmp_path.parents)[:3]:
        folder.chmod(folder.stat().st_mode | 0o755)
    path = tmp_path / "file.txt"
    write_text(path, "old")
    path.chmod(0o600)

    def write():
        with pytest.raises(PermissionError):
            write_text(path, "another")

    with new_file(path) as file:
        assert run_as(4321, write) == 0
        file.write(b"new")
    assert path.read_text() == "new"


def test_a_file_on_its_way_that_is_replaced_does_not_take_the_place(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")

    def write():
        with new_file(path) as file:
            file.write(b"new")
            (tmp_path / ".file.txt.unfinished").unlink()
            (tmp_path / ".file.txt.unfinished").write_text("half of another")

    with pytest.raises(FileNotFoundError, match="was removed by another"):
        write()
    assert path.read_text() == "old"


def test_what_is_private_stays_private_on_its_way(tmp_path):
    path = tmp_path / "file.txt"
    write_text(path, "old")
    path.chmod(0o600)
    with new_file(path):
        assert stat.S_IMODE((tmp_path / ".file.txt.unfinished").stat().st_mode) == 0o600
    with only_writer(tmp_path / "results") as workshop:
        assert stat.S_IMODE(workshop.stat().st_mode) == 0o700
    write_folder(tmp_path / "results", "new")
    assert stat.S_IMODE((tmp_path / "results").stat().st_mode) == 0o777 & ~os_umask()


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK, None])
def test_where_folders_cannot_be_locked_a_spool_folder_in_use_stays(tmp_path, monkeypatch, number):
    class NoLocks:
        LOCK_EX = LOCK_NB = LOCK_UN = 0

        def flock(self, *_):
            raise OSError(number, "no locks")

    monkeypatch.setattr(writing, "fcntl", number and NoLocks())
    with spool_folder(tmp_path) as first, spool_folder(tmp_path):
        assert first.exists()
    assert os.listdir(tmp_path) == []
