from __future__ import annotations

import datetime as dt
import itertools

import pytest

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.sources import SourceKind
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import DAY, at, event, snapshot, status, todo


def shown(*events: Event) -> list[tuple[str, str]]:
    plan = build_daily_plan(snapshot(events), DayPreferences())
    return [(item.summary, item.calendar) for item in plan.events]


def test_the_same_occurrence_in_two_calendars_shows_once() -> None:
    local = event("Meeting", "10:00", "11:00", uid="a", calendar="work")
    in_utc = event(
        "Meeting",
        at("10:00").astimezone(dt.UTC),
        at("11:00").astimezone(dt.UTC),
        uid="a",
        calendar="home",
    )

    assert shown(local, in_utc) == [("Meeting", "home")]


@pytest.mark.parametrize("turned", [False, True], ids=["as-read", "reversed"])
def test_the_highest_sequence_wins_over_a_newer_revision(*, turned: bool) -> None:
    versions = [
        event("Old", "10:00", "11:00", uid="a", sequence=1, revised_at=at("06:00"), calendar="a"),
        event("New", "12:00", "13:00", uid="a", sequence=2, revised_at=at("05:00"), calendar="b"),
    ]

    assert shown(*(reversed(versions) if turned else versions)) == [("New", "b")]


def test_of_equal_sequences_the_newest_revision_wins_and_none_is_oldest() -> None:
    assert shown(
        event("Undated", "10:00", "11:00", uid="a", calendar="a"),
        event("Newer", "10:00", "11:00", uid="a", revised_at=at("06:00"), calendar="c"),
        event("Older", "10:00", "11:00", uid="a", revised_at=at("05:00"), calendar="b"),
    ) == [("Newer", "c")]


def test_versions_that_nothing_tells_apart_give_the_same_answer_in_any_order() -> None:
    versions = [event(summary, "10:00", "11:00", uid="a") for summary in ("B", "A", "C")]

    answers = {tuple(shown(*order)) for order in itertools.permutations(versions)}

    assert len(answers) == 1


def test_two_instances_of_one_series_are_two_events() -> None:
    assert shown(
        event("Run", "07:00", "08:00", uid="a", recurrence_id="2025-03-12T06:00:00Z"),
        event("Run", "18:00", "19:00", uid="a", recurrence_id="2025-03-12T17:00:00Z"),
    ) == [("Run", "home"), ("Run", "home")]


def test_events_stand_all_day_first_then_by_start_end_and_summary() -> None:
    march = DAY.replace
    events = [
        event("Late", "15:00", "16:00"),
        event("B", "09:00", "10:00"),
        event("A", "09:00", "10:00"),
        event("Short", "09:00", "09:30"),
        event("Today", DAY, march(day=13)),
        event("Another", DAY, march(day=13)),
        event("Since Monday", march(day=10), march(day=14)),
    ]

    assert [summary for summary, _ in shown(*events)] == [
        "Since Monday",
        "Another",
        "Today",
        "Short",
        "A",
        "B",
        "Late",
    ]


def test_order_is_by_instant_and_not_by_wall_clock_where_an_hour_happens_twice() -> None:
    day = dt.date(2025, 10, 26)
    first = at("02:45", day)
    second = at("02:15", day).replace(fold=1)
    events = [event("Second", second, second), event("First", first, first)]

    plan = build_daily_plan(snapshot(events, day=day), DayPreferences())

    assert [item.summary for item in plan.events] == ["First", "Second"]


def test_a_todo_that_two_lists_hold_word_for_word_counts_once() -> None:
    todos = [todo("Milk", DAY, list_name=name, uid="todo.txt:3") for name in ("b", "a")]

    plan = build_daily_plan(snapshot(todos=todos), DayPreferences())

    assert [item.todo.list_name for item in plan.todos] == ["a"]


def test_todos_of_two_lists_with_one_uid_and_other_content_both_stay() -> None:
    todos = [
        todo(summary, DAY, list_name=name, uid="todo.txt:3")
        for summary, name in (("Milk", "a"), ("Bread", "b"))
    ]

    plan = build_daily_plan(snapshot(todos=todos), DayPreferences())

    assert [item.todo.summary for item in plan.todos] == ["Bread", "Milk"]


def test_now_counts_to_the_second_in_the_users_zone() -> None:
    now = dt.datetime(2025, 3, 12, 6, 0, 0, 987_654, tzinfo=dt.UTC)

    plan = build_daily_plan(snapshot(now=now), DayPreferences())

    assert plan.now.isoformat() == "2025-03-12T07:00:00+01:00"


def test_sources_stand_by_kind_then_name_and_warnings_sorted_once_each() -> None:
    plan = build_daily_plan(
        snapshot(
            sources=[
                status("mail", SourceKind.EMAIL),
                status("b", SourceKind.TODO),
                status("a", SourceKind.TODO),
                status("work"),
            ],
            warnings=["b: line 1", "a: line 2", "b: line 1"],
        ),
        DayPreferences(),
    )

    assert [item.name for item in plan.sources] == ["work", "a", "b", "mail"]
    assert plan.warnings == ("a: line 2", "b: line 1")


def test_absurd_numbers_cost_neither_their_item_nor_the_plan() -> None:
    plan = build_daily_plan(
        snapshot(
            [event("Call", "10:00", "11:00", sequence=10**30)],
            [todo("forever", DAY, minutes=10**30), todo("a", DAY)],
        ),
        DayPreferences(),
    )

    assert [item.summary for item in plan.events] == ["Call"]
    assert [item.summary for item in plan.unplaced] == ["forever"]
    assert [block.title for block in plan.blocks] == ["a"]
