"""The documents that a command is given."""

from __future__ import annotations

import logging
import os
import sys
from argparse import Namespace
from typing import BinaryIO

from ..text import Documents, read_documents
from .kept_columns import asked_columns

logger = logging.getLogger(__name__)


def input_title(source: str) -> str:
    """What a source is called."""
    return "standard input" if source == "-" else os.path.basename(os.path.abspath(source))


def readable(name: str) -> str:
    """A name as text: that of a file can have bytes that are none."""
    return name.encode("utf-8", "replace").decode("utf-8")


def documents_of(args: Namespace) -> Documents:
    """What is to be read, as the options say."""
    source: str | BinaryIO = args.input
    if source == "-":
        if sys.stdin is None:
            raise ValueError("There is no standard input; name a file or a folder.")
        source = sys.stdin.buffer
    return read_documents(
        source,
        text=args.text, label=args.label, id=args.id, columns=asked_columns(args),
        all_columns=getattr(args, "all_columns", False),
        encoding=args.encoding, errors="skip" if args.skip_errors else "strict",
    )  # fmt: skip


def say_skipped(documents: Documents) -> None:
    """How many records were left out, if any were."""
    if documents.skipped:
        first = documents.skipped[0]
        logger.warning(
            "records that were left out: %i, the first: %s: %s",
            len(documents.skipped), first.place, first.reason,
        )  # fmt: skip
