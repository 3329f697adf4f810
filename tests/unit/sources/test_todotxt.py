"""todo.txt lines, read through the port."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.todotxt import TodoTxtList

Window = Callable[..., ReadWindow]


@pytest.fixture
def read(tmp_path: Path, window: Window) -> Callable[[str | bytes], Reading[Todo]]:
    def read(content: str | bytes) -> Reading[Todo]:
        path = tmp_path / "todo.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return TodoTxtList("todo.txt", path).read(window())

    return read


Read = Callable[[str | bytes], Reading[Todo]]


@pytest.mark.parametrize(
    ("line", "summary", "fields"),
    [
        ("Buy milk", "Buy milk", {}),
        ("(A) Buy milk", "Buy milk", {"priority": 1}),
        ("(I) Buy milk", "Buy milk", {"priority": 9}),
        ("(Z) Buy milk", "Buy milk", {"priority": 9}),
        ("(a) Buy milk", "(a) Buy milk", {"priority": None}),
        ("(A)Buy milk", "(A)Buy milk", {"priority": None}),
        ("Buy (A) milk", "Buy (A) milk", {"priority": None}),
        ("2026-04-01 Buy milk", "Buy milk", {"created_on": dt.date(2026, 4, 1)}),
        ("(B) 2026-04-01 Buy milk", "Buy milk", {"priority": 2, "created_on": dt.date(2026, 4, 1)}),
        ("2026-13-01 Buy milk", "2026-13-01 Buy milk", {"created_on": None}),
        ("Buy milk +home @shop", "Buy milk +home @shop", {}),
        ("Buy due:2026-04-16 milk", "Buy milk", {"due": dt.date(2026, 4, 16)}),
        ("Buy milk t:2026-04-20", "Buy milk", {"start": dt.date(2026, 4, 20)}),
        ("Water it rec:+1w due:2026-04-16", "Water it", {"due": dt.date(2026, 4, 16)}),
        ("Buy milk est:30m", "Buy milk", {"estimate_minutes": 30}),
        ("Buy milk est:45", "Buy milk", {"estimate_minutes": 45}),
        ("Buy milk est:1h30", "Buy milk", {"estimate_minutes": 90}),
        ("Buy milk est:1h30m", "Buy milk", {"estimate_minutes": 90}),
        ("Buy milk est:2h", "Buy milk", {"estimate_minutes": 120}),
        ("Buy milk EST:1.5h", "Buy milk", {"estimate_minutes": 90}),
        ("Run after:07:00 before:9am", "Run", {"earliest": dt.time(7), "latest": dt.time(9)}),
        ("Think energy:High", "Think", {"energy": "high"}),
        ("Sort it split:30m est:2h", "Sort it", {"chunk_minutes": 30, "estimate_minutes": 120}),
        ("Sort it split:no", "Sort it", {"chunk_minutes": 0}),
        (
            "Paint after:17 before:us energy:100",
            "Paint after:17 before:us energy:100",
            {"earliest": None, "latest": None, "energy": ""},
        ),
        ("See https://example.org/a:b", "See https://example.org/a:b", {}),
        ("Meet at 12:30 pm:no", "Meet at 12:30 pm:no", {}),
        ("due:2026-04-16", "(untitled)", {"due": dt.date(2026, 4, 16)}),
        ("xylophone lesson", "xylophone lesson", {}),
        ("X not done", "X not done", {}),
    ],
)
def test_a_line_is_read_as_its_programs_mean_it(
    read: Read, line: str, summary: str, fields: dict[str, object]
) -> None:
    reading = read(line)
    (item,) = reading.items
    assert item.summary == summary
    assert {name: getattr(item, name) for name in fields} == fields
    assert reading.warnings == ()


@pytest.mark.parametrize("line", ["x done", "x 2026-04-01 2026-03-01 done", "Hidden h:1", "x"])
def test_done_and_hidden_lines_are_not_open(read: Read, line: str) -> None:
    reading = read(line)
    assert reading.items == ()
    assert reading.status.state is SourceState.OK


@pytest.mark.parametrize(
    "tag",
    ["due:friday", "due:2026-02-30", "t:soon", "est:long", "est:0", "after:25:00", "split:9x"],
)
def test_a_tag_that_makes_no_sense_stays_in_the_title_and_is_said(read: Read, tag: str) -> None:
    reading = read(f"Fine\nCall {tag} home")
    assert reading.items[1].summary == f"Call {tag} home"
    (warning,) = reading.warnings
    assert warning.startswith("todo.txt:2: ")
    assert tag in warning


def test_a_due_time_is_in_the_users_zone(read: Read) -> None:
    (item,) = read("Call due:2026-04-16T14:00").items
    assert item.due is not None
    assert item.due.isoformat() == "2026-04-16T14:00:00+02:00"


def test_identity_is_file_and_line_and_the_order_is_the_files(read: Read) -> None:
    items = read("\ufefffirst\r\n\r\n  second  \r\nx third\r\nfourth").items
    assert [(item.uid, item.summary) for item in items] == [
        ("todo.txt:1", "first"),
        ("todo.txt:3", "second"),
        ("todo.txt:5", "fourth"),
    ]
    assert items[1].source.locator == "line 3"


def test_states_of_a_todo_txt(read: Read, tmp_path: Path, window: Window) -> None:
    assert read(b"").status.state is SourceState.EMPTY
    assert read(b"\n\n").status.state is SourceState.EMPTY
    binary = read(b"GIF89a\0\0\x01\0").status
    assert binary.state is SourceState.FAILED
    assert "binary" in binary.detail
    assert TodoTxtList("l", tmp_path / "no.txt").read(window()).status.state is SourceState.FAILED
    assert TodoTxtList("l", tmp_path).read(window()).status.state is SourceState.FAILED


def test_other_encodings_are_read(read: Read) -> None:
    assert read("Grüße".encode("cp1252")).items[0].summary == "Grüße"
    assert read("Grüße".encode("utf-16")).items[0].summary == "Grüße"
