"""The command line, `dnmf-topics`."""

from .main import main

__all__ = ["main"]
