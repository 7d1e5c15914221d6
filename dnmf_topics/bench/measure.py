"""One fit: its seconds, its memory, and how good what it found is."""

from __future__ import annotations

import ctypes
import gc
import importlib.metadata
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .. import __version__
from ..evaluation import (
    clustering_accuracy,
    normalized_mutual_information,
    purity,
    similarity_count,
    top_terms,
    topic_coherence,
    topic_diversity,
    topic_npmi,
)
from .cells import Settings
from .corpora import Problem
from .held_out import measure_completion
from .methods import Found, Method
from .paper import TOP_WORDS

PACKAGES = ("numpy", "scipy", "scikit-learn", "gensim", "numba")


Result = TypeVar("Result")


def time_call(
    function: Callable[..., Result], *arguments: Any, **options: Any
) -> tuple[float, Result]:
    """The seconds that a call takes, and what it returns."""
    start = time.perf_counter()
    result = function(*arguments, **options)
    return time.perf_counter() - start, result


def measure_fit(
    method: Method, problem: Problem, settings: Settings, seed: int, *, completion: bool = False
) -> dict[str, float | None]:
    """Fit, and return what the record of a cell says about it; for `completion` fit once more."""
    memory = PeakMemory()
    seconds, found = time_call(method.fit, problem, settings, seed)
    values = {"seconds": seconds, "peak_mb": memory.growth()} | score_fit(found, problem)
    if completion:
        values["completion"] = measure_completion(method, problem, settings, seed)
    return {name: _round(value) for name, value in values.items()}


def score_fit(found: Found, problem: Problem) -> dict[str, float | None]:
    """All measures of one fit; those of agreement with classes are None where there are none."""
    terms = top_terms(found.topic_term, TOP_WORDS)
    npmi = topic_npmi(terms, problem.counts)
    values: dict[str, float | None] = {"acc": None, "nmi": None, "purity": None}
    if problem.classes is not None:
        values["acc"] = clustering_accuracy(problem.classes, found.cluster_labels)
        values["nmi"] = normalized_mutual_information(problem.classes, found.cluster_labels)
        values["purity"] = purity(problem.classes, found.cluster_labels)
    return values | {
        "coherence": topic_coherence(terms, problem.counts),
        "sim_count": similarity_count(terms),
        "npmi": float(np.nanmean(npmi)) if np.isfinite(npmi).any() else None,
        "diversity": topic_diversity(terms),
    }


def _round(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return value if isinstance(value, int) else round(float(value), 6)


class PeakMemory:
    """By how much the process grows at most, from now on.

    Linux forgets the peak so far on request, so the growth is exact. Elsewhere only the peak of
    the process' whole life is known: a fit that stays below an earlier one has None. What earlier
    fits freed is given back first, or a fit would use it without growing.
    """

    def __init__(self) -> None:
        gc.collect()
        if sys.platform == "linux":
            _give_back()
            self._forgets = _forget_peak()
        else:
            self._forgets = False
        self._before = _kilobytes("VmRSS") if self._forgets else _life_peak()

    def growth(self) -> float | None:
        """In mebibytes."""
        if self._before is None:
            return None
        after = _kilobytes("VmHWM") if self._forgets else _life_peak()
        if after is None or (after == self._before and not self._forgets):
            return None
        return max(after - self._before, 0) / 1024


def _give_back() -> None:
    """Let glibc return free memory to the system; other C libraries have no such call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _forget_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:  # not every container allows it
        return False
    return True


def _kilobytes(name: str) -> int | None:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return None


def _life_peak() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


def versions() -> dict[str, str]:
    """Of everything that a result may depend on."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **found, "dnmf_topics": __version__}


def threads() -> int:
    """How many a fit may use, as the runner told this process."""
    return int(os.environ.get("LOKY_MAX_CPU_COUNT", os.cpu_count() or 1))
