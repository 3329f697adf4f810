from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.day import TimeSpan
from iris_harness.errors import CanonicalError, UsageError
from iris_harness.planner.frame import Phase, Span, at_offset, build_frame, first_instant, load_zone

HOUR = 3600


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        pytest.param(dt.date(2025, 3, 12), "Europe/Vienna", 24, id="an-ordinary-day"),
        pytest.param(dt.date(2025, 3, 30), "Europe/Vienna", 23, id="clocks-go-forward"),
        pytest.param(dt.date(2025, 10, 26), "Europe/Vienna", 25, id="clocks-go-back"),
        pytest.param(dt.date(2025, 4, 6), "Australia/Lord_Howe", 24.5, id="half-an-hour-back"),
        pytest.param(dt.date(2011, 12, 30), "Pacific/Apia", 0, id="a-day-the-zone-left-out"),
        pytest.param(dt.date(2018, 11, 4), "America/Sao_Paulo", 23, id="no-midnight"),
        pytest.param(dt.date(2018, 2, 17), "America/Sao_Paulo", 25, id="an-hour-twice-at-its-end"),
    ],
)
def test_a_day_has_the_length_that_its_zone_gives_it(day: dt.date, zone: str, hours: float) -> None:
    assert build_frame(day, load_zone(zone)).seconds == hours * HOUR


def test_a_day_without_midnight_begins_when_the_clock_jumps() -> None:
    frame = build_frame(dt.date(2018, 11, 4), load_zone("America/Sao_Paulo"))

    assert frame.start.isoformat() == "2018-11-04T01:00:00-02:00"


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("01:59", "2025-03-30T00:59:00"),
        ("02:00", "2025-03-30T01:00:00"),
        ("02:30", "2025-03-30T01:00:00"),
        ("03:00", "2025-03-30T01:00:00"),
        ("03:01", "2025-03-30T01:01:00"),
    ],
)
def test_a_time_that_the_clock_jumps_over_is_the_moment_of_the_jump(
    time: str, expected: str
) -> None:
    zone = load_zone("Europe/Vienna")

    found = first_instant(dt.date(2025, 3, 30), dt.time.fromisoformat(time), zone)

    assert found == utc(expected)


def test_a_time_that_happens_twice_is_the_first_of_the_two() -> None:
    found = first_instant(dt.date(2025, 10, 26), dt.time(2, 30), load_zone("Europe/Vienna"))

    assert found.isoformat() == "2025-10-26T02:30:00+02:00"


def test_instants_of_a_repeated_hour_keep_their_order() -> None:
    zone = load_zone("Europe/Vienna")
    first, second = (at_offset(utc(f"2025-10-26T0{hour}:30:00"), zone) for hour in (0, 1))

    assert (first.hour, second.hour) == (2, 2)
    assert second - first == dt.timedelta(hours=1)
    assert first < second


def test_working_hours_on_the_day_the_clocks_change_follow_the_wall_clock() -> None:
    hours = (
        TimeSpan(start=dt.time(1), end=dt.time(2, 30)),
        TimeSpan(start=dt.time(9), end=dt.time(0)),
    )
    frame = build_frame(dt.date(2025, 3, 30), load_zone("Europe/Vienna"))

    assert frame.working_spans(hours) == (
        Span(1 * HOUR, 2 * HOUR),
        Span(8 * HOUR, 23 * HOUR),
    )


@pytest.mark.parametrize(
    ("now", "phase"),
    [
        ("2025-03-11T22:59:59", Phase.FUTURE),
        ("2025-03-11T23:00:00", Phase.TODAY),
        ("2025-03-12T22:59:59", Phase.TODAY),
        ("2025-03-12T23:00:00", Phase.PAST),
    ],
)
def test_a_day_is_half_open(now: str, phase: Phase) -> None:
    assert build_frame(dt.date(2025, 3, 12), load_zone("Europe/Vienna")).phase(utc(now)) is phase


@pytest.mark.parametrize("name", ["Europe/Atlantis", "", "Europe", "../etc/passwd", "a\0b"])
def test_an_unknown_zone_is_named_in_the_error(name: str) -> None:
    with pytest.raises(UsageError, match="no time zone") as caught:
        load_zone(name)

    assert repr(name) in caught.value.message
    assert "Europe/Berlin" in caught.value.hint


@pytest.mark.parametrize("day", [dt.date.min, dt.date.max])
def test_a_day_at_the_edge_of_the_calendar_is_refused(day: dt.date) -> None:
    with pytest.raises(UsageError, match=day.isoformat()):
        build_frame(day, load_zone("Europe/Vienna"))


def test_a_naive_time_is_refused_and_never_read_in_the_machines_zone() -> None:
    naive = dt.datetime(2025, 3, 12, 9)  # noqa: DTZ001 - it is the point

    with pytest.raises(CanonicalError, match="no offset"):
        at_offset(naive, load_zone("Europe/Vienna"))


def test_an_instant_that_has_no_date_in_the_zone_stays_as_it_is() -> None:
    last = dt.datetime.max.replace(tzinfo=dt.UTC)

    assert at_offset(last, load_zone("Europe/Vienna")) is last
