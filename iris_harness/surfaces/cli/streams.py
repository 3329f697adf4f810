"""The standard streams, made fit to be printed to whatever they are."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from typing import TextIO


def prepare_streams() -> None:
    """Make standard output and error take every text, before anything is printed.

    A closed stream (``>&-``) is replaced by one that leads nowhere. In an encoding that lacks a
    character it becomes a question mark: an emoji in a title must not cost the answer. ASCII is
    what a machine says that was never told its encoding; UTF-8 is meant (as in PEP 540).
    """
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - for good
    sys.stdout = _prepared(sys.stdout)
    sys.stderr = _prepared(sys.stderr)


def _prepared(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - stays for good
    if isinstance(stream, io.TextIOWrapper):
        ascii_only = codecs.lookup(stream.encoding).name == "ascii"
        stream.reconfigure(encoding="utf-8" if ascii_only else None, errors="replace")
    return stream


def drop_output() -> None:
    """Lead standard output nowhere: its reader is gone, and Python flushes it again at exit."""
    with contextlib.suppress(OSError):  # not a file at all: nothing is flushed to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Print a line on standard error; where even that is full or gone, nothing is said."""
    with contextlib.suppress(OSError):
        if text:
            print(text, file=sys.stderr, flush=True)
