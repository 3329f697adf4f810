"""The blocks of plans in a calendar of their own."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from iris_harness.contracts.changes import Change
from iris_harness.contracts.day import Block, BlockKind, DailyPlan, DayPreferences, DaySnapshot
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.planner.build import build_daily_plan
from iris_harness.sources.calendars import VdirCalendar
from iris_harness.sources.writing.blocks import BlockCalendar
from iris_harness.sources.writing.resources import Resources
from iris_harness.sources.writing.stores import FolderStore
from tests.writing_support import AT, ZONE, EventSource, calendar, window

FOREIGN = """
BEGIN:VEVENT
UID:mine@example.org
SUMMARY:My own
DTSTART:20260416T120000Z
DTEND:20260416T130000Z
END:VEVENT
"""


def plan_of(*blocks: Block, day: dt.date = dt.date(2026, 4, 16)) -> DailyPlan:
    snapshot = DaySnapshot(date=day, timezone=ZONE, now=AT.now, events=(), todos=(), sources=())
    return replace(build_daily_plan(snapshot, DayPreferences()), blocks=blocks)


def block(title: str, hour: int, minutes: int = 30, day: int = 16) -> Block:
    start = dt.datetime(2026, 4, day, hour, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    return Block(
        kind=BlockKind.TODO,
        title=title,
        start=start,
        end=start + dt.timedelta(minutes=minutes),
        pinned=False,
        source=SourceRef(source="todo", locator=f"line {hour}"),
        reason="due today; earliest, free",
    )


@pytest.fixture
def source(tmp_path: Path) -> EventSource:
    (tmp_path / "mine.ics").write_bytes(calendar(FOREIGN))
    return EventSource(tmp_path)


def writer(source: EventSource) -> BlockCalendar:
    return BlockCalendar(Resources("mine", SourceKind.CALENDAR, FolderStore("mine", source.path)))


def write(source: EventSource, plan: DailyPlan) -> tuple[Change, ...]:
    changes = writer(source).write(plan, AT)
    source.apply(*changes)
    return changes


def lines(source: EventSource, name: str) -> list[str]:
    found = b"".join(source.files.values()).decode().split("\r\n")
    return sorted(line for line in found if line.startswith(name))


def test_blocks_are_written_and_are_no_meetings(source: EventSource) -> None:
    before = source.files
    changes = write(source, plan_of(block("Slides", 9), block("Slides", 11), block("Tax", 14)))
    assert lines(source, "SUMMARY") == [
        "SUMMARY:My own", "SUMMARY:Slides", "SUMMARY:Slides", "SUMMARY:Tax",
    ]  # fmt: skip
    reading = VdirCalendar("mine", source.path).read(window("2026-04-16"))
    assert [event.summary for event in reading.items] == ["My own"]
    assert reading.warnings == ()
    source.undo(*changes)
    assert source.files == before


def test_writing_the_same_plan_again_changes_nothing(source: EventSource) -> None:
    plan = plan_of(block("Slides", 9), block("Tax", 14))
    write(source, plan)
    assert writer(source).write(plan, replace(AT, now=AT.now + dt.timedelta(hours=1))) == ()


def test_a_later_plan_moves_updates_and_removes(source: EventSource) -> None:
    write(source, plan_of(block("Slides", 9), block("Tax", 14)))
    uids = lines(source, "UID")
    before = source.files
    later = plan_of(block("Slides", 10, 45), block("Call", 15))
    changes = write(source, later)
    assert lines(source, "SUMMARY") == ["SUMMARY:Call", "SUMMARY:My own", "SUMMARY:Slides"]
    assert "DTSTART:20260416T080000Z" in lines(source, "DTSTART")
    assert "DTEND:20260416T084500Z" in lines(source, "DTEND")
    assert len(set(uids) & set(lines(source, "UID"))) == 2
    assert lines(source, "SEQUENCE") == ["SEQUENCE:1"]
    source.undo(*changes)
    assert source.files == before


def test_other_days_and_foreign_events_are_never_touched(source: EventSource) -> None:
    write(source, plan_of(block("Yesterday", 9, day=15), day=dt.date(2026, 4, 15)))
    before = source.files
    write(source, plan_of(block("Slides", 9)))
    write(source, plan_of())
    assert source.files == before


def test_hostile_titles_are_words(source: EventSource) -> None:
    title = "a\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:evil;,\\" + "é" * 80
    write(source, plan_of(block(title, 9)))
    data = b"".join(source.files.values())
    assert data.count(b"\r\nBEGIN:VEVENT") == 2
    assert max(map(len, data.split(b"\r\n"))) <= 75
