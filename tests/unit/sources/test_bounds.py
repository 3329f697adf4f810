"""What nobody has in a calendar is bounded, and a warning says what was cut."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from iris_harness.sources import streams
from iris_harness.sources.ical import components, properties
from iris_harness.sources.opening import open_calendar, open_todos
from tests.index_support import days, indexed

WINDOW = days("2024-05-15")
EVENT = "BEGIN:VEVENT\r\nUID:{0}\r\nSUMMARY:{0}\r\nDTSTART:20240515T090000Z\r\nEND:VEVENT\r\n"
SECONDS = 20
"""Ten times what the slowest of them takes on a busy machine; what grows faster takes minutes."""


def calendar(tmp_path: Path, body: str) -> Path:
    file = tmp_path / "cal.ics"
    file.write_text(f"BEGIN:VCALENDAR\r\n{body}END:VCALENDAR\r\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN:VEVENT\r\n" * 8_000,
        "".join(
            f"BEGIN:VEVENT\r\nUID:a\r\nSEQUENCE:{number}\r\nEND:VEVENT\r\n"
            for number in range(8_000)
        ),
        "".join(
            f"BEGIN:VEVENT\r\nUID:a\r\nRECURRENCE-ID:20240515T090000Z\r\nSUMMARY:{number}\r\n"
            "DTSTART:20240515T090000Z\r\nEND:VEVENT\r\n"
            for number in range(3_000)
        ),
        "BEGIN:VALARM\r\n" * 20_000 + "END:VALARM\r\n" * 20_000,
    ],
    ids=["never ended", "one UID without times", "one instance", "nested"],
)
def test_reading_takes_time_in_step_with_the_size(tmp_path: Path, body: str) -> None:
    file = calendar(tmp_path, body)
    started = time.monotonic()
    open_calendar("cal", file).read(WINDOW)
    assert time.monotonic() - started < SECONDS


def test_of_too_many_components_the_first_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(components, "MAX_COMPONENTS", 3)
    monkeypatch.setattr(streams, "MAX_COMPONENTS", 3)
    file = calendar(tmp_path, "".join(EVENT.format(name) for name in "abcde"))
    found = open_calendar("cal", file).read(WINDOW)
    assert [event.summary for event in found.items] == ["a", "b", "c"]
    assert found.warnings == (
        "cal (cal.ics): holds more than 3 entries; nothing from line 17 on is read",
    )
    assert indexed(tmp_path / "cache", file).read(WINDOW) == found


def test_as_many_components_as_may_be_are_read_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(components, "MAX_COMPONENTS", 3)
    found = open_calendar("cal", calendar(tmp_path, "".join(map(EVENT.format, "abc")))).read(WINDOW)
    assert len(found.items) == 3
    assert found.warnings == ()


def test_of_too_many_warnings_the_first_are_said_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_WARNINGS", 2)
    lacking = "".join(f"BEGIN:VEVENT\r\nUID:{name}\r\nEND:VEVENT\r\n" for name in "abcde")
    file = calendar(tmp_path, lacking)
    found = open_calendar("cal", file).read(WINDOW)
    assert len(found.warnings) == 3
    assert found.warnings[-1] == "… and 3 more warnings of this kind"
    assert indexed(tmp_path / "cache", file).read(WINDOW) == found


def test_a_component_of_too_many_lines_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(properties, "MAX_PROPERTIES", 20)
    dates = "".join(f"EXDATE:202405{day:02}T090000Z\r\n" for day in range(1, 29))
    series = (
        "BEGIN:VEVENT\r\nUID:s\r\nSUMMARY:series\r\nDTSTART:20240501T090000Z\r\nRRULE:FREQ=DAILY\r\n"
        f"{dates}END:VEVENT\r\n"
    )
    found = open_calendar("cal", calendar(tmp_path, series + EVENT.format("a"))).read(WINDOW)
    assert [event.summary for event in found.items] == ["a"]
    (warning,) = found.warnings
    assert '"series" (s) is left out: it has more than 20 lines that count' in warning


def test_a_todo_of_too_many_lines_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(properties, "MAX_PROPERTIES", 20)
    dates = "".join(f"EXDATE:202405{day:02}T090000Z\r\n" for day in range(1, 29))
    body = (
        f"BEGIN:VTODO\r\nUID:s\r\nSUMMARY:series\r\nDUE:20240501T090000Z\r\n{dates}END:VTODO\r\n"
        "BEGIN:VTODO\r\nUID:a\r\nSUMMARY:a\r\nEND:VTODO\r\n"
    )
    found = open_todos("cal", calendar(tmp_path, body)).read(WINDOW)
    assert [todo.summary for todo in found.items] == ["a"]
    assert "more than 20 lines" in found.warnings[0]
