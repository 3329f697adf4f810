"""The verifier accepts what the builder makes, and nothing that was tampered with."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import assume, given
from hypothesis import strategies as st

from iris_harness.contracts.day import (
    Block,
    BlockKind,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    FreeSpan,
    PlannedDay,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.ranges import build_range
from iris_harness.planner.verify import verify_plan
from tests.dense_days import dense_day
from tests.property.rich_days import rich_days
from tests.property.test_planner import snapshots, wishes

ItemT = TypeVar("ItemT")
Mutation = Callable[[DailyPlan, random.Random], DailyPlan | None]
"""A change to a plan; None where the plan has nothing to change that way."""
MINUTE = dt.timedelta(minutes=1)
ELSEWHERE = SourceRef(source="nowhere", locator="1")


def holds(day: PlannedDay) -> bool:
    return not verify_plan(day.snapshot, day.preferences, day.plan)


@given(snapshots(), wishes())
def test_every_plan_that_is_built_verifies(
    snapshot: DaySnapshot, preferences: DayPreferences
) -> None:
    day = build_planned_day(snapshot, preferences)

    assert verify_plan(day.snapshot, day.preferences, day.plan) == ()


@given(snapshots(), wishes())
def test_every_day_of_a_range_verifies(snapshot: DaySnapshot, preferences: DayPreferences) -> None:
    days = [
        dataclasses.replace(snapshot, date=snapshot.date + dt.timedelta(days=number))
        for number in range(3)
    ]

    for day in build_range(days, preferences):
        assert verify_plan(day.snapshot, day.preferences, day.plan) == ()


def put(items: tuple[ItemT, ...], index: int, item: ItemT) -> tuple[ItemT, ...]:
    return (*items[:index], item, *items[index + 1 :])


def pick(items: Sequence[ItemT], chance: random.Random) -> int | None:
    return chance.randrange(len(items)) if items else None


def change_block(
    plan: DailyPlan, chance: random.Random, change: Callable[[Block], Block]
) -> DailyPlan | None:
    index = pick(plan.blocks, chance)
    if index is None:
        return None
    return dataclasses.replace(plan, blocks=put(plan.blocks, index, change(plan.blocks[index])))


def shift(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    by = chance.choice([-60, -30, -15, -5, -1, 1, 5, 15, 30, 60]) * MINUTE
    return change_block(
        plan, chance, lambda one: dataclasses.replace(one, start=one.start + by, end=one.end + by)
    )


def shift_and_free(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Move a block to the end of the free span after it, and the span to where it was."""
    for index in chance.sample(range(len(plan.blocks)), len(plan.blocks)):
        block = plan.blocks[index]
        length = block.end - block.start
        for number, span in enumerate(plan.free):
            if span.start == block.end:
                moved = dataclasses.replace(block, start=span.end - length, end=span.end)
                left = FreeSpan(start=block.start, end=span.end - length)
                return dataclasses.replace(
                    plan,
                    blocks=put(plan.blocks, index, moved),
                    free=put(plan.free, number, left),
                )
    return None


def stretch(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    return change_block(
        plan,
        chance,
        lambda one: dataclasses.replace(one, end=one.end + chance.choice([-5, 5]) * MINUTE),
    )


def drop_block(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    index = pick(plan.blocks, chance)
    if index is None:
        return None
    return dataclasses.replace(plan, blocks=plan.blocks[:index] + plan.blocks[index + 1 :])


def overlap(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    if len(plan.blocks) < 2:
        return None
    one, other = chance.sample(range(len(plan.blocks)), 2)
    start = plan.blocks[other].start
    length = plan.blocks[one].end - plan.blocks[one].start
    moved = dataclasses.replace(plan.blocks[one], start=start, end=start + length)
    return dataclasses.replace(plan, blocks=put(plan.blocks, one, moved))


def swap(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Give two blocks each other's times."""
    if len(plan.blocks) < 2:
        return None
    one, other = sorted(chance.sample(range(len(plan.blocks)), 2))
    first, second = plan.blocks[one], plan.blocks[other]
    blocks = put(plan.blocks, one, dataclasses.replace(second, start=first.start, end=first.end))
    blocks = put(blocks, other, dataclasses.replace(first, start=second.start, end=second.end))
    return dataclasses.replace(plan, blocks=blocks)


def wrong_source(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    return change_block(plan, chance, lambda one: dataclasses.replace(one, source=ELSEWHERE))


def wrong_title(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    return change_block(plan, chance, lambda one: dataclasses.replace(one, title=one.title + "!"))


def pin(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    return change_block(plan, chance, lambda one: dataclasses.replace(one, pinned=True))


def twice(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Give a todo a second block in free time."""
    index = pick(plan.blocks, chance)
    if index is None or not plan.free:
        return None
    span = chance.choice(plan.free)
    again = dataclasses.replace(plan.blocks[index], start=span.start, end=span.end)
    blocks = sorted((*plan.blocks, again), key=lambda block: block.start)
    free = tuple(one for one in plan.free if one != span)
    return dataclasses.replace(plan, blocks=tuple(blocks), free=free)


def with_list(plan: DailyPlan, name: str, items: tuple[object, ...]) -> DailyPlan:
    changes: dict[str, Any] = {name: items}
    return dataclasses.replace(plan, **changes)


def drop_from(name: str) -> Mutation:
    def mutate(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
        items = getattr(plan, name)
        index = pick(items, chance)
        if index is None:
            return None
        return with_list(plan, name, items[:index] + items[index + 1 :])

    return mutate


def repeat_in(name: str) -> Mutation:
    def mutate(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
        items = getattr(plan, name)
        index = pick(items, chance)
        if index is None:
            return None
        return with_list(plan, name, (*items, items[index]))

    return mutate


def reverse(name: str) -> Mutation:
    def mutate(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
        return with_list(plan, name, tuple(reversed(getattr(plan, name))))

    return mutate


def event_elsewhere(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    index = pick(plan.events, chance)
    if index is None:
        return None
    moved = dataclasses.replace(plan.events[index], source=ELSEWHERE)
    return dataclasses.replace(plan, events=put(plan.events, index, moved))


def turn_overdue(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    index = pick(plan.todos, chance)
    if index is None:
        return None
    other = dataclasses.replace(plan.todos[index], overdue=not plan.todos[index].overdue)
    return dataclasses.replace(plan, todos=put(plan.todos, index, other))


def to_backlog(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    index = pick(plan.todos, chance)
    if index is None:
        return None
    return dataclasses.replace(
        plan,
        todos=plan.todos[:index] + plan.todos[index + 1 :],
        backlog=(plan.todos[index], *plan.backlog),
    )


def miss_less(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    index = pick(plan.unplaced, chance)
    if index is None:
        return None
    item = plan.unplaced[index]
    less = dataclasses.replace(item, missing_minutes=item.missing_minutes - 5)
    return dataclasses.replace(plan, unplaced=put(plan.unplaced, index, less))


def keep_quiet_about_lateness(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    blocks = tuple(
        dataclasses.replace(block, reason=block.reason.partition("; ends ")[0])
        for block in plan.blocks
    )
    return dataclasses.replace(plan, blocks=blocks)


def another_id(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    return dataclasses.replace(plan, plan_id=plan.plan_id[::-1])


def another_now(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    return dataclasses.replace(plan, now=plan.now + MINUTE)


def shorten_break(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Take five minutes off a break, and give them to the free time."""
    breaks = [n for n, block in enumerate(plan.blocks) if block.kind is BlockKind.BREAK]
    if not breaks:
        return None
    index = chance.choice(breaks)
    block = plan.blocks[index]
    if block.end - block.start <= 5 * MINUTE:
        return None
    shorter = dataclasses.replace(block, end=block.end - 5 * MINUTE)
    spans = sorted(
        (*plan.free, FreeSpan(start=shorter.end, end=block.end)), key=lambda span: span.start
    )
    return dataclasses.replace(plan, blocks=put(plan.blocks, index, shorter), free=tuple(spans))


def lose_travel(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    ways = [block for block in plan.blocks if block.kind is BlockKind.TRAVEL]
    if not ways:
        return None
    lost = chance.choice(ways)
    return dataclasses.replace(plan, blocks=tuple(one for one in plan.blocks if one is not lost))


def move_pin(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Move what stays where it is, and all that the plan says of it."""
    staying = [n for n, block in enumerate(plan.blocks) if block.pinned or "begun" in block.reason]
    if not staying:
        return None
    index = chance.choice(staying)
    by = chance.choice([-30, -5, 5, 30]) * MINUTE
    block = plan.blocks[index]
    moved = dataclasses.replace(block, start=block.start + by, end=block.end + by)
    return dataclasses.replace(plan, blocks=put(plan.blocks, index, moved))


def unpin(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    pinned = [n for n, block in enumerate(plan.blocks) if block.pinned]
    if not pinned:
        return None
    index = chance.choice(pinned)
    loose = dataclasses.replace(plan.blocks[index], pinned=False)
    return dataclasses.replace(plan, blocks=put(plan.blocks, index, loose))


def count_parts_wrongly(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    blocks = tuple(
        dataclasses.replace(block, reason=block.reason.replace("; part ", "; piece "))
        for block in plan.blocks
    )
    return dataclasses.replace(plan, blocks=blocks)


def more_time_for_work(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    if plan.workload is None:
        return None
    more = dataclasses.replace(plan.workload, free_minutes=plan.workload.free_minutes + 5)
    return dataclasses.replace(plan, workload=more)


def less_work(plan: DailyPlan, _: random.Random) -> DailyPlan | None:
    return dataclasses.replace(plan, workload=None)


def quiet_notice(plan: DailyPlan, chance: random.Random) -> DailyPlan | None:
    """Say something odd nowhere that anybody looks."""
    index = pick(plan.notices, chance)
    if index is None:
        return None
    warnings = tuple(line for line in plan.warnings if line != plan.notices[index].text)
    return dataclasses.replace(plan, warnings=warnings)


LISTS = (
    "events", "todos", "backlog", "unplaced", "conflicts", "sources", "warnings", "free",
    "working_hours", "history", "skipped", "notices",
)  # fmt: skip
MUTATIONS: dict[str, Mutation] = {
    "shift": shift,
    "shift and free": shift_and_free,
    "stretch": stretch,
    "drop block": drop_block,
    "overlap": overlap,
    "swap": swap,
    "wrong source": wrong_source,
    "wrong title": wrong_title,
    "pin": pin,
    "twice": twice,
    "event from elsewhere": event_elsewhere,
    "turn overdue": turn_overdue,
    "to the backlog": to_backlog,
    "miss less": miss_less,
    "keep quiet about lateness": keep_quiet_about_lateness,
    "shorten break": shorten_break,
    "lose travel": lose_travel,
    "move pin": move_pin,
    "unpin": unpin,
    "count parts wrongly": count_parts_wrongly,
    "more time for work": more_time_for_work,
    "less work": less_work,
    "quiet notice": quiet_notice,
    "another id": another_id,
    "another now": another_now,
    **{f"drop from {name}": drop_from(name) for name in LISTS},
    **{f"repeat in {name}": repeat_in(name) for name in LISTS},
    **{f"reverse {name}": reverse(name) for name in ("blocks", "todos", "backlog", "free")},
}


@given(snapshots(), wishes(), st.sampled_from(sorted(MUTATIONS)), st.randoms(use_true_random=False))
def test_no_change_to_a_plan_goes_unseen(
    snapshot: DaySnapshot, preferences: DayPreferences, name: str, chance: random.Random
) -> None:
    day = build_planned_day(snapshot, preferences)
    changed = MUTATIONS[name](day.plan, chance)
    assume(changed is not None and changed != day.plan)
    assert changed is not None

    assert not holds(dataclasses.replace(day, plan=changed)), name


DENSE = st.integers(0, 10**9).map(dense_day)


@given(rich_days())
def test_every_day_of_everything_verifies(given_: tuple[DaySnapshot, DayPreferences]) -> None:
    day = build_planned_day(*given_)

    assert verify_plan(day.snapshot, day.preferences, day.plan) == ()


@given(DENSE)
def test_every_full_office_day_verifies(given_: tuple[DaySnapshot, DayPreferences]) -> None:
    day = build_planned_day(*given_)

    assert verify_plan(day.snapshot, day.preferences, day.plan) == ()


@given(rich_days() | DENSE, st.sampled_from(sorted(MUTATIONS)), st.randoms(use_true_random=False))
def test_no_change_to_a_day_of_everything_goes_unseen(
    given_: tuple[DaySnapshot, DayPreferences], name: str, chance: random.Random
) -> None:
    day = build_planned_day(*given_)
    changed = MUTATIONS[name](day.plan, chance)
    assume(changed is not None and changed != day.plan)
    assume(name != "swap" or day.plan.proof.level is None)  # else the order is not claimed
    assert changed is not None

    assert not holds(dataclasses.replace(day, plan=changed)), name
