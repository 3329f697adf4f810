"""Intents that the model was not trained for: known by the examples their agents bring.

A clause is held against every example, by the vectors of its words and by the pieces it shares
with it. How likely a given similarity makes the intent was fitted by ``tools/fit_examples.py`` on
intents that were taken out of the training data. A hint of the agent's own adds to that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from iris_harness.contracts.tasks import Intent, Rule
from iris_router.clauses import Clause
from iris_router.fast_model import Scores, TokenVectors
from iris_router.features import BUCKETS, Buckets, Features

_OFFSET = -8.5
_MEANING = 4.3
_OVERLAP = 16.6
"""Log odds of an intent: an offset, and what full likeness in meaning and in letters adds."""
_HINT_LEAST = 0.8
_HINT_MOST = 0.88
"""How sure a hint is that accounts for next to nothing of the clause, and for all of it."""


class Likeness(NamedTuple):
    """How like a clause is to its nearest example, from 0 (not at all) to 1."""

    meaning: float
    overlap: float

    def probability(self) -> float:
        """Return how likely the clause is one of the example's intent."""
        odds = _OFFSET + _MEANING * self.meaning + _OVERLAP * self.overlap
        return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True, slots=True)
class _Known:
    intent: str
    hints: tuple[re.Pattern[str], ...]
    first: int
    end: int
    """Which of the examples are its own."""


class ExampleIntents:
    """Holds clauses against examples. Pure and thread-safe."""

    def __init__(
        self, intents: Sequence[Intent], read: Callable[[str], Features], tokens: TokenVectors
    ) -> None:
        """Compute what is needed of each example; `read` turns one into features."""
        self._tokens = tokens
        self._known: list[_Known] = []
        examples: list[Features] = []
        for intent in intents:
            first = len(examples)
            examples += [read(text) for text in intent.examples]
            hints = tuple(re.compile(r.pattern) for r in intent.rules if r.kind is Rule.HINT)
            self._known.append(_Known(intent.name, hints, first, len(examples)))
        self._meanings = np.array([unit(tokens.total(each.pieces)) for each in examples])
        self._rows, self._shares = _index([each.characters for each in examples])

    def evidence(self, clause: Clause, features: Features) -> dict[str, float]:
        """Return how likely each of the intents is, taken by itself."""
        if not self._known:
            return {}
        nearest = [each.probability() for each in self.likenesses(features)]
        return {
            known.intent: max(
                _hinted(known.hints, clause.words), *nearest[known.first : known.end], 0.0
            )
            for known in self._known
        }

    def likenesses(self, features: Features) -> list[Likeness]:
        """Return how like a clause is to each example, in the order of the intents."""
        if not len(self._meanings):
            return []
        meanings = self._meanings @ unit(self._tokens.total(features.pieces))
        overlaps = _overlaps(features.characters, self._rows, self._shares)
        return [
            Likeness(meaning, overlap)
            for meaning, overlap in zip(meanings.tolist(), overlaps.tolist(), strict=True)
        ]


def unit(vector: Scores) -> Scores:
    """Return a vector at length 1; zeros as they are."""
    return np.asarray(vector / (math.sqrt(vector @ vector) or 1.0), np.float64)


def _index(examples: Sequence[Buckets]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return a row for each bucket (0: no example has it), and which examples have each row.

    The examples' columns are at length 1.
    """
    known = np.unique(np.concatenate(examples)) if examples else np.zeros(0, np.uint32)
    rows = np.zeros(BUCKETS, np.int32)
    rows[known] = np.arange(1, len(known) + 1)
    shares = np.zeros((len(known) + 1, len(examples)))
    for column, example in enumerate(examples):
        own = rows[np.unique(example)]
        shares[own, column] = 1 / math.sqrt(max(len(own), 1))
    return rows, shares


def _overlaps(asked: Buckets, rows: NDArray[np.int32], shares: NDArray[np.float64]) -> Scores:
    met = np.zeros(len(shares))
    met[rows.take(asked)] = 1.0
    met[0] = 0.0
    return np.asarray((met @ shares) / math.sqrt(max(len(asked), 1)), np.float64)


def _hinted(hints: Sequence[re.Pattern[str]], words: str) -> float:
    """Return how sure the longest match of a hint is; 0 when none matches."""
    lengths = [match.end() - match.start() for hint in hints if (match := hint.search(words))]
    if not lengths:
        return 0.0
    return _HINT_LEAST + (_HINT_MOST - _HINT_LEAST) * max(lengths) / max(len(words), 1)
