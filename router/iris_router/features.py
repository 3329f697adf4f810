"""What the statistical tier sees of a clause: hashed n-grams, and pieces of its words.

Needs numpy, and is therefore imported only when that tier is. All hashes are fixed by this module
and by nothing else, so the same words have the same features on every machine.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from iris_router.clauses import Clause
from iris_router.wordpiece import WordPieces

BUCKETS = 1 << 17
"""How many rows each table of hashed n-grams has."""

_LONGEST = 256
"""Characters that are looked at; what is asked stands in fewer."""
_CHARACTERS = (2, 3, 4, 5)
_PRIME = np.uint32(0x01000193)
_SKIP = np.uint32(0x01000193 * 31 & 0xFFFFFFFF)
_DIGITS = re.compile(r"\d+")
_NO_SCOPE = "none"

Buckets: TypeAlias = NDArray[np.uint32]
Tokens: TypeAlias = NDArray[np.int32]


class Features(NamedTuple):
    """One clause, as the statistical tier sees it. Repetitions count."""

    characters: Buckets
    """Buckets of its 2 to 5 characters long pieces, blanks included."""
    words: Buckets
    """Buckets of its words, of pairs of words (neighbours, and with one between), and one of
    the kind of scope it names."""
    pieces: Tokens
    """Numbers of its word pieces, in order."""


class FeatureReader:
    """Turns clauses into features. Pure and thread-safe."""

    def __init__(self, pieces: WordPieces) -> None:
        """Take the word pieces that have vectors."""
        self._pieces = pieces

    def read(self, clause: Clause) -> Features:
        """Return the features of a clause; its time is linear in the length, and bounded."""
        text = _DIGITS.sub("0", clause.words)[:_LONGEST]
        kind = clause.scope.kind.value if clause.scope else _NO_SCOPE
        words = text.split()
        return Features(
            characters=_characters(text),
            words=_words(words, kind),
            pieces=np.array(self._pieces.numbers(words), np.int32),
        )


def _characters(text: str) -> Buckets:
    codes = np.frombuffer(f" {text} ".encode(), np.uint8).astype(np.uint32)
    found = []
    hashed = codes
    for length in _CHARACTERS:
        if len(codes) < length:
            break
        hashed = hashed[:-1] * _PRIME + codes[length - 1 :]
        found.append(hashed + np.uint32(length * 0x9E3779B1 & 0xFFFFFFFF))
    return _buckets(found)


def _words(words: Sequence[str], kind: str) -> Buckets:
    hashed = np.array([zlib.crc32(word.encode()) for word in ("^", *words, "$")], np.uint32)
    mark = np.array([zlib.crc32(f"~{kind}".encode())], np.uint32)
    pairs = hashed[:-1] * _PRIME + hashed[1:]
    around = hashed[:-2] * _SKIP + hashed[2:]
    return _buckets([hashed[1:-1], pairs, around, mark])


def _buckets(hashes: Sequence[Buckets]) -> Buckets:
    """Spread 32-bit hashes evenly over the buckets."""
    if not hashes:
        return np.zeros(0, np.uint32)
    mixed = np.concatenate(hashes)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x2C1B3C6D)
    mixed ^= mixed >> np.uint32(12)
    mixed &= np.uint32(BUCKETS - 1)
    return mixed
