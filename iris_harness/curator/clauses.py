"""Match what was understood with what was answered, clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.contracts.results import AgentResult, TaskState
from iris_harness.contracts.routing import OUT_OF_SCOPE, Decision, Route
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
    lacks: tuple[str, ...] = ()
    """Agents whose answer its task depends on and which gave none, in the task's order."""


def match_clauses(
    plan: TaskPlan, routes: Sequence[Route], results: Sequence[AgentResult]
) -> tuple[Clause, ...]:
    """Return the clauses in spoken order, then the tasks that belong to none, in plan order."""
    matcher = _Matcher(plan, results)
    clauses = [matcher.clause(route.utterance, route, matcher.claim(route)) for route in routes]
    return (*clauses, *(matcher.clause(t.utterance, None, t) for t in matcher.unclaimed))


class _Matcher:
    def __init__(self, plan: TaskPlan, results: Sequence[AgentResult]) -> None:
        self.unclaimed = list(plan.tasks)
        self._agents = {task.id: task.agent for task in plan.tasks}
        self._results = {result.task_id: result for result in results}

    def claim(self, route: Route) -> AgentTask | None:
        """Take the task that was made of `route`; None when none was."""
        if route.agent is None or route.intent == OUT_OF_SCOPE or route.decision is Decision.ASK:
            return None
        same = [t for t in self.unclaimed if (t.agent, t.intent) == (route.agent, route.intent)]
        exact = [task for task in same if task.utterance == route.utterance]
        for task in (*exact, *same):
            self.unclaimed.remove(task)
            return task
        return None

    def clause(self, words: str, route: Route | None, task: AgentTask | None) -> Clause:
        """Put a clause together."""
        if task is None:
            return Clause(words=words, route=route, task=None, result=None)
        lacks = dict.fromkeys(
            self._agents[needed] for needed in task.depends_on if not self._is_ok(needed)
        )
        result = self._results.get(task.id)
        return Clause(words=words, route=route, task=task, result=result, lacks=tuple(lacks))

    def _is_ok(self, task_id: str) -> bool:
        result = self._results.get(task_id)
        return result is not None and result.state is TaskState.OK
