"""An error as the sentence that a user reads."""

from __future__ import annotations

EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)
"""Whose messages are made for users. Others are errors of the program itself."""


def sentence(error: BaseException) -> str:
    """What went wrong, in one line."""
    said = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        # numpy says how much it could not have, Python nothing.
        return said or "The memory does not suffice; take fewer documents or words (--keep-n)."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, EXPECTED):
        said = said or type(error).__name__
        return said if said.endswith((".", "!", "?")) else f"{said}."
    kind = type(error).__name__
    return f"{kind}: {said or 'no message'}; --debug shows where, for a report of the fault."
