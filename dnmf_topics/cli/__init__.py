"""The command line, `dnmf-topics`."""

from .program import main

__all__ = ["main"]
