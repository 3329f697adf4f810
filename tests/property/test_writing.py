"""Any file, any change: what was made is read, and taking it back gives the same bytes."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iris_harness.contracts.changes import Change, TodoDraft, TurnTime
from iris_harness.errors import WriteError
from iris_harness.sources.todotxt import TodoTxtList
from iris_harness.sources.writing.component_text import parse_component
from iris_harness.sources.writing.opening import open_todo_writer
from iris_harness.sources.writing.todotxt import TODO_TXT, TodoTxtWriter
from iris_harness.sources.writing.todotxt_line import parse_line
from iris_harness.sources.writing.wrapping import unwrap
from tests.property.test_sources_fuzz import mangled
from tests.support import examples
from tests.writing_support import AT, ZONE, check_events, check_todos, files_below, window

WRITE = settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
QUICK = settings(max_examples=examples(150), deadline=None)
LINES = st.sampled_from([
    "", " ", "milk", "milk", "x 2026-01-01 done", "(A) 2026-01-02 call Bob due:2026-05-01",
    "water rec:+1w due:2026-04-13 t:2026-04-11", "rec:1d", "due:2026-02-30 odd", "x", "(A)",
    "2026-01-01", "h:1 hidden", "  indented  twice ", "tab\tin it est:1h", "日本 €", "é due:x",
])  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r\r\n"])
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])


@st.composite
def todo_files(draw: st.DrawFn) -> bytes:
    """Draw a todo.txt in some encoding, with any line ends and with or without the last one."""
    end = draw(ENDS)
    text = end.join(draw(st.lists(LINES, max_size=8))) + draw(st.sampled_from(["", end, "\n"]))
    if draw(st.booleans()) and "日" not in text:
        return text.encode("cp1252")
    if draw(st.integers(0, 9)) == 0:
        text = text.replace(end, "\r").replace("\n", "\r")
    return text.encode(draw(CODECS))


@given(data=todo_files() | st.binary(max_size=60))
@WRITE
def test_any_todo_txt_is_changed_and_restored(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "todo.txt"
        path.write_bytes(data)
        check_todos(path, AT, window("2026-04-16"), most=4)


@given(data=mangled())
@WRITE
def test_any_calendar_is_changed_and_restored(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "home.ics"
        path.write_bytes(data)
        for day in ("2026-04-16", "2025-10-26"):
            now = dt.datetime.fromisoformat(day).replace(hour=9, tzinfo=dt.UTC)
            at = TurnTime(now=now, timezone=ZONE)
            check_events(path, at, window(day), most=3)
            check_todos(path, at, window(day), most=3)


@given(
    data=todo_files(),
    picks=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=2, max_size=6),
)
@WRITE
def test_changes_are_taken_back_one_by_one_in_reverse(
    data: bytes, picks: list[tuple[int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "todo.txt"
        path.write_bytes(data)
        seen: list[tuple[dict[str, bytes], Change]] = []
        for kind, number in picks:
            before = files_below(path)
            seen += [(before, change) for change in _made(path, kind, number)]
        for before, change in reversed(seen):
            open_todo_writer("mine", path).apply(change.inverse())
            assert files_below(path) == before


def _made(path: Path, kind: int, number: int) -> list[Change]:
    writer = TodoTxtWriter("mine", path)
    todos = TodoTxtList("mine", path).read(window("2026-04-16")).items
    try:
        if kind == 0 or not todos:
            changes = writer.add(TodoDraft(summary=f"new {number}"), AT)
        elif kind == 1:
            changes = writer.done(todos[number % len(todos)], AT)
        else:
            changes = writer.delete(todos[number % len(todos)], AT)
        return [writer.apply(change) for change in changes]
    except WriteError:
        return []


@given(data=st.binary(max_size=80) | todo_files())
@QUICK
def test_what_is_unwrapped_is_wrapped_as_it_was(data: bytes) -> None:
    try:
        plain, wrapping = unwrap(data)
    except WriteError:
        return
    assert wrapping.wrap(plain) == data


@given(text=st.text(max_size=60))
@QUICK
def test_a_line_is_put_together_as_it_was(text: str) -> None:
    assert parse_line(text).text == text


@given(data=mangled())
@QUICK
def test_a_component_is_put_together_as_it_was(data: bytes) -> None:
    text = data.decode("latin-1")
    assert parse_component(text).text == text


@given(title=st.text(min_size=1, max_size=40), line=LINES)
@QUICK
def test_no_title_becomes_more_than_one_todo(title: str, line: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "todo.txt"
        path.write_text(f"{line}\n", encoding="utf-8")
        writer = TodoTxtWriter("mine", path)
        try:
            (change,) = writer.add(TodoDraft(summary=title), AT)
        except WriteError:
            return
        writer.apply(change)
        data = path.read_bytes()
        assert len(TODO_TXT.find_pieces(data)) == bool(line.strip()) + 1
        assert data.startswith(f"{line}\n2026-04-16 ".encode())
