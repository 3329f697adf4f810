"""What the statistical tier sees of a clause: hashed n-grams, and pieces of its words.

Needs numpy, and is therefore imported only when that tier is. All hashes are fixed by this module
and by nothing else, so the same words have the same features on every machine.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from iris_harness.sentences.wordpiece import WordPieces
from iris_router.clauses import Clause

BUCKETS = 1 << 17
"""How many rows each table of hashed n-grams has."""

_LONGEST = 256
"""Characters that are looked at; what is asked stands in fewer."""
_SHORTEST_PIECE, _LONGEST_PIECE = 2, 5
_PRIME = 0x01000193
_SKIP = _PRIME * 31
_LETTER_PRIME = np.array(_PRIME, np.uint32)
_WHOLE = 0xFFFFFFFF
# Arrays of no dimension: numpy takes several times as long over scalars.
_SHIFTS = np.array(15, np.uint32), np.array(12, np.uint32)
_FACTOR = np.array(0x2C1B3C6D, np.uint32)
_MASK = np.array(BUCKETS - 1, np.uint32)
_DIGITS = re.compile(r"\d+")
_NO_SCOPE = "none"

Buckets: TypeAlias = NDArray[np.uint32]
Tokens: TypeAlias = NDArray[np.intp]


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
        pieces = _character_hashes(text)
        hashes = np.array(_word_hashes(words, kind), np.uint32)
        buckets = _spread(np.concatenate((*pieces, hashes)))
        count = len(buckets) - len(hashes)
        return Features(
            characters=buckets[:count],
            words=buckets[count:],
            pieces=np.array(self._pieces.numbers(words), np.intp),
        )


def _character_hashes(text: str) -> list[Buckets]:
    """Return the hashes of all pieces of a text, the shortest first."""
    codes = np.frombuffer(f" {text} ".encode(), np.uint8).astype(np.uint32)
    found = []
    shorter = codes
    for length in range(_SHORTEST_PIECE, min(_LONGEST_PIECE, len(codes)) + 1):
        # A piece's hash is that of the piece without its last letter, and that letter.
        shorter = shorter[:-1] * _LETTER_PRIME
        shorter += codes[length - 1 :]
        found.append(shorter)
    return found


def _word_hashes(words: Sequence[str], kind: str) -> list[int]:
    """Return the hashes of words, of pairs, of pairs with a word between, and of the scope."""
    named = [zlib.crc32(word.encode()) for word in ("^", *words, "$")]
    found = named[1:-1]
    found += [(a * _PRIME + b) & _WHOLE for a, b in pairwise(named)]
    found += [(a * _SKIP + b) & _WHOLE for a, b in zip(named, named[2:], strict=False)]
    found.append(zlib.crc32(f"~{kind}".encode()))
    return found


def _spread(hashes: Buckets) -> Buckets:
    """Turn 32-bit hashes into buckets, evenly, in their own place."""
    hashes ^= hashes >> _SHIFTS[0]
    hashes *= _FACTOR
    hashes ^= hashes >> _SHIFTS[1]
    hashes &= _MASK
    return hashes
