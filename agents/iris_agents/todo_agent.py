"""The todo lists: what is open, what is overdue, what is due when, what is on which list.

Nothing is said of a list that was not read; one fact per list that failed says so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from iris_harness.contracts.day import DayPreferences, PlannedTodo, Todo
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceStatus
from iris_harness.contracts.tasks import Agent, AgentTask, Handler, Intent, RoutingRule, Rule
from iris_harness.planner import build_daily_plan, read_snapshots, refuse_impossible_time, words
from iris_harness.planner.frame import load_zone
from iris_harness.planner.states import state_facts

_OVERDUE = re.compile(r"\b(?:over ?due|late|missed)\b")
_ON_LIST = re.compile(r"\b(?:is|are|have|got) (?P<item>.+?) (?:already )?on (?:my|the) ")
_NAMED_LIST = re.compile(r"\b(?P<name>[^\W\d_]+) list\b")
_ANY_LIST = frozenset({"do", "todo", "task", "tasks", "my", "the", "a", "our", "current", "whole"})

_SHOW = r"(?:show me |show |read |list |open |what are )?"
_TODOS = r"(?:todos?|to dos?|tasks?|todo list|to do list|task list)"

_EXACT = (
    rf"{_SHOW}(?:all )?(?:my )?(?:open |pending |overdue )?{_TODOS}(?: for)?",
    rf"(?:what|which) {_TODOS} (?:are|do i have)(?: open| left| overdue| due)?",
    r"what is (?:overdue|due|on my (?:todo|to do|task) list|still open|left to do)",
    rf"(?:do i have |are there )?any (?:overdue |open )?{_TODOS}(?: due)?",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the agent that answers from the user's todo lists."""
    intent = Intent(
        name="todo.query",
        description="list your open todos",
        examples=(
            "show my todos",
            "what's overdue",
            "which tasks are due tomorrow",
            "what's on my shopping list",
            "is milk on my shopping list",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=43,
    )
    handler = _build_handler(ports.sources, ports.preferences)
    return Agent(name="todo", intents=(intent,), handler=handler, read_only=True)


def _build_handler(sources: SourcePorts, preferences: DayPreferences) -> Handler:
    unavailable = tuple(s for s in sources.unavailable if s.kind is SourceKind.TODO)
    lists = SourcePorts(todos=sources.todos, unavailable=unavailable)

    def handle(task: AgentTask) -> HandlerResult:
        refuse_impossible_time(task)
        now = task.asked_at.astimezone(load_zone(task.timezone))
        last = task.scope.days()[-1] if task.scope else now.date()
        days = (now.date(), max(last, now.date()))  # recurring todos are those of the last day
        snapshot = read_snapshots(lists, days, task.timezone, now)[0]
        statuses = snapshot.sources
        if any(status.was_read for status in statuses):
            plan = build_daily_plan(snapshot, preferences)
            facts = _answer(task, (*plan.todos, *plan.backlog), now, statuses)
        else:
            facts = [_unknown(statuses)]
        return HandlerResult(
            facts=(*facts, *state_facts(statuses, "list")),
            warnings=snapshot.warnings,
        )

    return handle


def _answer(
    task: AgentTask,
    todos: Sequence[PlannedTodo],
    now: dt.datetime,
    statuses: Sequence[SourceStatus],
) -> list[Fact]:
    """Return a sentence on how many todos there are of the kind asked for, then each, by rank."""
    utterance = task.utterance.lower()
    read = [status.name for status in statuses if status.was_read]
    complete = len(read) == len(statuses)
    known = {one.todo.list_name.lower() for one in todos if one.todo.list_name}
    named = _named_list(utterance, {*known, *(name.lower() for name in read)})
    if named is not None:
        todos = [one for one in todos if named in {one.todo.list_name.lower(), _source(one)}]
    place = f" on the list {named}" if named is not None else ""
    asked = _ON_LIST.search(utterance)
    if asked and not asked["item"].startswith(("anything", "something", "what")):
        limit = "" if complete else " that could be read"
        return _looked_up(asked["item"], todos, place or f" on your lists{limit}", read)
    missing = _unknown_list(utterance, named)
    chosen, kind = _chosen(task, utterance, todos, now)
    noun = "todo" if len(chosen) == 1 else "todos"
    count = str(len(chosen)) if chosen else "no"
    limit = "" if chosen or complete else " in what could be read"
    head = _statement(f"{missing}You have {count} {kind[0]}{noun}{kind[1]}{place}{limit}.", read)
    return [head, *map(_todo_fact, chosen)]


def _chosen(
    task: AgentTask, utterance: str, todos: Sequence[PlannedTodo], now: dt.datetime
) -> tuple[list[PlannedTodo], tuple[str, str]]:
    """Return the todos asked for, and the words before and after "todos" that say which."""
    if _OVERDUE.search(utterance):
        return [one for one in todos if one.overdue], ("overdue ", "")
    if task.scope is not None:
        due = [one for one in todos if _is_due_in(one.todo, task.scope)]
        return due, ("", f" due {_when(task.scope, now)}")
    return list(todos), ("open ", "")


def _is_due_in(todo: Todo, scope: Scope) -> bool:
    if isinstance(todo.due, dt.datetime):
        return scope.start <= todo.due < scope.end
    return todo.due is not None and todo.due in scope.days()


def _named_list(utterance: str, known: set[str]) -> str | None:
    """Return the known list that the utterance names, the longest name first; None: no list."""
    for name in sorted(known, key=lambda name: (-len(name), name)):
        if re.search(rf"\b{re.escape(name)}\b", utterance):
            return name
    return None


def _unknown_list(utterance: str, named: str | None) -> str:
    """Return a sentence on a list that is named but not there; empty when there is none."""
    asked = _NAMED_LIST.search(utterance)
    if named is not None or asked is None or asked["name"] in _ANY_LIST:
        return ""
    return f"I know no list called {asked['name']}. "


def _source(todo: PlannedTodo) -> str:
    return todo.todo.source.source.lower()


def _looked_up(
    item: str, todos: Sequence[PlannedTodo], place: str, read: Sequence[str]
) -> list[Fact]:
    found = [one for one in todos if item in one.todo.summary.lower()]
    answer = "Yes" if found else "No"
    be = "is" if found else "is not"
    head = _statement(f"{answer}, \u201c{item}\u201d {be}{place}.", read)
    return [head, *map(_todo_fact, found)]


def _when(scope: Scope, now: dt.datetime) -> str:
    days = scope.days()
    if days[0] != days[-1]:
        return f"from {words.day_name(days[0])} to {words.day_name(days[-1])}"
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}
    return near.get((days[0] - now.date()).days) or f"on {words.day_name(days[0])}"


def _unknown(statuses: Sequence[SourceStatus]) -> Fact:
    if not statuses:
        text = "No todo list is set up, so I cannot say what is on it; `iris setup` finds yours."
    else:
        text = "None of your todo lists could be read, so I cannot say what is on them."
    return Fact(kind=FactKind.STATEMENT, text=text)


def _statement(text: str, read: Sequence[str]) -> Fact:
    sources = tuple(SourceRef(source=name) for name in read)
    return Fact(kind=FactKind.STATEMENT, text=text, sources=sources)


def _todo_fact(planned: PlannedTodo) -> Fact:
    todo = planned.todo
    return Fact(
        kind=FactKind.TODO,
        text=f"{todo.summary}: {planned.reason}.",
        value={
            "summary": todo.summary,
            "due": todo.due.isoformat() if todo.due else None,
            "priority": todo.priority,
            "overdue": planned.overdue,
            "list": todo.list_name,
            "reason": planned.reason,
        },
        sources=(todo.source,),
    )
