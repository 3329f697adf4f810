"""Changes to a todo.txt: one line, and nothing else of the file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from iris_harness.contracts.changes import Change, Standing, TodoDraft, TodoEdit, TurnTime
from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import ReadWindow
from iris_harness.errors import ChangedOutsideError, WriteError
from iris_harness.sources.todotxt import TodoTxtList
from iris_harness.sources.writing.todotxt import TodoTxtWriter

AT = TurnTime(now=dt.datetime(2026, 4, 16, 8, tzinfo=dt.UTC), timezone="Europe/Berlin")
WINDOW = ReadWindow(
    start=dt.datetime(2026, 4, 15, 22, tzinfo=dt.UTC),
    end=dt.datetime(2026, 4, 16, 22, tzinfo=dt.UTC),
    timezone="Europe/Berlin",
    now=AT.now,
)


class List:
    """A todo.txt, its reader and its writer."""

    def __init__(self, path: Path, data: bytes) -> None:
        path.write_bytes(data)
        self.path = path
        self.writer = TodoTxtWriter("todo", path)

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    def todos(self) -> tuple[Todo, ...]:
        return TodoTxtList("todo", self.path).read(WINDOW).items

    def todo(self, title: str) -> Todo:
        return next(todo for todo in self.todos() if todo.summary == title)

    def apply(self, *changes: Change) -> None:
        for change in changes:
            assert self.writer.standing(change) is Standing.PENDING
            self.writer.apply(change)
            assert self.writer.standing(change) is Standing.DONE

    def undo(self, *changes: Change) -> None:
        self.apply(*(change.inverse() for change in reversed(changes)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "todo.txt"


def test_a_new_todo_is_the_last_line_with_the_day_it_was_written(path: Path) -> None:
    todos = List(path, b"(A) 2026-01-02 old one\n")
    draft = TodoDraft(
        summary="prepare slides", due=dt.date(2026, 4, 17), priority=2, estimate_minutes=45
    )
    changes = todos.writer.add(draft, AT)
    assert todos.data == b"(A) 2026-01-02 old one\n"
    todos.apply(*changes)
    assert todos.data == (
        b"(A) 2026-01-02 old one\n(B) 2026-04-16 prepare slides due:2026-04-17 est:45m\n"
    )
    read = todos.todo("prepare slides")
    assert (read.due, read.priority, read.estimate_minutes) == (dt.date(2026, 4, 17), 2, 45)
    assert read.uid == changes[0].uid
    todos.undo(*changes)
    assert todos.data == b"(A) 2026-01-02 old one\n"


def test_the_first_todo_makes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    writer = TodoTxtWriter("todo", path)
    (change,) = writer.add(TodoDraft(summary="begin"), AT)
    assert not path.exists()
    writer.apply(change)
    assert path.read_bytes() == b"2026-04-16 begin\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a", b"a\n2026-04-16 b"),
        (b"a\r\n", b"a\r\n2026-04-16 b\r\n"),
        (b"a\r\nc", b"a\r\nc\r\n2026-04-16 b"),
        (b"\xef\xbb\xbfa\n\n", b"\xef\xbb\xbfa\n\n2026-04-16 b\n"),
        (b"", b"2026-04-16 b\n"),
        ("a\n".encode("utf-16"), "a\n2026-04-16 b\n".encode("utf-16")),
    ],
)
def test_line_ends_marks_and_encoding_stay(path: Path, before: bytes, after: bytes) -> None:
    todos = List(path, before)
    changes = todos.writer.add(TodoDraft(summary="b"), AT)
    todos.apply(*changes)
    assert todos.data == after
    todos.undo(*changes)
    assert todos.data == before


@pytest.mark.parametrize(
    "data",
    [b"a\rb\r", "a\nb\n".encode("utf-16-le"), "a\n".encode("utf-16") + b"x", b"a\0b\n"],
    ids=["old Mac", "UTF-16 without a mark", "half a letter", "binary"],
)
def test_what_could_not_be_kept_as_it_is_is_refused(path: Path, data: bytes) -> None:
    todos = List(path, data)
    with pytest.raises(WriteError):
        todos.writer.add(TodoDraft(summary="b"), AT)
    assert todos.data == data


def test_done_keeps_the_priority_and_the_line_as_it_was(path: Path) -> None:
    todos = List(path, b"one\n(A) 2026-04-01  call  Bob @phone +x due:2026-04-20 foo:bar\nthree\n")
    changes = todos.writer.done(todos.todo("call Bob @phone +x foo:bar"), AT)
    todos.apply(*changes)
    assert todos.data == (
        b"one\nx 2026-04-16 2026-04-01 call  Bob @phone +x due:2026-04-20 foo:bar pri:A\nthree\n"
    )
    assert [todo.summary for todo in todos.todos()] == ["one", "three"]
    todos.undo(*changes)
    assert b"(A) 2026-04-01  call  Bob" in todos.data


@pytest.mark.parametrize(
    ("line", "again"),
    [
        (
            "(B) 2026-01-01 water rec:1w due:2026-04-10",
            "(B) 2026-04-16 water rec:1w due:2026-04-23",
        ),
        ("water rec:+1w due:2026-04-10", "water rec:+1w due:2026-04-17"),
        ("water due:2026-01-31 rec:+1m", "water due:2026-02-28 rec:+1m"),
        ("water due:2026-04-10 t:2026-04-08 rec:+2d", "water due:2026-04-12 t:2026-04-10 rec:+2d"),
        ("water due:2024-02-29 rec:+1y", "water due:2025-02-28 rec:+1y"),
        ("water t:2026-04-10 rec:3d", "water t:2026-04-19 rec:3d"),
        ("water rec:1d", "water rec:1d due:2026-04-17"),
        ("water rec:2b due:2026-04-01", "water rec:2b due:2026-04-20"),
        ("water due:2026-04-10T09:30 rec:+1d", "water due:2026-04-11T09:30 rec:+1d"),
    ],
)
def test_done_writes_the_next_time_of_what_comes_again(path: Path, line: str, again: str) -> None:
    todos = List(path, f"{line}\nother\n".encode())
    before = todos.data
    changes = todos.writer.done(todos.todo("water"), AT)
    todos.apply(*changes)
    lines = todos.data.decode().splitlines()
    assert lines[0].startswith("x 2026-04-16 ")
    assert lines[1:] == ["other", again]
    assert "comes again on 20" in changes[0].note
    todos.undo(*changes)
    assert todos.data == before


def test_a_repetition_that_cannot_be_read_is_said(path: Path) -> None:
    todos = List(path, b"water rec:often\n")
    (change,) = todos.writer.done(todos.todo("water"), AT)
    todos.apply(change)
    assert todos.data == b"x 2026-04-16 water rec:often\n"
    assert "does not come again" in change.note


def test_an_edit_changes_its_own_words_only(path: Path) -> None:
    todos = List(path, b"one\n(A)  call Bob  due:2026-04-20  +home \ntwo\n")
    edit = TodoEdit(due=dt.date(2026, 5, 1), priority=None)
    todos.apply(*todos.writer.edit(todos.todo("call Bob +home"), edit, AT))
    assert todos.data == b"one\ncall Bob  due:2026-05-01  +home \ntwo\n"
    todos.apply(*todos.writer.edit(todos.todo("call Bob +home"), TodoEdit(due=None), AT))
    assert todos.data == b"one\ncall Bob  +home \ntwo\n"
    assert todos.writer.edit(todos.todo("call Bob +home"), TodoEdit(due=None), AT) == ()


def test_a_due_time_is_written_on_the_users_clock(path: Path) -> None:
    todos = List(path, b"call\n")
    due = dt.datetime(2026, 4, 20, 13, 30, tzinfo=dt.UTC)
    todos.apply(*todos.writer.edit(todos.todo("call"), TodoEdit(due=due), AT))
    assert todos.data == b"call due:2026-04-20T15:30\n"
    assert todos.todo("call").due == due


def test_the_second_of_two_hours_is_written_with_its_offset(path: Path) -> None:
    todos = List(path, b"call\n")
    due = dt.datetime(2026, 10, 25, 1, 30, tzinfo=dt.UTC)
    todos.apply(*todos.writer.edit(todos.todo("call"), TodoEdit(due=due), AT))
    assert todos.todo("call").due == due


@pytest.mark.parametrize(
    ("summary", "written"),
    [
        ("x marks the spot", "2026-04-16 x marks the spot"),
        ("(A) grade", "2026-04-16 (A) grade"),
        ("2026-01-01 party", "2026-04-16 2026-01-01 party"),
        ("pay due:2026-01-01 h:1", "2026-04-16 pay due: 2026-01-01 h: 1"),
        ("one\ntwo\r\n(A) three\u2028four", "2026-04-16 one two (A) three four"),
        ("bell\x07 and \x1b[31mred", "2026-04-16 bell and [31mred"),
        ("see http://example.org/a:b", "2026-04-16 see http://example.org/a:b"),
        ("\udcff odd", "2026-04-16 \\udcff odd"),
    ],
)
def test_a_title_is_words_and_never_an_order(path: Path, summary: str, written: str) -> None:
    todos = List(path, b"")
    todos.apply(*todos.writer.add(TodoDraft(summary=summary), AT))
    assert todos.data.decode() == f"{written}\n"
    assert len(todos.todos()) == 1


@pytest.mark.parametrize("title", ["x done", "(A) grade", "2026-01-01 party", " ", "\n"])
def test_a_title_that_would_be_read_as_something_else_is_refused(path: Path, title: str) -> None:
    todos = List(path, b"call\n")
    with pytest.raises(WriteError, match="title"):
        todos.writer.edit(todos.todo("call"), TodoEdit(summary=title), AT)
    assert todos.data == b"call\n"


def test_what_was_changed_outside_is_never_overwritten(path: Path) -> None:
    todos = List(path, b"one\ntwo\n")
    changes = todos.writer.done(todos.todo("two"), AT)
    path.write_bytes(b"one\ntwo and a half\n")
    assert todos.writer.standing(changes[0]) is Standing.CHANGED
    with pytest.raises(ChangedOutsideError, match="two"):
        todos.writer.apply(changes[0])
    assert todos.data == b"one\ntwo and a half\n"


def test_a_line_that_moved_is_found_where_it_is_now(path: Path) -> None:
    todos = List(path, b"one\ntwo\n")
    two = todos.todo("two")
    path.write_bytes(b"zero\none\ntwo\n")
    todos.apply(*todos.writer.done(two, AT))
    assert todos.data == b"zero\none\nx 2026-04-16 two\n"


def test_a_todo_that_is_gone_is_not_taken_for_another(path: Path) -> None:
    todos = List(path, b"one\ntwo\n")
    two = todos.todo("two")
    path.write_bytes(b"one\nthree\n")
    with pytest.raises(ChangedOutsideError):
        todos.writer.done(two, AT)


def test_an_older_change_is_undone_after_a_newer_one(path: Path) -> None:
    todos = List(path, b"one\ntwo\nthree")
    first = todos.writer.delete(todos.todo("two"), AT)
    todos.apply(*first)
    todos.apply(*todos.writer.add(TodoDraft(summary="four"), AT))
    todos.undo(*first)
    assert todos.data == b"one\ntwo\nthree\n2026-04-16 four"


def test_of_equal_lines_the_one_that_was_meant_goes_and_comes_back(path: Path) -> None:
    todos = List(path, b"milk\neggs\nmilk\n")
    first, _, second = todos.todos()
    changes = todos.writer.delete(second, AT)
    todos.apply(*changes)
    assert todos.data == b"milk\neggs\n"
    todos.undo(*changes)
    assert todos.data == b"milk\neggs\nmilk\n"
    todos.apply(*todos.writer.delete(first, AT))
    assert todos.data == b"eggs\nmilk\n"


def test_a_file_that_is_no_utf8_keeps_its_encoding_or_is_refused(path: Path) -> None:
    todos = List(path, "Müll\nTür €\n".encode("cp1252"))
    todos.apply(*todos.writer.add(TodoDraft(summary="Käse"), AT))
    assert todos.data == "Müll\nTür €\n2026-04-16 Käse\n".encode("cp1252")
    with pytest.raises(WriteError, match="UTF-8"):
        todos.writer.add(TodoDraft(summary="日本"), AT)
    todos.apply(*todos.writer.done(todos.todo("Tür €"), AT))
    assert "x 2026-04-16 Tür €".encode("cp1252") in todos.data


@pytest.mark.parametrize(
    "line",
    [
        b"Water due:2026-04-23 rec:1w",
        b"Pills due:2026-05-16 rec:1m",
        b"Mail due:2026-04-17 rec:1d",
    ],
)
def test_a_todo_that_comes_again_reading_as_it_did_is_done_and_taken_back(
    path: Path, line: bytes
) -> None:
    todos = List(path, b"Other\n" + line + b"\n")
    title = line.split()[0].decode()
    (change,) = todos.writer.done(todos.todo(title), AT)
    todos.apply(change)
    assert todos.data == b"Other\nx 2026-04-16 " + line + b"\n" + line + b"\n"
    todos.undo(change)
    assert todos.data == b"Other\n" + line + b"\n"
    todos.apply(change)
    path.write_bytes(todos.data.replace(b"\n" + line, b"\n" + line + b" @home"))
    assert todos.writer.standing(change) is Standing.CHANGED
    held = todos.data
    with pytest.raises(ChangedOutsideError):
        todos.writer.apply(change.inverse())
    assert todos.data == held
