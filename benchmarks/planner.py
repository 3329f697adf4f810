"""How fast days and weeks are placed, beside OR-tools CP-SAT with one thread; and a whole plan.

    .venv/bin/pip install -e '.[dev]' && .venv/bin/python benchmarks/planner.py

Both get the same days: 25 todos, up to 12 meetings, most of them with far more work than time. The
time of CP-SAT is that of the levels of the objective that add up (breaks, deadlines, value,
movement); ours is that of all levels. A week is 60 todos over five days. Times of placing are of
the processor, so that what else the machine does counts for neither.
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
from tests.placement_days import FAMILIES, draw_day, score
from tests.placement_peer import Peer
from tests.placement_weeks import as_one_day, draw_week, place_week

DAYS = 200
DAYS_OF_FAMILY = 30
TODOS = 25
SECONDS = 5.0
WEEKS = 20
WEEK_SECONDS = 10.0


def main() -> None:
    print(describe_machine())
    for family in FAMILIES:
        _placing(family, DAYS if family == "plain" else DAYS_OF_FAMILY)
    _weeks()
    _planning()


def _placing(family: str, count: int) -> None:
    ours: list[float] = []
    theirs: list[float] = []
    proofs: list[PlanProof] = []
    below = 0
    for day in (draw_day(seed, family, todos=TODOS) for seed in range(count)):
        start = time.process_time()
        placement = place_optimally(day.requests, day.gaps)
        ours.append(time.process_time() - start)
        start = time.process_time()
        found, _ = Peer(day).best(SECONDS)
        theirs.append(time.process_time() - start)
        proofs.append(placement.proof)
        below += score(day, placement) < found
    proved = sum(proof.level is None for proof in proofs)
    print_table(
        (f"{count} days, {family}", "median ms", "p90 ms", "max ms", "proved"),
        [
            ("iris", *_figures(ours), f"{proved / count:.1%}"),
            ("CP-SAT, 1 thread", *_figures(theirs), ""),
        ],
    )
    ratio = statistics.median(theirs) / statistics.median(ours)
    print(f"median: 1/{ratio:.1f} of CP-SAT's; objective below CP-SAT's on {below} days")


def _weeks() -> None:
    ours: list[float] = []
    fewer = below = more = 0
    for seed in range(WEEKS):
        week = draw_week(seed)
        start = time.process_time()
        placed = place_week(week)
        ours.append(time.process_time() - start)
        day = as_one_day(week)
        mine = score(day, placed.in_one_day(week))
        found, _ = Peer(day).best(WEEK_SECONDS)
        fewer += mine[:2] < found[:2]
        more += mine[:2] > found[:2]
        below += mine[:2] == found[:2] and mine.value < 0.95 * found.value
    print_table(
        (f"{WEEKS} weeks of 60 todos", "median ms", "p90 ms", "max ms"), [("iris", *_figures(ours))]
    )
    print(
        f"beside CP-SAT's best after {WEEK_SECONDS:.0f} s: fewer breaks or deadlines in {fewer} "
        f"weeks, more in {more}; of the others {below} below 95 % of its value"
    )


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
