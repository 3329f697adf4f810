"""How well a model does on rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import f1_score

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_router.fast_model import FastModel, Scores
from router_training.fitting import Reader
from router_training.rows import Row

_TEMPERATURES = tuple(round(0.4 + 0.05 * step, 2) for step in range(33))
_ACCEPTED = 0.7


def measure(model: FastModel, rows: Sequence[Row], reader: Reader) -> dict[str, object]:
    """Return the figures that the bars are stated in, to four places."""
    return figures(model.intents, probabilities(model, rows, reader), rows)


def figures(intents: Sequence[str], table: Scores, rows: Sequence[Row]) -> dict[str, object]:
    """Return the figures of a table of probabilities, a line for each row."""
    answers = [intents[best] for best in table.argmax(1)]
    right = [row.accepts(answer) for row, answer in zip(rows, answers, strict=True)]
    # An answer that is right as well counts as the row's own intent, as the corpus' scorer does.
    meant = [
        answer if fine else row.intent
        for row, answer, fine in zip(rows, answers, right, strict=True)
    ]
    outside = [fine for row, fine in zip(rows, right, strict=True) if row.intent == OUT_OF_SCOPE]
    by_source = defaultdict(list)
    for row, fine in zip(rows, right, strict=True):
        by_source[row.source].append(fine)
    sure = table.max(1) >= _ACCEPTED
    f1 = dict(zip(intents, f1_score(meant, answers, labels=intents, average=None), strict=True))
    present = {row.intent for row in rows}
    return {
        "rows_count": len(rows),
        "accuracy": _share(right),
        "macro_f1": round(float(np.mean([f1[name] for name in sorted(present)])), 4),
        "out_of_scope_recall": _share(outside),
        "planner_f1": round(float(f1["planner"]), 4),
        "sure": round(float(sure.mean()), 4),
        "right_when_sure": _share(np.array(right)[sure]),
        "by_source": {name: _share(each) for name, each in sorted(by_source.items())},
        "f1": {name: round(float(f1[name]), 3) for name in sorted(present)},
    }


def temperature_of(model: FastModel, rows: Sequence[Row], reader: Reader) -> float:
    """Return what the scores must be divided by to be the likeliest probabilities of the rows."""
    scores = np.log(probabilities(model, rows, reader) + 1e-12)
    places = [model.intents.index(row.intent) for row in rows]

    def loss(temperature: float) -> float:
        grown = np.exp(scores / temperature)
        return float(-np.log(grown[np.arange(len(rows)), places] / grown.sum(1)).mean())

    return min(_TEMPERATURES, key=loss)


def probabilities(model: FastModel, rows: Sequence[Row], reader: Reader) -> Scores:
    """Return the probability of each intent, a line for each row."""
    features = (reader.features(row.text) for row in rows)
    return np.array(
        [model.probabilities(each, model.tokens.total(each.pieces)) for each in features]
    )


def _share(values: Sequence[bool] | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return round(float(np.mean(values)), 4) if len(values) else 0.0
