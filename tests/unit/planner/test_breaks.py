from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from iris_harness.contracts.day import (
    BlockKind,
    BreakWish,
    DailyPlan,
    DayPreferences,
    NoticeKind,
    TimeSpan,
)
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import (
    DAY,
    at,
    block_called,
    blocks_of,
    event,
    preferences,
    snapshot,
    todo,
)

OFFICE = preferences(("09:00", "17:00"))


def wish(title: str, start: str, end: str, minutes: int) -> BreakWish:
    window = TimeSpan(start=dt.time.fromisoformat(start), end=dt.time.fromisoformat(end))
    return BreakWish(title=title, window=window, minutes=minutes)


LUNCH = wish("Lunch", "12:00", "14:00", 45)


def with_breaks(*breaks: BreakWish, to: DayPreferences = OFFICE) -> DayPreferences:
    return dataclasses.replace(to, breaks=breaks)


def notices(plan: DailyPlan) -> list[tuple[str, str]]:
    return [(notice.kind.value, notice.text) for notice in plan.notices]


def test_lunch_has_its_time_before_any_todo() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Workshop", "09:00", "12:30"), event("Review", "13:30", "17:00")],
            [todo("urgent", DAY, priority=1, minutes=60)],
        ),
        with_breaks(LUNCH),
    )

    assert blocks_of(plan) == [("Lunch", "12:30", "13:15")]
    assert [item.summary for item in plan.unplaced] == ["urgent"]


def test_a_break_says_when_it_is_wanted_and_has_no_source() -> None:
    lunch = block_called(build_daily_plan(snapshot(), with_breaks(LUNCH)), "Lunch")

    assert lunch.kind is BlockKind.BREAK
    assert (lunch.source, lunch.pinned) == (None, False)
    assert lunch.reason == "wanted between 12:00 and 14:00"


def test_a_break_without_room_is_said_and_not_shortened() -> None:
    plan = build_daily_plan(snapshot([event("Workshop", "09:00", "13:30")]), with_breaks(LUNCH))

    assert blocks_of(plan) == []
    assert notices(plan) == [
        ("break", "there is no Lunch: no 45 min are free between 12:00 and 14:00")
    ]
    assert plan.warnings == (plan.notices[0].text,)


@pytest.mark.parametrize("title", ["Lunch with Kim", "team LUNCH", "Lunch"])
def test_an_event_that_is_called_like_the_break_is_the_break(title: str) -> None:
    plan = build_daily_plan(snapshot([event(title, "13:00", "14:00")]), with_breaks(LUNCH))

    assert blocks_of(plan) == []
    assert notices(plan) == []


@pytest.mark.parametrize(
    ("title", "start", "end"), [("Lunches", "13:00", "14:00"), ("Lunch", "09:00", "10:00")]
)
def test_another_word_or_another_time_is_not_the_break(title: str, start: str, end: str) -> None:
    plan = build_daily_plan(snapshot([event(title, start, end)]), with_breaks(LUNCH))

    assert [block[0] for block in blocks_of(plan)] == ["Lunch"]


def test_who_is_off_at_that_time_needs_no_break() -> None:
    halves = preferences(("09:00", "12:30"), ("13:30", "17:00"))
    morning = preferences(("09:00", "12:30"))

    for hours in (halves, morning, preferences()):
        plan = build_daily_plan(snapshot(), with_breaks(LUNCH, to=hours))
        assert blocks_of(plan) == []
        assert notices(plan) == []


def test_a_break_that_is_too_late_is_neither_placed_nor_missed() -> None:
    plan = build_daily_plan(snapshot(now=at("13:30")), with_breaks(LUNCH))

    assert (blocks_of(plan), notices(plan)) == ([], [])


def test_several_breaks_keep_their_order_and_their_hours() -> None:
    tea = wish("Tea", "15:00", "16:00", 12)
    plan = build_daily_plan(
        snapshot(todos=[todo("long", DAY, minutes=600), todo("short", DAY, minutes=60)]),
        with_breaks(LUNCH, tea),
    )

    assert [one for one in blocks_of(plan) if one[0] != "short"] == [
        ("Lunch", "12:00", "12:45"),
        ("Tea", "15:00", "15:15"),
    ]


def test_a_break_that_ends_before_it_starts_is_not_counted_and_that_is_said() -> None:
    plan = build_daily_plan(snapshot(), with_breaks(wish("Lunch", "14:00", "12:00", 30)))

    assert blocks_of(plan) == []
    assert [notice.kind for notice in plan.notices] == [NoticeKind.HOURS]
    assert plan.warnings == (
        "the hours of Lunch 14:00-12:00 end before they start and are not counted",
    )


def test_a_break_longer_than_its_hours_has_no_room() -> None:
    plan = build_daily_plan(snapshot(), with_breaks(wish("Lunch", "12:00", "12:30", 45)))

    assert [notice.kind for notice in plan.notices] == [NoticeKind.BREAK]
