"""An utterance cut into words, numbers and marks, with phrases of the tables made one word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<word>[^\W\d_]\w*)"
    r"|(?P<date>\d{4,}-\d\d-\d\d|\d{4,}/\d\d?/\d\d?|\d\d?[/.]\d\d?[/.]\d{4,})(?!\d)"
    r"|(?P<fraction>\d\d?/\d{1,4})(?!\d)"
    r"|(?P<clock>\d\d?(?::\d\d(?::\d\d)?|h\d\d))(?!\d)"
    r"|(?P<decimal>\d{1,4}\.\d{1,4})(?!\d)"
    r"|(?P<number>\d+)"
    r"|(?P<mark>[^\w\s]|_+)"
)
_KINDS = ("", *_TOKEN.groupindex)
"""The kinds by the number of their group."""
_new = tuple.__new__
"""Makes a token in half the time that its class takes: most of the time of a text is spent here."""
_DATE_TIME = re.compile(r"(?<=\d{4}-\d\d-\d\d)t(?=\d\d:\d\d)")
"""The letter between a date and a time, as computers write them (ISO 8601)."""
_SPELT = frozenset({"word", "mark", "end"})
_QUOTES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u0130": "I"})


class Token(NamedTuple):
    """A piece of the text; `text` is lower case."""

    text: str
    kind: str
    """``date``, ``fraction``, ``clock``, ``decimal``, ``number``, ``word`` or ``mark``."""
    start: int
    end: int

    def is_counted(self) -> bool:
        """Return whether it is written in digits."""
        return self.kind not in _SPELT


END = Token("", "end", -1, -1)


class Tokens(dict[int, Token]):
    """The tokens of one text by their place, in order; at every other place there is `END`."""

    def __init__(self, items: Sequence[Token]) -> None:
        """Take the tokens in order."""
        super().__init__(enumerate(items))
        spoken = [index for index, item in enumerate(items) if item.kind != "mark"]
        self._ends = (spoken[0], spoken[-1]) if spoken else (0, -1)
        texts = [item.text for item in items]
        heads = [item.text if item.kind in _SPELT else item.kind for item in items]
        self.text: Callable[[int], str] = _Texts(enumerate(texts)).__getitem__
        """Returns the text of the token at a place, empty outside the text."""
        self.head: Callable[[int], str] = _Texts(enumerate(heads)).__getitem__
        """Returns what a token may begin something by: its text, or of a number its kind."""

    def __missing__(self, index: int) -> Token:
        """Return what stands outside the text."""
        return END

    def are_all(self, first: int, end: int) -> bool:
        """Return whether nothing but marks stands outside these tokens."""
        return first <= self._ends[0] and end > self._ends[1]

    def touch(self, index: int) -> bool:
        """Return whether the token and the one before it stand without a blank between them."""
        return 0 < index < len(self) and self[index - 1].end == self[index].start


class _Texts(dict[int, str]):
    def __missing__(self, index: int) -> str:
        return ""


class Lexer:
    """Cuts texts into tokens. Pure and thread-safe."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Take the phrases that are one token; of two that begin alike the longer one counts."""
        self._phrases: dict[tuple[str, str], list[tuple[list[str], str]]] = {}
        """By their first two tokens: all their tokens, and the phrase."""
        for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
            parts = [token.text for token in self.cut(phrase)]
            if len(parts) > 1:
                self._phrases.setdefault((parts[0], parts[1]), []).append((parts, phrase))

    @staticmethod
    def fold(text: str) -> str:
        """Return `text` with its case and apostrophes made alike; positions stay."""
        return text.translate(_QUOTES).lower()

    @staticmethod
    def cut(folded: str) -> list[Token]:
        """Return the tokens of a folded text, phrases in pieces."""
        if "-" in folded:
            folded = _DATE_TIME.sub(" ", folded)
        return [
            _new(Token, (match[0], _KINDS[match.lastindex or 0], *match.span()))
            for match in _TOKEN.finditer(folded)
        ]

    def read(self, folded: str) -> Tokens:
        """Return the tokens of a folded text."""
        found = self.cut(folded)
        texts = [*(token.text for token in found), ""]
        merged: list[Token] = []
        index = 0
        while index < len(found):
            token, end = found[index], index + 1
            if (token.text, texts[end]) in self._phrases:
                token, end = self._merged(found, texts, index)
            merged.append(token)
            index = end
        return Tokens(merged)

    def _merged(
        self, found: Sequence[Token], texts: Sequence[str], index: int
    ) -> tuple[Token, int]:
        """Return the phrase that begins at a token, or the token, and what stands after it."""
        for parts, phrase in self._phrases[texts[index], texts[index + 1]]:
            end = index + len(parts)
            if texts[index:end] == parts:
                return Token(phrase, "word", found[index].start, found[end - 1].end), end
        return found[index], index + 1
