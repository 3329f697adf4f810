"""Taking a change back, made ready; taking that back again does it once more."""

from __future__ import annotations

from iris_harness.bootstrap.actions.prepared import Prepared, load_payload
from iris_harness.bootstrap.actions.settling import applier_of
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.changes import Change, Standing, Writers
from iris_harness.contracts.marks import MarkChange
from iris_harness.contracts.reminders import ReminderChange
from iris_harness.curator.actions import Wording
from iris_harness.curator.language import Language
from iris_harness.errors import ChangedOutsideError, NotUndoableError, RecordNotFoundError
from iris_harness.storage.journal import Journal
from iris_harness.storage.records import EntryState, JournalEntry, ReminderState
from iris_harness.storage.store import IrisStore


def prepare_undo(
    store: IrisStore, writers: Writers, entry_id: int | None, language: Language
) -> Prepared:
    """Return the inverse of an entry of the journal, by default of the last one in force.

    Raises:
        NotUndoableError: there is nothing to take back, or this cannot be.
        RecordNotFoundError: there is no such entry.
        ChangedOutsideError: an item is no longer as the entry left it.
        WriteError: the source cannot be read.
    """
    entry = _entry(store.journal, entry_id)
    changes, marks, reminders = load_payload(entry.payload)
    origin, again = _origin(store.journal, entry)
    for change in changes:
        _check_untouched(store, writers, change, entry)
    for mark in marks:
        _check_unmarked(store, mark, entry)
    for reminder in reminders:
        _check_unchanged(store, reminder, entry)
    return Prepared(
        kind=ActionKind.UNDO,
        wording=_wording(origin, language, again=again),
        target=entry.target,
        changes=tuple(change.inverse() for change in reversed(changes)),
        marks=tuple(mark.inverse() for mark in reversed(marks)),
        reminders=tuple(reminder.inverse() for reminder in reversed(reminders)),
        undoes=entry.entry_id,
        is_taken_back=not again,
    )


def _entry(journal: Journal, entry_id: int | None) -> JournalEntry:
    if entry_id is None:
        last = journal.find_last()
        if last is None:
            raise NotUndoableError("there is nothing to undo")
        entry = last
    else:
        entry = journal.get(entry_id)
    said = f"change {entry.entry_id} ({entry.outcome})"
    if entry.state is EntryState.UNDONE:
        raise NotUndoableError(f"{said} is undone already", hint="`iris history` shows by which")
    if entry.state is not EntryState.DONE:
        raise NotUndoableError(f"{said} was not made, so there is nothing to undo")
    if not entry.undoable:
        raise NotUndoableError(f"{said} cannot be undone")
    return entry


def _check_untouched(
    store: IrisStore, writers: Writers, change: Change, entry: JournalEntry
) -> None:
    if applier_of(writers, change).standing(change) is Standing.DONE:
        return
    item = (change.kind, change.source, change.resource, change.uid)
    _refuse_when_newer(store.journal, entry, item)
    raise ChangedOutsideError(
        f"“{change.title}” in {change.source} has been changed since, so it stays as it is",
        source=change.source,
        hint=f"change it by hand; `iris history` shows what change {entry.entry_id} was",
    )


def _check_unmarked(store: IrisStore, change: MarkChange, entry: JournalEntry) -> None:
    known = change.after or change.before
    if known is None:
        return
    marks = store.marks.get(known.day)
    found = next((m for m in marks if (m.source, m.title) == (known.source, known.title)), None)
    if found == change.after:
        return
    _refuse_when_newer(store.journal, entry, (known.day, known.source, known.title))
    raise NotUndoableError(
        f"what was decided for “{known.title}” on {known.day} is forgotten, or changed since"
    )


def _check_unchanged(store: IrisStore, change: ReminderChange, entry: JournalEntry) -> None:
    known = change.known
    found = store.reminders.find(known.reminder_id)
    wanted = ReminderState.CANCELLED if change.after is None else ReminderState.ACTIVE
    if found is not None and (found.state, found.reminder) == (wanted, known):
        return
    _refuse_when_newer(store.journal, entry, (known.reminder_id,))
    raise NotUndoableError(f"“{known.title}” has rung already, or is forgotten")


def _refuse_when_newer(journal: Journal, entry: JournalEntry, item: tuple[object, ...]) -> None:
    """Name the newer change of the same item that stands in the way, if there is one."""
    for later in journal.list_later(entry.entry_id):
        if item in _items_of(later):
            raise NotUndoableError(
                f"change {later.entry_id} came after it: {later.outcome}",
                hint=f"`iris undo {later.entry_id}` first",
            )


def _items_of(entry: JournalEntry) -> set[tuple[object, ...]]:
    """Return what an entry changed."""
    changes, marks, reminders = load_payload(entry.payload)
    known = (mark for change in marks for mark in change if mark is not None)
    return {
        *((one.kind, one.source, one.resource, one.uid) for one in changes),
        *((mark.day, mark.source, mark.title) for mark in known),
        *((change.known.reminder_id,) for change in reminders),
    }


def _origin(journal: Journal, entry: JournalEntry) -> tuple[JournalEntry, bool]:
    """Return what an entry is about in the end, and whether undoing it does that again."""
    origin, again = entry, False
    while origin.kind == ActionKind.UNDO and origin.undoes is not None:
        try:
            origin = journal.get(origin.undoes)
        except RecordNotFoundError:  # forgotten, or too old
            break
        again = not again
    return origin, again


def _wording(origin: JournalEntry, language: Language, *, again: bool) -> Wording:
    key = "redo" if again else "undo"
    return Wording(
        preview=language.say(f"action.{key}.preview", outcome=origin.outcome),
        outcome=language.say(f"action.{key}.outcome", outcome=origin.outcome),
    )
