"""Edits of a file's text: exact strings only, which must be there exactly once. Pure."""

from __future__ import annotations

import difflib

_SHOWN = 12
"""Lines of the nearest match that are shown."""
_MOST_LINES = 5_000
_COMPARED = 200
_LONGEST = 2_000
"""Characters of a line that are compared, and that are shown."""


def replace_once(text: str, old: str, new: str) -> str:
    """Return `text` with the only occurrence of `old` replaced.

    Raises:
        ValueError: `old` is empty, is not there, or more than once; the message is one to answer
            a model with, and shows the nearest lines.
    """
    if not old:
        raise ValueError("old is empty; to make a new file, use create")
    if old == new:
        raise ValueError("old and new are the same")
    count = text.count(old)
    if count == 1:
        return text.replace(old, new, 1)
    if count > 1:
        lines = ", ".join(str(number) for number in _lines_of(text, old)[:10])
        raise ValueError(f"old is there {count} times, at lines {lines}; give more around it")
    raise ValueError(f"old is not there; {_nearest(text, old)}")


def _lines_of(text: str, old: str) -> list[int]:
    found, at = [], text.find(old)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(old, at + 1)
    return found


def _nearest(text: str, old: str) -> str:
    """Return where `text` is most like `old`, with its lines."""
    lines, wanted = text.splitlines()[:_MOST_LINES], old.splitlines()
    if not lines or not wanted:
        return "the file is empty"
    first = max(wanted, key=lambda line: len(line.strip()))
    at = wanted.index(first)
    # Comparing two lines takes the product of their lengths.
    compared = [line[:_COMPARED] for line in lines]
    near = difflib.get_close_matches(first[:_COMPARED], compared, n=1, cutoff=0.5)
    if not near:
        return "nothing in the file is like it; read the file first"
    start = max(compared.index(near[0]) - at, 0)
    shown = [line[:_LONGEST] for line in lines][start : start + min(len(wanted), _SHOWN)]
    return f"the nearest is at line {start + 1}:\n" + "\n".join(shown)
