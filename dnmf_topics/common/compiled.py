"""The one way in which inner loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function that lets other threads run, and keep the result on disk.

    Where no folder can be written to, it is compiled anew in each process.
    """
    try:
        return cast(Function, njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(Function, njit(nogil=True)(function))
