"""Actions on todos, made ready."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.world import World, exact_instant
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.changes import Change, TodoDraft, TodoEdit
from iris_harness.contracts.day import Todo
from iris_harness.curator.actions import Wording
from iris_harness.errors import ActionError

_ISO_DAY = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")


def prepare_add(arguments: Arguments, world: World) -> Prepared:
    """Return a new todo, ready to be written."""
    draft = TodoDraft(
        summary=arguments.text("summary"),
        due=arguments.moment("due"),
        priority=arguments.priority(),
        estimate_minutes=arguments.minutes(),
    )
    place, changes = world.targets.add_todo(draft, arguments.maybe_text("list"))
    return _prepared(
        ActionKind.TODO_ADD, world.words.todo_added(draft, place), place, changes, world
    )


def prepare_done(arguments: Arguments, world: World) -> Prepared:
    """Return that a todo is done, ready to be written."""
    todo, place = _named(arguments, world)
    changes = world.targets.todo_list(place).done(todo, world.at)
    wording = world.words.wording("todo.done", title=todo.summary, place=place)
    return _prepared(ActionKind.TODO_DONE, wording, place, changes, world)


def prepare_delete(arguments: Arguments, world: World) -> Prepared:
    """Return that a todo is taken off its list, ready to be written."""
    todo, place = _named(arguments, world)
    changes = world.targets.todo_list(place).delete(todo, world.at)
    wording = world.words.wording("todo.delete", title=todo.summary, place=place)
    return _prepared(ActionKind.TODO_DELETE, wording, place, changes, world)


def prepare_rename(arguments: Arguments, world: World) -> Prepared:
    """Return another title for a todo, ready to be written."""
    title = arguments.text("title")
    todo, place = _named(arguments, world)
    changes = world.targets.todo_list(place).edit(todo, TodoEdit(summary=title), world.at)
    wording = world.words.wording("todo.rename", title=todo.summary, other=title)
    return _prepared(ActionKind.TODO_RENAME, wording, place, changes, world)


def prepare_set(arguments: Arguments, world: World) -> Prepared:
    """Return another priority or length for a todo, ready to be written."""
    edit, said = TodoEdit(), []
    if "priority" in arguments:
        priority = arguments.priority()
        edit = replace(edit, priority=priority)
        said.append(world.words.priority(priority))
    if "estimate_minutes" in arguments:
        minutes = arguments.minutes()
        edit = replace(edit, estimate_minutes=minutes)
        said.append(world.words.length(minutes))
    if not said:
        raise ActionError("it is not said what is to be set", hint="name a priority or a length")
    todo, place = _named(arguments, world)
    changes = world.targets.todo_list(place).edit(todo, edit, world.at)
    wording = world.words.wording("todo.set", title=todo.summary, details=", ".join(said))
    return _prepared(ActionKind.TODO_SET, wording, place, changes, world)


def prepare_move(arguments: Arguments, world: World) -> Prepared:
    """Return another due date or another list for a todo, ready to be written."""
    todo, place = _named(arguments, world)
    other = arguments.maybe_text("to_list")
    if other is not None:
        return _to_list(todo, other, arguments, world)
    if "due" not in arguments:
        raise ActionError("it is not said where to move it", hint="name a day or a list")
    due = _due_of(todo, arguments, world)
    changes = world.targets.todo_list(place).edit(todo, TodoEdit(due=due), world.at)
    if due is None:
        wording = world.words.wording("todo.no_due", title=todo.summary)
    else:
        wording = world.words.wording("todo.due", title=todo.summary, when=world.words.when(due))
    return _prepared(ActionKind.TODO_MOVE, wording, place, changes, world)


def _due_of(todo: Todo, arguments: Arguments, world: World) -> dt.date | dt.datetime | None:
    """Return the new due date; a day alone keeps the time of day that the todo is due at."""
    due = arguments.moment("due")
    if due is None or isinstance(due, dt.datetime) or not isinstance(todo.due, dt.datetime):
        return due
    zone = ZoneInfo(world.at.timezone)
    return exact_instant(due, todo.due.astimezone(zone).time(), zone, world.words)


def _to_list(todo: Todo, other: str, arguments: Arguments, world: World) -> Prepared:
    place = todo.source.source
    target = world.targets.todo_list(other)
    if target.name == place:
        raise ActionError(f"“{todo.summary}” is on {place} already")
    due = _due_of(todo, arguments, world) if "due" in arguments else todo.due
    draft = TodoDraft(
        summary=todo.summary,
        due=due,
        start=todo.start,
        priority=todo.priority,
        estimate_minutes=todo.estimate_minutes,
    )
    details = f", due {world.words.when(due)}" if due and due != todo.due else ""
    wording = world.words.wording(
        "todo.list", title=todo.summary, place=place, other=target.name, details=details
    )
    added = target.add(draft, world.at)
    removed = world.targets.todo_list(place).delete(todo, world.at)
    return _prepared(ActionKind.TODO_MOVE, wording, target.name, (*added, *removed), world)


def _named(arguments: Arguments, world: World) -> tuple[Todo, str]:
    todo = world.todo_of(arguments)
    return todo, todo.source.source


def _prepared(
    kind: ActionKind, wording: Wording, target: str, changes: tuple[Change, ...], world: World
) -> Prepared:
    return Prepared(
        kind=kind, wording=noted(wording, changes, world), target=target, changes=changes
    )


def noted(wording: Wording, changes: tuple[Change, ...], world: World) -> Wording:
    """Return the wording with what else the changes bring, as the writers say it.

    Writers know no language: a day in their notes is ISO 8601, and said here as everywhere.
    """
    found = (_ISO_DAY.sub(lambda day: _said_day(day[0], world), one.note) for one in changes)
    notes = "".join(f"; {note}" for note in found if note)
    return Wording(preview=wording.preview + notes, outcome=wording.outcome + notes)


def _said_day(text: str, world: World) -> str:
    try:
        return world.words.day(dt.date.fromisoformat(text))
    except ValueError:  # a day that does not exist
        return text
