"""The methods that DNMF is compared with, behind one function.

Each is a row of `BASELINES`; its file says what it works on (counts or TF-IDF) and what it solves.
"""

from __future__ import annotations

from .fitted import Fitted
from .table import BASELINES, fit_baseline

__all__ = ["BASELINES", "Fitted", "fit_baseline"]
