"""Files and folders that appear when they are complete, and are on the disk then.

What is being written lies beside its place, under a hidden name and a lock. Where a process was
killed, the lock is gone and the next one that writes to the same place removes what it left.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows, where leftovers stay
    fcntl = None  # type: ignore[assignment]


def check_place(path: Path) -> None:
    """Raise if no file can be written there."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file.")


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of `path` when the block ends well."""
    check_place(path)
    if path.exists() and not path.is_file():  # a pipe or a device: there is nothing to keep whole
        with path.open("wb") as device:
            yield device
        return
    _remove_leftovers(path)
    unfinished, file = _locked_file(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # while the lock holds; Windows moves no open file
                os.replace(unfinished, path)
        if fcntl is None:
            os.replace(unfinished, path)
        _sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def new_text_file(path: Path) -> Iterator[IO[str]]:
    """The same for text in UTF-8; lines end as they are written."""
    with new_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def write_text(path: Path, text: str) -> None:
    """Write a file in one go; half of a pair of code units, which is no character, becomes '?'."""
    with new_file(path) as file:
        file.write(text.encode("utf-8", "replace"))


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, whose files become those of `folder` when the block ends well."""
    exists = folder.exists()
    # Inside, so that files can be moved also where `folder` is a disk of its own.
    home = folder if exists else folder.parent
    _remove_leftovers(home / folder.name)
    unfinished, lock = _locked_folder(home / folder.name)
    try:
        yield unfinished
        with _uninterrupted():
            if exists:
                for old in folder.iterdir():
                    if is_unfinished(old):
                        _remove_unless_locked(old)
                    else:
                        old.unlink()
                for new in unfinished.iterdir():
                    os.replace(new, folder / new.name)
            else:
                os.replace(unfinished, folder)
            _sync_folder(home)
    finally:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(unfinished, ignore_errors=True)


def is_unfinished(path: Path) -> bool:
    """Whether this is something on its way to its place, or what is left of it."""
    return path.name.startswith(".") and path.name.endswith(".unfinished")


def _prefix(path: Path) -> str:
    """How the names of what is on its way to `path` begin; no name may be too long."""
    return f".{path.name[:100]}."


def _hidden(path: Path) -> Path:
    return path.with_name(f"{_prefix(path)}{secrets.token_hex(6)}.unfinished")


def _locked_file(path: Path) -> tuple[Path, IO[bytes]]:
    while True:
        unfinished = _hidden(path)
        file = unfinished.open("xb")
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
        if unfinished.exists():
            return unfinished, file
        file.close()  # another process took it for a leftover before it had its lock


def _locked_folder(path: Path) -> tuple[Path, int | None]:
    while True:
        unfinished = _hidden(path)
        unfinished.mkdir()
        with suppress(FileNotFoundError):  # another process took it for a leftover
            lock = _lock(unfinished)
            if unfinished.exists():
                return unfinished, lock
            if lock is not None:
                os.close(lock)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock of a file or folder; None if someone else has it."""
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_leftovers(path: Path) -> None:
    """Remove what killed processes left on its way to `path`."""
    prefix = _prefix(path)
    for entry in path.parent.iterdir():
        if not (entry.name.startswith(prefix) and is_unfinished(entry)):
            continue
        _remove_unless_locked(entry)


def _remove_unless_locked(entry: Path) -> None:
    with suppress(OSError):  # another process was faster
        lock = _lock(entry)
        if lock is None:
            return
        try:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        finally:
            os.close(lock)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # a system that cannot open folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C and the like wait until the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
