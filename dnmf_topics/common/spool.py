"""Temporary folders for what does not fit into memory; leftovers of killed runs are removed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .writing import is_at, lock, release

PREFIX = "dnmf-spool-"
# (document, term) pairs up to which a corpus stays in memory, where nobody says otherwise.
MAX_IN_MEMORY = 10_000_000


def check_spool(parent: str | os.PathLike[str]) -> None:
    """Raise if there is no such folder."""
    if not os.path.isdir(parent):
        raise FileNotFoundError(f"There is no folder {parent} to spool to; create it first.")


@contextmanager
def spool_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """A folder that lives as long as the block, in `parent` or where temporary files belong.

    It is locked. A run that was killed leaves its folder without a lock, and the next one removes
    it.
    """
    parent = Path(parent or tempfile.gettempdir())
    check_spool(parent)
    _remove_leftovers(parent)
    folder, descriptor = _make(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            release(descriptor)


def _make(parent: Path) -> tuple[Path, int | None]:
    """A new folder, and what holds its lock where folders can be locked."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        descriptor = _open(folder)
        if descriptor is None and not folder.exists():
            continue  # another process took it for a leftover before it had its lock
        if descriptor is None or (lock(descriptor) and is_at(descriptor, folder)):
            return folder, descriptor
        release(descriptor)


def _open(folder: Path) -> int | None:
    """A descriptor of a folder; None for none of ours, or on a system that cannot open folders."""
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        if os.fstat(descriptor).st_uid == os.getuid():
            return descriptor
        os.close(descriptor)
    return None


def _remove_leftovers(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        descriptor = _open(folder)
        if descriptor is not None:
            # Some network file systems lock no folders; one that may be in use stays.
            if lock(descriptor, without_locks=False):
                shutil.rmtree(folder, ignore_errors=True)
            release(descriptor)
