"""A day that was planned before: what moves is said, and nothing moves without a reason."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from iris_harness.contracts.day import (
    BlockKind,
    DayPreferences,
    DaySnapshot,
    PlannedDay,
    ShownBlock,
    ShownPlan,
    SkippedTodo,
    Todo,
)
from iris_harness.contracts.memory import DayMemory
from iris_harness.planner.moves import block_moves
from iris_harness.planner.remembered import build_remembered_range
from iris_harness.testing import make_todo

NOW = dt.datetime(2025, 3, 3, 8, 0, tzinfo=dt.UTC)
DAY = NOW.date()
REPORT = make_todo("Report", due=DAY, estimate_minutes=60)
SLIDES = make_todo("Slides", due=DAY, estimate_minutes=30)


def snapshot(*todos: Todo, now: dt.datetime = NOW) -> DaySnapshot:
    return DaySnapshot(date=DAY, timezone="UTC", now=now, events=(), todos=todos, sources=())


def planned(given: DaySnapshot, memory: DayMemory | None = None) -> PlannedDay:
    memories = {} if memory is None else {DAY: memory}
    (day,) = build_remembered_range([given], DayPreferences(), memories)
    return day


def shown(day: PlannedDay, **changes: object) -> ShownPlan:
    blocks = tuple(
        ShownBlock(kind=b.kind, title=b.title, start=b.start, end=b.end, source=b.source)
        for b in day.plan.blocks
    )
    plan = ShownPlan(plan_id=day.plan.plan_id, blocks=blocks)
    return replace(plan, **changes)  # type: ignore[arg-type]  # fields of ShownPlan


def memory_of(day: PlannedDay, **changes: object) -> DayMemory:
    return DayMemory(
        shown=shown(day, **changes),
        last_id=day.plan.plan_id,
        last_now=day.plan.now,
        made_with=day.snapshot.shown,
    )


def times(day: PlannedDay) -> dict[str, str]:
    return {block.title: f"{block.start:%H:%M}-{block.end:%H:%M}" for block in day.plan.blocks}


def test_without_a_memory_a_day_is_planned_as_for_the_first_time() -> None:
    day = planned(snapshot(REPORT, SLIDES))
    assert day.snapshot.shown is None
    assert block_moves(day) == ()


def test_asked_again_at_the_same_moment_the_same_plan_is_the_answer() -> None:
    first = planned(snapshot(REPORT, SLIDES))
    assert planned(snapshot(REPORT, SLIDES), memory_of(first)) == first
    urgent = replace(SLIDES, priority=1)
    second = planned(snapshot(REPORT, urgent), memory_of(first))
    assert second != first
    assert planned(snapshot(REPORT, urgent), memory_of(second)) == second


def test_what_was_shown_stays_though_another_order_would_be_taken_now() -> None:
    first = planned(snapshot(REPORT, SLIDES))
    later = snapshot(REPORT, replace(SLIDES, priority=1), now=NOW + dt.timedelta(minutes=5))
    second = planned(later, memory_of(first))
    assert times(second) == times(first)
    assert block_moves(second) == ()


def test_new_gone_and_moved_are_said_by_the_time_they_have_now() -> None:
    first = planned(snapshot(REPORT, SLIDES))
    call = make_todo("Call", due=DAY, estimate_minutes=15)
    nine = NOW.replace(hour=9)
    pin = ShownBlock(
        kind=BlockKind.TODO,
        title="Call",
        start=nine,
        end=nine + dt.timedelta(minutes=15),
        pinned=True,
        source=call.source,
    )
    before = shown(first)
    memory = DayMemory(
        shown=replace(
            before,
            blocks=(*before.blocks, pin),
            skipped=(SkippedTodo(title="Slides", source=SLIDES.source),),
        ),
        last_id=first.plan.plan_id,
        last_now=first.plan.now,
    )
    second = planned(snapshot(REPORT, SLIDES, call), memory)
    moves = {move.title: (bool(move.before), bool(move.after)) for move in block_moves(second)}
    assert moves["Slides"] == (True, False)
    assert moves["Report"] == (True, True)
    starts = [(move.after or move.before)[0] for move in block_moves(second)]
    assert starts == sorted(starts)


def test_time_that_is_over_is_no_change() -> None:
    first = planned(snapshot(REPORT))
    evening = snapshot(now=NOW.replace(hour=20))
    assert block_moves(planned(evening, memory_of(first))) == ()


def test_marks_alone_are_no_plan_that_was_shown() -> None:
    skipped = (SkippedTodo(title="Slides", source=SLIDES.source),)
    day = planned(snapshot(REPORT, SLIDES), DayMemory(shown=ShownPlan(skipped=skipped)))
    assert set(times(day)) == {"Report"}
    assert block_moves(day) == ()
