"""WordPiece: cut words into the longest known pieces from the left, as BERT models do.

After the algorithm that the BERT paper's code calls its word-piece tokenizer: a piece inside a
word is written with ``##`` before it, and a word that cannot be cut in full is unknown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from iris_harness.sentences.vocabulary import read_vocabulary

_LONGEST_PIECE = 20
"""Characters of the longest piece worth looking for."""
_LONGEST_WORD = 60
_PART = re.compile(r"[^\W_]+|[^\s]")


class WordPieces:
    """Cuts words with one vocabulary. Pure and thread-safe."""

    def __init__(self, vocabulary: Sequence[str], unknown: str = "[UNK]") -> None:
        """Take the pieces; a piece's number is its place in the sequence."""
        self._numbers: Mapping[str, int] = {piece: n for n, piece in enumerate(vocabulary)}
        self._unknown = self._numbers[unknown]

    def __getitem__(self, piece: str) -> int:
        """Return the number of a piece that is in the vocabulary (``[CLS]``)."""
        return self._numbers[piece]

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of the pieces of lower-case words, accents taken off."""
        found: list[int] = []
        for word in words:
            number = self._numbers.get(word)
            if number is not None:
                found.append(number)
            else:
                for part in _PART.findall(_without_accents(word[:_LONGEST_WORD])):
                    found.extend(self._cut(part))
        return found

    def _cut(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + _LONGEST_PIECE), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


def load_vocabulary() -> WordPieces:
    """Return what cuts words into the pieces that MiniLM reads."""
    return WordPieces(read_vocabulary())


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return "".join(part for part in parts if unicodedata.category(part) != "Mn")
