"""What handlers return, and what the executor reports about them."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass

from iris_harness.contracts.actions import Action
from iris_harness.contracts.facts import Fact


@dataclass(frozen=True, kw_only=True, slots=True)
class HandlerResult:
    """A handler's answer: facts first, prose as a view of them."""

    facts: tuple[Fact, ...] = ()
    text: str = ""
    """The answer in plain words; empty lets the curator render the facts."""
    actions: tuple[Action, ...] = ()
    """Writes it proposes; performed by bootstrap's runner, never by the handler."""
    warnings: tuple[str, ...] = ()


class TaskState(enum.StrEnum):
    """How a task ended."""

    OK = "ok"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"  # a task it depends on did not end ok
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFailure:
    """Why a task has no result."""

    kind: str
    """Class name of the exception, or ``skipped``, ``timed_out``, ``cancelled``."""
    message: str
    """One sentence for the user."""
    hint: str = ""
    detail: str = ""
    """Traceback text for the trace; never shown in a reply."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentResult:
    """The executor's report on one task. `result` is set exactly when `state` is ok."""

    task_id: str
    agent: str
    state: TaskState
    result: HandlerResult | None = None
    error: TaskFailure | None = None
    """Set exactly when `state` is not ok."""
    started_at: dt.datetime | None = None
    """Aware, UTC; None when it never started."""
    duration_seconds: float = 0.0
