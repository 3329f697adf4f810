"""MiniLM with a head of our own: a sentence to the probability of each trained intent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iris_harness.sentences.encoder import SentenceEncoder
from iris_harness.sentences.wordpiece import load_vocabulary
from iris_router.fast_model import load_arrays

MOST_PIECES = 64
"""Pieces of a clause that are read: what is asked stands in fewer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MiniLmModel:
    """Scores intents. Thread-safe."""

    encoder: SentenceEncoder
    intents: tuple[str, ...]
    weights: NDArray[np.float32]
    """Shape (384, intents)."""
    bias: NDArray[np.float32]
    """Shape (intents,)."""
    weight: float
    """How much its reading counts beside the fast model's, from 0 to 1."""

    def probabilities(self, words: str) -> dict[str, float]:
        """Return the probability of each intent, given a clause's normalised words."""
        scores = self.bias + self.encoder.encode(words) @ self.weights
        grown = np.exp(scores - scores.max())
        shares = (grown / grown.sum()).tolist()
        return dict(zip(self.intents, shares, strict=True))


def load_minilm_model() -> MiniLmModel:
    """Load the weights of the extra, and the head that comes with the package."""
    arrays = load_arrays("minilm_en.npz")
    return MiniLmModel(
        encoder=SentenceEncoder(load_vocabulary(), most_pieces=MOST_PIECES),
        intents=tuple(str(name) for name in arrays["intents"]),
        weights=arrays["weights"],
        bias=arrays["bias"],
        weight=float(arrays["weight"]),
    )
