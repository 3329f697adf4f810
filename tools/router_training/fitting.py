"""From rows to the arrays of the fast model."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from iris_harness.sentences.wordpiece import load_vocabulary
from iris_router.clauses import Clause, ClauseReader
from iris_router.english import build_english
from iris_router.examples import unit
from iris_router.fast_model import FastModel, Scores, Weights, load_token_vectors
from iris_router.features import BUCKETS, Buckets, FeatureReader, Features
from router_training.phrases import SOURCE
from router_training.rows import Row
from router_training.typos import mishear, misspell

REFERENCE = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)
"""When all rows are said; of a scope only its kind counts."""
STRENGTH = 3.0
"""Inverse of the regularisation, chosen on the dev set."""
_SLIP_WEIGHT = 0.5
_SEED = 7
_ITERATIONS = 150
_STEPS = 127


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A row that is learnt from."""

    features: Features
    intent: str
    weight: float


class Reader:
    """Turns texts into features, just as the router does."""

    def __init__(self, *, spells: bool = True) -> None:
        """Load the tables and the vocabulary.

        `spells` puts misspelt words right: when a model is asked, but not when it learns, since
        it is to know the slips that are left.
        """
        self.tokens = load_token_vectors()
        self._clauses = ClauseReader({"en": build_english()}, default="en", spells=spells)
        self._features = FeatureReader(load_vocabulary())

    def clause(self, text: str) -> Clause:
        """Return a text as a clause."""
        return self._clauses.read(text, REFERENCE, "en")

    def features(self, text: str) -> Features:
        """Return the features of a text."""
        return self._features.read(self.clause(text))


def build_samples(
    rows: Sequence[Row], reader: Reader, held_out: frozenset[str] = frozenset()
) -> list[Sample]:
    """Return each row as it is, and with slips of the finger and of the ear at half the weight.

    `held_out` are the normalised words of rows to measure on; sentences of our own that happen
    to be among them are left out.
    """
    source = random.Random(_SEED)  # noqa: S311 - sampling, no secret
    samples = []
    for row in rows:
        words = reader.clause(row.text).words
        if not words or (row.source == SOURCE and words in held_out):
            continue
        weights = {row.text: 1.0}
        for wrong in (misspell(row.text, source), mishear(row.text, source)):
            weights.setdefault(wrong, _SLIP_WEIGHT)
        samples += [
            Sample(features=reader.features(text), intent=row.intent, weight=weight)
            for text, weight in weights.items()
        ]
    return samples


def fit(samples: Sequence[Sample], reader: Reader) -> FastModel:
    """Return the model of the samples, with a temperature of 1."""
    table = _matrix([sample.features for sample in samples], reader)
    used = np.flatnonzero(np.asarray((table != 0).sum(0)).ravel() > 1)
    model = LogisticRegression(C=STRENGTH, max_iter=_ITERATIONS, tol=1e-4)
    model.fit(
        table[:, used],
        [sample.intent for sample in samples],
        sample_weight=[sample.weight for sample in samples],
    )
    weights = np.zeros((table.shape[1], len(model.classes_)))
    weights[used] = model.coef_.T
    return _quantised(
        tuple(str(name) for name in model.classes_), weights, model.intercept_, reader
    )


def with_temperature(model: FastModel, temperature: float) -> FastModel:
    """Return the model with all its scores divided by `temperature`."""
    return replace(
        model, bias=np.round(model.bias / temperature, 6), scales=model.scales / temperature
    )


def _matrix(features: Sequence[Features], reader: Reader) -> sparse.csr_matrix:
    vectors = sparse.csr_matrix(
        np.array([unit(reader.tokens.total(each.pieces)) for each in features], np.float32)
    )
    blocks = (
        _counts([each.characters for each in features]),
        _counts([each.words for each in features]),
        vectors,
    )
    return sparse.hstack(blocks).tocsr()


def _counts(blocks: Sequence[Buckets]) -> sparse.csr_matrix:
    """Return a row per block in which each occurrence is worth one over the root of all."""
    ends = np.cumsum([0, *(len(block) for block in blocks)])
    worth = [np.full(len(block), 1 / np.sqrt(max(len(block), 1)), np.float32) for block in blocks]
    counts = sparse.csr_matrix(
        (np.concatenate(worth), np.concatenate(blocks).astype(np.int32), ends),
        shape=(len(blocks), BUCKETS),
    )
    counts.sum_duplicates()
    return counts


def _quantised(
    intents: tuple[str, ...], weights: NDArray[np.float64], bias: Scores, reader: Reader
) -> FastModel:
    parts = np.split(weights, [BUCKETS, 2 * BUCKETS])
    tables, scales = zip(*(_int8(part) for part in parts), strict=True)
    return FastModel(
        intents=intents,
        tokens=reader.tokens,
        characters=tables[0],
        words=tables[1],
        pieces=tables[2].astype(np.float64),
        bias=np.round(bias, 6),
        scales=np.array(scales),
    )


def _int8(weights: NDArray[np.float64]) -> tuple[Weights, float]:
    # The largest weights are the words that matter most: no outlier is cut off.
    scale = float(np.abs(weights).max()) / _STEPS
    return np.round(weights / scale).astype(np.int8), scale
