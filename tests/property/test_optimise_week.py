"""Todos are shared out to the days of a range, and each day then serves its share."""

from __future__ import annotations

import pytest

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request
from iris_harness.planner.optimise.week import DayRoom, RangeTodo, share_out
from tests.placement_days import faults, score
from tests.placement_peer import Peer
from tests.placement_weeks import Week, as_one_day, draw_week, place_week
from tests.support import SOAK, examples

SECONDS = 10.0 if SOAK else 3.0


@pytest.mark.parametrize("seed", range(20 if SOAK else 3))
def test_a_week_is_as_good_as_what_cp_sat_finds(seed: int) -> None:
    week = draw_week(seed)
    day = as_one_day(week)
    mine = score(day, place_week(week).in_one_day(week))
    found, bound = Peer(day).best(SECONDS)

    assert mine[:2] >= found[:2]
    assert mine[:2] > found[:2] or mine.value >= 0.95 * found.value
    assert mine <= bound


@pytest.mark.parametrize("seed", range(examples(10)))
def test_every_day_serves_all_of_its_share(seed: int) -> None:
    week = draw_week(seed, todos=25)
    placed = place_week(week)

    assert not faults(as_one_day(week), placed.in_one_day(week))
    for room, share, day in zip(week.days, placed.shares, placed.days, strict=True):
        assert not any(day.partial[len(room.breaks) :])
        assert len(share.requests) == len(room.breaks) + len(share.numbers)


def _placed(days: list[DayRoom], todos: list[RangeTodo]) -> list[dict[int, int]]:
    """Return for each day the slots that each todo has."""
    shares = share_out(days, todos)
    return [
        dict(zip(share.numbers, (one.need for one in share.requests), strict=True))
        for share in shares
    ]


def test_earlier_days_go_to_those_of_higher_rank() -> None:
    todo = RangeTodo((Request(need=6),) * 2)

    assert _placed([DayRoom((Span(0, 8),))] * 2, [todo] * 3) == [{0: 6}, {1: 6}]


def test_a_todo_that_is_due_first_gets_the_first_day() -> None:
    whenever = RangeTodo((Request(need=6, value=81),) * 2)
    due = RangeTodo((Request(need=6, is_due=True),) * 2, due_on=0)

    assert _placed([DayRoom((Span(0, 8),))] * 2, [whenever, due]) == [{1: 6}, {0: 6}]


def test_what_can_be_split_goes_on_the_next_day() -> None:
    long = RangeTodo((Request(need=20, chunk=4),) * 3)

    assert _placed([DayRoom((Span(0, 12),))] * 3, [long]) == [{0: 12}, {0: 8}, {}]


def test_more_than_all_days_hold_is_served_in_part() -> None:
    long = RangeTodo((Request(need=50, chunk=4),) * 2)

    assert _placed([DayRoom((Span(0, 12),))] * 2, [long]) == [{0: 12}, {0: 12}]


def test_a_todo_waits_for_the_day_on_which_it_may_be_done() -> None:
    later = RangeTodo((None, Request(need=4)))

    assert _placed([DayRoom((Span(0, 12),))] * 2, [later]) == [{}, {0: 4}]


def test_a_range_without_time_has_no_shares() -> None:
    assert _placed([DayRoom(())] * 2, [RangeTodo((Request(need=4),) * 2)]) == [{}, {}]
    assert place_week(Week((), ())).shares == ()
