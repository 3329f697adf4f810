"""Make different ways to write the same words equal, before anything is matched.

The result is lower case, single blanks, no punctuation at the edge of a word, contractions
written out, politeness removed. Inside a word punctuation stays (``10:30``, ``parser.py``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iris_router.language import NormalWords

_TOKEN = re.compile(r"[^\W_]+(?:[-'.:/@_]+[^\W_]+)*")
_HYPHEN = re.compile(r"(?<=[a-z])-+(?=[a-z])")
_QUOTES = {ord(mark): "'" for mark in "\u2018\u2019\u02bc\u0060\u00b4"}


class Normaliser:
    """Normalises text with the words of one language. Pure and thread-safe."""

    def __init__(self, words: NormalWords) -> None:
        """Compile the word tables."""
        self._tokens = dict(words.tokens)
        self._endings = dict(words.endings)
        self._fillers = words.fillers
        openings = "|".join(words.openings)
        self._opening = re.compile(f"(?:{openings})+(?=.)")
        self._closings = tuple(words.closings)

    def words(self, text: str) -> str:
        """Return the normalised words of `text`, joined by single blanks; may be empty."""
        return self.joined(self.tokens(text))

    @staticmethod
    def tokens(text: str) -> list[str]:
        """Return the words of `text` as they were written, but for case and punctuation."""
        found: list[str] = _TOKEN.findall(text.translate(_QUOTES).lower())
        return found

    def joined(self, tokens: Sequence[str]) -> str:
        """Return the normalised words of tokens; what they come to may depend on all of them."""
        plain = [
            token if token.isalpha() and token not in self._tokens else self._plain(token)
            for token in tokens
            if token not in self._fillers
        ]
        return self._without_politeness(" ".join(plain)) or " ".join(tokens)

    def _plain(self, token: str) -> str:
        if token in self._tokens:
            return self._tokens[token]
        if "'" in token:
            return self._without_apostrophe(token)
        return _HYPHEN.sub(" ", token) if "-" in token else token

    def _without_apostrophe(self, token: str) -> str:
        stem, _, ending = token.rpartition("'")
        if ending in self._endings:
            return f"{stem} {self._endings[ending]}"
        if ending == "t" and stem.endswith("n"):
            return f"{stem[:-1]} not"
        if ending == "s" and f"{stem}s" in self._tokens:
            return self._tokens[f"{stem}s"]
        return token.replace("'", "")

    def _without_politeness(self, text: str) -> str:
        opening = self._opening.match(text)
        rest = text[opening.end() :] if opening else text
        while rest.endswith(self._closings):
            closing = next(one for one in self._closings if rest.endswith(one))
            rest = rest.removesuffix(closing)
        return rest or text
