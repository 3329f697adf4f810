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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iris_harness.contracts.tasks import Intent, Rule
from iris_router.clauses import Clause
from iris_router.fast_model import Scores, TokenVectors, length_of
from iris_router.features import BUCKETS, Buckets, Features

_OFFSET = -8.5
_MEANING = 4.3
_OVERLAP = 16.6
"""Log odds of an intent: an offset, and what full likeness in meaning and in letters adds."""
_FEW = 1 << 15
"""Places that two bytes can tell apart: half the memory to look a clause up in."""
_HINT_LEAST = 0.8
_HINT_MOST = 0.88
"""How sure a hint is that accounts for next to nothing of the clause, and for all of it."""


class Likeness(NamedTuple):
    """How like a clause is to its nearest example, from 0 (not at all) to 1."""

    meaning: float
    overlap: float

    def probability(self) -> float:
        """Return how likely the clause is one of the example's intent."""
        return _probability(_OFFSET + _MEANING * self.meaning + _OVERLAP * self.overlap)


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
        self._split = tokens.vectors.shape[1]
        meanings = np.zeros((len(examples), self._split))
        for line, each in zip(meanings, examples, strict=True):
            line[:] = unit(tokens.total(each.pieces))
        self._places, overlaps = _index([each.characters for each in examples])
        self._examples = np.hstack([meanings, overlaps])
        self._weighed = np.hstack([meanings * _MEANING, overlaps * _OVERLAP])

    def evidence(self, clause: Clause, features: Features, total: Scores) -> dict[str, float]:
        """Return how likely each of the intents is, taken by itself.

        `total` is the sum of the clause's word vectors.
        """
        if not self._known:
            return {}
        odds = self._odds(features, total)
        return {
            known.intent: max(
                _hinted(known.hints, clause.words),
                _probability(max(odds[known.first : known.end], default=-math.inf)),
            )
            for known in self._known
        }

    def likenesses(self, features: Features) -> list[Likeness]:
        """Return how like a clause is to each example, in the order of the intents."""
        clause, split = self._vector(features, self._tokens.total(features.pieces)), self._split
        meanings = self._examples[:, :split] @ clause[:split]
        overlaps = self._examples[:, split:] @ clause[split:]
        return [
            Likeness(meaning, overlap)
            for meaning, overlap in zip(meanings.tolist(), overlaps.tolist(), strict=True)
        ]

    def _odds(self, features: Features, total: Scores) -> list[float]:
        """Return the log odds of each example's intent, as if there were no other example."""
        odds: list[float] = (self._weighed @ self._vector(features, total) + _OFFSET).tolist()
        return odds

    def _vector(self, features: Features, total: Scores) -> Scores:
        """Return a clause as the examples are kept: its meaning, then the buckets they have."""
        found = np.zeros(self._examples.shape[1])
        found[: self._split] = total * (1 / length_of(total))
        places = self._places.take(features.characters, mode="wrap")
        found[self._split :][places] = 1 / math.sqrt(max(len(places), 1))
        return found


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def unit(vector: Scores) -> Scores:
    """Return a vector at length 1; zeros as they are."""
    return np.asarray(vector / length_of(vector), np.float64)


def _index(examples: Sequence[Buckets]) -> tuple[NDArray[Any], Scores]:
    """Return a place for each bucket, and the examples, which have 0 or the same at each place.

    Each is at length 1. The last place is of the buckets that no example has.
    """
    known = np.unique(np.concatenate(examples)) if examples else np.zeros(0, np.uint32)
    places = np.full(BUCKETS, len(known), np.int16 if len(known) < _FEW else np.int32)
    places[known] = np.arange(len(known))
    shares = np.zeros((len(examples), len(known) + 1))
    for line, example in zip(shares, examples, strict=True):
        own = np.unique(places[example])
        line[own] = 1 / math.sqrt(max(len(own), 1))
    return places, shares


def _hinted(hints: Sequence[re.Pattern[str]], words: str) -> float:
    """Return how sure the longest match of a hint is; 0 when none matches."""
    lengths = [match.end() - match.start() for hint in hints if (match := hint.search(words))]
    if not lengths:
        return 0.0
    return _HINT_LEAST + (_HINT_MOST - _HINT_LEAST) * max(lengths) / max(len(words), 1)
