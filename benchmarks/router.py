"""How well and how fast words are understood, beside what pip can install for it.

    .venv/bin/pip install -e '.[dev,bench]'
    IRIS_CORPUS=../shared/corpus .venv/bin/python benchmarks/router.py

All of them learn the same rows (the collected training rows and our own phrases, each also with
slips) and are asked the dev rows, in this process, on one thread. The arrays that ship have
learnt the dev rows too, so the model measured here is trained anew; that takes a minute or two.
Dates are read by the grammar that ships: it was tuned on these phrases, its peers were not.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _support import describe_machine, print_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_router.english import build_english
from iris_router.scopes import ScopeGrammar
from router_training.fitting import Reader, build_samples, fit
from router_training.own import own_rows
from router_training.rows import Row, read_rows
from router_training.typos import mishear, misspell

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("IRIS_CORPUS", ROOT.parent / "shared" / "corpus"))
_RUNS = 5
Ask = Callable[[str], str]


class Figures(NamedTuple):
    """How often an answer is right, of all and of some; and its time in microseconds."""

    right: float
    outside: float
    slips: float
    p50: float
    p99: float


def main() -> None:
    if not CORPUS.is_dir():
        sys.exit(f"no corpus at {CORPUS}; set IRIS_CORPUS to where it is")
    print(describe_machine())
    _starting()
    _routing()
    _dates()


def _starting() -> None:
    program = (
        "import numpy, time;"
        "memory = lambda: int(open('/proc/self/statm').read().split()[1]) * 4096;"
        "before, start = memory(), time.process_time();"
        "from iris_router import load_router; import datetime as dt;"
        "load_router(()).route('one two three', dt.datetime.now(dt.UTC), 'en');"
        "print(time.process_time() - start, (memory() - before) / 1e6)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    seconds, megabytes = (float(part) for part in found.stdout.split())
    print(f"\nloading, beyond numpy: {seconds:.2f} s of CPU, {megabytes:.0f} MB\n")


def _routing() -> None:
    train = [*read_rows(CORPUS / "intents" / "train.jsonl"), *own_rows()]
    dev = read_rows(CORPUS / "intents" / "dev.jsonl")
    peers = {
        "Iris, fast tier": _ours(train, dev),
        "scikit-learn, words": _sklearn(train, {"analyzer": "word", "ngram_range": (1, 2)}),
        "scikit-learn, letters": _sklearn(train, {"analyzer": "char_wb", "ngram_range": (2, 5)}),
    }
    rows = []
    for name, ask in peers.items():
        found = _figures(ask, dev)
        rows.append((
            name, f"{found.right:.3f}", f"{found.outside:.3f}", f"{found.slips:.3f}",
            f"{found.p50:.0f}", f"{found.p99:.0f}",
        ))  # fmt: skip
    for name, (p50, p99) in _whole_routes([row.text for row in dev]).items():
        rows.append((f"iris route --jsonl, {name}", "", "", "", f"{p50:.0f}", f"{p99:.0f}"))
    head = ("intents", "accuracy", "out of scope", "with slips", "p50 us", "p99 us")
    print_table(head, rows)


def _whole_routes(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return what `iris route` says that lines cost, with all agents, scopes and slots.

    Whatever else the machine does adds to it, so each line's best run is told beside its median.
    """
    command = (sys.executable, "-m", "iris_harness", "route", "--jsonl", "--demo")
    lines = "\n".join(json.dumps({"text": text}) for text in texts)
    runs = [
        subprocess.run(command, input=lines, check=True, capture_output=True, text=True).stdout
        for _ in range(_RUNS)
    ]
    spent = [[json.loads(line)["compute_us"] for line in run.splitlines()] for run in runs]
    by_line = list(zip(*spent, strict=True))
    return {
        f"median of {_RUNS} runs": _percentiles([statistics.median(each) for each in by_line]),
        f"best of {_RUNS} runs": _percentiles([min(each) for each in by_line]),
    }


def _ours(train: Sequence[Row], dev: Sequence[Row]) -> Ask:
    reader = Reader(spells=False)
    held = frozenset(reader.clause(row.text).words for row in dev)
    model = fit(build_samples(train, reader, held), reader)

    def ask(text: str) -> str:
        features = reader.features(text)
        found = model.probabilities(features, model.tokens.total(features.pieces))
        return model.intents[found.index(max(found))]

    return ask


def _sklearn(train: Sequence[Row], options: dict[str, Any]) -> Ask:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    source = random.Random(7)  # noqa: S311 - sampling, no secret
    texts, intents = [], []
    for row in train:
        forms = dict.fromkeys((row.text, misspell(row.text, source), mishear(row.text, source)))
        texts += list(forms)
        intents += [row.intent] * len(forms)
    # Logistic regression by stochastic gradient descent: the same model, in seconds.
    learner = SGDClassifier(loss="log_loss", alpha=1e-6, max_iter=30, random_state=0)
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True, **options), learner)
    model.fit(texts, intents)
    return lambda text: str(model.predict([text])[0])


def _figures(ask: Ask, rows: Sequence[Row]) -> Figures:
    source = random.Random(99)  # noqa: S311 - sampling, no secret
    right = [row.accepts(ask(row.text)) for row in rows]
    outside = [fine for row, fine in zip(rows, right, strict=True) if row.intent == OUT_OF_SCOPE]
    slips = [row.accepts(ask(misspell(row.text, source))) for row in rows]
    p50, p99 = _times(ask, [row.text for row in rows])
    return Figures(_mean(right), _mean(outside), _mean(slips), p50, p99)


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)


def _times(ask: Callable[[str], object], texts: Sequence[str]) -> tuple[float, float]:
    """Return the median and the 99th percentile of the thread's CPU time, in microseconds."""
    spent = []
    for text in texts:
        start = time.thread_time_ns()
        ask(text)
        spent.append((time.thread_time_ns() - start) / 1e3)
    return _percentiles(spent)


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    ranked = sorted(values)
    return ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.99)]


def _dates() -> None:
    sys.path.insert(0, str(CORPUS / "dates"))
    from score_dates import match

    lines = (CORPUS / "dates" / "dev.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    rows = []
    for name, read in _date_readers().items():
        start = time.thread_time_ns()
        right = [_reads(read, case, match) for case in cases]
        spent = (time.thread_time_ns() - start) / 1e3 / len(cases)
        rows.append((name, f"{_mean(right):.3f}", f"{spent:.0f}"))
    print()
    print_table(("dates", "right", "mean us"), rows)


def _date_readers() -> dict[str, Callable[[str, dt.datetime], Any]]:
    import dateparser.search
    import parsedatetime

    grammar = ScopeGrammar(build_english().scopes)
    calendar = parsedatetime.Calendar()

    def ours(text: str, reference: dt.datetime) -> Any:  # noqa: ANN401 - as the scorer wants it
        found = grammar.find(text, reference.replace(tzinfo=dt.UTC))
        return (found.scope.start, found.scope.end) if found else None

    def theirs(text: str, reference: dt.datetime) -> Any:  # noqa: ANN401
        settings = {"RELATIVE_BASE": reference, "PREFER_DATES_FROM": "future"}
        found = dateparser.search.search_dates(text, languages=["en"], settings=settings)
        return (found[0][1], None) if found else None

    def parsed(text: str, reference: dt.datetime) -> Any:  # noqa: ANN401
        found, status = calendar.parseDT(text, reference)
        return (found, None) if status else None

    return {"Iris": ours, "dateparser": theirs, "parsedatetime": parsed}


def _reads(
    read: Callable[[str, dt.datetime], Any], case: dict[str, Any], match: Callable[..., bool]
) -> bool:
    when = dt.datetime.fromisoformat
    found = read(case["text"], when(case["reference"]))
    if not found or not found[0]:
        return False
    start, end = (each.replace(tzinfo=None) if each else None for each in found)
    spans = [(case["expected_start"], case["expected_end"]), *case.get("alternatives", ())]
    return any(match(case["kind"], when(a), when(b), start, end) for a, b in spans)


if __name__ == "__main__":
    main()
