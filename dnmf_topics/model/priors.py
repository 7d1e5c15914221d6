"""Dirichlet priors as LdaModel takes them: of topics in a document, of words in a topic."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ..common.arrays import Dense
from ..common.checks import LARGEST, SMALLEST, check_unmasked, shortened


class PriorShapeError(ValueError, AssertionError):
    """A prior of the wrong shape; LdaModel raises an AssertionError for it."""


def topic_prior(alpha: Any, num_topics: int) -> tuple[Dense, bool]:
    """`alpha` (K), and whether it is to be learnt."""
    if isinstance(alpha, str) and alpha == "asymmetric":
        prior = 1.0 / (np.arange(num_topics) + np.sqrt(num_topics))
        return prior / prior.sum(), False
    prior, learnt = _prior(alpha, "alpha", num_topics, num_topics)
    if prior.shape != (num_topics,):
        raise PriorShapeError(
            f"alpha must have one number for each of the {num_topics} topics, "
            f"got shape {prior.shape}."
        )
    return prior, learnt


def word_prior(eta: Any, num_topics: int, num_terms: int) -> tuple[Dense, bool]:
    """`eta` (V or K x V), and whether it is to be learnt."""
    prior, learnt = _prior(eta, "eta", num_topics, num_terms)
    if prior.shape not in ((num_terms,), (num_topics, num_terms)):
        raise PriorShapeError(
            f"eta must have one number for each of the {num_terms} terms, or a row of them for "
            f"each of the {num_topics} topics, got shape {prior.shape}."
        )
    return prior, learnt


def _prior(value: Any, name: str, num_topics: int, length: int) -> tuple[Dense, bool]:
    if value is None or (isinstance(value, str) and value in ("symmetric", "auto")):
        return np.full(length, 1.0 / num_topics), value == "auto"
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        prior: Dense = np.full(length, float(value))
    elif isinstance(value, (list, tuple, np.ndarray)):
        check_unmasked(value, name)
        try:
            prior = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must hold numbers, got {shortened(value)}.") from None
    else:
        known = "'symmetric', 'auto'" + (", 'asymmetric'" if name == "alpha" else "")
        raise ValueError(
            f"{name} must be a number, an array, or one of {known}, got {shortened(value)}."
        )
    wrong = prior[~(np.isfinite(prior) & (prior > 0))]
    if wrong.size:
        raise ValueError(f"{name} must be finite and above 0, got {wrong[0]}.")
    wrong = prior[(prior < SMALLEST) | (prior > LARGEST)]
    if wrong.size:
        raise ValueError(f"{name} must lie from {SMALLEST:g} to {LARGEST:g}, got {wrong[0]}.")
    return prior, False
