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
from iris_router.wordpiece import WordPieces

Weights: TypeAlias = NDArray[np.int8]
Scores: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenVectors:
    """A vector for each common word piece: MiniLM, distilled."""

    vectors: Weights
    """Shape (vocabulary, dimensions); zeros where a piece has none."""

    def total(self, pieces: Tokens) -> Scores:
        """Return the sum of the pieces' vectors: whole numbers, shape (dimensions,)."""
        return _sum_of(self.vectors, pieces)


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

    def probabilities(self, features: Features) -> Scores:
        """Return the calibrated probability of each intent, in the order of `intents`."""
        meaning = self.tokens.total(features.pieces)
        length = math.sqrt(meaning @ meaning) or 1.0
        scores = self.bias + (meaning @ self.pieces) * (self.scales[2] / length)
        for block, table, scale in (
            (features.characters, self.characters, self.scales[0]),
            (features.words, self.words, self.scales[1]),
        ):
            scores += _sum_of(table, block) * (scale / math.sqrt(len(block) or 1))
        grown = np.exp(scores - scores.max())
        return np.asarray(grown / grown.sum(), np.float64)


def _sum_of(table: Weights, rows: Buckets | Tokens) -> Scores:
    """Return the sum of rows of a table, in the quickest way there is."""
    chosen = table.take(rows, 0).astype(np.float32)
    return (np.ones(len(chosen), np.float32) @ chosen).astype(np.float64)


def load_vocabulary() -> WordPieces:
    """Return the word pieces of the uncased BERT vocabulary, which MiniLM shares."""
    text = _data("vocabulary_en.txt").read_text("utf-8")
    return WordPieces(text.removesuffix("\n").split("\n"))


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
