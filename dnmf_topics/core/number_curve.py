"""How well each number of topics did, from trials with it, and which one to take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

# From tests/benchmarks/num_topics.py, which leaves one corpus out at a time: the power of the
# entropy, which share of the best score may turn out to be the best, and which does about as well.
POWER = 0.54
FINALIST = 0.97
NEARLY = 0.93
# Where a curve is flat, what corpora usually have: a number must do 1 % better for one octave from
# ten, 4 % for two and 9 % for three.
USUAL, LEANING = 10, 0.01
WORTH_A_LOOK = 0.8  # share of the best score that makes another maximum an alternative


class Trial(NamedTuple):
    """What both halves of the words say with a number of topics, by one view: see `Shared`."""

    number: int
    information: float
    entropy: float
    separation: float = 1.0
    """Of clusters that have seen both halves."""

    @property
    def score(self) -> float:
        """What numbers are compared by."""
        if self.information <= 0:
            return 0.0
        leaning = math.exp(-LEANING * math.log2(self.number / USUAL) ** 2)
        return float(leaning * self.separation * self.information / self.entropy**POWER)


Trials = Mapping[int, Trial]
"""A trial for each number, by the better view."""


@dataclass(frozen=True, eq=False)
class NumberCurve:
    """How well each number of topics did, and what follows from it.

    Attributes
    ----------
    number : int
        The number of topics to take.
    low, high : int
        The range of numbers around it that do about as well.
    alternatives : tuple of int
        Other numbers worth a look, at which the curve has a maximum too; the best first.
    candidates : tuple of int
        The numbers that were tried, in ascending order.
    scores : tuple of float
        What they are compared by.
    information : tuple of float
        What the topics that one half of the words finds tell about those of the other half, in
        nats.
    num_docs : int
        How many documents they were tried on at a time.
    """

    number: int
    low: int
    high: int
    alternatives: tuple[int, ...]
    candidates: tuple[int, ...]
    scores: tuple[float, ...]
    information: tuple[float, ...]
    num_docs: int

    def _is_near(self, number: int) -> bool:
        """Whether a number does about as well as the one to take."""
        return self.low <= number <= self.high


def best_trials(trials: Sequence[Trial]) -> Trials:
    """Those of the better view, by number in ascending order."""
    best = {trial.number: trial for trial in sorted(trials, key=lambda trial: trial.score)}
    return dict(sorted(best.items()))


def finalists(repetitions: Sequence[Trials]) -> list[int]:
    """The numbers that might be the best, after some repetitions."""
    totals = _totals(repetitions)
    least = FINALIST * max(totals.values())
    return [number for number, total in totals.items() if total >= least]


def _totals(repetitions: Sequence[Trials]) -> dict[int, float]:
    """Summed scores of the numbers that were tried every time."""
    return {number: _sum_scores(repetitions, number) for number in repetitions[-1]}


def _sum_scores(repetitions: Sequence[Trials], number: int) -> float:
    return sum(trials[number].score for trials in repetitions)


def read_curve(repetitions: Sequence[Trials], num_docs: int) -> NumberCurve:
    """What follows from trials with all candidates, repeated with fewer and fewer of them."""
    totals = _totals(repetitions)
    best = max(totals, key=lambda number: totals[number])
    numbers, scores, information = list(repetitions[0]), [], []
    for number in numbers:
        tried = [trials for trials in repetitions if number in trials]
        # Beside the best one in the same repetitions: scores differ from one to the next.
        share = _sum_scores(tried, number) / max(_sum_scores(tried, best), 1e-12)
        scores.append(share * totals[best] / len(repetitions))
        information.append(float(np.mean([trials[number].information for trials in tried])))
    taken = numbers.index(best)
    low, high = near_range(scores, taken)
    others = [
        i for i in maxima(scores)
        if not low <= i <= high and scores[i] >= WORTH_A_LOOK * scores[taken]
    ]  # fmt: skip
    return NumberCurve(
        number=best,
        low=numbers[low],
        high=numbers[high],
        alternatives=tuple(numbers[i] for i in others),
        candidates=tuple(numbers),
        scores=tuple(scores),
        information=tuple(information),
        num_docs=num_docs,
    )


def near_range(scores: Sequence[float], taken: int) -> tuple[int, int]:
    """First and last place of those around the one taken that do about as well."""
    low = high = taken
    least = NEARLY * scores[taken]
    while low > 0 and scores[low - 1] >= least:
        low -= 1
    while high + 1 < len(scores) and scores[high + 1] >= least:
        high += 1
    return low, high


def maxima(scores: Sequence[float]) -> list[int]:
    """Where the curve is higher than on both sides; the highest first."""
    found = []
    for i, score in enumerate(scores):
        rises = i == 0 or scores[i - 1] < score
        falls = i + 1 == len(scores) or scores[i + 1] <= score
        if rises and falls:
            found.append(i)
    return sorted(found, key=lambda i: -scores[i])
