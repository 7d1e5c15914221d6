"""How many documents are done, told on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ..common.progress import Progress, ProgressCallback

Item = TypeVar("Item")


@dataclass(frozen=True)
class Meter:
    """Tells the caller how many documents are done."""

    progress: ProgressCallback
    total: int | None

    def watch(
        self, items: Iterable[Item], stage: str, num_docs: Callable[[Item], int]
    ) -> Iterator[Item]:
        """The items, while their documents are counted."""
        done = 0
        for item in items:
            yield item
            done += num_docs(item)
            self.progress(Progress(stage, done, self.total))
