from __future__ import annotations

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import DAY, event, snapshot


def conflicts(*events: Event) -> list[tuple[str, str, str, str]]:
    plan = build_daily_plan(snapshot(events), DayPreferences())
    return [
        (pair.first.summary, pair.second.summary, f"{pair.start:%H:%M}", f"{pair.end:%H:%M}")
        for pair in plan.conflicts
    ]


def test_every_pair_that_overlaps_is_listed_once_with_its_overlap_in_list_order() -> None:
    assert conflicts(
        event("C", "10:30", "10:45"),
        event("A", "09:00", "11:00"),
        event("B", "10:00", "12:00"),
    ) == [
        ("A", "B", "10:00", "11:00"),
        ("A", "C", "10:30", "10:45"),
        ("B", "C", "10:30", "10:45"),
    ]


def test_events_that_only_touch_do_not_conflict() -> None:
    assert conflicts(event("A", "09:00", "10:00"), event("B", "10:00", "11:00")) == []


def test_an_event_of_zero_length_conflicts_with_nothing() -> None:
    assert conflicts(event("A", "09:00", "11:00"), event("B", "10:00", "10:00")) == []


def test_events_that_do_not_block_and_all_day_events_are_in_no_pair() -> None:
    assert (
        conflicts(
            event("Declined", "09:00", "11:00", busy=False),
            event("Meeting", "09:30", "10:30"),
            event("All day", DAY, DAY.replace(day=13)),
        )
        == []
    )


def test_a_shared_meeting_is_never_in_conflict_with_itself() -> None:
    assert conflicts(
        event("Evening", "10:00", "11:00", uid="shared", calendar="team"),
        event("Evening", "10:00", "11:00", uid="shared", calendar="own"),
        event("Haircut", "10:45", "11:30"),
    ) == [("Evening", "Haircut", "10:45", "11:00")]


def test_a_day_with_too_many_conflicts_lists_the_first_and_says_so() -> None:
    crowd = [event(f"M{n:02}", "09:00", "10:00") for n in range(40)]  # 780 pairs
    plan = build_daily_plan(snapshot(crowd), DayPreferences())
    assert len(plan.conflicts) == 500
    assert plan.conflicts[-1].first.summary == "M15"
    said = "more than 500 pairs of events overlap; only the first are listed"
    assert plan.warnings.count(said) == 1
