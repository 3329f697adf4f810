"""Which reader a path gets, and what ad-hoc sources are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceState
from iris_harness.sources.calendars import IcsCalendar, VdirCalendar
from iris_harness.sources.opening import adhoc_ports, open_calendar, open_todos, short_names
from iris_harness.sources.todo_lists import VtodoList
from iris_harness.sources.todotxt import TodoTxtList


def test_the_kind_of_path_chooses_the_reader(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "todo.txt").write_text("Buy milk")
    assert isinstance(open_calendar("c", tmp_path), VdirCalendar)
    assert isinstance(open_calendar("c", tmp_path / "a.ics"), IcsCalendar)
    assert isinstance(open_todos("t", tmp_path), VtodoList)
    assert isinstance(open_todos("t", tmp_path / "a.ICS"), VtodoList)
    assert isinstance(open_todos("t", tmp_path / "a.txt"), TodoTxtList)
    assert isinstance(open_todos("t", tmp_path / "plain"), TodoTxtList)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/home/jo/cal.ics"], ["cal.ics"]),
        (["/home/jo/cal.ics", "/home/mo/cal.ics"], ["jo/cal.ics", "mo/cal.ics"]),
        (["/a/x/cal.ics", "/b/x/cal.ics", "/b/z.ics"], ["a/x/cal.ics", "b/x/cal.ics", "z.ics"]),
        (["/cal.ics", "/a/cal.ics"], ["cal.ics", "a/cal.ics"]),
        (["/"], ["."]),
    ],
)
def test_names_are_the_shortest_ends_that_differ(paths: list[str], names: list[str]) -> None:
    assert list(short_names([Path(path) for path in paths])) == names


def test_a_source_named_twice_is_read_once() -> None:
    ports = adhoc_ports([Path("a.ics"), Path("./a.ics"), Path("b/a.ics")])
    names = [port.name for port in ports.calendars]
    assert len(names) == len(set(names)) == 2
    assert not any(name.startswith("/") for name in names)


def test_kinds_that_cannot_be_read_yet_say_so() -> None:
    ports = adhoc_ports(emails=[Path("mail/inbox.mbox")], finances=[Path("book.ledger")])
    assert [(s.name, s.kind, s.state, s.detail) for s in ports.unavailable] == [
        (
            "inbox.mbox",
            SourceKind.EMAIL,
            SourceState.FAILED,
            "not available: this version reads no mail",
        ),
        (
            "book.ledger",
            SourceKind.FINANCE,
            SourceState.FAILED,
            "not available: this version reads no ledgers",
        ),
    ]


def test_one_file_may_be_calendar_and_list(
    calendar: Callable[..., Path], window: Callable[..., ReadWindow]
) -> None:
    path = calendar(
        "BEGIN:VEVENT\nUID:e\nDTSTART:20260416T100000Z\nSUMMARY:Meet\nEND:VEVENT",
        "BEGIN:VTODO\nUID:t\nSUMMARY:Do\nEND:VTODO",
    )
    ports = adhoc_ports([path], [path], me=["jo@home.example"])
    day = window()
    assert [item.summary for item in ports.calendars[0].read(day).items] == ["Meet"]
    assert [item.summary for item in ports.todos[0].read(day).items] == ["Do"]
