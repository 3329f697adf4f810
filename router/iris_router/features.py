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
_SHORTEST_PIECE, _LONGEST_PIECE = 2, 5
_PRIME = np.uint32(0x01000193)
_SKIP = np.uint32(0x01000193 * 31 & 0xFFFFFFFF)
_SHIFTS = np.uint32(15), np.uint32(12)
_FACTOR = np.uint32(0x2C1B3C6D)
_MASK = np.uint32(BUCKETS - 1)
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
    longest = min(_LONGEST_PIECE, len(codes))
    sizes = [len(codes) - length + 1 for length in range(_SHORTEST_PIECE, longest + 1)]
    hashes = np.empty(sum(sizes), np.uint32)
    shorter, start = codes, 0
    for size in sizes:
        # A piece's hash is that of the piece without its last letter, and that letter.
        longer = hashes[start : start + size]
        np.multiply(shorter[:-1], _PRIME, out=longer)
        longer += codes[len(codes) - size :]
        shorter, start = longer, start + size
    return _spread(hashes)


def _words(words: Sequence[str], kind: str) -> Buckets:
    named = ("^", *words, "$", f"~{kind}")
    hashed = np.array([zlib.crc32(word.encode()) for word in named], np.uint32)
    count = len(words)
    hashes = np.empty(3 * count + 2, np.uint32)
    hashes[:count] = hashed[1:-2]
    hashes[count : 2 * count + 1] = hashed[:-2] * _PRIME + hashed[1:-1]
    hashes[2 * count + 1 : -1] = hashed[:-3] * _SKIP + hashed[2:-1]
    hashes[-1] = hashed[-1]
    return _spread(hashes)


def _spread(hashes: Buckets) -> Buckets:
    """Turn 32-bit hashes into buckets, evenly, in their own place."""
    hashes ^= hashes >> _SHIFTS[0]
    hashes *= _FACTOR
    hashes ^= hashes >> _SHIFTS[1]
    hashes &= _MASK
    return hashes
