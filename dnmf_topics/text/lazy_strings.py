"""Sequences of strings that are read from a file, or looked up, when they are asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..common.arrays import IntArray
from ..storage import FileFormatError

AT_A_TIME = 1000  # strings that an iteration reads


class LazyStrings(Sequence[Any]):
    """What the sequences share: numbers from the end, slices, and an iteration in batches."""

    def _read(self, start: int, stop: int) -> list[Any]:
        raise NotImplementedError

    def __getitem__(self, number: Any) -> Any:
        """A string; a tuple of them for a slice."""
        if isinstance(number, slice):
            chosen = range(len(self))[number]
            if chosen.step == 1:
                return tuple(self._read(chosen.start, chosen.stop))
            return tuple(self[each] for each in chosen)
        found = range(len(self))[number]
        return self._read(found, found + 1)[0]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), AT_A_TIME):
            yield from self._read(start, min(start + AT_A_TIME, len(self)))


class StringFile(LazyStrings):
    """Strings that lie in a file as UTF-8, one after the other.

    Parameters
    ----------
    path : path
        The file.
    ends : array of int, shape (n,)
        Where each string ends, in bytes.
    """

    def __init__(self, path: Path, ends: IntArray) -> None:
        self.path = path
        self.ends = ends

    def __len__(self) -> int:
        return int(self.ends.size)

    def __repr__(self) -> str:
        return f"<StringFile: {len(self)} strings in {self.path}>"

    def _read(self, start: int, stop: int) -> list[str]:
        if start >= stop:
            return []
        first = int(self.ends[start - 1]) if start else 0
        ends = (self.ends[start:stop] - first).tolist()
        with self.path.open("rb") as file:
            file.seek(first)
            content = file.read(ends[-1])
        try:
            if len(content) < ends[-1]:
                raise ValueError("it ends early")
            return [
                content[begin:end].decode("utf-8", "surrogatepass")
                for begin, end in zip([0, *ends], ends, strict=False)
            ]
        except ValueError as error:
            raise FileFormatError(
                f"{self.path} does not hold the strings it should ({error}); build the corpus "
                "again."
            ) from error


class ColumnFile(StringFile):
    """The same, where an empty string stands for None."""

    @property
    def strings(self) -> StringFile:
        """The strings as they are in the file."""
        return StringFile(self.path, self.ends)

    def _read(self, start: int, stop: int) -> list[Any]:
        return [string or None for string in super()._read(start, stop)]


class LabelList(LazyStrings):
    """Labels as numbers of names; -1 is none."""

    def __init__(self, numbers: IntArray, names: Sequence[str]) -> None:
        self.numbers = numbers
        self._named: list[str | None] = [*names, None]

    def __len__(self) -> int:
        return int(self.numbers.size)

    def __repr__(self) -> str:
        return f"<LabelList: {len(self)} labels>"

    def _read(self, start: int, stop: int) -> list[str | None]:
        return [self._named[number] for number in self.numbers[start:stop].tolist()]


class StringWriter:
    """Writes what a `StringFile` reads."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ends = array("q")
        self._size = 0

    def extend(self, strings: Iterable[str]) -> None:
        """Append strings."""
        for string in strings:
            encoded = string.encode("utf-8", "surrogatepass")
            self._file.write(encoded)
            self._size += len(encoded)
            self._ends.append(self._size)

    @property
    def ends(self) -> IntArray:
        """Where each string ends."""
        return np.array(self._ends, np.int64)


class LabelNumbers:
    """Collects what a `LabelList` shows."""

    def __init__(self) -> None:
        self._number_of: dict[str | None, int] = {None: -1}
        self._numbers = array("q")

    def extend(self, labels: Iterable[str | None]) -> None:
        """Append labels."""
        for label in labels:
            number = self._number_of.setdefault(label, len(self._number_of) - 1)
            self._numbers.append(number)

    @property
    def numbers(self) -> IntArray:
        """The number of each label."""
        return np.array(self._numbers, np.int64)

    @property
    def names(self) -> list[str]:
        """The name of each number."""
        return [name for name in self._number_of if name is not None]
