"""The runner: the one place where the user's data is changed.

An action is made ready without changing anything, then written down in the journal with what
takes it back, then applied, then marked as done. A crash in between is found at the next start.
One change is made at a time, among all threads and processes of one user.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions import days, events, reminders, todos
from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.listing import TodoListing, read_listing
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.settling import Settler, applier_of, take_back
from iris_harness.bootstrap.actions.undoing import prepare_undo
from iris_harness.bootstrap.actions.world import World
from iris_harness.bootstrap.day import open_store, plan_days
from iris_harness.bootstrap.memory import recall
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.clock import SystemClock
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.changes import Change, TurnTime, Writers
from iris_harness.contracts.day import DailyPlan, ShownBlock
from iris_harness.contracts.reports import ActionReport, ActionState
from iris_harness.curator.actions import ActionWords
from iris_harness.curator.strings import find_language
from iris_harness.errors import ActionError, ChangedOutsideError, IrisError, StorageError
from iris_harness.storage.locks import hold_lock
from iris_harness.storage.records import JournalEntry, NumberedItem
from iris_harness.storage.store import IrisStore

PATIENCE_SECONDS = 30.0
"""How long a change waits for another one; a server may take its time."""
_LOCK_FILE = "changing.lock"

_PREPARERS: Mapping[str, Callable[[Arguments, World], Prepared]] = {
    ActionKind.TODO_ADD: todos.prepare_add,
    ActionKind.TODO_DONE: todos.prepare_done,
    ActionKind.TODO_MOVE: todos.prepare_move,
    ActionKind.TODO_RENAME: todos.prepare_rename,
    ActionKind.TODO_SET: todos.prepare_set,
    ActionKind.TODO_DELETE: todos.prepare_delete,
    ActionKind.EVENT_ADD: events.prepare_add,
    ActionKind.EVENT_MOVE: events.prepare_move,
    ActionKind.EVENT_DELETE: events.prepare_delete,
    ActionKind.REMINDER_ADD: reminders.prepare_add,
}
_OF_WHAT_IS_KEPT: Mapping[str, Callable[[Arguments, World, IrisStore], Prepared]] = {
    ActionKind.REMINDER_SNOOZE: reminders.prepare_snooze,
    ActionKind.REMINDER_MOVE: reminders.prepare_move,
    ActionKind.REMINDER_CANCEL: reminders.prepare_cancel,
}
_OF_A_DAY = frozenset({ActionKind.PIN, ActionKind.UNPIN, ActionKind.SKIP, ActionKind.UNSKIP})


class ActionRunner:
    """Makes actions ready, performs them, and takes them back. Thread-safe."""

    def __init__(self, setting: DaySetting) -> None:
        """Take the user's sources and database; nothing is opened yet."""
        self._setting = setting
        self._language = find_language(setting.locale)

    @cached_property
    def _writers(self) -> Writers:
        opened = self._setting.open_writers
        return Writers() if opened is None else opened()

    def _store(self) -> IrisStore:
        return open_store(self._setting.data_folder)

    @property
    def _lock_file(self) -> Path:
        return self._setting.data_folder / _LOCK_FILE

    def now(self) -> dt.datetime:
        """Return the clock's "now": the one of a whole turn, read once."""
        return self._setting.clock.now()

    # Making ready

    def prepare(self, action: Action, now: dt.datetime) -> Prepared:
        """Return what exactly would change; nothing does. `now` is the turn's, aware.

        Raises:
            ActionError: it cannot be done; what an item's words mean is unknown or ambiguous.
            WriteError: the source cannot be written.
            StorageError: the database cannot be read.
        """
        self._check_own()
        arguments = Arguments(action)
        if action.kind == ActionKind.JOB_SUBMIT:
            from iris_harness.bootstrap.actions.jobs import prepare_job

            return prepare_job(arguments, self._setting, self._language)
        if action.kind == ActionKind.JOB_CANCEL:
            from iris_harness.bootstrap.actions.jobs import prepare_cancel

            return prepare_cancel(arguments, self._setting, self._language)
        with self._store() as store:
            if action.kind == ActionKind.UNDO:
                return prepare_undo(store, self._writers, arguments.number("entry"), self._language)
            world = self._world(now, store.marks.numbered())
            if (prepare_kept := _OF_WHAT_IS_KEPT.get(action.kind)) is not None:
                return prepare_kept(arguments, world, store)
            if action.kind in _OF_A_DAY:
                return self._prepare_of_day(ActionKind(action.kind), arguments, world, store)
        prepare = _PREPARERS.get(action.kind)
        if prepare is None:
            raise ActionError(f"nothing is known that is called {action.kind}")
        return prepare(arguments, world)

    def prepare_blocks(self, plan: DailyPlan, now: dt.datetime) -> Prepared:
        """Return the blocks of a plan, ready to be written into the calendar that is theirs.

        Raises:
            ActionError: no calendar is set up for them.
            WriteError: it cannot be written.
        """
        self._check_own()
        return days.prepare_blocks(plan, self._world(now))

    def _check_own(self) -> None:
        if self._setting.origin is not Origin.CONFIGURED:
            raise ActionError(
                "only your own calendars and lists can be changed",
                hint="`iris setup` sets them up; leave out --demo and paths",
            )

    def _world(self, now: dt.datetime, numbered: Sequence[NumberedItem] = ()) -> World:
        zone = self._setting.zones.at(now)
        words = ActionWords(self._language, now.astimezone(ZoneInfo(zone)))
        at = TurnTime(now=now, timezone=zone)
        return World(self._setting, self._writers, at, words, numbered)

    def _prepare_of_day(
        self, kind: ActionKind, arguments: Arguments, world: World, store: IrisStore
    ) -> Prepared:
        day = arguments.day("day") or self._setting.default_day()
        book = days.DayBook(store.marks.get(day), self._blocks(kind, store, day))
        match kind:
            case ActionKind.PIN:
                return days.prepare_pin(arguments, world, day, book)
            case ActionKind.SKIP:
                return days.prepare_skip(arguments, world, day, book)
            case _:
                return days.prepare_unmark(kind, arguments, world, day, book)

    def _blocks(self, kind: ActionKind, store: IrisStore, day: dt.date) -> Sequence[ShownBlock]:
        """Return the blocks of the plan shown for a day; of one made now where none was."""
        if kind is not ActionKind.PIN:
            return ()
        shown = recall(store, day).shown
        if shown is not None and shown.blocks:
            return shown.blocks
        (planned,) = plan_days(self._setting, (day,))
        return tuple(
            ShownBlock(kind=b.kind, title=b.title, start=b.start, end=b.end, source=b.source)
            for b in planned.plan.blocks
        )

    # Doing

    def perform(self, prepared: Prepared, *, session: str = "") -> ActionReport:
        """Do it: journal first, then the change. All of it is done, or nothing.

        Raises:
            ChangedOutsideError: an item has changed since it was made ready.
            WriteError: a source cannot be written.
            StorageError: the journal cannot be written; nothing is changed then.
        """
        if prepared.is_empty:
            text = self._language.say("action.unchanged", preview=prepared.wording.preview)
            return self._report(prepared, ActionState.UNCHANGED, text)
        if prepared.send is not None:  # it keeps a record of its own
            prepared.send()
            text = self._language.say("action.done", outcome=prepared.wording.outcome)
            return self._report(prepared, ActionState.DONE, text)
        with hold_lock(self._lock_file, patience_seconds=PATIENCE_SECONDS), self._store() as store:
            notes = self._settler(store).settle()
            entry = store.journal.begin(self._entry(prepared, session))
            made = self._apply(store, entry, prepared)
            late = self._finish(store, entry, prepared, made)
        text = self._language.say("action.done", outcome=prepared.wording.outcome)
        text = f"{text} {prepared.caution}".rstrip()
        return self._report(prepared, ActionState.DONE, text, entry=entry, notes=(*notes, *late))

    def _entry(self, prepared: Prepared, session: str) -> JournalEntry:
        return JournalEntry(
            entry_id=0,
            begun_at=SystemClock().now(),  # when it is done, whatever "now" it was asked for
            session=session,
            kind=prepared.kind,
            preview=prepared.wording.preview,
            outcome=prepared.wording.outcome,
            target=prepared.target,
            payload=prepared.payload,
            undoable=prepared.undoable,
            undoes=prepared.undoes,
        )

    def _apply(self, store: IrisStore, entry: int, prepared: Prepared) -> tuple[Change, ...]:
        """Make the changes in order; where one cannot be, those before it are taken back.

        Whatever else stops it (Ctrl-C, a defect) leaves the entry open: whether the change at hand
        was made is then found by looking, before anything else is changed.
        """
        made: list[Change] = []
        try:
            for change in prepared.changes:
                made.append(applier_of(self._writers, change).apply(change))  # noqa: PERF401 - what is made so far counts when one fails
        except IrisError as error:
            take_back(self._writers, made)  # should that fail, the next start finds the entry
            self._give_up(store, entry, prepared, str(error))
            raise
        return tuple(made)

    def _give_up(self, store: IrisStore, entry: int, prepared: Prepared, why: str) -> None:
        try:
            store.journal.fail(entry, payload=prepared.payload, detail=why)
        except StorageError:
            return  # it stays intended, and the next start finds that nothing was changed

    def _finish(
        self, store: IrisStore, entry: int, prepared: Prepared, made: Sequence[Change]
    ) -> tuple[str, ...]:
        payload = replace(prepared, changes=tuple(made)).payload
        try:
            store.journal.finish(
                entry, payload=payload, marks=prepared.marks, reminders=prepared.reminders
            )
        except ChangedOutsideError as error:
            self._give_up(store, entry, prepared, str(error))
            raise
        except StorageError as error:
            if (
                prepared.marks or prepared.reminders
            ):  # they are kept in the same file: nothing has changed
                raise
            return (self._language.say("action.not_noted", reason=str(error)),)
        return ()

    def _report(
        self,
        prepared: Prepared,
        state: ActionState,
        text: str,
        *,
        entry: int | None = None,
        notes: tuple[str, ...] = (),
    ) -> ActionReport:
        return ActionReport(
            kind=prepared.kind,
            state=state,
            text=text,
            entry=entry,
            target=prepared.target,
            undoable=prepared.undoable,
            is_taken_back=prepared.is_taken_back,
            notes=notes,
        )

    # Looking back

    def settle(self) -> tuple[str, ...]:
        """Find how changes ended in whose middle Iris was stopped, and say so; () when none was.

        Raises:
            StorageError: the database cannot be read or written.
        """
        with self._store() as store:
            return self.settle_in(store)

    def settle_in(self, store: IrisStore) -> tuple[str, ...]:
        """As `settle`, with a database that is open already."""
        if not store.journal.list_intended():
            return ()
        with hold_lock(self._lock_file, patience_seconds=0) as held:
            # Held by another: that one is alive, and at work on it.
            return self._settler(store).settle() if held else ()

    def _settler(self, store: IrisStore) -> Settler:
        return Settler(store, lambda: self._writers, self._language)

    def list_todos(self, now: dt.datetime) -> TodoListing:
        """Read every open todo, by today's rank; the numbers are what `done` accepts from now on.

        Where the numbers cannot be kept, the listing says so in its warnings.
        """
        listing = read_listing(self._world(now))
        try:
            with self._store() as store:
                store.marks.number([(row.todo.source, row.todo.summary) for row in listing.rows])
        except StorageError as error:
            said = self._language.say("action.not_numbered", reason=str(error))
            return listing._replace(warnings=(*listing.warnings, said))
        return listing

    def history(self, limit: int) -> tuple[JournalEntry, ...]:
        """Return what was changed, newest first.

        Raises:
            StorageError: the database cannot be read.
        """
        with self._store() as store:
            return store.journal.list(limit=limit)

    # What surfaces say

    def preview(self, prepared: Prepared) -> ActionReport:
        """Return what would be done, for ``--dry-run``."""
        text = self._language.say("action.dry_run", preview=prepared.wording.preview)
        return self._report(prepared, ActionState.PREVIEWED, text)

    def hint(self, report: ActionReport, *, aloud: bool) -> str:
        """Return how what was done is undone, for a command or for a conversation; may be empty."""
        if report.state is not ActionState.DONE or not report.undoable:
            return ""
        again = "_again" if report.is_taken_back else ""
        return self._language.say(f"action.hint.{'said' if aloud else 'typed'}{again}")

    def question(self, prepared: Prepared) -> str:
        """Return the question whether it should be done, for a prompt."""
        key = "action.ask_final" if prepared.is_final else "action.ask"
        return self._language.say(key, preview=prepared.wording.preview)

    def declined(self, prepared: Prepared) -> ActionReport:
        """Return what is said when the user does not want it."""
        text = self._language.say("action.declined")
        return self._report(prepared, ActionState.DECLINED, text)

    def unwanted(self) -> str:
        """Return what is said when the user says what is not to be done."""
        return self._language.say("action.declined")

    def taken_as(self, said: str, time: dt.datetime) -> str:
        """Return how an hour was understood that may be one of the morning or the afternoon."""
        return self._language.say("action.taken_as", said=said, time=self._language.time(time))

    def ask(self, prepared: Prepared) -> ActionReport:
        """Return the question whether it should be done."""
        key = "action.ask_final_reply" if prepared.is_final else "action.ask_reply"
        text = self._language.say(key, preview=prepared.wording.preview)
        return self._report(prepared, ActionState.ASKED, text)
