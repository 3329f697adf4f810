"""Changes to VTODOs in a file and in a folder: one item, and nothing else to the letter."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import icalendar
import pytest

from iris_harness.contracts.changes import Standing, TodoDraft, TodoEdit
from iris_harness.errors import ChangedOutsideError, WriteError
from tests.writing_support import AT, TodoSource, calendar

CALL = """
BEGIN:VTODO
UID:call@example.org
DTSTAMP:20260101T000000Z
SUMMARY:Call Bob\\, soon
X-FOREIGN;X-P="a;b":kept as it is
DUE;VALUE=DATE:20260420
PRIORITY:3
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT15M
END:VALARM
END:VTODO
"""
OTHER = """
BEGIN:VTODO
UID:other@example.org
SUMMARY:Other
  folded and odd
END:VTODO
"""


@pytest.fixture(params=["file", "folder"])
def todos(request: pytest.FixtureRequest, tmp_path: Path) -> TodoSource:
    if request.param == "file":
        source = TodoSource(tmp_path / "lists" / "todo.ics")
        source.path.parent.mkdir()
        source.path.write_bytes(calendar(CALL, OTHER))
        return source
    source = TodoSource(tmp_path / "list")
    source.path.mkdir()
    (source.path / "call.ics").write_bytes(calendar(CALL))
    (source.path / "other.ics").write_bytes(calendar(OTHER))
    return source


def write_series(source: TodoSource, *lines: str, more: str = "") -> None:
    item = "\n".join(
        ["BEGIN:VTODO", "UID:water", "SUMMARY:Water", *lines, "STATUS:NEEDS-ACTION", "END:VTODO"]
    )
    data = calendar(item, *([more] if more else []))
    (source.path / "water.ics" if source.path.is_dir() else source.path).write_bytes(data)


def test_planning_touches_nothing(todos: TodoSource) -> None:
    before = todos.files
    todo = todos.todo("Call Bob, soon")
    todos.writer.add(TodoDraft(summary="New"), AT)
    todos.writer.done(todo, AT)
    todos.writer.edit(todo, TodoEdit(summary="x"), AT)
    todos.writer.delete(todo, AT)
    assert todos.files == before


def test_a_new_todo_is_read_as_it_was_meant_and_undone_without_a_trace(todos: TodoSource) -> None:
    before = todos.files
    draft = TodoDraft(
        summary="Pay; rent, \\ now\nnext line — é",
        due=dt.datetime(2026, 4, 20, 10, tzinfo=dt.UTC),
        start=dt.date(2026, 4, 18),
        priority=1,
        estimate_minutes=90,
    )
    changes = todos.writer.add(draft, AT)
    todos.apply(*changes)
    read = todos.todo("Pay; rent, \\ now next line — é")
    assert (read.due, read.start, read.priority, read.estimate_minutes) == (
        draft.due, draft.start, 1, 90,
    )  # fmt: skip
    assert read.created_on == dt.date(2026, 4, 16)
    for data in todos.files.values():
        icalendar.Calendar.from_ical(data.decode())
        assert max(map(len, data.split(b"\r\n"))) <= 75
    todos.undo(*changes)
    assert todos.files == before


def test_done_says_when_and_keeps_the_rest(todos: TodoSource) -> None:
    before = todos.files
    changes = todos.writer.done(todos.todo("Call Bob, soon"), AT)
    todos.apply(*changes)
    data = b"".join(todos.files.values())
    for line in (b"STATUS:COMPLETED", b"COMPLETED:20260416T080000Z", b"PERCENT-COMPLETE:100"):
        assert line + b"\r\n" in data
    assert b'X-FOREIGN;X-P="a;b":kept as it is\r\n' in data
    assert b"SEQUENCE:1\r\n" in data
    assert [todo.summary for todo in todos.todos()] == ["Other folded and odd"]
    todos.undo(*changes)
    assert todos.files == before


def test_an_edit_writes_its_own_lines_only(todos: TodoSource) -> None:
    edit = TodoEdit(due=dt.date(2026, 5, 1), priority=None, estimate_minutes=20)
    before = b"".join(todos.files.values()).split(b"\r\n")
    changes = todos.writer.edit(todos.todo("Call Bob, soon"), edit, AT)
    todos.apply(*changes)
    after = b"".join(todos.files.values()).split(b"\r\n")
    gone = {b"DTSTAMP:20260101T000000Z", b"DUE;VALUE=DATE:20260420", b"PRIORITY:3"}
    new = {b"DTSTAMP:20260416T080000Z", b"LAST-MODIFIED:20260416T080000Z", b"SEQUENCE:1",
           b"DUE;VALUE=DATE:20260501", b"ESTIMATED-DURATION:PT20M"}  # fmt: skip
    assert [line for line in before if line not in gone] == [
        line for line in after if line not in new
    ]
    assert todos.writer.edit(todos.todo("Call Bob, soon"), edit, AT) == ()


def test_a_deleted_todo_comes_back_where_it_was(todos: TodoSource) -> None:
    before = todos.files
    changes = todos.writer.delete(todos.todo("Call Bob, soon"), AT)
    todos.apply(*changes)
    assert [todo.summary for todo in todos.todos()] == ["Other folded and odd"]
    assert b"".join(todos.files.values()).count(b"BEGIN:VTODO") == 1
    todos.undo(*changes)
    assert todos.files == before


def test_what_changed_outside_is_refused(todos: TodoSource) -> None:
    changes = todos.writer.done(todos.todo("Call Bob, soon"), AT)
    path = todos.path / "call.ics" if todos.path.is_dir() else todos.path
    path.write_bytes(path.read_bytes().replace(b"PRIORITY:3", b"PRIORITY:4"))
    before = todos.files
    assert todos.writer.standing(changes[0]) is Standing.CHANGED
    with pytest.raises(ChangedOutsideError, match="Call Bob"):
        todos.writer.apply(changes[0])
    assert todos.files == before


def test_an_item_that_reads_otherwise_now_is_not_found(todos: TodoSource) -> None:
    todo = todos.todo("Call Bob, soon")
    path = todos.path / "call.ics" if todos.path.is_dir() else todos.path
    path.write_bytes(path.read_bytes().replace(b"20260420", b"20260421"))
    with pytest.raises(ChangedOutsideError):
        todos.writer.delete(todo, AT)


def test_a_todo_of_a_folder_is_a_file_of_its_own(tmp_path: Path) -> None:
    source = TodoSource(tmp_path)
    source.apply(*source.writer.add(TodoDraft(summary="First"), AT))
    (name,) = source.files
    assert name.endswith(".ics")
    assert [todo.summary for todo in source.todos()] == ["First"]


@pytest.mark.parametrize(
    ("lines", "next_lines", "next_on"),
    [
        (
            ["DUE;VALUE=DATE:20260413", "RRULE:FREQ=WEEKLY"],
            ["DUE;VALUE=DATE:20260420", "RRULE:FREQ=WEEKLY"],
            dt.date(2026, 4, 20),
        ),
        (
            ["DTSTART;TZID=Europe/Berlin:20260320T090000",
             "DUE;TZID=Europe/Berlin:20260320T100000", "RRULE:FREQ=MONTHLY;COUNT=3"],
            ["DTSTART;TZID=Europe/Berlin:20260420T090000",
             "DUE;TZID=Europe/Berlin:20260420T100000", "RRULE:FREQ=MONTHLY;COUNT=2"],
            dt.date(2026, 4, 20),
        ),
        (
            ["DTSTART;VALUE=DATE:20260406", "DUE;VALUE=DATE:20260408",
             "RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=9", "EXDATE;VALUE=DATE:20260420"],
            ["DTSTART;VALUE=DATE:20260423", "DUE;VALUE=DATE:20260425",
             "RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4", "EXDATE;VALUE=DATE:20260420"],
            dt.date(2026, 4, 25),
        ),
        (
            ["DTSTART:20260414T220000Z", "RRULE:FREQ=DAILY;UNTIL=20260501T000000Z"],
            ["DTSTART:20260416T220000Z", "RRULE:FREQ=DAILY;UNTIL=20260501T000000Z"],
            dt.date(2026, 4, 16),
        ),
    ],
    ids=["due only", "timed, counted", "days, with an exception", "until"],
)  # fmt: skip
def test_done_moves_a_series_on_and_keeps_what_was_done(
    todos: TodoSource, lines: list[str], next_lines: list[str], next_on: dt.date
) -> None:
    write_series(todos, *lines, more=OTHER if todos.path.is_file() else "")
    before = todos.files
    changes = todos.writer.done(todos.todo("Water"), AT)
    assert changes[0].note == f"comes again on {next_on.isoformat()}"
    todos.apply(*changes)
    data = b"".join(todos.files.values()).decode()
    for line in next_lines:
        assert f"{line}\r\n" in data
    done = [part for part in data.split("BEGIN:VTODO")[1:] if "COMPLETED:2026" in part]
    assert len(done) == 1
    assert "RRULE" not in done[0]
    assert "RELATED-TO;RELTYPE=SIBLING:water" in done[0]
    after = todos.todo("Water", "2026-06-30" if next_on.month > 6 else "2026-04-16")
    assert after.due is None or after.due != before
    todos.undo(*changes)
    assert todos.files == before


def test_what_is_done_is_next_shown_on_its_next_day(todos: TodoSource) -> None:
    write_series(todos, "DUE;VALUE=DATE:20260413", "RRULE:FREQ=WEEKLY;COUNT=2")
    todos.apply(*todos.writer.done(todos.todo("Water"), AT))
    assert todos.todo("Water").due == dt.date(2026, 4, 20)
    changes = todos.writer.done(todos.todo("Water"), AT)
    assert changes[0].note == "was the last time"
    todos.apply(*changes)
    assert "Water" not in [todo.summary for todo in todos.todos("2026-05-30")]


def test_a_series_that_no_single_rule_describes_gets_one_completed_time(todos: TodoSource) -> None:
    write_series(
        todos,
        "DTSTART;VALUE=DATE:20260401",
        "DUE;VALUE=DATE:20260402",
        "RRULE:FREQ=WEEKLY",
        "RDATE;VALUE=DATE:20260417",
    )
    before = todos.files
    todo = todos.todo("Water")
    changes = todos.writer.done(todo, AT)
    todos.apply(*changes)
    assert b"RECURRENCE-ID;VALUE=DATE:20260415\r\n" in b"".join(todos.files.values())
    assert "Water" not in [found.summary for found in todos.todos()]
    assert todos.todo("Water", "2026-04-17").start == dt.date(2026, 4, 17)
    todos.undo(*changes)
    assert todos.files == before


def test_moving_a_series_moves_its_current_time(todos: TodoSource) -> None:
    write_series(todos, "DUE;VALUE=DATE:20260309", "RRULE:FREQ=WEEKLY;COUNT=9")
    todo = todos.todo("Water")
    assert todo.due == dt.date(2026, 4, 13)
    before = todos.files
    changes = todos.writer.edit(todo, TodoEdit(due=dt.date(2026, 4, 18)), AT)
    todos.apply(*changes)
    data = b"".join(todos.files.values())
    assert b"DUE;VALUE=DATE:20260418\r\n" in data
    assert b"RRULE:FREQ=WEEKLY;COUNT=4\r\n" in data
    assert todos.todo("Water").due == dt.date(2026, 4, 18)
    todos.undo(*changes)
    assert todos.files == before


def test_a_series_needs_a_date(todos: TodoSource) -> None:
    write_series(todos, "DUE;VALUE=DATE:20260413", "RRULE:FREQ=WEEKLY")
    with pytest.raises(WriteError, match="needs a date"):
        todos.writer.edit(todos.todo("Water"), TodoEdit(due=None), AT)


def test_due_before_start_is_refused(todos: TodoSource) -> None:
    write_series(todos, "DTSTART;VALUE=DATE:20260410", "DUE;VALUE=DATE:20260413")
    with pytest.raises(WriteError, match="before it starts"):
        todos.writer.edit(todos.todo("Water"), TodoEdit(due=dt.date(2026, 4, 9)), AT)


def test_a_length_from_the_start_becomes_a_due_time(todos: TodoSource) -> None:
    write_series(todos, "DTSTART:20260420T080000Z", "DURATION:PT2H")
    todo = todos.todo("Water")
    start = dt.datetime(2026, 4, 21, 8, tzinfo=dt.UTC)
    due = todo.due
    assert isinstance(due, dt.datetime)
    later = due + dt.timedelta(days=1)
    todos.apply(*todos.writer.edit(todo, TodoEdit(start=start, due=later), AT))
    data = b"".join(todos.files.values())
    assert b"DTSTART:20260421T080000Z\r\n" in data
    assert b"DUE:20260421T100000Z\r\n" in data
    assert b"DURATION" not in data


def test_two_todos_of_one_uid_are_not_taken_for_each_other(tmp_path: Path) -> None:
    source = TodoSource(tmp_path / "t.ics")
    twin = CALL.replace("Call Bob", "Call Eve")
    source.path.write_bytes(calendar(CALL, twin))
    for todo in source.todos():
        with pytest.raises(WriteError):
            source.writer.done(todo, AT)


def test_a_todo_without_a_uid_is_found_by_its_text(tmp_path: Path) -> None:
    source = TodoSource(tmp_path / "t.ics")
    source.path.write_bytes(calendar("BEGIN:VTODO\nSUMMARY:No id\nEND:VTODO", OTHER))
    before = source.data
    changes = source.writer.done(source.todo("No id"), AT)
    source.apply(*changes)
    assert [todo.summary for todo in source.todos()] == ["Other folded and odd"]
    source.undo(*changes)
    assert source.data == before


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:a\r\nEND:VTODO\r\n"],
    ids=["empty", "no calendar", "cut off"],
)
def test_what_is_no_whole_calendar_is_refused(tmp_path: Path, data: bytes) -> None:
    source = TodoSource(tmp_path / "t.ics")
    source.path.write_bytes(data)
    with pytest.raises(WriteError):
        source.writer.add(TodoDraft(summary="x"), AT)
    assert source.data == data


def test_a_file_with_lf_and_utf16_keeps_them(tmp_path: Path) -> None:
    source = TodoSource(tmp_path / "t.ics")
    text = calendar(OTHER, line_end="\n").decode()
    source.path.write_bytes(text.encode("utf-16"))
    before = source.data
    changes = source.writer.add(TodoDraft(summary="Süß"), AT)
    source.apply(*changes)
    assert "\r" not in source.data.decode("utf-16")
    assert "SUMMARY:Süß\n" in source.data.decode("utf-16")
    source.undo(*changes)
    assert source.data == before
