"""From arguments to an exit code: 0 done, 1 an error, 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .arguments import parse
from .errors import sentence
from .screen import Screen

PROGRAM = "dnmf-topics"


def main(arguments: Sequence[str] | None = None) -> int:
    r"""Run a command and return its exit code. An error is one sentence on standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command and its options; by default those of the process.

    Returns
    -------
    int
        0 done, 1 an error, 130 interrupted; wrong usage ends the process with 2.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gensim.test.utils import common_texts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     texts = Path(folder, "texts.txt")
    ...     _ = texts.write_text("\n".join(map(" ".join, common_texts)))
    ...     main(["fit", str(texts), "-k", "2", "--words", "3", "--out", f"{folder}/out"])
    topic  documents  share  name                    words
        0          5  55.6%  system, user, computer  system user computer
        1          4  44.4%  trees, graph, minors    trees graph minors
    0
    """
    with _ending_cleanly():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    _open_streams()
    debug = False
    try:
        args = parse(arguments)
        debug = args.debug
        screen = Screen(quiet=args.quiet, as_json=args.json)
        with screen.logging():
            from .commands import COMMANDS  # slow to load, and not needed for help

            COMMANDS[args.command](args, screen)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read our output, such as `head`, has enough. Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(f"{PROGRAM}: error: {sentence(error)}", file=sys.stderr)
        return 1
    return 0


def _open_streams() -> None:
    """A stream that the caller closed swallows all; what a terminal cannot show is escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """SIGTERM leaves through all the clean-up on the way out; afterwards it does what it did.

    Only a process's first thread gets signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(*_: Any) -> None:
    raise SystemExit(128 + signal.SIGTERM)
