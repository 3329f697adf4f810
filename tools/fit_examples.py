"""Fit how likely a likeness to examples makes an intent that the model was never trained for.

Each kind of request that is out of scope in the collected rows (booking a flight, spelling a
word) plays a third party's intent in turn: a few of its rows are the examples, the rest are to be
found, and the rows of all other kinds are not. What is printed belongs into
``iris_router/examples.py``::

    python tools/fit_examples.py --corpus ../shared/corpus/intents
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_harness.contracts.tasks import Intent
from iris_router.examples import ExampleIntents, Likeness
from iris_router.features import Features
from router_training.fitting import Reader

_EXAMPLES = 6
_FEWEST = 20
"""Rows of a kind that is worth trying."""
_OTHERS = 300
"""Rows of other kinds that each is tried on."""
_SEED = 7
_ACCEPTED = 0.5


def main() -> None:
    """Print the fitted odds and how well they tell."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--corpus", type=Path, required=True, help="folder of train.jsonl")
    corpus: Path = options.parse_args().corpus
    kinds: dict[str, list[str]] = defaultdict(list)
    for line in (corpus / "train.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        outside = row["intent"] == OUT_OF_SCOPE and row.get("orig", "oos") != "oos"
        kinds[row["orig"] if outside else ""].append(row["text"])
    found, meant = _likenesses(kinds, Reader())
    table = np.array(found)
    model = LogisticRegression(C=100).fit(table, meant)
    offset, (meaning, overlap) = model.intercept_[0], model.coef_[0]
    likely = model.predict_proba(table)[:, 1] >= _ACCEPTED
    right = np.array(meant)
    print(f"offset {offset:.2f}, meaning {meaning:.2f}, overlap {overlap:.2f}")
    print(f"found {likely[right].mean():.3f}, taken wrongly {likely[~right].mean():.4f}")


def _likenesses(kinds: dict[str, list[str]], reader: Reader) -> tuple[list[Likeness], list[bool]]:
    source = random.Random(_SEED)  # noqa: S311 - sampling, no secret
    found: list[Likeness] = []
    meant: list[bool] = []
    for kind, texts in sorted(kinds.items()):
        if not kind or len(texts) < _FEWEST:
            continue
        mixed = source.sample(texts, len(texts))
        others = [text for other in sorted(kinds) if other != kind for text in kinds[other]]
        nearest = _Nearest(mixed[:_EXAMPLES], reader)
        for text in mixed[_EXAMPLES:]:
            found.append(nearest.likeness(reader.features(text)))
            meant.append(True)
        for text in source.sample(others, _OTHERS):
            found.append(nearest.likeness(reader.features(text)))
            meant.append(False)
    return found, meant


class _Nearest:
    """Holds texts against the examples of one intent."""

    def __init__(self, examples: Sequence[str], reader: Reader) -> None:
        intent = Intent(name="kind", description="", examples=tuple(examples))
        self._examples = ExampleIntents([intent], reader.features, reader.tokens)

    def likeness(self, features: Features) -> Likeness:
        """Return the likeness to the nearest example."""
        return max(self._examples.likenesses(features), key=lambda each: each.probability())


if __name__ == "__main__":
    main()
