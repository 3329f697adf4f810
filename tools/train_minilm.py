"""Train the head of the router's MiniLM tier, and how much it counts beside the fast model.

Run it after `train_router.py`, with the same rows::

    pip install -e '.[train]'
    python tools/train_minilm.py --corpus ../shared/corpus/intents

As there, the figures printed are of a model of the training rows alone, on the dev rows.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from iris_harness.sentences.encoder import SentenceEncoder
from iris_harness.sentences.wordpiece import load_vocabulary
from iris_router.fast_model import Scores
from iris_router.minilm_model import MOST_PIECES
from router_training.fitting import Reader, build_samples, fit, with_temperature
from router_training.measures import figures, probabilities, temperature_of
from router_training.own import own_rows
from router_training.rows import Row, read_rows
from router_training.typos import misspell

DATA = Path(__file__).parent.parent / "router" / "iris_router" / "data"
_STRENGTH = 10.0
_SLIP_WEIGHT = 0.5
_SEED = 7
_SHARES = (0.2, 0.3, 0.4, 0.5, 0.6)


class _Head(NamedTuple):
    intents: tuple[str, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def logarithms(self, vectors: Scores) -> Scores:
        """Return the logarithm of each intent's probability, a row per vector."""
        scores = vectors @ self.weights + self.bias
        top = scores.max(1, keepdims=True)
        return np.asarray(scores - top - np.log(np.exp(scores - top).sum(1, keepdims=True)))


class _Texts:
    """Encodes texts, each once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._encoder = SentenceEncoder(load_vocabulary(), most_pieces=MOST_PIECES)
        self._known: dict[str, Scores] = {}

    def vectors(self, texts: Sequence[str]) -> Scores:
        """Return a row for each text."""
        words = [self._reader.clause(text).words for text in texts]
        for each in words:
            if each not in self._known:
                self._known[each] = self._encoder.encode(each)
        return np.array([self._known[each] for each in words])


def main() -> None:
    """Measure, then train."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--corpus", type=Path, required=True, help="folder of train.jsonl")
    corpus: Path = options.parse_args().corpus
    train, dev = read_rows(corpus / "train.jsonl"), read_rows(corpus / "dev.jsonl")
    own = own_rows()
    reader = Reader()
    texts = _Texts(reader)
    held = frozenset(reader.clause(row.text).words for row in dev)
    fresh = [row for row in own if reader.clause(row.text).words not in held]
    head = _fit([*train, *fresh], texts)
    fast = fit(build_samples([*train, *own], reader, held), reader)
    fast = with_temperature(fast, temperature_of(fast, dev, reader))
    quick = np.log(probabilities(fast, dev, reader) + 1e-12)
    slow = head.logarithms(texts.vectors([row.text for row in dev]))
    weight = max(_SHARES, key=lambda share: _likelihood(dev, fast.intents, quick, slow, share))
    mixed = np.exp((1 - weight) * quick + weight * slow)
    mixed /= mixed.sum(1, keepdims=True)
    sure = quick.max(1) >= np.log(0.9)
    mixed[sure] = np.exp(quick[sure])
    for name, table in (("minilm alone", np.exp(slow)), ("both", mixed)):
        found = figures(fast.intents, table, dev)
        print(json.dumps({"rows": f"dev, {name}", "weight": weight, **found}))
    _write(_fit([*train, *dev, *own], texts), weight)


def _likelihood(
    rows: Sequence[Row], intents: Sequence[str], quick: Scores, slow: Scores, share: float
) -> float:
    """Return how likely the rows' intents are when MiniLM counts for `share`."""
    mixed = (1 - share) * quick + share * slow
    mixed -= np.log(np.exp(mixed).sum(1, keepdims=True))
    places = [intents.index(row.intent) for row in rows]
    return float(mixed[np.arange(len(rows)), places].mean())


def _fit(rows: Sequence[Row], texts: _Texts) -> _Head:
    slips = random.Random(_SEED)  # noqa: S311 - sampling, no secret
    wrong = [misspell(row.text, slips) for row in rows]
    vectors = texts.vectors([*(row.text for row in rows), *wrong])
    model = LogisticRegression(C=_STRENGTH, max_iter=1000)
    model.fit(
        vectors,
        [row.intent for row in rows] * 2,
        sample_weight=[1.0] * len(rows) + [_SLIP_WEIGHT] * len(rows),
    )
    return _Head(
        intents=tuple(str(name) for name in model.classes_),
        weights=model.coef_.T.astype(np.float32),
        bias=model.intercept_.astype(np.float32),
    )


def _write(head: _Head, weight: float) -> None:
    np.savez(
        DATA / "minilm_en.npz",
        intents=np.array(head.intents),
        weights=head.weights,
        bias=head.bias,
        weight=np.array(weight),
    )


if __name__ == "__main__":
    main()
