"""Seeds as a tree: every layer, clustering and draw has its own, whoever computes it and when."""

from __future__ import annotations

import numpy as np


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The descendant of `seed` at `key`; unlike `SeedSequence.spawn` it leaves `seed` as it is."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))


def child_rng(seed: np.random.SeedSequence, *key: int) -> np.random.Generator:
    """A generator seeded by the descendant of `seed` at `key`."""
    return np.random.default_rng(child_seed(seed, *key))
