"""The fast model: multinomial logistic regression over hashed n-grams and word vectors, in int8.

The arrays come from ``tools/train_router.py`` and ``tools/distill_tokens.py``. All long sums are
of integers that the floats they are held in can tell apart, so that a clause has the same scores
on every machine, in whatever order it adds them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from iris_router.features import Buckets, Features, Tokens

Weights: TypeAlias = NDArray[np.int8]
Scores: TypeAlias = NDArray[np.float64]

_ONES = np.ones(1 << 13, np.float32)
"""A product with ones is the quickest sum. No clause has more features: `FeatureReader` reads 256
characters of at most 4 bytes, each of which begins at most 4 pieces."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenVectors:
    """A vector for each common word piece: MiniLM, distilled."""

    vectors: Weights
    """Shape (vocabulary, dimensions); zeros where a piece has none."""

    def total(self, pieces: Tokens) -> Scores:
        """Return the sum of the pieces' vectors: whole numbers, shape (dimensions,)."""
        return _sum_of(self.vectors, pieces).astype(np.float64)


@dataclass(frozen=True, kw_only=True, slots=True)
class FastModel:
    """Scores intents. Pure and thread-safe."""

    intents: tuple[str, ...]
    tokens: TokenVectors
    characters: Weights
    """Shape (buckets, intents)."""
    words: Weights
    """Shape (buckets, intents)."""
    pieces: Scores
    """Shape (dimensions, intents): whole numbers."""
    bias: Scores
    """Shape (intents,)."""
    scales: Scores
    """What one step of `characters`, `words` and `pieces` is worth."""

    def probabilities(self, features: Features, total: Scores) -> list[float]:
        """Return the calibrated probability of each intent, in the order of `intents`.

        `total` is what `tokens` says of the pieces; it is asked for because others need it too.
        """
        meaning = (total @ self.pieces).tolist()
        characters = _sum_of(self.characters, features.characters).tolist()
        words = _sum_of(self.words, features.words).tolist()
        per_character, per_word, per_meaning = self._worth(features, total)
        scores = [
            start + m * per_meaning + c * per_character + w * per_word
            for start, m, c, w in zip(self.bias.tolist(), meaning, characters, words, strict=True)
        ]
        highest = max(scores)
        grown = [math.exp(score - highest) for score in scores]
        whole = sum(grown)
        return [each / whole for each in grown]

    def _worth(self, features: Features, total: Scores) -> tuple[float, float, float]:
        """Return what one step is worth in each table, so that long clauses weigh no more."""
        characters, words, meaning = self.scales.tolist()
        return (
            characters / math.sqrt(len(features.characters) or 1),
            words / math.sqrt(len(features.words) or 1),
            meaning / length_of(total),
        )


def length_of(vector: Scores) -> float:
    """Return the length of a vector; 1 when it is all zeros, which have no direction."""
    return math.sqrt(vector @ vector) or 1.0


def _sum_of(table: Weights, rows: Buckets | Tokens) -> NDArray[np.float32]:
    """Return the sum of rows of a table, in the quickest way there is.

    All rows are there: "wrap" only spares numpy a look at each.
    """
    chosen = table.take(rows, 0, mode="wrap").astype(np.float32)
    return _ONES[: len(chosen)] @ chosen


def load_fast_model() -> FastModel:
    """Read the arrays that come with the package."""
    arrays = load_arrays("fast_en.npz")
    return FastModel(
        intents=tuple(str(name) for name in arrays["intents"]),
        tokens=load_token_vectors(),
        characters=arrays["characters"],
        words=arrays["words"],
        pieces=arrays["pieces"].astype(np.float64),
        bias=arrays["bias"],
        scales=arrays["scales"],
    )


def load_token_vectors() -> TokenVectors:
    """Map the vectors that come with the package; only those that are used take up memory."""
    with resources.as_file(_data("tokens_en.npy")) as path:
        return TokenVectors(vectors=np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)))


def load_arrays(name: str) -> Mapping[str, NDArray[Any]]:
    """Read all arrays of a file; nothing in it is ever executed."""
    with _data(name).open("rb") as file, np.load(file, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def _data(name: str) -> Traversable:
    return resources.files("iris_router").joinpath("data", name)
