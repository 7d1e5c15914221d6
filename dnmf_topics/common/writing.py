"""Files and folders that appear when they are complete, and are on the disk then.

What is being written lies beside its place, under a hidden name and a lock, which keeps other
writers away. Where a process was killed, its lock is gone, and the next one that writes to the same
place removes what it left.
"""

from __future__ import annotations

import ctypes
import errno
import io
import logging
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .signals import uninterrupted

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed: that is the lock there
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

PATIENCE = 60.0  # seconds to wait for another process that writes the same file
PAUSE = 0.005  # seconds between two looks whether it has ended
DISK_TROUBLES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}  # which name no file
ASIDE = "replaced"  # the old folder, where two cannot swap their names in one step
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of Linux


def check_place(path: Path) -> None:
    """Raise if no file can be written there."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file.")


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of `path` when the block ends well.

    A link stays a link, to the new file; permissions are those of the old one.
    """
    check_place(path)
    path = Path(os.path.realpath(path))
    check_place(path)
    if path.exists() and not path.is_file():  # a pipe or a device: there is nothing to keep whole
        with path.open("wb") as device:
            yield device
        return
    unfinished = _hidden(path)
    descriptor = _claim(unfinished, is_folder=False, patience=PATIENCE)
    try:
        with naming(path), open(descriptor, "wb", closefd=False) as file:
            if path.exists():
                os.chmod(unfinished, 0o600)  # until it is complete: the old one may be private
            yield file
            file.flush()
            os.fsync(descriptor)
        keep_permissions(path, unfinished)
        if not is_at(descriptor, unfinished):
            raise FileNotFoundError(f"{unfinished}, on its way to {path}, was removed by another.")
        if fcntl is None:  # no open file can be moved there
            os.close(descriptor)
        os.replace(unfinished, path)
    except BaseException:
        if fcntl is None:
            with suppress(OSError):
                os.close(descriptor)
        _remove(unfinished)  # while it is locked: later it could be another writer's
        raise
    finally:
        if fcntl is not None:
            release(descriptor)
    sync_folder(path.parent)


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
def only_writer(folder: Path) -> Iterator[Path]:
    """A hidden folder to work in beside `folder`, while nobody else writes there.

    It is removed at the end. `put_in_place` moves what was made in it to its place.
    """
    hidden = _hidden(folder)
    descriptor = _claim(hidden, is_folder=True, patience=0)
    try:
        yield hidden
    finally:
        _remove(hidden)
        release(descriptor)


def put_in_place(new: Path, folder: Path) -> None:
    """Let a folder that is complete take the place of `folder`, in one step if there is one.

    Permissions of the old folder, and of its files that the new one has too, are kept. The old
    folder is then where the new one was.
    """
    sync_folder(new)
    if not folder.exists():
        os.rename(new, folder)
    else:
        for path in new.iterdir():
            keep_permissions(folder / path.name, path)
        keep_permissions(folder, new)
        _exchange(new, folder)
    sync_folder(folder.parent)


def keep_permissions(old: Path, new: Path) -> None:
    """Give a file or folder the permissions, and the owner, of another one, if that is there."""
    try:
        status = old.stat()
    except FileNotFoundError:
        return
    with suppress(OSError, AttributeError):  # of another user, or a system without owners
        os.chown(new, status.st_uid, status.st_gid)
    os.chmod(new, stat.S_IMODE(status.st_mode))


def is_unfinished(path: Path) -> bool:
    """Whether this is something on its way to its place, or what is left of it."""
    return path.name.startswith(".") and path.name.endswith(".unfinished")


def _hidden(path: Path) -> Path:
    """Where something lies on its way to `path`; no name may be too long."""
    name = path.name.encode("utf-8", "surrogateescape")[:200].decode("utf-8", "ignore")
    return path.with_name(f".{name}.unfinished")


def _place_of(hidden: Path) -> Path:
    return hidden.with_name(hidden.name[1:].removesuffix(".unfinished"))


# Locks: each is held on the hidden file or folder itself, so that a killed process leaves none.


def _claim(hidden: Path, *, is_folder: bool, patience: float) -> int:
    """Make a hidden file or folder, and return a descriptor that holds its lock."""
    start, said = time.monotonic(), False
    while True:
        try:
            descriptor = _make(hidden, is_folder)
        except FileExistsError:
            if _remove_leftover(hidden):
                continue
            if time.monotonic() - start >= patience:
                raise BlockingIOError(
                    f"{_place_of(hidden)} is being written by another process; wait for it to end, "
                    "or name another place."
                ) from None
            if time.monotonic() - start > 1 and not said:
                said = True
                logger.warning("waiting for another process: it writes %s", hidden)
            time.sleep(PAUSE)
            continue
        if lock(descriptor) and is_at(descriptor, hidden):
            return descriptor
        os.close(descriptor)  # another process took it for a leftover before it had its lock


def _make(hidden: Path, is_folder: bool) -> int:
    if is_folder:
        hidden.mkdir(mode=0o700)  # what it becomes may be private
        try:
            return os.open(hidden, os.O_RDONLY)
        except FileNotFoundError:  # another process took it for a leftover
            raise FileExistsError from None
    return os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)


def _remove_leftover(hidden: Path) -> bool:
    """Remove what a killed process left; False if the process is alive."""
    try:
        # A link or a pipe, which somebody else put there, is neither followed nor waited for.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(hidden, flags)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise
        hidden.unlink(missing_ok=True)
        return True
    try:
        if not lock(descriptor):
            return False
        if is_at(descriptor, hidden):
            aside, place = hidden / ASIDE, _place_of(hidden)
            if aside.is_dir() and not place.exists():
                os.rename(aside, place)
            _remove(hidden)
            if is_at(descriptor, hidden):
                raise PermissionError(
                    f"{hidden} is left from a run that was killed, and cannot be removed; remove "
                    "it, or name another place."
                )
    finally:
        release(descriptor)
    return True


def lock(descriptor: int, *, without_locks: bool = True) -> bool:
    """Whether the lock of an open file or folder could be had, or what holds without locks."""
    if fcntl is None:
        return without_locks
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return without_locks and error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def release(descriptor: int) -> None:
    """Close it, and unlock it: forked processes may hold it too."""
    with suppress(OSError):
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file or folder is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _remove(hidden: Path) -> None:
    with suppress(OSError):
        shutil.rmtree(hidden) if hidden.is_dir() else hidden.unlink()


# The disk


def _exchange(new: Path, old: Path) -> None:
    """Let two folders swap their names, in one step where the system has one."""
    rename = None
    if sys.platform == "linux":
        rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is not None:
        names = os.fsencode(new), os.fsencode(old)
        if rename(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.ENOSYS, errno.EINVAL):
            raise OSError(code, os.strerror(code), str(old))
    # Killed between the two, it leaves no folder until the next writer puts the old one back.
    aside = new.with_name(ASIDE)
    with uninterrupted():
        os.rename(old, aside)
        try:
            os.rename(new, old)
        except OSError:
            os.rename(aside, old)
            raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A full disk says which file it has no room for."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in DISK_TROUBLES:
            error.filename = str(path)
        raise


def sync_folder(folder: Path) -> None:
    """See the names in a folder on the disk."""
    with suppress(OSError):  # a system that cannot open folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
