"""Cells of a CSV file that a spreadsheet shows and does not execute."""

from __future__ import annotations

import re
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n")  # what makes a formula, or hides its beginning
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def safe_cell(value: Any) -> Any:
    """The value; text that a spreadsheet would take for a formula gets an apostrophe before it.

    A carriage return becomes a line end.

    >>> [safe_cell(value) for value in ("=1+1", "@home", "-5.5e3", "river", -5, None)]
    ["'=1+1", "'@home", '-5.5e3', 'river', -5, None]
    """
    if not isinstance(value, str):
        return value
    # Some versions of csv leave a carriage return without quotes, where it begins a new row.
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    is_formula = text.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text
