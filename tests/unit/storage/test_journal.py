from __future__ import annotations

import datetime as dt
import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.clock import FixedClock
from iris_harness.contracts.marks import Mark, MarkChange, MarkKind
from iris_harness.contracts.sources import SourceRef
from iris_harness.errors import (
    ChangedOutsideError,
    NotUndoableError,
    RecordNotFoundError,
    StorageError,
)
from iris_harness.storage.records import EntryState, JournalEntry
from iris_harness.storage.store import IrisStore

NOW = dt.datetime(2025, 3, 10, 8, 30, tzinfo=dt.UTC)
DAY = NOW.date()
MILK = SourceRef(source="todo", locator="line 2")
EMPTY = '{"changes": [], "marks": []}'


def entry(kind: str = "todo.done", *, undoes: int | None = None, session: str = "") -> JournalEntry:
    return JournalEntry(
        entry_id=0,
        begun_at=NOW,
        session=session,
        kind=kind,
        preview="Mark “milk” as done",
        outcome="Marked “milk” as done",
        target="todo",
        payload=EMPTY,
        undoable=True,
        undoes=undoes,
    )


def pin(hour: int = 14, *, title: str = "Buy milk") -> Mark:
    start = NOW.replace(hour=hour)
    spans = ((start, start + dt.timedelta(hours=1)),)
    return Mark(day=DAY, kind=MarkKind.PIN, source=MILK, title=title, spans=spans)


def do(store: IrisStore, one: JournalEntry) -> int:
    number = store.journal.begin(one)
    store.journal.finish(number, payload=one.payload)
    return number


def test_an_entry_is_there_before_and_after_it_is_done(store: IrisStore) -> None:
    number = store.journal.begin(entry())
    assert store.journal.list_intended() == (store.journal.get(number),)
    assert store.journal.find_last() is None
    store.journal.finish(number, payload='{"changes": [1], "marks": []}')
    found = store.journal.get(number)
    assert (found.state, found.ended_at, found.payload) == (
        EntryState.DONE, NOW, '{"changes": [1], "marks": []}',
    )  # fmt: skip
    assert store.journal.find_last() == found
    assert store.journal.list_intended() == ()


def test_an_entry_that_was_given_up_says_why_and_is_not_the_last(store: IrisStore) -> None:
    number = store.journal.begin(entry())
    store.journal.fail(number, payload=EMPTY, detail="the disk is full")
    found = store.journal.get(number)
    assert (found.state, found.detail) == (EntryState.FAILED, "the disk is full")
    assert store.journal.find_last() is None


def test_numbers_count_up_and_are_never_used_again(store: IrisStore) -> None:
    assert [do(store, entry()) for _ in range(3)] == [1, 2, 3]
    store.forget_all()
    assert do(store, entry()) == 4


@given(st.integers(min_value=1, max_value=7))
def test_an_undo_of_an_undo_puts_the_first_in_force_again(
    tmp_path_factory: pytest.TempPathFactory, times: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    with IrisStore.open(folder, FixedClock(NOW)) as store:
        first = last = do(store, entry())
        for _ in range(times):
            last = do(store, entry("undo", undoes=last))
        in_force = store.journal.get(first).state is EntryState.DONE
        assert in_force == (times % 2 == 0)
        assert store.journal.find_last() == store.journal.get(last)


def test_only_what_is_in_force_is_undone_and_only_once(store: IrisStore) -> None:
    number = do(store, entry())
    running = store.journal.begin(entry("undo", undoes=number))
    with pytest.raises(NotUndoableError, match="being undone by another"):
        store.journal.begin(entry("undo", undoes=number))
    store.journal.finish(running, payload=EMPTY)
    with pytest.raises(NotUndoableError, match="not in force"):
        store.journal.begin(entry("undo", undoes=number))
    with pytest.raises(RecordNotFoundError):
        store.journal.get(99)


def test_what_a_plan_writes_by_itself_is_not_the_last_change(store: IrisStore) -> None:
    number = do(store, entry())
    do(store, entry("blocks.write"))
    last = store.journal.find_last()
    assert last is not None
    assert last.entry_id == number


def test_marks_change_with_the_entry_that_is_done_or_not_at_all(store: IrisStore) -> None:
    number = store.journal.begin(entry("plan.pin"))
    assert store.marks.get(DAY) == ()
    store.journal.finish(number, payload=EMPTY, marks=[MarkChange(before=None, after=pin())])
    assert store.marks.get(DAY) == (pin(),)
    number = store.journal.begin(entry("plan.pin"))
    stale = MarkChange(before=pin(9), after=pin(10))
    with pytest.raises(ChangedOutsideError):
        store.journal.finish(number, payload=EMPTY, marks=[stale])
    assert store.journal.get(number).state is EntryState.INTENDED
    assert store.marks.get(DAY) == (pin(),)
    store.journal.finish(number, payload=EMPTY, marks=[MarkChange(before=pin(), after=None)])
    assert store.marks.get(DAY) == ()


def test_two_todos_that_were_on_one_line_have_a_mark_each(store: IrisStore) -> None:
    for title in ("Buy milk", "Buy bread"):
        number = store.journal.begin(entry("plan.pin"))
        change = MarkChange(before=None, after=pin(title=title))
        store.journal.finish(number, payload=EMPTY, marks=[change])
    assert [mark.title for mark in store.marks.get(DAY)] == ["Buy bread", "Buy milk"]


INSTANTS = st.datetimes(
    min_value=dt.datetime(2000, 1, 1), max_value=dt.datetime(2100, 1, 1),  # noqa: DTZ001 - made aware below
    timezones=st.integers(-12 * 60, 14 * 60).map(lambda m: dt.timezone(dt.timedelta(minutes=m))),
)  # fmt: skip


@given(st.text(), st.text(), st.lists(st.tuples(INSTANTS, INSTANTS), max_size=3), st.booleans())
def test_the_change_of_a_mark_comes_back_from_its_json(
    source: str, title: str, spans: list[tuple[dt.datetime, dt.datetime]], is_new: bool
) -> None:
    mark = Mark(
        day=DAY, kind=MarkKind.PIN, source=SourceRef(source=source), title=title,
        spans=tuple(spans),
    )  # fmt: skip
    change = MarkChange(before=None, after=mark) if is_new else MarkChange(before=mark, after=None)
    assert MarkChange.from_json(json.loads(json.dumps(change.to_json()))) == change
    assert change.inverse().inverse() == change


@pytest.mark.parametrize("tree", [None, 7, [], {}, {"before": 3, "after": None}])
def test_what_is_no_change_of_a_mark_is_refused(tree: object) -> None:
    with pytest.raises(ValueError, match="no change"):
        MarkChange.from_json(tree)  # type: ignore[arg-type]  # that is the test


def test_numbers_of_a_list_mean_what_was_shown_last(store: IrisStore) -> None:
    assert store.marks.numbered() == ()
    store.marks.number([(MILK, "Buy milk"), (SourceRef(source="shop"), "Eggs")])
    store.marks.number([(MILK, "Buy milk \N{BULLET}")])
    (only,) = store.marks.numbered()
    assert (only.number, only.source, only.title) == (1, MILK, "Buy milk \N{BULLET}")


def test_the_journal_is_exported_pruned_and_forgotten(folder: Path) -> None:
    clock = FixedClock(NOW)
    with IrisStore.open(folder, clock) as store:
        number = store.journal.begin(entry("plan.pin", session="s1"))
        store.journal.finish(number, payload=EMPTY, marks=[MarkChange(before=None, after=pin())])
        do(store, entry(session="s2"))
        lines = [json.loads(line) for line in store.export()]
        assert [line["kind"] for line in lines] == ["change", "change", "mark"]
        assert lines[0]["changes"] == {"changes": [], "marks": []}
        assert store.forget_session("s2").entries == 1
    with IrisStore.open(folder, FixedClock(NOW + dt.timedelta(days=40))) as store:
        assert store.prune(30).entries == 1
        assert store.marks.get(DAY) == ()
        do(store, entry())
        assert store.forget_all().entries == 1
    content = (folder / "iris.db").read_bytes()
    assert b"Marked" not in content


def test_a_mark_is_kept_for_as_long_as_it_is_young_or_its_day_is(folder: Path) -> None:
    later = NOW + dt.timedelta(days=40)
    for made, day, is_kept in ((NOW, DAY, False), (later, DAY, True), (NOW, later.date(), True)):
        with IrisStore.open(folder, FixedClock(made)) as store:
            store.forget_all()
            number = store.journal.begin(entry("plan.skip"))
            mark = Mark(day=day, kind=MarkKind.SKIP, source=MILK, title="Buy milk")
            change = MarkChange(before=None, after=mark)
            store.journal.finish(number, payload=EMPTY, marks=[change])
        with IrisStore.open(folder, FixedClock(later)) as store:
            store.prune(30)
            assert (store.marks.get(day) == (mark,)) == is_kept


def test_what_is_being_done_is_not_pruned(folder: Path) -> None:
    with IrisStore.open(folder, FixedClock(NOW)) as store:
        store.journal.begin(entry())
    with IrisStore.open(folder, FixedClock(NOW + dt.timedelta(days=400))) as store:
        assert store.prune(30).entries == 0
        assert len(store.journal.list_intended()) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE journal SET state = 'done', begun_at = 'yesterday'",
        "UPDATE marks SET spans = 'no json'",
        "UPDATE marks SET spans = '[[1, 2]]'",
    ],
)
def test_a_record_that_was_tampered_with_is_said(folder: Path, damage: str) -> None:
    with IrisStore.open(folder, FixedClock(NOW)) as store:
        number = store.journal.begin(entry())
        store.journal.finish(number, payload=EMPTY, marks=[MarkChange(before=None, after=pin())])
    connection = sqlite3.connect(folder / "iris.db", isolation_level=None)
    connection.execute(damage)
    connection.close()
    with IrisStore.open(folder, FixedClock(NOW)) as store:
        read = store.marks.get if "marks" in damage else lambda _: store.journal.list()
        with pytest.raises(StorageError, match="cannot be read"):
            read(DAY)
