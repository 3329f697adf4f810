"""The question why: which day, which item of it, and the explanation as a fact."""

from __future__ import annotations

import datetime as dt
import re

from iris_harness.contracts.day import DayPreferences, PlannedDay
from iris_harness.contracts.explain import DayItem, Explanation, Outcome
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.scopes import ScopeKind
from iris_harness.contracts.tasks import AgentTask, Handler
from iris_harness.contracts.zones import UserZones
from iris_harness.planner import words
from iris_harness.planner.explain import explain
from iris_harness.planner.handler import day_of, refuse_impossible
from iris_harness.planner.items import find_items
from iris_harness.planner.remembered import build_remembered_range
from iris_harness.planner.snapshot import read_days
from iris_harness.planner.states import state_facts

_TIMED = frozenset({ScopeKind.DAY_PART, ScopeKind.TIME_RANGE, ScopeKind.TIME, ScopeKind.DATETIME})
_ASKED = re.compile(
    r"^(?:and |but )?(?:why|how come|what would make|explain)"
    r"(?: (?:is|are|was|were|not|does|do|did|has|have|will|would|can|cannot|there))*\b",
    re.IGNORECASE,
)
MOST_NAMED = 6
"""Things that a question back names, at most."""


def build_explain_handler(ports: AgentPorts, preferences: DayPreferences) -> Handler:
    """Return a handler that says why something is where it is in the plan of one day.

    The day is `day_of` the task; the item is what the slot ``title``
    names, or what is on at the scope's time. The result holds one fact of kind `EXPLANATION`, or
    a `STATEMENT` that asks back or says that nothing is called that: it is never guessed.

    The handler raises `TaskError` for a scope of several days and for one that does not exist.
    """

    def handle(task: AgentTask) -> HandlerResult:
        refuse_impossible(task)
        day = _planned(ports, preferences, task)
        name = task.slots.get("title", "") or _ASKED.sub("", task.utterance).strip(" ?.!")
        items = find_items(day.plan, name, _moment(task))
        fact = _fact(explain(day, items[0])) if len(items) == 1 else _ask_back(day, name, items)
        return HandlerResult(
            facts=(fact, *state_facts(day.plan.sources, "source")),
            warnings=day.plan.warnings,
            declined=not items,
        )

    return handle


def _planned(ports: AgentPorts, preferences: DayPreferences, task: AgentTask) -> PlannedDay:
    days = (day_of(task),)
    zones = ports.zones or UserZones(home=task.timezone)
    snapshots = read_days(ports.sources, days, zones, task.asked_at)
    memories = ports.recall(days) if ports.recall else {}
    return build_remembered_range(snapshots, preferences, memories)[0]


def _moment(task: AgentTask) -> tuple[dt.datetime, dt.datetime] | None:
    """Return the time of day that was named; None for whole days."""
    scope = task.scope
    if scope is None or scope.kind not in _TIMED:
        return None
    if scope.kind is not ScopeKind.TIME:
        return scope.start, scope.end
    day = day_of(task)
    start = scope.start.replace(year=day.year, month=day.month, day=day.day)
    return start, start + (scope.end - scope.start)


def _fact(told: Explanation) -> Fact:
    cited = {source for reason in told.reasons for source in reason.sources}
    return Fact(
        kind=FactKind.EXPLANATION,
        text=_sentence(told),
        value=told,
        sources=tuple(sorted(cited | {source for source in (told.item.source,) if source})),
    )


def _sentence(told: Explanation) -> str:
    title, day = _quoted(told.item.title), words.day_name(told.date)
    if told.outcome is Outcome.UNPLACED or not told.item.times:
        return f"Why {title} has no time on {day}."
    return f"Why {title} is at {words.clock_text(told.item.times[0].start)} on {day}."


def _quoted(title: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{title}\N{RIGHT DOUBLE QUOTATION MARK}"


def _ask_back(day: PlannedDay, name: str, items: tuple[DayItem, ...]) -> Fact:
    quoted = _quoted(name)
    when = words.day_name(day.plan.date)
    if not items:
        text = f"Nothing in the plan of {when} is called {quoted}."
        return Fact(kind=FactKind.STATEMENT, text=text)
    named = [_named(item) for item in items[:MOST_NAMED]]
    more = len(items) - len(named)
    rest = [f"{more} more"] if more else []
    text = f"Several things on {when} fit {quoted}: {'; '.join((*named, *rest))}. Which one?"
    sources = {item.source for item in items if item.source}
    return Fact(kind=FactKind.STATEMENT, text=text, sources=tuple(sorted(sources)))


def _named(item: DayItem) -> str:
    at = f" at {words.clock_text(item.times[0].start)}" if item.times else ""
    return f"{item.title}{at} ({item.kind.value})"
