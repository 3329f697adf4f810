"""Calendars as their port shows them: states, folders, isolation, names in warnings."""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.calendars import IcsCalendar, VdirCalendar
from iris_harness.sources.opening import open_calendar

Make = Callable[..., Path]
Event = Callable[..., str]
Window = Callable[..., ReadWindow]
HOUR = ";TZID=Europe/Berlin:20260416T{:02}0000"


def state_of(path: Path, window: Window) -> tuple[SourceState, str]:
    reading = open_calendar("cal", path).read(window())
    assert reading.items == ()
    return reading.status.state, reading.status.detail


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty: not a calendar"),
        (b"\0" * 64, "is empty: not a calendar"),
        (b"\r\n \n", "is empty: not a calendar"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "is binary, not a calendar"),
        (b"<!doctype html><title>Log in</title>", "web page"),
        (b"BEGIN:VCARD\r\nFN:Ada\r\nEND:VCARD\r\n", "contacts"),
        (b"PK\x03\x04\0\0\0\0", "zip"),
        (b"Dear Sir or Madam", "is not a calendar"),
    ],
    ids=["0-byte", "zeros", "blank", "image", "login page", "vcard", "zip", "letter"],
)
def test_what_is_no_calendar_fails_and_says_what_it_is(
    tmp_path: Path, window: Window, content: bytes, reason: str
) -> None:
    path = tmp_path / "cal.ics"
    path.write_bytes(content)
    state, detail = state_of(path, window)
    assert state is SourceState.FAILED
    assert reason in detail


@pytest.mark.parametrize(
    ("line", "minutes"),
    [
        ("X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT45M", 45),
        ("X-APPLE-TRAVEL-DURATION:PT1H30M", 90),
        ("X-APPLE-TRAVEL-DURATION:-PT5M", None),
        ("X-APPLE-TRAVEL-DURATION:soon", None),
        ("X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC", None),
    ],
)
def test_the_way_to_an_event_is_read_as_apple_writes_it(
    calendar: Make, event: Event, window: Window, line: str, minutes: int | None
) -> None:
    path = calendar(event("dentist", HOUR.format(9), f"DTEND{HOUR.format(10)}", line))

    (item,) = open_calendar("cal", path).read(window()).items

    assert item.travel_minutes == minutes


def test_a_missing_file_fails_with_that_reason(tmp_path: Path, window: Window) -> None:
    assert state_of(tmp_path / "no.ics", window) == (
        SourceState.FAILED,
        "cal (no.ics): does not exist",
    )


def test_a_folder_where_a_file_is_meant_fails(tmp_path: Path, window: Window) -> None:
    reading = IcsCalendar("cal", (tmp_path,)).read(window())
    assert reading.status.state is SourceState.FAILED
    assert "is a folder" in reading.status.detail


def test_a_pipe_is_not_waited_for(tmp_path: Path, window: Window) -> None:
    path = tmp_path / "cal.ics"
    os.mkfifo(path)
    assert "not a regular file" in state_of(path, window)[1]


def test_a_file_that_may_not_be_read_fails(
    calendar: Make, event: Event, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = calendar(event("a", HOUR.format(9)))

    def refuse(*_: object) -> int:  # root, whom tests often run as, is refused nothing
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert "permission denied" in state_of(path, window)[1]


def test_a_link_that_leads_to_itself_fails(tmp_path: Path, window: Window) -> None:
    path = tmp_path / "cal.ics"
    path.symlink_to(path)
    assert "cannot be read" in state_of(path, window)[1]


def test_a_calendar_without_events_is_empty(calendar: Make, window: Window) -> None:
    todo = "BEGIN:VTODO\nUID:t\nSUMMARY:Buy film\nEND:VTODO"
    assert state_of(calendar(todo), window)[0] is SourceState.EMPTY


def test_a_calendar_with_events_of_other_days_only_is_ok(
    calendar: Make, event: Event, window: Window
) -> None:
    assert state_of(calendar(event("a", ":20200101T100000Z")), window)[0] is SourceState.OK


def test_a_bad_file_of_several_is_a_failure_that_keeps_the_others(
    calendar: Make, event: Event, window: Window, tmp_path: Path
) -> None:
    good = calendar(event("a", HOUR.format(9)))
    reading = IcsCalendar("two", (tmp_path / "gone.ics", good)).read(window())
    assert reading.status.state is SourceState.FAILED
    assert "gone.ics" in reading.status.detail
    assert [item.summary for item in reading.items] == ["a"]


def test_age_is_asked_for_before_it_is_told(calendar: Make, event: Event, window: Window) -> None:
    path = calendar(event("a", HOUR.format(9)))
    changed = (window().now - dt.timedelta(hours=50)).timestamp()
    os.utime(path, (changed, changed))
    careless = IcsCalendar("c", (path,)).read(window()).status
    patient = IcsCalendar("c", (path,), stale_after_hours=72).read(window()).status
    strict = IcsCalendar("c", (path,), stale_after_hours=24).read(window()).status
    assert (careless.state, careless.age_seconds) == (SourceState.OK, None)
    assert (patient.state, patient.age_seconds) == (SourceState.OK, 50 * 3600)
    assert strict.state is SourceState.STALE
    assert "2 days" in strict.detail


def test_a_stale_calendar_still_gives_its_events(
    calendar: Make, event: Event, window: Window
) -> None:
    path = calendar(event("a", HOUR.format(9)))
    os.utime(path, (0, 0))
    assert len(IcsCalendar("c", (path,), stale_after_hours=1).read(window()).items) == 1


def test_a_vdir_skips_hidden_and_temporary_files_and_survives_a_bad_one(
    calendar: Make, event: Event, window: Window, tmp_path: Path
) -> None:
    for number, name in enumerate(
        ("a.ics", "B.ICS", ".hidden.ics", "c.ics.tmp", "#d.ics", "e.txt")
    ):
        calendar(event(name, HOUR.format(9 + number)), name=f"vdir/{name}")
    (tmp_path / "vdir" / "broken.ics").write_bytes(b"not at all")
    reading = VdirCalendar("home", tmp_path / "vdir").read(window())
    assert [item.summary for item in reading.items] == ["a.ics", "B.ICS"]
    assert reading.status.state is SourceState.OK
    assert reading.warnings == ("home/broken.ics: is not a calendar",)


def test_a_folder_of_vdirs_is_one_calendar(
    calendar: Make, event: Event, window: Window, tmp_path: Path
) -> None:
    calendar(event("a", HOUR.format(9)), name="all/work/a.ics")
    calendar(event("b", HOUR.format(10)), name="all/home/b.ics")
    calendar(event("c", HOUR.format(11)), name="all/.trash/c.ics")
    reading = open_calendar("all", tmp_path / "all").read(window())
    assert [item.summary for item in reading.items] == ["a", "b"]


def test_a_series_and_its_exception_may_lie_in_two_files_of_a_vdir(
    calendar: Make, event: Event, window: Window, tmp_path: Path
) -> None:
    series = event("s", ";TZID=Europe/Berlin:20260402T090000", "RRULE:FREQ=WEEKLY")
    moved = event("s", HOUR.format(15), "RECURRENCE-ID:20260416T070000Z")
    calendar(series, name="vdir/one.ics")
    calendar(moved, name="vdir/two.ics")
    items = VdirCalendar("home", tmp_path / "vdir").read(window()).items
    assert [item.start.isoformat() for item in items] == ["2026-04-16T15:00:00+02:00"]


def test_an_empty_folder_is_empty_and_a_missing_one_failed(tmp_path: Path, window: Window) -> None:
    (tmp_path / "empty").mkdir()
    assert state_of(tmp_path / "empty", window) == (
        SourceState.EMPTY,
        "the folder holds no .ics files",
    )
    missing = VdirCalendar("v", tmp_path / "gone").read(window()).status
    assert missing.state is SourceState.FAILED


def test_a_warning_names_file_line_title_and_uid(
    calendar: Make, event: Event, window: Window
) -> None:
    path = calendar(event("ok", HOUR.format(9)), "BEGIN:VEVENT\nUID:u-1\nSUMMARY:Lost\nEND:VEVENT")
    reading = IcsCalendar("cal.ics", (path,)).read(window())
    assert reading.warnings == ('cal.ics:8: "Lost" (u-1) is left out: it has no start',)


def test_an_event_knows_where_it_was_read(calendar: Make, event: Event, window: Window) -> None:
    path = calendar(
        event(
            "a",
            HOUR.format(9),
            "SEQUENCE:3",
            "LAST-MODIFIED:20260401T000000Z",
            "LOCATION:Hall\\, 1",
        ),
        event("", HOUR.format(10)),
    )
    first, second = IcsCalendar("home", (path,)).read(window()).items
    assert (first.source.source, first.source.locator) == ("home", "a")
    assert (first.sequence, first.location) == (3, "Hall, 1")
    assert first.revised_at == dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    assert second.source.locator == "line 11"
    assert second.uid.startswith("iris-")


def test_times_carry_a_fixed_offset_so_that_python_compares_instants(
    calendar: Make, event: Event, window: Window
) -> None:
    path = calendar(event("a", ":20251026T003000Z", "DTEND:20251026T013000Z"))
    (item,) = IcsCalendar("c", (path,)).read(window("2025-10-26")).items
    assert isinstance(item.start, dt.datetime)
    assert isinstance(item.end, dt.datetime)
    assert item.end - item.start == dt.timedelta(hours=1)


def test_an_instance_is_named_by_its_original_start(
    calendar: Make, event: Event, window: Window
) -> None:
    path = calendar(
        event("t", ";TZID=Europe/Berlin:20260402T090000", "RRULE:FREQ=WEEKLY"),
        event("d", ";VALUE=DATE:20260402", "RRULE:FREQ=WEEKLY"),
        event("single", HOUR.format(12)),
    )
    items = IcsCalendar("c", (path,)).read(window()).items
    assert {item.uid: item.recurrence_id for item in items} == {
        "d": "2026-04-16",
        "t": "2026-04-16T07:00:00+00:00",
        "single": "",
    }


def test_one_zone_definition_does_not_leak_into_another_file(
    calendar: Make, event: Event, window: Window
) -> None:
    zone = (
        "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
        "TZOFFSETFROM:{0}\nTZOFFSETTO:{0}\nEND:STANDARD\nEND:VTIMEZONE"
    )
    starts = []
    for name, offset in (("one.ics", "+0300"), ("two.ics", "-0300")):
        path = calendar(zone.format(offset), event("a", ";TZID=Own:20260416T120000"), name=name)
        (item,) = IcsCalendar("c", (path,)).read(window()).items
        starts.append(item.start.isoformat())
    assert starts == ["2026-04-16T11:00:00+02:00", "2026-04-16T17:00:00+02:00"]


def test_an_unknown_user_zone_fails_instead_of_raising(
    calendar: Make, event: Event, window: Window
) -> None:
    path = calendar(event("a", HOUR.format(9)))
    good = window()
    bad = ReadWindow(start=good.start, end=good.end, timezone="No/Where", now=good.now)
    assert IcsCalendar("c", (path,)).read(bad).status.state is SourceState.FAILED


def test_many_threads_read_one_calendar_alike(calendar: Make, event: Event, window: Window) -> None:
    path = calendar(*(event(f"e{n}", HOUR.format(n % 24), "RRULE:FREQ=DAILY") for n in range(40)))
    port = IcsCalendar("c", (path,))
    alone = port.read(window())
    together: list[object] = []
    threads = [
        threading.Thread(target=lambda: together.append(port.read(window()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 8


def test_ten_thousand_past_events_are_not_worth_seconds(
    calendar: Make, event: Event, window: Window
) -> None:
    days = [dt.date(2000, 1, 1) + dt.timedelta(days=n) for n in range(5000)]
    path = calendar(
        *(
            event(f"e{day}", f":{day:%Y%m%d}T100000Z", f"DTEND:{day:%Y%m%d}T110000Z")
            for day in days
        ),
        *(event(f"s{n}", ":19700101T100000Z", "RRULE:FREQ=HOURLY;INTERVAL=5") for n in range(50)),
    )
    reading = IcsCalendar("c", (path,)).read(window("2010-06-01"))
    assert len(reading.items) == 1 + 50 * 5
