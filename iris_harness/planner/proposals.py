"""What is to become of a todo or an event that words name: which of the two is meant, is found.

"Move the report to friday" is about a todo or about an event, whichever there is. Both agents ask
here, so that the answer does not depend on which of them was thought of first.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.explain import ItemKind
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import due_of, new_start
from iris_harness.contracts.items import find_item
from iris_harness.contracts.ports import SourcePorts
from iris_harness.contracts.results import Choice, HandlerResult, Option
from iris_harness.contracts.sources import SourceRef
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import TaskError
from iris_harness.planner.frame import load_zone
from iris_harness.planner.handler import refuse_to_write
from iris_harness.planner.shifts import Shift, read_minutes, read_shift
from iris_harness.planner.snapshot import read_events, read_snapshots

_AHEAD_DAYS = 90
_MOST_NAMED = 4
_GENERIC = frozenset({
    "the", "my", "our", "a", "an", "todo", "task", "item", "event", "meeting", "appointment",
    "call",
})  # fmt: skip
_NOUNS = {
    ItemKind.TODO: frozenset({"todo", "todos", "task", "tasks"}),
    ItemKind.EVENT: frozenset({"event", "meeting", "appointment"}),
}
_MARKS = "\"'\u201c\u201d\u2018\u2019"
_KIND = "kind"
"""The slot that says what is meant, once the user has chosen."""
_BACK = frozenset({"it", "that", "this", "them", "those", "these", "that one", "this one"})
"""Words for what the request before was about."""

Proposer: TypeAlias = Callable[[AgentTask], HandlerResult]


def build_change_proposer(sources: SourcePorts, own: ItemKind) -> Proposer:
    """Return what proposes a change to the todo or event that a task names.

    The slots ``title`` and ``change`` say which and what. Where both a todo and an event are
    meant equally, the result is a question; where nothing is, it is taken for one of `own`, and
    the runner says what is near.

    It raises `TaskError` where it is not said what is to become of it, and `UsageError` where it
    is moved to no time.
    """

    def propose(task: AgentTask) -> HandlerResult:
        if not task.is_tried:
            refuse_to_write(task)
        title = meant_title(task)
        by = read_shift(task) if _verb(task) == "move" else None
        if by is not None:
            named = replace(task, slots={**task.slots, "title": by.title})
            return _shifted(sources, task, by._replace(title=meant_title(named)))
        kind = _said_kind(task, title)
        if kind is not None:
            return proposed(kind, title, _action(kind, task, title))
        found = find_named(sources, task, title)
        if task.is_tried and not found:
            return HandlerResult(declined=True)
        kinds = {one.kind for one in found}
        if len(kinds) > 1:
            return _ask_back(title, found)
        kind = next(iter(kinds), own)
        try:
            refuse_to_write(task)
            return proposed(kind, title, _action(kind, task, title))
        except TaskError as error:
            if not task.is_tried:
                raise
            return _told(error)  # what is named is there, so that this is its answer

    return propose


def _told(error: TaskError) -> HandlerResult:
    text = f"{error.message[:1].upper()}{error.message[1:]} ({error.hint})."
    return HandlerResult(facts=(Fact(kind=FactKind.STATEMENT, text=text),))


def proposed(kind: ItemKind, title: str, action: Action) -> HandlerResult:
    """Return a change with what it is about, of which the next request may speak ("skip it")."""
    fact = Fact(
        kind=FactKind.TODO if kind is ItemKind.TODO else FactKind.EVENT,
        text=f"{title}: {action.kind}.",
        value={"summary": title},
    )
    return HandlerResult(facts=(fact,), actions=(action,))


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """A todo, or an event (of a series the first occurrence)."""

    kind: ItemKind
    title: str
    source: SourceRef
    keys: tuple[str, ...]
    at: dt.date | dt.datetime | None
    """When an event begins, or a todo is due."""


def find_named(sources: SourcePorts, task: AgentTask, title: str) -> tuple[Named, ...]:
    """Return the open todos and the events ahead that `title` fits best."""
    zone = load_zone(task.timezone)
    today = task.asked_at.astimezone(zone).date()
    lists = SourcePorts(todos=sources.todos)
    todos = read_snapshots(lists, (today,), task.timezone, task.asked_at)[0].todos
    days = (today, today + dt.timedelta(days=_AHEAD_DAYS - 1))
    events = read_events(sources.calendars, days, task.timezone, task.asked_at).events
    items = [
        Named(
            kind=ItemKind.TODO,
            title=todo.summary,
            source=todo.source,
            keys=(todo.uid, todo.source.locator),
            at=todo.due,
        )
        for todo in todos
    ]
    series: dict[tuple[str, str], Named] = {}
    for event in events:
        if event.takes_place:
            named = Named(
                kind=ItemKind.EVENT,
                title=event.summary,
                source=event.source,
                keys=(event.uid, event.source.locator),
                at=event.start,
            )
            series.setdefault((event.calendar, event.uid), named)
    items += series.values()
    return find_item(title, items, _GENERIC).found


def meant_title(task: AgentTask) -> str:
    """Return what is named; for "it" what the request before was about.

    Raises:
        TaskError: nothing is.
    """
    title = task.slots.get("title", "")
    if title.lower() in _BACK:
        before = _before(task)
        if len(before) == 1:
            return before[0]
        raise TaskError(
            f"I do not know what “{title}” is"
            if not before
            else f"“{title}” may be several things",
            hint="name it",
        )
    if not title:
        raise TaskError(
            "I did not understand what is meant, and what is to become of it",
            hint="say, as in: move “dentist” to friday at 10",
        )
    return title


def _verb(task: AgentTask) -> str:
    """Return what is to become of it: ``move``, ``delete`` or ``done``; else the user's verb."""
    change = task.slots.get("change", "").lower()
    return _CHANGES.get(change, change)


def _shifted(sources: SourcePorts, task: AgentTask, by: Shift) -> HandlerResult:
    """Return the item moved by a length, from where it is.

    Raises:
        TaskError: nothing is called so, or it is a day and is to be moved by hours.
    """
    found = find_named(sources, task, by.title)
    if not found:
        if task.is_tried:
            return HandlerResult(declined=True)
        raise TaskError(f"nothing is called “{by.title}”", hint="name a todo or an event")
    if len(found) > 1:
        return _ask_back(by.title, found)
    (one,) = found
    if one.at is None:
        text = f"“{one.title}” has no due date; name the day on which it is to be due."
        return HandlerResult(
            facts=(Fact(kind=FactKind.STATEMENT, text=text, sources=(one.source,)),)
        )
    at = by.from_time(one.at, load_zone(task.timezone))
    arguments: dict[str, Json] = {"item": by.title}
    if one.kind is ItemKind.TODO:
        action = Action(kind=ActionKind.TODO_MOVE, arguments={**arguments, "due": at.isoformat()})
        return proposed(one.kind, by.title, action)
    day = one.at.date() if isinstance(one.at, dt.datetime) else one.at
    arguments |= {"start": at.isoformat(), "on": day.isoformat()}
    return proposed(one.kind, by.title, Action(kind=ActionKind.EVENT_MOVE, arguments=arguments))


def _before(task: AgentTask) -> list[str]:
    """Return what the requests that a task depends on were about, by name."""
    results = (task.inputs[one].result for one in task.depends_on if one in task.inputs)
    facts = (fact for result in results if result for fact in result.facts)
    named = (fact.value for fact in facts if fact.kind in {FactKind.TODO, FactKind.EVENT})
    titles = (value.get("summary") for value in named if isinstance(value, dict))
    return list(dict.fromkeys(title for title in titles if isinstance(title, str)))


def _said_kind(task: AgentTask, title: str) -> ItemKind | None:
    """Return what the user says it is; None where that is open."""
    chosen = task.slots.get(_KIND)
    if chosen:
        return ItemKind(chosen)
    if task.slots.get("change") == "done" or "list" in task.slots:
        return ItemKind.TODO
    said = set(task.utterance.lower().split()) - set(title.lower().split())
    said |= set(title.lower().split()[-1:])
    return next((kind for kind, nouns in _NOUNS.items() if said & nouns), None)


def _ask_back(title: str, found: Sequence[Named]) -> HandlerResult:
    shown = found[:_MOST_NAMED]
    labels = [f"the {one.kind.value} “{one.title}”" for one in shown]
    either = f"{', '.join(labels[:-1])} or {labels[-1]}"
    text = f"Which “{title}”: {either}?"
    return HandlerResult(
        facts=(
            Fact(
                kind=FactKind.STATEMENT,
                text=text,
                sources=tuple(dict.fromkeys(one.source for one in shown)),
            ),
        ),
        choice=Choice(
            options=tuple(
                Option(label=f"the {one.kind.value} {one.title}",
                       slots={_KIND: one.kind.value, "title": one.title})
                for one in shown
            )
        ),
    )  # fmt: skip


def _action(kind: ItemKind, task: AgentTask, title: str) -> Action:
    """Return the change.

    Raises:
        TaskError: it is not said which.
    """
    make = _ACTIONS.get((kind, _verb(task)))
    if make is None:
        raise TaskError(
            f"I did not understand what is to become of “{title}”",
            hint="say, as in: move it to friday, cancel it, or mark it as done",
        )
    return make(task, title)


def _move_todo(task: AgentTask, title: str) -> Action:
    arguments: dict[str, Json] = {"item": title}
    if task.scope is not None:
        arguments["due"] = due_of(task.scope).isoformat()
    if "list" in task.slots:
        arguments["to_list"] = task.slots["list"]
    return Action(kind=ActionKind.TODO_MOVE, arguments=arguments)


def _end_todo(kind: ActionKind) -> Callable[[AgentTask, str], Action]:
    def end(task: AgentTask, title: str) -> Action:
        arguments: dict[str, Json] = {"item": title}
        if "list" in task.slots:
            arguments["list"] = task.slots["list"]
        return Action(kind=kind, arguments=arguments)

    return end


def _move_event(task: AgentTask, title: str) -> Action:
    arguments: dict[str, Json] = {"item": title}
    if task.scope is not None:
        arguments |= new_start(task.scope)
    return Action(kind=ActionKind.EVENT_MOVE, arguments=arguments)


def _delete_event(task: AgentTask, title: str) -> Action:
    arguments: dict[str, Json] = {"item": title}
    days = task.scope.days() if task.scope is not None else ()
    if len(days) == 1:
        arguments["on"] = days[0].isoformat()
    return Action(kind=ActionKind.EVENT_DELETE, arguments=arguments)


def _rename_todo(task: AgentTask, title: str) -> Action:
    arguments: dict[str, Json] = {"item": title, "title": _new_title(task, title)}
    return Action(kind=ActionKind.TODO_RENAME, arguments=arguments)


def _set_todo(task: AgentTask, title: str) -> Action:
    """Return another priority or length.

    Raises:
        TaskError: it is not said which.
    """
    arguments: dict[str, Json] = {"item": title}
    if "length" in task.slots:
        minutes = read_minutes(task.slots["length"])
        if minutes is None:
            raise TaskError(f"it is not said how long “{title}” takes", hint="say, as in: 2 hours")
        arguments["estimate_minutes"] = minutes
    else:
        said = task.slots.get("priority", task.slots["change"]).lower()
        arguments["priority"] = int(said) if said.isdecimal() else _PRIORITIES[said]
    return Action(kind=ActionKind.TODO_SET, arguments=arguments)


def _set_event(_task: AgentTask, title: str) -> Action:
    raise TaskError(
        f"“{title}” is an event; only todos have a priority and a length of their own",
        hint="change it where you keep your calendar",
    )


def _new_title(task: AgentTask, title: str) -> str:
    """Return what a todo is to be called: all that was said of it, words of time too.

    Raises:
        TaskError: it is not said.
    """
    said = " ".join(task.utterance.split())
    named = re.search(
        rf"{re.escape(title)}\s+(?:to|as|into)\s+(?P<new>.+?)[.!?\s]*$", said, re.IGNORECASE
    )
    new = named["new"].strip(_MARKS) if named else task.slots.get("text", "")
    if not new:
        raise TaskError(f"it is not said what “{title}” is to be called", hint="rename it to …")
    return new


def _rename_event(_task: AgentTask, title: str) -> Action:
    raise TaskError(
        f"“{title}” is an event, and I can give other titles to todos only",
        hint="rename it where you keep your calendar",
    )


_CHANGES = {
    **dict.fromkeys(("remove", "drop", "cancel", "scratch", "erase", "bin", "scrap"), "delete"),
    **dict.fromkeys(
        (
            "postpone",
            "push",
            "reschedule",
            "shift",
            "delay",
            "defer",
            "bring",
            "change",
            "shove",
            "bump",
            "put",
            "schedule",
            "set",
            "make",
            "due",
        ),
        "move",
    ),
    **dict.fromkeys(
        (
            "priority",
            "prio",
            "urgent",
            "important",
            "take",
            "takes",
            "need",
            "needs",
            "estimate",
            "length",
            "duration",
        ),
        "set",
    ),
    **dict.fromkeys(("name", "title", "retitle", "relabel"), "rename"),
    **dict.fromkeys(
        (
            "finish",
            "complete",
            "finished",
            "completed",
            "did",
            "tick",
            "tick off",
            "check off",
            "cross off",
            "strike off",
            "scratch off",
        ),
        "done",
    ),
}
"""What verbs mean."""
_PRIORITIES: dict[str, int | None] = {
    **dict.fromkeys(("urgent", "important", "high", "higher", "highest", "top"), 1),
    **dict.fromkeys(("medium", "normal", "middle"), 5),
    **dict.fromkeys(("low", "lower", "lowest"), 9),
    "no": None,
}
"""RFC 5545 §3.8.1.9: 1 is high, 5 medium, 9 low."""
_ACTIONS: dict[tuple[ItemKind, str], Callable[[AgentTask, str], Action]] = {
    (ItemKind.TODO, "move"): _move_todo,
    (ItemKind.TODO, "done"): _end_todo(ActionKind.TODO_DONE),
    (ItemKind.TODO, "delete"): _end_todo(ActionKind.TODO_DELETE),
    (ItemKind.TODO, "rename"): _rename_todo,
    (ItemKind.TODO, "set"): _set_todo,
    (ItemKind.EVENT, "move"): _move_event,
    (ItemKind.EVENT, "delete"): _delete_event,
    (ItemKind.EVENT, "rename"): _rename_event,
    (ItemKind.EVENT, "set"): _set_event,
}
