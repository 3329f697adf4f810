from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from iris_harness.contracts.day import DayPreferences, DaySnapshot, FreeSpan, PlannedDay
from iris_harness.contracts.sources import SourceKind, SourceState
from iris_harness.planner import (
    evidence,
    evidence_shown,
    evidence_time,
    evidence_ways,
    verify,
    verify_blocks,
    verify_choices,
    verify_jobs,
    verify_notices,
    verify_placing,
    verify_workload,
    version,
    violations,
)
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.checked import build_checked_range, mark_unverified
from iris_harness.planner.verify import ViolationKind, verify_plan
from tests.unit.planner.samples import (
    DAY,
    at,
    event,
    preferences,
    rich_snapshot,
    snapshot,
    status,
    todo,
)

VERIFIER = (
    evidence, evidence_shown, evidence_time, evidence_ways,
    verify, verify_blocks, verify_choices, verify_jobs, verify_notices, verify_placing,
    verify_workload, violations,
)  # fmt: skip
OFFICE = preferences(("09:00", "17:00"))
READ = (status("home"), status("list", SourceKind.TODO))


def planned(given: DaySnapshot, wishes: DayPreferences = OFFICE) -> PlannedDay:
    return build_planned_day(dataclasses.replace(given, sources=given.sources or READ), wishes)


def kinds(day: PlannedDay) -> set[ViolationKind]:
    found = verify_plan(day.snapshot, day.preferences, day.plan)
    return {violation.kind for violation in found}


def test_a_day_with_something_of_everything_verifies() -> None:
    assert kinds(planned(rich_snapshot())) == set()


def test_the_verifier_imports_nothing_that_builds_plans() -> None:
    for module in VERIFIER:
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        own = [name for name in names if name.startswith("iris_harness.planner")]

        assert set(own) <= {one.__name__ for one in (*VERIFIER, version)}


def test_a_block_over_a_meeting_is_outside_the_free_time_and_named() -> None:
    day = planned(snapshot([event("Meeting", "09:30", "10:00")], [todo("a", DAY, minutes=60)]))
    (block,) = day.plan.blocks
    moved = dataclasses.replace(block, start=at("09:00"), end=at("10:00"))
    wrong = dataclasses.replace(day, plan=dataclasses.replace(day.plan, blocks=(moved,)))

    first, *_ = verify_plan(wrong.snapshot, OFFICE, wrong.plan)

    assert first.kind is ViolationKind.OUTSIDE
    assert str(first) == "a: it is not wholly in working time that is free and to come"


def test_an_event_of_a_source_that_failed_is_a_violation() -> None:
    failed = status("home", state=SourceState.FAILED, detail="gone")
    day = planned(snapshot([event("Meeting", "09:30", "10:00")], sources=[failed]))

    assert kinds(day) == {ViolationKind.SOURCE}


def test_equal_blocks_the_wrong_way_round_are_against_the_rank() -> None:
    day = planned(snapshot(todos=[todo("a", DAY, priority=1), todo("b", DAY, priority=2)]))
    first, second = day.plan.blocks
    blocks = (
        dataclasses.replace(second, start=first.start, end=first.end),
        dataclasses.replace(first, start=second.start, end=second.end),
    )

    assert kinds(dataclasses.replace(day, plan=dataclasses.replace(day.plan, blocks=blocks))) == {
        ViolationKind.RANK
    }


def test_a_todo_left_out_while_there_is_room_for_it_is_idle_time() -> None:
    day = planned(snapshot(todos=[todo("some day", minutes=60)]))
    whole = (FreeSpan(start=at("09:00"), end=at("17:00")),)
    lazy = dataclasses.replace(day.plan, blocks=(), free=whole)

    assert kinds(dataclasses.replace(day, plan=lazy)) == {ViolationKind.IDLE}


def test_a_plan_that_does_not_verify_says_so_in_its_warnings() -> None:
    day = planned(snapshot(todos=[todo("a", DAY)]))
    wrong = dataclasses.replace(day, plan=dataclasses.replace(day.plan, blocks=()))

    (warning,) = mark_unverified(wrong).plan.warnings

    assert warning.startswith(f"plan {day.plan.plan_id[:12]} is unverified: a: it has no block")
    assert warning.endswith("(and 2 more)")


def test_a_plan_that_verifies_is_left_as_it_is() -> None:
    days = [dataclasses.replace(snapshot(todos=[todo("a", DAY)]), sources=READ)]

    assert build_checked_range(days, OFFICE) == (planned(days[0]),)


@pytest.mark.parametrize(("clock", "said"), [("11:15", "30 min"), ("10:30", "1 h 15 min")])
def test_how_late_a_block_ends_has_to_be_said(clock: str, said: str) -> None:
    meeting = event("Meeting", "09:00", "11:00")
    day = planned(snapshot([meeting], [todo("offer", at(clock), minutes=45)]))
    (block,) = day.plan.blocks
    assert f"ends {said} after it is due" in block.reason
    quiet = dataclasses.replace(block, reason="due today")

    assert kinds(day) == set()
    assert kinds(dataclasses.replace(day, plan=dataclasses.replace(day.plan, blocks=(quiet,)))) == {
        ViolationKind.DEADLINE
    }


def test_five_thousand_todos_are_verified_without_delay() -> None:
    todos = [todo(f"t{number:04}", DAY, minutes=number % 90 + 1) for number in range(5000)]

    assert kinds(planned(snapshot(todos=todos))) == set()
