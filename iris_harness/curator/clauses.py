"""Match what was understood with what was answered, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iris_harness.contracts.results import AgentResult
from iris_harness.contracts.routing import OUT_OF_SCOPE, Route
from iris_harness.contracts.tasks import AgentTask, TaskPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class Clause:
    """One part of the utterance with what came of it."""

    words: str
    """The part, in the user's words."""
    route: Route | None
    """How it was understood; None for a task nobody routed (a command, the briefing)."""
    task: AgentTask | None
    """None when no task was made of it."""
    result: AgentResult | None
    """None when there is no task, or the executor reported nothing about it."""


def match_clauses(
    plan: TaskPlan, routes: Sequence[Route], results: Sequence[AgentResult]
) -> tuple[Clause, ...]:
    """Return the clauses in spoken order, then the tasks that belong to none, in plan order."""
    by_task = {result.task_id: result for result in results}
    unclaimed = list(plan.tasks)
    clauses = [_clause(route, _claim(route, unclaimed), by_task) for route in routes]
    rest = (
        Clause(words=task.utterance, route=None, task=task, result=by_task.get(task.id))
        for task in unclaimed
    )
    return (*clauses, *rest)


def _clause(route: Route, task: AgentTask | None, by_task: Mapping[str, AgentResult]) -> Clause:
    result = by_task.get(task.id) if task else None
    return Clause(words=route.utterance, route=route, task=task, result=result)


def _claim(route: Route, unclaimed: list[AgentTask]) -> AgentTask | None:
    """Take the task that was made of `route` out of `unclaimed`; None when none was."""
    if route.agent is None or route.intent == OUT_OF_SCOPE:
        return None
    same = [t for t in unclaimed if (t.agent, t.intent) == (route.agent, route.intent)]
    exact = [task for task in same if task.utterance == route.utterance]
    for task in (*exact, *same):
        unclaimed.remove(task)
        return task
    return None
