"""Plan changes to lists of VTODOs. Implements `TodoWriter`.

A todo that comes again and is done moves on in place, as Tasks.org, Nextcloud and Apple's
Reminders do it: its dates become those of the next time, a COUNT loses what is over, and what was
done is kept as a todo of its own. A series that one RRULE does not describe (RDATE, EXRULE, times
that were replaced) keeps its dates; the one time that is done is replaced by a completed one, as
RFC 5545 §3.8.4.4 has it.
"""

from __future__ import annotations

import datetime as dt
import uuid
import zoneinfo
from collections.abc import Callable
from typing import NamedTuple

from iris_harness.contracts.changes import (
    Change,
    Keep,
    Standing,
    TodoDraft,
    TodoEdit,
    TurnTime,
)
from iris_harness.contracts.day import Todo
from iris_harness.errors import WriteError
from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.entries import Entry, newest
from iris_harness.sources.ical.todos import TodoReader
from iris_harness.sources.writing.component_text import (
    ComponentText,
    escape,
    new_component,
    one_line,
)
from iris_harness.sources.writing.documents import Document
from iris_harness.sources.writing.naming import named, not_found
from iris_harness.sources.writing.resources import Item, Resources, together
from iris_harness.sources.writing.times import (
    check_has_uid,
    day_window,
    find_written,
    stamp,
    time_line,
    touched,
)
from iris_harness.sources.writing.todo_series import (
    TODO_PROPERTIES,
    Rest,
    TodoSeries,
    Turn,
    describe,
)

_REPEATING = ("RRULE", "RDATE", "EXDATE", "EXRULE")
_CLOSING = ("STATUS", "COMPLETED", "PERCENT-COMPLETE")
_LOWEST_PRIORITY = 9


class _Found(NamedTuple):
    """A todo in its resource as it is now."""

    document: Document
    components: tuple[Component, ...]
    """All that have its UID, in their order."""
    master: Entry | None
    """The newest one that is no replaced instance."""
    entry: Entry
    """The one that describes the todo that was read."""
    series: TodoSeries | None
    """None when it does not come again."""
    turn: Turn | None
    """Which time of the series was read; None when it does not come again."""


class VtodoWriter:
    """A list of VTODOs in a file, in a folder or on a server. Thread-safe."""

    def __init__(self, resources: Resources, new_uid: Callable[[], str] | None = None) -> None:
        """Take where the todos are, and what makes UIDs (None: random ones)."""
        self.name = resources.name
        self._resources = resources
        self._new_uid = new_uid or (lambda: str(uuid.uuid4()))

    def add(self, draft: TodoDraft, at: TurnTime) -> tuple[Change, ...]:
        """Plan a new todo; see `TodoWriter.add`."""
        with named(self.name):
            uid, now = self._new_uid(), stamp(at.now)
            contents = [f"UID:{uid}", f"DTSTAMP:{now}", f"CREATED:{now}", f"LAST-MODIFIED:{now}"]
            contents += [f"SUMMARY:{_title(draft.summary)}", "STATUS:NEEDS-ACTION"]
            for name, time in (("DTSTART", draft.start), ("DUE", draft.due)):
                if time is not None:
                    contents.append(time_line(name, time, None))
            if draft.priority:
                contents.append(_priority_line(draft.priority))
            if draft.estimate_minutes:
                contents.append(_estimate_line(draft.estimate_minutes))
            _check_order(draft.start, draft.due, at)
            text = new_component("VTODO", contents, "\r\n")
            return (self._resources.added(text, Item(uid, draft.summary)),)

    def done(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that a todo is done; see the module for one that comes again."""
        with named(self.name):
            found = self._find(todo, at)
            text = found.document.text_of(found.entry.component)
            if found.series is None or found.turn is None or found.entry is not found.master:
                return self._replaced(found, _completed(text, at), Item(todo.uid, todo.summary))
            if not found.series.is_simple:
                return self._one_done(found, found.turn, at)
            rest = found.series.after_turn(found.turn)
            if rest is None:
                last = _completed(found.turn.dated(text), at)
                return self._replaced(
                    found, last, Item(todo.uid, todo.summary, "was the last time")
                )
            return self._moved_on(found, found.turn, rest, at)

    def edit(self, todo: Todo, edit: TodoEdit, at: TurnTime) -> tuple[Change, ...]:
        """Plan other values of a todo; see `TodoWriter.edit`."""
        with named(self.name):
            found = self._find(todo, at)
            item = Item(todo.uid, todo.summary)
            if not isinstance(edit.summary, Keep):
                item = item._replace(title=edit.summary)
            text = found.document.text_of(found.entry.component)
            other = self._edited(found, text, todo, edit, at)
            if other == text:
                return ()
            other = touched(other, at)
            if other.find("RECURRENCE-ID") and found.entry is found.master and found.turn:
                item = item._replace(note="only this time changes; the series stays as it is")
                return self._with_override(found, found.turn, other, item)
            return self._replaced(found, other, item)

    def _edited(
        self, found: _Found, text: ComponentText, todo: Todo, edit: TodoEdit, at: TurnTime
    ) -> ComponentText:
        """Return a todo with other values; of a series that is not simple, the one time of it."""
        if _changes_times(todo, edit):
            if found.turn and found.series and found.entry is found.master:
                is_simple = found.series.is_simple
                rest = found.series.from_turn(found.turn)
                text = rest.of(text) if is_simple else _one_time(found, found.turn)
            text = _retimed(found, text, todo, edit, at)
        if not isinstance(edit.summary, Keep) and one_line(edit.summary) != todo.summary:
            text = text.with_line("SUMMARY", f"SUMMARY:{_title(edit.summary)}")
        return _with_measures(text, todo, edit)

    def delete(self, todo: Todo, at: TurnTime) -> tuple[Change, ...]:
        """Plan that a todo is taken out; see `TodoWriter.delete`."""
        with named(self.name):
            found = self._find(todo, at)
            item = Item(todo.uid, todo.summary)
            return self._resources.removed(found.document, found.components, item)

    def apply(self, change: Change) -> Change:
        """Make a change; see `ChangeApplier.apply`."""
        return self._resources.apply(change)

    def standing(self, change: Change) -> Standing:
        """Return how a change stands; see `ChangeApplier.standing`."""
        return self._resources.standing(change)

    def _find(self, todo: Todo, at: TurnTime) -> _Found:
        for document in self._resources.documents(todo.uid, "VTODO", at.timezone):
            found = self._find_in(document, todo, at)
            if found is not None:
                return found
        raise not_found(todo.uid, todo.source.locator, "todo")

    def _find_in(self, document: Document, todo: Todo, at: TurnTime) -> _Found | None:
        components = document.components("VTODO", todo.uid)
        entries = document.entries(todo.uid, components, TODO_PROPERTIES)
        masters = [entry for entry in entries if entry.recurrence_id is None]
        master = newest(masters)[0] if masters else None
        if len(masters) > 1 and newest(masters)[1]:
            return None
        series = TodoSeries(document, master, entries, at) if entries else None
        if series is None or not series.repeats:
            entry = master or (entries[0] if len(entries) == 1 else None)
            if entry is None or not self._reads_as(document, todo, at):
                return None
            return _Found(document, tuple(components), master, entry, None, None)
        turn = series.turn_of(todo)
        if turn is None:
            return None
        return _Found(document, tuple(components), master, turn.entry, series, turn)

    def _reads_as(self, document: Document, todo: Todo, at: TurnTime) -> bool:
        """Whether the todo still reads as it did."""
        reader = TodoReader(self.name, (document.stream,), day_window(at))
        return any(describe(found) == describe(todo) for found in reader.read())

    def _replaced(self, found: _Found, text: ComponentText, item: Item) -> tuple[Change, ...]:
        redraft = found.document.redraft()
        found.document.replace(redraft, found.entry.component, text)
        return self._resources.changed(found.document, redraft, item)

    def _moved_on(self, found: _Found, turn: Turn, rest: Rest, at: TurnTime) -> tuple[Change, ...]:
        """Give the series the dates of its next time, and keep the one that is done."""
        uid, title = turn.entry.uid, turn.entry.title
        text = found.document.text_of(turn.entry.component)
        moved = touched(rest.of(text).without(*_CLOSING), at)
        if text.find("STATUS"):
            moved = moved.with_line("STATUS", "STATUS:NEEDS-ACTION")
        note = f"comes again on {rest.first_on.isoformat()}"
        record_uid = self._new_uid()
        record = turn.dated(text.without(*_REPEATING).without_nested())
        record = record.with_line("UID", f"UID:{record_uid}")
        related = text.find("UID")
        value = related.value if related else uid
        record = record.with_line("RELATED-TO", f"RELATED-TO;RELTYPE=SIBLING:{value}")
        changes = self._replaced(found, moved, Item(uid, title, note))
        kept = self._resources.added(_completed(record, at), Item(record_uid, title))
        return together(*changes, kept)

    def _one_done(self, found: _Found, turn: Turn, at: TurnTime) -> tuple[Change, ...]:
        """Replace one time of a series by a completed one."""
        text = _completed(_one_time(found, turn), at)
        note = "only this time is done; the series stays as it is"
        return self._with_override(found, turn, text, Item(turn.entry.uid, turn.entry.title, note))

    def _with_override(
        self, found: _Found, turn: Turn, text: ComponentText, item: Item
    ) -> tuple[Change, ...]:
        redraft = found.document.redraft()
        found.document.insert_after(redraft, turn.entry.component, text)
        return self._resources.changed(found.document, redraft, item)


def _one_time(found: _Found, turn: Turn) -> ComponentText:
    """Return one time of a series as a component of its own (RFC 5545 §3.8.4.4)."""
    text = found.document.text_of(turn.entry.component)
    check_has_uid(text)
    text = turn.dated(text.without(*_REPEATING).without_nested())
    return text.with_line("RECURRENCE-ID", turn.recurrence_line())


def _retimed(
    found: _Found, text: ComponentText, todo: Todo, edit: TodoEdit, at: TurnTime
) -> ComponentText:
    """Return a todo with other dates."""
    start = todo.start if isinstance(edit.start, Keep) else edit.start
    due = todo.due if isinstance(edit.due, Keep) else edit.due
    _check_order(start, due, at)
    if found.turn is not None and due is None and start is None:
        raise WriteError(
            "comes again, and needs a date for that", hint="delete it, or give it another date"
        )
    times = {name: find_written(found.document, found.entry, text, name) for name in _TIMES}
    like = times["DUE"] or times["DTSTART"]
    if text.find("DTSTART"):
        text = text.without("DURATION")  # says when it is due, counted from its start
    for name, new, old in (("DTSTART", start, todo.start), ("DUE", due, todo.due)):
        if new is None:
            text = text.without(name)
        elif new != old or text.find("DUE") is None:
            text = text.with_line(name, time_line(name, new, times[name] or like))
    return text


_TIMES = ("DTSTART", "DUE")


def _changes_times(todo: Todo, edit: TodoEdit) -> bool:
    return any(
        not isinstance(new, Keep) and new != old
        for new, old in ((edit.due, todo.due), (edit.start, todo.start))
    )


def _title(summary: str) -> str:
    title = one_line(summary)
    if not title:
        raise WriteError("takes no todo without a title")
    return escape(title)


def _check_order(
    start: dt.date | dt.datetime | None, due: dt.date | dt.datetime | None, at: TurnTime
) -> None:
    """Refuse what would be due before it starts: readers would drop the start.

    Raises:
        WriteError: it would be.
    """
    if start is None or due is None:
        return
    zone = zoneinfo.ZoneInfo(at.timezone)
    days = [time.astimezone(zone).date() if isinstance(time, dt.datetime) else time
            for time in (start, due)]  # fmt: skip
    both_timed = isinstance(start, dt.datetime) and isinstance(due, dt.datetime)
    if (due < start) if both_timed else (days[1] < days[0]):
        raise WriteError("cannot be due before it starts", hint="change its start as well")


def _priority_line(priority: int) -> str:
    return f"PRIORITY:{min(max(priority, 1), _LOWEST_PRIORITY)}"


def _estimate_line(minutes: int) -> str:
    return f"ESTIMATED-DURATION:PT{minutes}M"


def _with_measures(text: ComponentText, todo: Todo, edit: TodoEdit) -> ComponentText:
    if not isinstance(edit.priority, Keep) and edit.priority != todo.priority:
        text = (
            text.with_line("PRIORITY", _priority_line(edit.priority))
            if edit.priority
            else text.without("PRIORITY")
        )
    minutes = edit.estimate_minutes
    if not isinstance(minutes, Keep) and minutes != todo.estimate_minutes:
        text = text.without("*ESTIMATED-DURATION")
        if text.find("DTSTART") is None and text.find("DUE") is None:
            text = text.without("DURATION")  # without a start it says how long it takes
        if minutes:
            text = text.with_line("ESTIMATED-DURATION", _estimate_line(minutes))
    return text


def _completed(text: ComponentText, at: TurnTime) -> ComponentText:
    """Return a todo as done now (RFC 5545 §3.8.2.1, §3.8.1.8, §3.8.1.11)."""
    text = text.with_line("STATUS", "STATUS:COMPLETED")
    text = text.with_line("COMPLETED", f"COMPLETED:{stamp(at.now)}")
    text = text.with_line("PERCENT-COMPLETE", "PERCENT-COMPLETE:100")
    return touched(text, at)
