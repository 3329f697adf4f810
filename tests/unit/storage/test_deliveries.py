from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from iris_harness.clock import FixedClock
from iris_harness.contracts.reminders import Reminder, ReminderChange, ReminderKind
from iris_harness.errors import ChangedOutsideError
from iris_harness.storage.database import FILE_NAME, open_database
from iris_harness.storage.locks import hold_lock, is_held
from iris_harness.storage.queries import load_migrations
from iris_harness.storage.records import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    JournalEntry,
    Schedule,
    StoredTurn,
)
from iris_harness.storage.reminders import Advance
from iris_harness.storage.store import IrisStore
from iris_harness.storage.ticker import LOCK_FILE, WATCH, RunningTicker, find_ticker, note_ticker

NOW = dt.datetime(2025, 3, 10, 8, 30, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(minutes=5)
DUE = Delivery(DeliveryKind.BRIEFING, "morning", "web", NOW.date(), NOW)
TEA = Reminder("00000001", ReminderKind.REMINDER, "tea", NOW)


def entry(undoes: int | None = None) -> JournalEntry:
    return JournalEntry(0, NOW, "", "reminder.add", "", "", "", "{}", True, undoes)


def change(store: IrisStore, before: Reminder | None, after: Reminder | None) -> None:
    number = store.journal.begin(entry())
    made = ReminderChange(before=before, after=after)
    store.journal.finish(number, payload="{}", reminders=[made])


@pytest.fixture
def due(store: IrisStore) -> IrisStore:
    store.deliveries.enter([DUE], NOW)
    return store


def test_what_is_entered_twice_is_there_once_as_it_was(due: IrisStore) -> None:
    assert due.deliveries.claim(DUE, NOW)
    due.deliveries.enter([DUE], LATER)
    (found,) = due.deliveries.list()
    assert (found.state, found.changed_at, found.attempts) == (DeliveryState.CLAIMED, NOW, 1)


def test_of_many_who_claim_one_delivery_exactly_one_has_it(
    due: IrisStore, folder: Path, clock: FixedClock
) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(8) as pool:
        stores = [stack.enter_context(IrisStore.open(folder, clock)) for _ in range(8)]
        won = list(pool.map(lambda store: store.deliveries.claim(DUE, NOW), stores))
    assert sorted(won) == [False] * 7 + [True]
    assert due.deliveries.due(NOW) == ()


def test_what_is_tried_again_is_due_from_then_on(due: IrisStore) -> None:
    due.deliveries.claim(DUE, NOW)
    due.deliveries.end(DUE, DeliveryState.DUE, NOW, detail="no network", not_before=LATER)
    assert due.deliveries.due(LATER - dt.timedelta(seconds=1)) == ()
    (found,) = due.deliveries.due(LATER)
    assert (found.attempts, found.detail) == (1, "no network")


def test_a_claim_found_open_is_uncertain_until_whoever_held_it_says_otherwise(
    due: IrisStore,
) -> None:
    due.deliveries.claim(DUE, NOW)
    assert due.deliveries.settle(LATER, "Iris was stopped") == 1
    assert due.deliveries.list()[0].state is DeliveryState.UNCERTAIN
    due.deliveries.end(DUE, DeliveryState.DELIVERED, LATER, detail="it was said")
    assert due.deliveries.list()[0].state is DeliveryState.DELIVERED
    due.deliveries.end(DUE, DeliveryState.FAILED, LATER)
    assert due.deliveries.list()[0].state is DeliveryState.DELIVERED


def test_what_the_page_shows_is_what_was_said_with_its_text_newest_first(due: IrisStore) -> None:
    other = DUE._replace(name="evening")
    due.deliveries.enter([other, DUE._replace(channel="mail")], NOW)
    for one, at, text in ((DUE, NOW, "first"), (other, LATER, "second")):
        due.deliveries.claim(one, at)
        due.deliveries.end(one, DeliveryState.DELIVERED, at, content=text)
    assert [one.content for one in due.deliveries.shown(NOW)] == ["second", "first"]
    assert [one.content for one in due.deliveries.shown(LATER)] == ["second"]


def test_a_reminder_that_was_cancelled_meanwhile_brings_nothing(store: IrisStore) -> None:
    change(store, None, TEA)
    rings = DUE._replace(kind=DeliveryKind.REMINDER, name=TEA.reminder_id, title="tea")
    advance = Advance(TEA.reminder_id, NOW, None, (rings,))
    change(store, TEA, None)
    store.deliveries.enter((), NOW, advances=[advance])
    assert store.deliveries.list() == ()
    change(store, None, TEA)
    store.deliveries.enter((), NOW, advances=[advance])
    store.deliveries.enter((), NOW, advances=[advance])
    assert [one.title for one in store.deliveries.list()] == ["tea"]
    assert store.reminders.active() == ()


def test_a_reminder_is_changed_only_where_it_is_as_was_thought(store: IrisStore) -> None:
    with pytest.raises(ChangedOutsideError):
        change(store, TEA, None)
    change(store, None, TEA)
    for before, after in ((None, TEA), (TEA._replace(title="coffee"), None)):
        with pytest.raises(ChangedOutsideError, match="has rung, or was changed, since"):
            change(store, before, after)
    assert [one.reminder for one in store.reminders.active()] == [TEA]


def test_old_deliveries_go_and_what_is_open_and_active_stays(store: IrisStore) -> None:
    old = NOW - dt.timedelta(days=400)
    kept = TEA._replace(reminder_id="00000002", first_at=old)
    said, waiting = DUE, DUE._replace(name="waiting")
    store.deliveries.enter([said, waiting], old)
    store.deliveries.claim(said, old)
    store.deliveries.end(said, DeliveryState.DELIVERED, old)
    change(store, None, kept)
    store.prune(90)
    assert [one.name for one in store.deliveries.list()] == ["waiting"]
    assert [one.reminder.reminder_id for one in store.reminders.active()] == ["00000002"]
    store.forget_all()
    assert store.deliveries.list() == ()
    assert store.reminders.active() == ()


def test_schedules_are_read_anew_when_anybody_has_changed_them(
    store: IrisStore, folder: Path, clock: FixedClock
) -> None:
    first = Schedule("morning", "daily 07:00", NOW)
    store.deliveries.enter((), NOW, schedules=[first])
    assert store.deliveries.schedules() == (first,)
    assert store.deliveries.schedules() is store.deliveries.schedules()
    with IrisStore.open(folder, clock) as other:
        other.deliveries.enter((), NOW, schedules=[first._replace(since=LATER)])
    assert store.deliveries.schedules() == (first._replace(since=LATER),)
    store.deliveries.enter((), NOW, dropped=["morning"])
    assert store.deliveries.schedules() == ()


def test_a_database_from_before_there_were_reminders_is_brought_up_to_date(
    folder: Path, clock: FixedClock
) -> None:
    folder.mkdir(parents=True)
    open_database(folder / FILE_NAME, load_migrations()[:2], "old").close()
    with IrisStore.open(folder, clock) as store:
        store.save_turn(StoredTurn("t", "s", NOW, "plan my day", "{}", "clear"))
        store.deliveries.enter([DUE], NOW)
        assert store.deliveries.due(NOW)[0].key == "briefing:morning:2025-03-10:web"


def test_who_delivers_is_known_while_it_lives_and_no_longer(tmp_path: Path) -> None:
    lock = tmp_path / LOCK_FILE
    assert find_ticker(tmp_path) is None
    with hold_lock(lock, patience_seconds=0) as held:
        assert held
        assert is_held(lock)
        found = find_ticker(tmp_path)
        assert found is not None
        assert found.place == "iris"
        note_ticker(lock, RunningTicker(WATCH, "abc"))
        assert find_ticker(tmp_path) == RunningTicker(WATCH, "abc")
        lock.write_text("[1, 2")
        assert find_ticker(tmp_path) == RunningTicker("iris", "")
    assert not is_held(lock)
    assert find_ticker(tmp_path) is None
