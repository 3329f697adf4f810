"""Plain text measured in terminal cells and broken into lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator


def cell_width(text: str) -> int:
    """Return how many columns a terminal gives to `text` (cleaned, one line)."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def pad(text: str, width: int) -> str:
    """Return `text` followed by spaces up to `width` cells."""
    return text + " " * max(0, width - cell_width(text))


def wrap(tokens: Iterable[str], width: int) -> tuple[str, ...]:
    """Fill lines of at most `width` cells with `tokens`, one space between two.

    A token is kept whole where a line can hold it and is cut where none can. At least one
    line, possibly empty, is returned.
    """
    given = tuple(tokens)
    whole = " ".join(given)
    if cell_width(whole) <= width and not whole.startswith(" "):  # as most lines
        return (whole,)
    lines: list[str] = []
    current = ""
    for piece in (piece for token in given for piece in _pieces(token, width)):
        joined = f"{current} {piece}" if current else piece
        if cell_width(joined) <= width:
            current = joined
        else:
            lines.append(current)
            current = piece
    return (*lines, current)


def _pieces(token: str, width: int) -> Iterator[str]:
    """Yield `token`, its words when it is too wide, and parts of words too wide themselves."""
    if cell_width(token) <= width:
        yield token
        return
    for word in token.split(" "):
        yield from _cut(word, width)


def _cut(word: str, width: int) -> Iterator[str]:
    part = ""
    for character in word:
        if part and cell_width(part + character) > width:
            yield part
            part = ""
        part += character
    yield part
