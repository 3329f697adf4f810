"""Train the router's statistical tier and write its arrays into the package.

The collected utterances are not part of the repository; ``--corpus`` names their folder::

    pip install -e '.[train]'
    python tools/train_router.py --corpus ../shared/corpus/intents

First a model of the training rows alone is measured on the dev rows, which also give it its
temperature; these are the figures of ``docs/routing.md``. Then the model that ships is made from
both. Equal rows and equal versions of the libraries give equal arrays.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from iris_router.fast_model import FastModel
from router_training.fitting import Reader, build_samples, fit, with_temperature
from router_training.measures import measure, temperature_of
from router_training.own import own_rows
from router_training.phrases import SOURCE
from router_training.rows import Row, read_rows, without_source
from router_training.typos import misspell

DATA = Path(__file__).parent.parent / "router" / "iris_router" / "data"


def main() -> None:
    """Measure, or train."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--corpus", type=Path, required=True, help="folder of train.jsonl")
    options.add_argument("--without", metavar="SOURCE", help="measure on a source left out")
    options.add_argument("--measure", action="store_true", help="measure on dev, write nothing")
    chosen = options.parse_args()
    train = read_rows(chosen.corpus / "train.jsonl")
    dev = read_rows(chosen.corpus / "dev.jsonl")
    own = own_rows()
    if chosen.without:
        held = [row for row in (*train, *dev) if row.source == chosen.without]
        known = without_source([*train, *dev, *own], chosen.without)
        _report(f"without {chosen.without}", _fitted(known, held), held, held)
        return
    seen = {row.source for row in train}
    unseen = [row for row in dev if row.source not in seen]
    model = _fitted([*train, *own], dev)
    temperature = _report("dev", model, dev, unseen)
    if not chosen.measure:
        reader = Reader(spells=False)
        final = fit(build_samples([*train, *dev, *own], reader), reader)
        _write(with_temperature(final, temperature))


def _fitted(rows: Sequence[Row], held: Sequence[Row]) -> FastModel:
    reader = Reader(spells=False)
    words = frozenset(reader.clause(row.text).words for row in held if row.source != SOURCE)
    return fit(build_samples(rows, reader, words), reader)


def _report(name: str, model: FastModel, rows: Sequence[Row], strangers: Sequence[Row]) -> float:
    """Print how the model does on rows, plain and with slips; return its temperature.

    That is taken from `strangers`: how sure to be is learnt from words that are truly new.
    """
    reader = Reader()
    temperature = temperature_of(model, strangers, reader)
    calibrated = with_temperature(model, temperature)
    slips = random.Random(99)  # noqa: S311 - sampling, no secret
    wrong = [
        Row(text=misspell(r.text, slips), intent=r.intent, source=r.source, also=r.also)
        for r in rows
    ]
    for kind, asked in (("as written", rows), ("with slips", wrong)):
        figures = measure(calibrated, asked, reader)
        print(json.dumps({"rows": f"{name}, {kind}", "temperature": temperature, **figures}))
    return temperature


def _write(model: FastModel) -> None:
    np.savez(
        DATA / "fast_en.npz",
        intents=np.array(model.intents),
        characters=model.characters,
        words=model.words,
        pieces=model.pieces.astype(np.int8),
        bias=model.bias,
        scales=model.scales,
    )


if __name__ == "__main__":
    main()
