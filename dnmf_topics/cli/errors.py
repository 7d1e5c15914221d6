"""An error as the sentence that a user reads."""

from __future__ import annotations

EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)
"""Whose messages are made for users. Others are errors of the program itself."""


LONGEST = 600  # characters


def sentence(error: BaseException) -> str:
    """What went wrong, in one line that a terminal can show, whatever names are in it."""
    return printable(_explain(error))


def printable(said: str) -> str:
    """One line of bounded length that a terminal can show."""
    said = "".join(sign if sign.isprintable() else " " for sign in said)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 4]} ..."


def _explain(error: BaseException) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        # numpy says how much it could not have, Python nothing.
        return said or "The memory does not suffice; take fewer documents or words (--keep-n)."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, EXPECTED):
        said = said or type(error).__name__
        return said if said.endswith((".", "!", "?")) else f"{said}."
    if isinstance(error, RuntimeError) and "start new thread" in said:
        return "There is no room for another thread; take fewer (--jobs 1), or more memory."
    kind = type(error).__name__
    return f"{kind}: {said or 'no message'}; --debug shows where, for a report of the fault."
