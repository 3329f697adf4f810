"""An utterance cut into words, numbers and marks, with phrases of the tables made one word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d|\d{4}/\d\d?/\d\d?|\d\d?[/.]\d\d?[/.]\d{4})(?!\d)"
    r"|(?P<fraction>\d\d?/\d{1,4})(?!\d)"
    r"|(?P<clock>\d\d?(?::\d\d(?::\d\d)?|h\d\d))(?!\d)"
    r"|(?P<decimal>\d{1,4}\.\d{1,4})(?!\d)"
    r"|(?P<number>\d+)"
    r"|(?P<word>[^\W\d_]\w*)"
    r"|(?P<mark>[^\w\s]|_+)"
)
_DATE_TIME = re.compile(r"(?<=\d{4}-\d\d-\d\d)t(?=\d\d:\d\d)")
"""The letter between a date and a time, as computers write them (ISO 8601)."""
_QUOTES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0130": "I"})


class Token(NamedTuple):
    """A piece of the text; `text` is lower case."""

    text: str
    kind: str
    """``date``, ``fraction``, ``clock``, ``decimal``, ``number``, ``word`` or ``mark``."""
    start: int
    end: int


END = Token("", "end", -1, -1)


class Tokens:
    """The tokens of one text; past its ends there is `END` without end."""

    def __init__(self, items: Sequence[Token]) -> None:
        """Take the tokens in order."""
        self._items = items
        self._count = len(items)
        spoken = [index for index, item in enumerate(items) if item.kind != "mark"]
        self._ends = (spoken[0], spoken[-1]) if spoken else (0, -1)

    def __len__(self) -> int:
        """Return how many tokens there are."""
        return self._count

    def __getitem__(self, index: int) -> Token:
        """Return a token, or `END` outside the text."""
        return self._items[index] if 0 <= index < self._count else END

    def text(self, index: int) -> str:
        """Return the text of a token, empty outside the text."""
        return self._items[index].text if 0 <= index < self._count else ""

    def are_all(self, first: int, end: int) -> bool:
        """Return whether nothing but marks stands outside these tokens."""
        return first <= self._ends[0] and end > self._ends[1]

    def touch(self, index: int) -> bool:
        """Return whether the token and the one before it stand without a blank between them."""
        return 0 < index < self._count and self._items[index - 1].end == self._items[index].start


class Lexer:
    """Cuts texts into tokens. Pure and thread-safe."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Take the phrases that are one token; of two that begin alike the longer one counts."""
        self._phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
            first, *rest = (token.text for token in _cut(phrase))
            if rest:
                self._phrases.setdefault(first, []).append((tuple(rest), phrase))

    def read(self, text: str) -> Tokens:
        """Return the tokens of `text`, whatever its case and apostrophes."""
        found = _cut(text)
        merged: list[Token] = []
        index = 0
        while index < len(found):
            token, index = self._merged(found, index)
            merged.append(token)
        return Tokens(merged)

    def _merged(self, found: Sequence[Token], index: int) -> tuple[Token, int]:
        token = found[index]
        phrases = self._phrases.get(token.text)
        if phrases is None or index + 1 == len(found):
            return token, index + 1
        after = found[index + 1].text
        for rest, phrase in phrases:
            end = index + 1 + len(rest)
            if rest[0] == after and tuple(each.text for each in found[index + 1 : end]) == rest:
                return Token(phrase, "word", token.start, found[end - 1].end), end
        return token, index + 1


def _cut(text: str) -> list[Token]:
    folded = _DATE_TIME.sub(" ", text.translate(_QUOTES).lower())
    return [
        Token(match.group(), match.lastgroup or "", match.start(), match.end())
        for match in _TOKEN.finditer(folded)
    ]
