from __future__ import annotations

import dataclasses
import datetime as dt
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

from iris_harness.contracts.day import (
    BlockKind,
    BreakWish,
    DayPreferences,
    DaySnapshot,
    EventStatus,
    PlaceTravel,
    PlannedDay,
    ProofLevel,
    ShownBlock,
    ShownPlan,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.explain import Cause, Change, ChangeKind, Explanation, ItemKind, Outcome
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.explain import explain
from iris_harness.planner.items import find_items, list_items
from iris_harness.planner.public_explanation import explanation_to_json
from iris_harness.planner.shown import as_shown
from tests.property.rich_days import rich_days
from tests.support import examples
from tests.unit.planner.samples import DAY, at, event, preferences, snapshot, todo

OFFICE = preferences(("09:00", "17:00"))

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "schema" / "explanation.schema.json"


def planned(read: DaySnapshot, wishes: DayPreferences | None = None) -> PlannedDay:
    return build_planned_day(read, wishes or OFFICE)


def why(day: PlannedDay, name: str) -> Explanation:
    (item,) = find_items(day.plan, name)
    return explain(day, item)


def causes(told: Explanation) -> list[Cause]:
    return [reason.cause for reason in told.reasons]


def test_the_first_todo_of_a_free_day_has_nothing_earlier() -> None:
    told = why(planned(snapshot(todos=(todo("Report", DAY, minutes=60),))), "report")
    assert told.outcome is Outcome.PLACED
    assert causes(told) == [Cause.DETAIL, Cause.FIRST]
    assert told.reasons[0].detail.startswith("due today")


def test_a_gap_that_is_too_short_says_by_how_much() -> None:
    day = planned(
        snapshot(
            events=(event("Standup", "09:30", "10:00"),), todos=(todo("Report", DAY, minutes=60),)
        )
    )
    told = why(day, "report")
    short, taken = told.reasons[1:]
    assert (short.cause, short.minutes) == (Cause.TOO_SHORT, 30)
    assert (short.start, short.end) == (at("09:00"), at("09:30"))
    assert (taken.cause, taken.other) == (Cause.TAKEN, "Standup")
    assert taken.sources == (day.plan.events[0].source,)


def test_a_gap_that_is_kept_for_what_is_due_says_so() -> None:
    """The long gap before the meeting is the only one in which the slides are in time."""
    slides = todo("Slides", at("11:00"), minutes=90)
    mail = todo("Mail", minutes=60, priority=1)
    day = planned(snapshot(events=(event("Call", "10:30", "11:00"),), todos=(slides, mail)))
    told = why(day, "mail")
    (kept,) = [reason for reason in told.reasons if reason.cause is Cause.COSTS]
    assert (kept.level, kept.other) == (ProofLevel.DEADLINES, "Slides")
    assert kept.start == at("09:00")


def test_what_ranks_higher_comes_first() -> None:
    day = planned(snapshot(todos=(todo("Pay", DAY, minutes=30), todo("Read", minutes=30))))
    (reason,) = [one for one in why(day, "read").reasons if one.cause is Cause.COSTS]
    assert (reason.level, reason.other) == (ProofLevel.ORDER, "Pay")


def test_hours_that_a_todo_does_not_ask_for_are_named() -> None:
    late = dataclasses.replace(todo("Gym", minutes=60), earliest=dt.time(15))
    told = why(planned(snapshot(events=(event("Call", "14:00", "15:00"),), todos=(late,))), "gym")
    (outside,) = [one for one in told.reasons if one.cause is Cause.OUTSIDE]
    assert (outside.detail, outside.start) == ("not before 15:00", at("09:00"))


def test_a_buffer_is_told_apart_from_the_meeting_it_belongs_to() -> None:
    wishes = dataclasses.replace(OFFICE, buffer_before_minutes=15)
    read = snapshot(
        events=(event("Standup", "09:15", "10:00"),), todos=(todo("Report", DAY, minutes=30),)
    )
    told = why(planned(read, wishes), "report")
    assert [(one.cause, one.other) for one in told.reasons[1:]] == [
        (Cause.CLEAR, "Standup"),
        (Cause.TAKEN, "Standup"),
        (Cause.FIRST, ""),
    ]


def test_a_pinned_todo_is_where_it_is_because_it_is_pinned() -> None:
    report = todo("Report", DAY, minutes=30)
    day = planned(snapshot(todos=(report,)))
    pin = ShownBlock(
        kind=BlockKind.TODO,
        title="Report",
        start=at("15:00"),
        end=at("15:30"),
        pinned=True,
        source=report.source,
    )
    shown = ShownPlan(blocks=(pin,))
    told = why(planned(dataclasses.replace(day.snapshot, shown=shown)), "report")
    assert causes(told) == [Cause.DETAIL, Cause.PINNED]


def test_a_todo_stays_where_the_plan_before_had_it() -> None:
    read = snapshot(todos=(todo("Pay", DAY, minutes=30), todo("Read", minutes=30)))
    before = planned(read)
    after = planned(dataclasses.replace(read, todos=read.todos[1:], shown=as_shown(before.plan)))
    told = why(after, "read")
    assert Cause.KEPT in causes(told)
    (cost,) = [reason for reason in told.reasons if reason.cause is Cause.COSTS]
    assert (cost.level, cost.other) == (ProofLevel.MOVEMENT, "Read")


def test_a_day_off_and_a_day_that_is_over_are_said() -> None:
    off = dataclasses.replace(OFFICE, working_hours=((),) * 7)
    read = snapshot(todos=(todo("Report", DAY),))
    assert causes(why(planned(read, off), "report"))[-1] is Cause.DAY_OFF
    past = dataclasses.replace(read, now=at("09:00", DAY + dt.timedelta(days=1)))
    assert causes(why(planned(past), "report"))[-1] is Cause.OVER


def test_a_backlog_that_is_not_wanted_is_said() -> None:
    wishes = dataclasses.replace(OFFICE, fill_with_backlog=False)
    told = why(planned(snapshot(todos=(todo("Read"),)), wishes), "read")
    assert (told.outcome, causes(told)[-1]) == (Outcome.UNPLACED, Cause.BACKLOG_OFF)


def full_day(**more: object) -> PlannedDay:
    """Four free hours, two due todos of three hours each."""
    first = todo("Taxes", DAY, minutes=180, priority=2)
    second = todo("Slides", DAY, minutes=180, priority=3)
    second = dataclasses.replace(second, **more)  # type: ignore[arg-type] # a todo's own fields
    call = event("Workshop", "13:00", "17:00")
    return planned(snapshot(events=(call,), todos=(first, second)))


def test_what_does_not_fit_gets_the_changes_that_help_the_smallest_first() -> None:
    told = why(full_day(), "slides")
    assert told.outcome is Outcome.UNPLACED
    assert {reason.cause for reason in told.reasons} >= {Cause.LACKS, Cause.COSTS}
    found = {change.kind: change for change in told.changes}
    assert found[ChangeKind.SHORTEN].minutes == 60
    assert (found[ChangeKind.DROP].other, found[ChangeKind.DROP].cost_minutes) == ("Taxes", 180)
    assert found[ChangeKind.MOVE].other == "Workshop"
    assert found[ChangeKind.EXTEND].until == at("20:00")
    costs = [change.cost_minutes for change in told.changes]
    assert costs == sorted(costs)


def test_a_todo_that_could_be_split_is_told_so() -> None:
    lunch = event("Lunch", "11:00", "12:00")
    rest = event("Workshop", "14:00", "17:00")
    day = planned(snapshot(events=(lunch, rest), todos=(todo("Slides", DAY, minutes=240),)))
    (split,) = [one for one in why(day, "slides").changes if one.kind is ChangeKind.SPLIT]
    assert split.minutes == 60


def test_a_todo_bound_to_a_time_could_be_done_at_any() -> None:
    morning = dataclasses.replace(todo("Run", DAY, minutes=60), latest=dt.time(10))
    day = planned(snapshot(events=(event("Call", "09:00", "12:00"),), todos=(morning,)))
    told = why(day, "run")
    assert told.changes[0].kind is ChangeKind.ANY_TIME


def test_where_events_breaks_and_ways_come_from() -> None:
    wishes = dataclasses.replace(
        OFFICE,
        breaks=(BreakWish(title="Lunch", window=TimeSpan(start=dt.time(12), end=dt.time(14)),
                          minutes=45),),
        travel=(PlaceTravel(place="office", minutes=25),),
    )  # fmt: skip
    review = dataclasses.replace(event("Review", "15:00", "16:00"), location="Office")
    clash = event("Dentist", "15:30", "16:30")
    pitch = dataclasses.replace(
        event("Pitch", "10:00", "11:00", busy=False), status=EventStatus.DECLINED
    )
    day = planned(snapshot(events=(review, clash, pitch)), wishes)
    assert causes(why(day, "review")) == [Cause.CALENDAR, Cause.OVERLAPS]
    assert causes(why(day, "pitch")) == [Cause.CALENDAR, Cause.NOT_BUSY]
    lunch, way = why(day, "lunch"), why(day, "way to review")
    assert (lunch.item.kind, lunch.reasons[0].cause) == (ItemKind.BREAK, Cause.SETTING)
    assert lunch.reasons[0].detail == "wanted between 12:00 and 14:00"
    assert (way.item.kind, way.reasons[0].detail) == (
        ItemKind.TRAVEL, "25 min to office, as you set it",
    )  # fmt: skip


def test_a_name_is_never_guessed() -> None:
    day = planned(
        snapshot(
            events=(event("Review of the report", "10:00", "11:00"),),
            todos=(todo("Report", DAY), todo("Write the reports", DAY), todo("Caf\u00e9 accounts")),
        )
    )

    def titles(name: str) -> list[str]:
        return [item.title for item in find_items(day.plan, name)]

    assert titles("the Report!") == ["Report"]
    assert titles("review") == ["Review of the report"]
    assert titles("rep") == ["Report", "Write the reports", "Review of the report"]
    assert titles("cafe") == ["Caf\u00e9 accounts"]
    assert titles("nothing like it") == []
    assert titles("") == []
    moment = (at("10:15"), at("10:15"))
    assert [one.title for one in find_items(day.plan, "", moment)] == ["Review of the report"]
    assert [one.title for one in find_items(day.plan, "rep", moment)] == ["Review of the report"]
    assert [one.title for one in find_items(day.plan, "cafe", moment)] == ["Caf\u00e9 accounts"]


def changed(day: PlannedDay, asked: Todo, change: Change) -> tuple[PlannedDay, Todo] | None:
    """Make a change by hand; None for those that only `changes` itself makes."""
    read, wanted = day.snapshot, asked
    match change.kind:
        case ChangeKind.SHORTEN:
            wanted = dataclasses.replace(asked, estimate_minutes=change.minutes)
        case ChangeKind.SPLIT:
            wanted = dataclasses.replace(asked, chunk_minutes=change.minutes)
        case ChangeKind.DROP:
            rest = tuple(
                one for one in read.todos
                if one.summary != change.other or one.source not in change.sources
            )  # fmt: skip
            read = dataclasses.replace(read, todos=rest)
        case _:
            return None
    todos = tuple(wanted if one == asked else one for one in read.todos)
    return planned(dataclasses.replace(read, todos=todos), day.preferences), wanted


@settings(max_examples=examples(25), deadline=None)
@given(rich=rich_days())
def test_every_item_of_any_day_is_explained_and_every_change_helps(
    rich: tuple[DaySnapshot, DayPreferences],
) -> None:
    day = build_planned_day(*rich)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for item in list_items(day.plan):
        told = explain(day, item)
        assert told == explain(day, item)
        jsonschema.validate(explanation_to_json(told), schema)
        for change in told.changes:
            asked = next(
                one for one in day.snapshot.todos
                if (one.source, one.summary) == (item.source, item.title)
            )  # fmt: skip
            trial = changed(day, asked, change)
            if trial is not None:
                lacking = {(one.source, one.summary) for one in trial[0].plan.unplaced}
                assert any(block.source == trial[1].source for block in trial[0].plan.blocks)
                assert (trial[1].source, trial[1].summary) not in lacking


@pytest.mark.parametrize("name", ["Report", "Nothing"])
def test_an_explanation_is_the_same_for_the_same_day(name: str) -> None:
    day = planned(snapshot(todos=(todo("Report", DAY), todo("Nothing"))))
    again = planned(snapshot(todos=(todo("Nothing"), todo("Report", DAY))))
    assert why(day, name) == why(again, name)
