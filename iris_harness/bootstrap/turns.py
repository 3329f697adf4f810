"""From routes to a task plan."""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from iris_harness.contracts.routing import OUT_OF_SCOPE, AgentIntents, Decision, Route, Tier
from iris_harness.contracts.tasks import AgentTask, TaskPlan


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnContext:
    """What all tasks of a turn have in common."""

    id: str
    session_id: str
    asked_at: dt.datetime
    """The turn's one "now", aware, UTC."""
    timezone: str
    locale: str
    shown_on: dt.date | None = None
    """The day that the conversation was shown last; None: none."""


def build_task_plan(
    utterance: str, routes: Sequence[Route], turn: TurnContext, writing: Container[str] = ()
) -> TaskPlan:
    """Return one task for every clause that an installed agent answers.

    A clause that has to be asked about makes no task. Task ids are ``t1``, ``t2``, … by the
    clause's position, so one without a task leaves a gap; a dependency on such a clause is
    dropped, since nothing will ever answer it. Misspelt words are put right, unless the intent is
    one of `writing`, whose words are written down.
    """
    answered = {index for index, route in enumerate(routes) if _is_answered(route)}
    tasks = tuple(
        AgentTask(
            id=_task_id(index),
            agent=route.agent or "",
            intent=route.intent,
            utterance=route.utterance if route.intent in writing else _spelt(route),
            slots=route.slots,
            scope=route.scope,
            depends_on=tuple(_task_id(i) for i in route.depends_on if i in answered),
            session_id=turn.session_id,
            locale=turn.locale,
            asked_at=turn.asked_at,
            timezone=turn.timezone,
            shown_on=turn.shown_on,
            is_tried=route.tier is Tier.EVIDENCE,
        )
        for index, route in enumerate(routes)
        if index in answered
    )
    return TaskPlan(id=turn.id, utterance=utterance, tasks=tasks)


def _spelt(route: Route) -> str:
    return route.spelt or route.utterance


def _is_answered(route: Route) -> bool:
    return route.agent is not None and route.decision is not Decision.ASK


def only_by(agent: str, route: Route, agents: Sequence[AgentIntents]) -> Route:
    """Return `route` as far as `agent` answers it: the likeliest reading that is the agent's.

    Where none is, the utterance is out of scope.
    """
    if route.agent == agent:
        return route
    own = {one.name for each in agents if each.agent == agent for one in each.intents}
    for reading in route.alternatives:
        if reading.intent in own:
            return replace(route, intent=reading.intent, agent=agent, confidence=reading.confidence)
    return replace(route, intent=OUT_OF_SCOPE, agent=None, confidence=0.0, alternatives=())


def confidences(routes: Sequence[Route]) -> dict[str, float]:
    """Return how sure each task's route is, by task id."""
    return {_task_id(index): route.confidence for index, route in enumerate(routes)}


def _task_id(index: int) -> str:
    return f"t{index + 1}"
