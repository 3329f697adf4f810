from __future__ import annotations

import dataclasses

import pytest

from iris_harness.contracts.day import (
    BlockKind,
    DailyPlan,
    DayPreferences,
    Event,
    NoticeKind,
    PlaceTravel,
)
from iris_harness.planner import build_daily_plan
from tests.unit.planner.samples import DAY, at, blocks_of, event, preferences, snapshot, todo

OFFICE = preferences(("09:00", "17:00"))
PLACES = dataclasses.replace(OFFICE, travel=(PlaceTravel(place="Office", minutes=25),))


def located(
    summary: str, start: str, end: str, location: str = "", minutes: int | None = None
) -> Event:
    return dataclasses.replace(
        event(summary, start, end), location=location, travel_minutes=minutes
    )


def plan_of(*events: Event, wishes: DayPreferences = PLACES) -> DailyPlan:
    return build_daily_plan(snapshot(events), wishes)


def test_the_way_there_and_back_are_blocks_with_the_event_as_source() -> None:
    dentist = located("Dentist", "11:00", "12:00", "Main Street", 30)
    plan = plan_of(dentist)

    assert blocks_of(plan) == [
        ("Way to Dentist", "10:30", "11:00"),
        ("Way back from Dentist", "12:00", "12:30"),
    ]
    assert {block.kind for block in plan.blocks} == {BlockKind.TRAVEL}
    assert {block.source for block in plan.blocks} == {dentist.source}
    assert [block.reason for block in plan.blocks] == [
        "30 min, as the event says",
        "30 min, as the way there",
    ]


@pytest.mark.parametrize("location", ["Office", "office, room 4", "The OFFICE"])
def test_a_place_is_known_by_its_words_in_any_case(location: str) -> None:
    plan = plan_of(located("Talk", "11:00", "12:00", location))

    assert blocks_of(plan)[0] == ("Way to Talk", "10:35", "11:00")
    assert plan.blocks[0].reason == "25 min to Office, as you set it"


@pytest.mark.parametrize("location", ["", "Officers' club", "Home"])
def test_an_unknown_place_takes_no_travel(location: str) -> None:
    assert plan_of(located("Talk", "11:00", "12:00", location)).blocks == ()


def test_what_the_event_says_counts_before_its_place_and_the_longest_name_before_others() -> None:
    wishes = dataclasses.replace(
        OFFICE,
        travel=(
            PlaceTravel(place="Office", minutes=25),
            PlaceTravel(place="Office Graz", minutes=90),
        ),
    )

    said = plan_of(located("Talk", "11:00", "12:00", "Office", 10), wishes=wishes)
    longer = plan_of(located("Talk", "11:00", "12:00", "Office Graz, room 1"), wishes=wishes)

    assert blocks_of(said)[0] == ("Way to Talk", "10:50", "11:00")
    assert blocks_of(longer)[0] == ("Way to Talk", "09:30", "11:00")


def test_without_the_way_back_there_is_only_the_way_there() -> None:
    wishes = dataclasses.replace(PLACES, travel_back=False)

    assert blocks_of(plan_of(located("Talk", "11:00", "12:00", "Office"), wishes=wishes)) == [
        ("Way to Talk", "10:35", "11:00")
    ]


def test_who_has_two_meetings_at_one_place_stays_there_between_them() -> None:
    plan = plan_of(
        located("One", "11:00", "12:00", "Office"), located("Two", "12:30", "13:00", "Office")
    )

    assert blocks_of(plan) == [
        ("Way to One", "10:35", "11:00"),
        ("Way back from Two", "13:00", "13:25"),
    ]


def test_with_time_to_go_back_in_between_there_are_four_ways() -> None:
    plan = plan_of(
        located("One", "10:00", "11:00", "Office"), located("Two", "15:00", "16:00", "Office")
    )

    assert len(plan.blocks) == 4


def test_to_another_place_one_goes_on_directly() -> None:
    plan = plan_of(
        located("One", "11:00", "12:00", "Office"), located("Two", "12:30", "13:00", "Hall", 30)
    )

    assert [block[0] for block in blocks_of(plan)] == [
        "Way to One",
        "Way to Two",
        "Way back from Two",
    ]
    assert plan.notices == ()


def test_a_way_that_collides_with_another_event_stays_and_is_said() -> None:
    plan = plan_of(event("Review", "10:00", "11:00"), located("Dentist", "11:00", "12:00", "", 30))

    assert ("Way to Dentist", "10:30", "11:00") in blocks_of(plan)
    (notice,) = plan.notices
    assert notice.kind is NoticeKind.TRAVEL
    assert (notice.start, notice.end) == (at("10:30"), at("11:00"))
    assert plan.warnings == ('"Way to Dentist" (10:30-11:00) collides with "Review"',)


def test_todos_keep_clear_of_ways() -> None:
    plan = build_daily_plan(
        snapshot(
            [located("Dentist", "10:00", "11:00", "", 30)],
            [todo("a", DAY, minutes=30), todo("b", DAY, minutes=60)],
        ),
        OFFICE,
    )

    assert blocks_of(plan) == [
        ("a", "09:00", "09:30"),
        ("Way to Dentist", "09:30", "10:00"),
        ("Way back from Dentist", "11:00", "11:30"),
        ("b", "11:30", "12:30"),
    ]


def test_ways_are_cut_to_the_day() -> None:
    early = located("Flight", "00:10", "02:00", "Airport", 60)
    late = dataclasses.replace(
        event("Party", at("22:00"), at("23:50")), location="Hall", travel_minutes=60
    )

    assert blocks_of(plan_of(early, late)) == [
        ("Way to Flight", "00:00", "00:10"),
        ("Way back from Flight", "02:00", "03:00"),
        ("Way to Party", "21:00", "22:00"),
        ("Way back from Party", "23:50", "00:00"),
    ]


def test_an_event_that_is_free_or_a_whole_day_has_no_ways() -> None:
    free = dataclasses.replace(located("Fair", "10:00", "11:00", "Office", 30), busy=False)
    whole = dataclasses.replace(event("Trip", DAY, DAY.replace(day=13)), travel_minutes=30)

    assert plan_of(free, whole).blocks == ()


@pytest.mark.parametrize("minutes", [0, -30, 10**12])
def test_absurd_lengths_of_a_way_cost_nothing_but_the_day(minutes: int) -> None:
    plan = plan_of(located("Talk", "11:00", "12:00", "Office", minutes))

    assert [block[0] for block in blocks_of(plan)] == (
        [] if minutes <= 0 else ["Way to Talk", "Way back from Talk"]
    )


def test_buffers_keep_todos_away_from_meetings() -> None:
    wishes = dataclasses.replace(OFFICE, buffer_before_minutes=15, buffer_after_minutes=10)
    plan = build_daily_plan(
        snapshot([event("Review", "10:00", "11:00")], [todo("a", DAY, minutes=60), todo("b", DAY)]),
        wishes,
    )

    assert blocks_of(plan) == [("b", "09:00", "09:30"), ("a", "11:10", "12:10")]
    assert [(f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in plan.free] == [
        ("09:30", "09:45"),
        ("12:10", "17:00"),
    ]


def test_an_event_without_length_has_no_buffers() -> None:
    wishes = dataclasses.replace(OFFICE, buffer_before_minutes=15, buffer_after_minutes=10)
    plan = build_daily_plan(
        snapshot([event("Reminder", "10:00", "10:00")], [todo("a", DAY, minutes=120)]), wishes
    )

    assert blocks_of(plan) == [("a", "09:00", "11:00")]
