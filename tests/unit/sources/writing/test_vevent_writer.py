"""Changes to events in a file and in a folder: one occurrence, and nothing else to the letter."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import icalendar
import pytest

from iris_harness.contracts.changes import EventDraft, Standing
from iris_harness.errors import ChangedOutsideError, WriteError
from tests.writing_support import AT, EventSource, calendar

DENTIST = """
BEGIN:VEVENT
UID:dentist@example.org
DTSTAMP:20260101T000000Z
SUMMARY:Dentist
DTSTART;TZID=Europe/Berlin:20260416T100000
DTEND;TZID=Europe/Berlin:20260416T104500
X-FOREIGN:kept
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT15M
END:VALARM
END:VEVENT
"""
STANDUP = """
BEGIN:VEVENT
UID:standup@example.org
DTSTAMP:20260101T000000Z
SEQUENCE:4
SUMMARY:Standup
DTSTART;TZID=America/New_York:20260302T040000
DURATION:PT30M
RRULE:FREQ=WEEKLY;BYDAY=MO,TH
EXDATE;TZID=America/New_York:20260305T040000
END:VEVENT
"""


@pytest.fixture(params=["file", "folder"])
def events(request: pytest.FixtureRequest, tmp_path: Path) -> EventSource:
    if request.param == "file":
        source = EventSource(tmp_path / "cal" / "home.ics")
        source.path.parent.mkdir()
        source.path.write_bytes(calendar(DENTIST, STANDUP))
        return source
    source = EventSource(tmp_path / "home")
    source.path.mkdir()
    (source.path / "dentist.ics").write_bytes(calendar(DENTIST))
    (source.path / "b.ics").write_bytes(calendar(STANDUP))
    return source


def berlin(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{text}+02:00")


def text_of(source: EventSource) -> str:
    return b"".join(source.files.values()).decode()


def test_a_new_event_is_read_as_it_was_meant_and_undone_without_a_trace(
    events: EventSource,
) -> None:
    before = events.files
    draft = EventDraft(
        summary="Lunch; with, Bob\nand Eve",
        start=berlin("2026-04-16T12:30"),
        end=berlin("2026-04-16T13:15"),
        location="Café; corner",
        description="bring\nthe book",
        busy=False,
    )
    changes = events.writer.add(draft, AT)
    assert events.files == before
    events.apply(*changes)
    read = events.event("Lunch; with, Bob and Eve")
    assert (read.start, read.end, read.location, read.busy) == (
        draft.start, draft.end, "Café; corner", False,
    )  # fmt: skip
    for data in events.files.values():
        icalendar.Calendar.from_ical(data.decode())
    events.undo(*changes)
    assert events.files == before


def test_a_day_is_written_as_a_day(events: EventSource) -> None:
    draft = EventDraft(summary="Trip", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 18))
    events.apply(*events.writer.add(draft, AT))
    trip = events.event("Trip")
    assert (trip.start, trip.end, trip.all_day) == (draft.start, draft.end, True)


def test_a_moved_event_stays_on_its_own_clock(events: EventSource) -> None:
    before = events.files
    start = dt.datetime(2026, 4, 17, 13, tzinfo=dt.UTC)
    changes = events.writer.move(events.event("Dentist"), start, None, AT)
    events.apply(*changes)
    text = text_of(events)
    assert "DTSTART;TZID=Europe/Berlin:20260417T150000\r\n" in text
    assert "DTEND;TZID=Europe/Berlin:20260417T154500\r\n" in text
    for line in ("SEQUENCE:1", "LAST-MODIFIED:20260416T080000Z", "DTSTAMP:20260416T080000Z"):
        assert f"{line}\r\n" in text
    assert "X-FOREIGN:kept\r\nBEGIN:VALARM" in text.replace(
        "LAST-MODIFIED:20260416T080000Z\r\nSEQUENCE:1\r\n", ""
    )
    assert events.event("Dentist", "2026-04-17").start == start
    events.undo(*changes)
    assert events.files == before


def test_one_occurrence_of_a_series_moves_alone(events: EventSource) -> None:
    before = events.files
    standup = events.event("Standup")
    assert standup.start == berlin("2026-04-16T10:00")
    changes = events.writer.move(standup, berlin("2026-04-17T11:00"), None, AT)
    assert "only this one" in changes[0].note
    events.apply(*changes)
    text = text_of(events)
    assert "RECURRENCE-ID;TZID=America/New_York:20260416T040000\r\n" in text
    assert "DTSTART;TZID=America/New_York:20260417T050000\r\n" in text
    assert text.count("RRULE") == 1
    assert text.count("SEQUENCE:5") == 1
    starts = [
        event.start
        for event in events.events("2026-04-13", "2026-04-20")
        if event.summary == "Standup"
    ]
    assert starts == [
        berlin("2026-04-13T10:00"), berlin("2026-04-17T11:00"), berlin("2026-04-20T10:00"),
    ]  # fmt: skip
    again = events.event("Standup", "2026-04-17")
    more = events.writer.move(again, berlin("2026-04-17T12:00"), berlin("2026-04-17T13:00"), AT)
    events.apply(*more)
    assert text_of(events).count("RECURRENCE-ID") == 1
    assert events.event("Standup", "2026-04-17").end == berlin("2026-04-17T13:00")
    events.undo(*changes, *more)
    assert events.files == before


def test_an_event_of_days_moves_by_days(events: EventSource) -> None:
    draft = EventDraft(summary="Trip", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 18))
    events.apply(*events.writer.add(draft, AT))
    changes = events.writer.move(events.event("Trip"), dt.date(2026, 4, 20), None, AT)
    events.apply(*changes)
    assert events.event("Trip", "2026-04-21").end == dt.date(2026, 4, 22)
    with pytest.raises(WriteError, match="how long"):
        events.writer.move(events.event("Trip", "2026-04-21"), berlin("2026-04-20T10:00"), None, AT)


def test_the_same_time_is_no_change(events: EventSource) -> None:
    dentist = events.event("Dentist")
    assert events.writer.move(dentist, dentist.start, dentist.end, AT) == ()


def test_one_occurrence_goes_alone_and_comes_back(events: EventSource) -> None:
    before = events.files
    changes = events.writer.delete(events.event("Standup"), AT)
    events.apply(*changes)
    assert "EXDATE;TZID=America/New_York:20260416T040000\r\n" in text_of(events)
    assert [event.summary for event in events.events()] == ["Dentist"]
    assert len(events.events("2026-04-13", "2026-04-20")) == 3
    events.undo(*changes)
    assert events.files == before


def test_a_moved_occurrence_goes_with_its_component(events: EventSource) -> None:
    changes = events.writer.move(events.event("Standup"), berlin("2026-04-16T12:00"), None, AT)
    events.apply(*changes)
    before = events.files
    deletion = events.writer.delete(events.event("Standup"), AT)
    events.apply(*deletion)
    assert [event.summary for event in events.events()] == ["Dentist"]
    assert "RECURRENCE-ID" not in text_of(events)
    events.undo(*deletion)
    assert events.files == before


def test_a_whole_series_goes_and_comes_back(events: EventSource) -> None:
    events.apply(*events.writer.move(events.event("Standup"), berlin("2026-04-16T12:00"), None, AT))
    before = events.files
    changes = events.writer.delete(events.event("Standup"), AT, whole_series=True)
    events.apply(*changes)
    assert "standup" not in text_of(events)
    events.undo(*changes)
    assert events.files == before


def test_of_anothers_meeting_the_revision_is_not_counted(tmp_path: Path) -> None:
    source = EventSource(tmp_path / "a.ics")
    meeting = DENTIST.replace("X-FOREIGN:kept", "ORGANIZER:mailto:bob@example.org\nSEQUENCE:2")
    source.path.write_bytes(calendar(meeting))
    start = berlin("2026-04-16T15:00")
    source.apply(*source.writer.move(source.event("Dentist"), start, None, AT))
    assert b"SEQUENCE:2\r\n" in source.data
    assert b"LAST-MODIFIED:20260416T080000Z\r\n" in source.data


def test_a_length_in_two_zones_is_kept(tmp_path: Path) -> None:
    source = EventSource(tmp_path / "a.ics")
    flight = DENTIST.replace(
        "DTEND;TZID=Europe/Berlin:20260416T104500", "DTEND;TZID=America/New_York:20260416T120000"
    )
    source.path.write_bytes(calendar(flight))
    event = source.event("Dentist")
    source.apply(*source.writer.move(event, berlin("2026-04-16T11:00"), None, AT))
    assert b"DTEND;TZID=America/New_York:20260416T130000\r\n" in source.data


def test_a_time_that_comes_twice_is_written_in_utc(events: EventSource) -> None:
    start = dt.datetime(2026, 10, 25, 1, 30, tzinfo=dt.UTC)
    events.apply(*events.writer.move(events.event("Dentist"), start, None, AT))
    assert "DTSTART:20261025T013000Z\r\n" in text_of(events)
    assert events.event("Dentist", "2026-10-25").start == start


def test_what_changed_outside_is_refused(events: EventSource) -> None:
    changes = events.writer.move(events.event("Dentist"), berlin("2026-04-16T15:00"), None, AT)
    path = events.path / "dentist.ics" if events.path.is_dir() else events.path
    path.write_bytes(path.read_bytes().replace(b"SUMMARY:Dentist", b"SUMMARY:Dentist!"))
    before = events.files
    assert events.writer.standing(changes[0]) is Standing.CHANGED
    with pytest.raises(ChangedOutsideError, match="Dentist"):
        events.writer.apply(changes[0])
    assert events.files == before


def test_a_file_that_is_gone_is_refused(events: EventSource) -> None:
    changes = events.writer.move(events.event("Dentist"), berlin("2026-04-16T15:00"), None, AT)
    path = events.path / "dentist.ics" if events.path.is_dir() else events.path
    path.unlink()
    with pytest.raises(ChangedOutsideError, match="is gone"):
        events.writer.apply(changes[0])
    assert not path.exists()


def test_of_several_folders_none_is_guessed(tmp_path: Path) -> None:
    source = EventSource(tmp_path)
    draft = EventDraft(summary="x", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 17))
    (tmp_path / "home").mkdir()
    source.apply(*source.writer.add(draft, AT))
    assert [Path(name).parent.name for name in source.files] == ["home"]
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.ics").write_bytes(calendar(DENTIST))
    with pytest.raises(WriteError, match=r"several folders \(home, work\)"):
        source.writer.add(draft, AT)


def test_two_components_undone_in_any_order(tmp_path: Path) -> None:
    source = EventSource(tmp_path / "a.ics")
    source.path.write_bytes(calendar(DENTIST, STANDUP))
    before = source.data
    first = source.writer.move(source.event("Dentist"), berlin("2026-04-16T15:00"), None, AT)
    source.apply(*first)
    second = source.writer.delete(source.event("Standup"), AT, whole_series=True)
    source.apply(*second)
    source.undo(*first)
    source.undo(*second)
    assert source.data == before


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (berlin("2026-04-16T15:00"), berlin("2026-04-16T14:00")),
        (dt.date(2026, 4, 16), dt.date(2026, 4, 16)),
        (dt.date(2026, 4, 16), berlin("2026-04-16T14:00")),
    ],
)
def test_times_that_make_no_event_are_refused(
    events: EventSource, start: dt.date, end: dt.date
) -> None:
    with pytest.raises(WriteError):
        events.writer.add(EventDraft(summary="x", start=start, end=end), AT)
    with pytest.raises(WriteError):
        events.writer.move(events.event("Dentist"), start, end, AT)


def test_an_item_of_a_journal_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "cal"
    folder.mkdir()
    source = EventSource(folder)
    draft = EventDraft(summary="x", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 17))
    (change,) = source.writer.add(draft, AT)
    for name in ("../evil.ics", str(tmp_path / "evil.ics"), "a/../../evil.ics", "", "a\0b"):
        with pytest.raises(WriteError):
            source.writer.apply(replace(change, resource=name))
    assert list(tmp_path.iterdir()) == [folder]
