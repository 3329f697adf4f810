"""The trace of a turn: what was understood, what ran, and how long each step took."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reports import ActionReport
from iris_harness.contracts.results import AgentResult
from iris_harness.contracts.routing import Decision, Route
from iris_harness.contracts.tasks import TaskPlan

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One arrow of the flow (ask, route, plan, run, compose) with its wall time."""

    name: str
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """Everything worth knowing about one turn after it is over."""

    id: str
    session_id: str
    utterance: str
    asked_at: dt.datetime
    routes: tuple[Route, ...]
    plan: TaskPlan
    results: tuple[AgentResult, ...]
    steps: tuple[Step, ...]
    actions: tuple[ActionReport, ...] = ()
    """What became of what the user wanted changed."""

    def to_json(self) -> dict[str, Json]:
        """Return the trace as stored and as ``--trace --json`` prints it; times in µs."""
        return {
            "trace_id": self.id,
            "session_id": self.session_id,
            "utterance": self.utterance,
            "asked_at": self.asked_at.isoformat(),
            "routes": [route_to_json(route) for route in self.routes],
            "waves": [[task.id for task in wave] for wave in self.plan.execution_groups()],
            "tasks": [_result(result) for result in self.results],
            "actions": [
                {"kind": a.kind, "state": a.state.value, "text": a.text, "entry": a.entry}
                for a in self.actions
            ],
            "steps": [
                {"name": s.name, "microseconds": _microseconds(s.seconds)} for s in self.steps
            ],
        }

    def lines(self) -> tuple[str, ...]:
        """Return the trace as text, one step or task a line."""
        return (
            f"turn {self.id} at {self.asked_at.isoformat()}",
            *(route_line(route) for route in self.routes),
            *(_result_line(result, self._needed(result)) for result in self.results),
            *(f"  action     {a.kind} {a.state.value}: {a.text}" for a in self.actions),
            *(f"  {step.name:<10} {step.seconds * 1000:9.2f} ms" for step in self.steps),
        )

    def _needed(self, result: AgentResult) -> tuple[str, ...]:
        """Return the tasks whose results a result's task was given."""
        tasks = (task for task in self.plan.tasks if task.id == result.task_id)
        return next((task.depends_on for task in tasks), ())


def _microseconds(seconds: float) -> int:
    return round(seconds * _MICROSECONDS)


def route_to_json(route: Route) -> dict[str, Json]:
    """Return a route as JSON; confidences in per cent, instants with the user's offset."""
    return {
        "utterance": route.utterance,
        "intent": route.intent,
        "agent": route.agent,
        "decision": route.decision.value,
        "confidence_percent": round(route.confidence * 100),
        "tier": route.tier.value,
        "slots": dict(route.slots),
        "depends_on": list(route.depends_on),
        "scope": None
        if route.scope is None
        else {"start": route.scope.start.isoformat(), "end": route.scope.end.isoformat()},
        "alternatives": [
            {"intent": a.intent, "confidence_percent": round(a.confidence * 100)}
            for a in route.alternatives
        ],
    }


def _result(result: AgentResult) -> dict[str, Json]:
    error = result.error
    return {
        "task_id": result.task_id,
        "agent": result.agent,
        "state": result.state.value,
        "microseconds": _microseconds(result.duration_seconds),
        "error": None
        if error is None
        else {"kind": error.kind, "message": error.message, "detail": error.detail},
    }


def route_line(route: Route) -> str:
    """Return a route as one line of text."""
    where = route.agent or "nobody"
    return (
        f"  route      {route.utterance!r} -> {route.intent} ({where}), "
        f"{route.confidence:.2f} by {route.tier.value}{_scope_text(route)}{_slots_text(route)}"
        f"{_doubt_text(route)}"
    )


def _doubt_text(route: Route) -> str:
    """Return what the router advises where it does not simply accept, and the next reading."""
    if route.decision is Decision.ACCEPT:
        return ""
    second = next(iter(route.alternatives), None)
    rather = f" (or {second.intent}, {second.confidence:.2f})" if second else ""
    return f", {route.decision.value}{rather}"


def _slots_text(route: Route) -> str:
    return "".join(f", {name} {value!r}" for name, value in route.slots.items())


def _scope_text(route: Route) -> str:
    if route.scope is None:
        return ""
    return f", {route.scope.start.isoformat()} to {route.scope.end.isoformat()}"


def _result_line(result: AgentResult, needed: Sequence[str]) -> str:
    reason = f": {result.error.message}" if result.error else ""
    after = f" after {', '.join(needed)}" if needed else ""
    return (
        f"  task       {result.task_id} {result.agent}{after} {result.state.value} "
        f"in {result.duration_seconds * 1000:.2f} ms{reason}"
    )
