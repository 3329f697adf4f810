"""How fast a day is placed, beside OR-tools CP-SAT with one thread; and a whole plan.

    .venv/bin/pip install -e '.[dev]' && .venv/bin/python benchmarks/planner.py

Both get the same days: 25 todos, up to 12 meetings, most of them with far more work than time. The
time of CP-SAT is that of the first two levels of the objective alone (see ADR 0013); ours is that
of all four.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time
from pathlib import Path

from _support import describe_machine, measure_ms, print_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from iris_harness.contracts.day import DayPreferences, PlanProof
from iris_harness.planner.build import build_daily_plan, build_planned_day
from iris_harness.planner.optimise import place_optimally
from iris_harness.planner.snapshot import read_snapshots
from iris_harness.planner.verify import verify_plan
from iris_harness.sources.demo import DEMO_DATE, DEMO_NOW, DEMO_TIMEZONE, demo_ports
from tests.placement_days import Day, draw_day, score
from tests.placement_peer import Peer

DAYS = 200
TODOS = 25
SECONDS = 5.0


def main() -> None:
    print(describe_machine())
    _placing([draw_day(seed, todos=TODOS) for seed in range(DAYS)])
    _planning()


def _placing(days: list[Day]) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    proofs: list[PlanProof] = []
    below = 0
    for day in days:
        start = time.perf_counter()
        placement = place_optimally(day.requests, day.gaps)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        found, _ = Peer(day).best(SECONDS)
        theirs.append(time.perf_counter() - start)
        proofs.append(placement.proof)
        below += score(day, placement) < found
    proved = sum(proof.level is None for proof in proofs)
    print_table(
        (f"{DAYS} days of {TODOS} todos", "median ms", "p90 ms", "max ms", "proved"),
        [
            ("iris", *_figures(ours), f"{proved / len(days):.1%}"),
            ("CP-SAT, 1 thread", *_figures(theirs), ""),
        ],
    )
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"median: 1/{ratio:.1f} of CP-SAT's; objective below CP-SAT's on {below} days")


def _figures(seconds: list[float]) -> tuple[str, str, str]:
    ranked = sorted(seconds)
    picked = (statistics.median(ranked), ranked[len(ranked) * 9 // 10], ranked[-1])
    return tuple(f"{one * 1e3:.1f}" for one in picked)  # type: ignore[return-value]


def _planning() -> None:
    (snapshot,) = read_snapshots(demo_ports(), [DEMO_DATE], DEMO_TIMEZONE, DEMO_NOW)
    wishes = DayPreferences()
    day = build_planned_day(snapshot, wishes)
    many = dataclasses.replace(
        snapshot,
        todos=tuple(
            dataclasses.replace(
                snapshot.todos[number % len(snapshot.todos)], uid=str(number), summary=f"{number}"
            )
            for number in range(5000)
        ),
    )
    rows = [
        ("build_daily_plan, demo", measure_ms(lambda: build_daily_plan(snapshot, wishes), 50)),
        ("verify_plan, demo", measure_ms(lambda: verify_plan(day.snapshot, wishes, day.plan), 50)),
        ("build_daily_plan, 5,000 todos", measure_ms(lambda: build_daily_plan(many, wishes), 1)),
    ]
    print_table(("", "median ms"), [(name, f"{ms:.2f}") for name, ms in rows])


if __name__ == "__main__":
    main()
