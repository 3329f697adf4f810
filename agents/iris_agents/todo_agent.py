"""The todo lists: what is open, what is overdue, what is due when, what is on which list.

Nothing is said of a list that was not read; one fact per list that failed says so. What is to be
changed is proposed as an action, in the user's own words; nothing is changed here.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences, PlannedTodo, Todo
from iris_harness.contracts.explain import ItemKind
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.intended import due_of, upcoming
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.resolution import Match
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceStatus
from iris_harness.contracts.tasks import Agent, AgentTask, Handler, Intent, RoutingRule, Rule
from iris_harness.errors import TaskError
from iris_harness.planner import (
    build_change_proposer,
    build_daily_plan,
    build_person_finder,
    read_snapshots,
    refuse_impossible,
    refuse_to_write,
    which_person,
    words,
)
from iris_harness.planner.frame import load_zone
from iris_harness.planner.proposals import find_named, proposed
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
    r"(?:do i have |is there )?anything due(?: on| by)?",
    r"(?:do i have |is )?(?:there )?any(?:thing| todos?| tasks?) (?:still )?(?:overdue|late)",
)

_ABOUT_ONE = (
    r"when (?:is|are) (?:the |my )?(?P<title>.+?) due",
    (
        r"(?P<done>did|have) i (?:already |just )?(?:finish|finished|do|done|complete|completed)? ?"
        r"(?P<title>.+?)(?: yet| already)?"
    ),
    r"(?P<done>is|are) (?:the |my )?(?P<title>.+?) (?:done|finished|still open|open)(?: yet)?",
    r"how long (?:does|will|is|do) (?:the |my )?(?P<title>.+?)(?: take| going to take| need)?",
)
"""Questions about one todo, where there is one of the name."""

_A_LIST = r"(?:my|the|our) (?:[\w-]+ ){0,2}?(?:list|todos|to dos|tasks)"
_A_TODO = r"(?:todo|to do|task)"
_ADD = (
    (
        r"(?:add|put|append|write|note|jot|stick|pop|chuck|bung|throw)(?: down)? .+ "
        rf"(?:to|on|onto|in) {_A_LIST}(?: due| by)?"
    ),
    rf"(?:add|create|make|note)(?: me)?(?: an?)?(?: new)? {_A_TODO}(?: called| named| to)? .+",
    rf"new {_A_TODO} .+",
    (  # a quotation, as rules see it
        r"(?:add|note|note down|write down|jot down) something(?: due(?: on| by| at)?)?"
        r"(?: (?:with )?(?:high |low |top )?(?:priority|prio)(?: \w+)?)?"
    ),
)
_CALLED = "person"
"""The slot of whom to call: only what could not be done otherwise becomes a todo."""
_CALL = rf"(?P<title>(?:call|phone|ring)(?: up)? (?P<{_CALLED}>[^,]+))"

_CHANGE = (
    r"(?:mark|set|check|tick) .+ (?:as )?(?:done|complete|completed|finished)",
    rf"(?:tick|check|cross|strike|scratch|score) (?:off .+|.+ off)(?: {_A_LIST})?",
    rf"rename (?:the |my )?{_A_TODO} .+ (?:to|as|into) .+",
    rf"(?:move|transfer|shift) .+ (?:to|onto) {_A_LIST}",
    rf"(?:complete|finish|delete|remove) (?:the |my )?{_A_TODO} .+",
    rf"(?:delete|remove|take|cross|strike) .+ (?:from|off) {_A_LIST}",
    rf"(?:move|postpone) (?:the |my )?{_A_TODO} .+",
)
_END = r"(?: (?:to|until|till|by|for|on))?"
"""What stands before the words of time, which are taken out."""
_AN_ITEM = rf"(?:the |my )?(?:{_A_TODO} )?(?P<title>.+?)"
_LEVEL = r"(?P<priority>[1-9]|high(?:er|est)?|top|medium|normal|middle|low(?:er|est)?|no)"
_PRIORITY = r"(?P<change>priority|prio)"
_LENGTH = r"(?P<length>(?:half an|[a-z]+|\d+(?:\.\d+)?) ?(?:m|min|h|hr|minute|hour)s?\b.*)"
_SET_IT = (
    rf"(?:make|set|mark|give|change) {_AN_ITEM}(?: to| as| an?)*? {_LEVEL} {_PRIORITY}",
    rf"(?:make|set|mark|give|change) {_AN_ITEM}(?: to| as)? {_PRIORITY}(?: to)? {_LEVEL}",
    (
        rf"(?:make|set|change|raise|lower|give) (?:the )?{_PRIORITY} (?:of|for|on|to) "
        rf"{_AN_ITEM} (?:to|as) {_LEVEL}"
    ),
    rf"(?:make|mark|flag) {_AN_ITEM}(?: as)? (?P<change>urgent|important)",
    (
        rf"(?!(?:what|which|who|how|when|where|is|are)\b){_AN_ITEM} (?:is|are) "
        r"(?:now |very |really |so )?(?P<change>urgent|important)"
    ),
    (
        rf"(?!how\b){_AN_ITEM} (?:will |should |is going to |may |might |only |probably )*"
        rf"(?P<change>takes?|needs?) (?:me |about |only |at least |roughly |around )*{_LENGTH}"
    ),
    (
        r"(?:set|change) (?:the )?(?P<change>estimate|length|duration) (?:of|for) "
        rf"{_AN_ITEM} to {_LENGTH}"
    ),
)
"""What makes a todo more or less urgent, longer or shorter."""
_CHANGE_IT = (
    *_SET_IT,
    rf"(?P<change>rename|retitle|relabel) {_AN_ITEM} (?:to|as|into) (?P<text>.+)",
    rf"change (?:the )?(?P<change>name|title) of {_AN_ITEM} (?:to|into) (?P<text>.+)",
    rf"change (?:the |my )?(?P<change>due)(?: date| day)? (?:of|for) {_AN_ITEM}{_END}",
    rf"(?:make|set|change|mark) {_AN_ITEM} (?:to be |as )?(?P<change>due){_END}",
    rf"{_AN_ITEM} (?:is|are) (?:now )?(?P<change>due){_END}",
    rf"(?P<change>put|push|move|bring) (?:off|back|out|forward) {_AN_ITEM}{_END}",
    rf"(?P<change>put|push|move|bring) {_AN_ITEM} (?:off|back|out|forward){_END}",
    rf"(?P<change>put|schedule|set) {_AN_ITEM}{_END}",
    rf"(?P<change>(?:tick|check|cross|strike|scratch) off) {_AN_ITEM}",
    (
        r"(?P<change>delete|remove|drop|cancel|scratch|erase|bin|scrap|change|move|postpone|push|"
        r"reschedule|shift|delay|defer|shove|bump|bring|finish|complete|tick) "
        rf"{_AN_ITEM}{_END}"
    ),
    (
        r"(?:(?:i am|i'm|im|we are|we're|all|i have|i've|i|we)(?: just| already| now)? )?"
        rf"(?P<change>done|finished|completed|did)(?: with)? {_AN_ITEM}(?: already| now)?"
    ),
    rf"{_AN_ITEM} (?:is|are) (?:now |all |already )?(?P<change>done|finished|complete|completed)",
)
"""About a todo or an event, whichever there is."""


def agent(ports: AgentPorts) -> Agent:
    """Return the agent that answers from the user's todo lists, and proposes changes to them."""
    query = Intent(
        name="todo.query",
        description="list your open todos",
        examples=(
            "show my todos",
            "what's overdue",
            "which tasks are due tomorrow",
            "what's on my shopping list",
            "is milk on my shopping list",
        ),
        rules=(
            *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
            *(RoutingRule(pattern=pattern, kind=Rule.EVIDENCE) for pattern in _ABOUT_ONE),
        ),
        priority=43,
    )
    answer = _build_handler(ports.sources, ports.preferences)
    lists = SourcePorts(todos=ports.sources.todos)
    proposers: dict[Intent, Handler] = {
        _add_intent(): _build_adder(ports),
        _change_intent(): _build_changer(ports),
    }
    by_name = {intent.name: propose for intent, propose in proposers.items()}
    about = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _ABOUT_ONE)

    def handle(task: AgentTask) -> HandlerResult:
        if "title" not in task.slots:
            said = task.utterance.strip(" ?.!")
            named = next(filter(None, (pattern.fullmatch(said) for pattern in about)), None)
            found = _of_one(lists, replace(task, slots=_said(named))) if named else None
            if found is not None and not found.declined:
                return found
        return by_name.get(task.intent, answer)(task)

    return Agent(name="todo", intents=(query, *proposers), handler=handle, read_only=True)


def _add_intent() -> Intent:
    return Intent(
        name="todo.add",
        description="add a todo to your list",
        examples=(
            "add 'buy milk' to my list",
            "put eggs on the shopping list",
            "add a todo to call mum tomorrow",
            "new task: write the report by friday",
        ),
        rules=(
            *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _ADD),
            RoutingRule(pattern=_CALL, kind=Rule.EVIDENCE),
        ),
        priority=46,
        writes=True,
    )


def _change_intent() -> Intent:
    return Intent(
        name="todo.change",
        description="tick off, move, rename or delete a todo",
        examples=(
            "mark buy milk as done",
            "tick off buy milk",
            "remove eggs from the shopping list",
            "move the task write report to friday",
        ),
        rules=(
            *(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _CHANGE),
            *(RoutingRule(pattern=pattern, kind=Rule.EVIDENCE) for pattern in _CHANGE_IT),
        ),
        priority=47,
        kin=("calendar.change",),
        writes=True,
    )


def _build_adder(ports: AgentPorts) -> Handler:
    """Return what proposes a new todo.

    It raises `TaskError` for one that is to repeat, which no draft can say.
    """
    find = build_person_finder(ports.sources.contacts)

    def propose(task: AgentTask) -> HandlerResult:
        refuse_to_write(task)
        said = task.slots.get(_CALLED)
        if said is None:
            return _new(task)
        person = find(task, said.removeprefix("my "))
        if person is None or person.resolution.match is Match.UNKNOWN:
            return HandlerResult(declined=True)
        if person.resolution.match is not Match.AMBIGUOUS:
            return replace(_new(task), text="I cannot make calls.")
        asked = which_person(person.said, person.resolution.candidates, _calling)
        return HandlerResult(facts=(asked.fact,), choice=asked.choice)

    return propose


def _build_changer(ports: AgentPorts) -> Handler:
    """Return what proposes a change, of a priority and a length too, however it was routed."""
    patterns = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _SET_IT)
    change = build_change_proposer(ports.sources, ItemKind.TODO)

    def propose(task: AgentTask) -> HandlerResult:
        said = " ".join(task.utterance.split()).strip(" .!")
        named = next(filter(None, (pattern.fullmatch(said) for pattern in patterns)), None)
        return change(
            task if named is None else replace(task, slots={**task.slots, **_said(named)})
        )

    return propose


def _calling(name: str) -> dict[str, str]:
    return {"title": f"call {name}", _CALLED: name}


def _new(task: AgentTask) -> HandlerResult:
    """Return the todo that is to be written down; what is missing in it is the runner's to say."""
    if "repeat" in task.slots:
        raise TaskError("I cannot write down what repeats yet", hint="leave out how often it is")
    title = task.slots.get("title")
    arguments: dict[str, Json] = {"summary": title}
    if "list" in task.slots:
        arguments["list"] = task.slots["list"]
    if task.scope is not None:
        arguments["due"] = due_of(upcoming(task.scope, task.asked_at)).isoformat()
    for slot, argument in (("priority", "priority"), ("duration_minutes", "estimate_minutes")):
        if slot in task.slots:
            arguments[argument] = int(task.slots[slot])
    action = Action(kind=ActionKind.TODO_ADD, arguments=arguments)
    return proposed(ItemKind.TODO, title or "", action)


def _build_handler(sources: SourcePorts, preferences: DayPreferences) -> Handler:
    unavailable = tuple(s for s in sources.unavailable if s.kind is SourceKind.TODO)
    lists = SourcePorts(todos=sources.todos, unavailable=unavailable)

    def handle(task: AgentTask) -> HandlerResult:
        refuse_impossible(task)
        if task.is_tried:
            return _of_one(lists, task)
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


def _said(match: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in match.groupdict().items() if text}


def _of_one(lists: SourcePorts, task: AgentTask) -> HandlerResult:
    """Return what is known of the one todo that is named; declined where there is none."""
    now = task.asked_at.astimezone(load_zone(task.timezone))
    snapshot = read_snapshots(lists, (now.date(),), task.timezone, now)[0]
    plan = build_daily_plan(snapshot, DayPreferences())
    ranked = {one.todo.source: one for one in (*plan.todos, *plan.backlog)}
    title = task.slots.get("title", "")
    named = [one for one in find_named(lists, task, title) if one.source in ranked]
    if len(named) != 1:
        return HandlerResult(declined=True)
    one = ranked[named[0].source]
    text = f"{one.todo.summary}: {one.reason}{_takes(one.todo)}."
    if "done" in task.slots:
        text = f"Not yet: {one.todo.summary} is still open, {one.reason}."
    fact = replace(_todo_fact(one), text=text)
    return HandlerResult(facts=(fact,), warnings=snapshot.warnings)


def _takes(todo: Todo) -> str:
    length = todo.estimate_minutes
    return f", takes {words.duration_text(length)}" if length else ", names no length"


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
