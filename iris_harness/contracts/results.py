"""What handlers return, and what the executor reports about them."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from iris_harness.contracts.actions import Action
from iris_harness.contracts.facts import Fact
from iris_harness.contracts.scopes import Scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One of several things that the user's words may mean."""

    label: str
    """How it is told from the others; saying enough of it chooses it."""
    slots: Mapping[str, str] = field(default_factory=dict)
    """What the task's slots become when it is chosen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A question back. Its words stand in the result; within a conversation it can be answered."""

    options: tuple[Option, ...]
    """In the order in which they were named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowUp:
    """Words that mean this answer's own subject when they come next in the same conversation."""

    pattern: str
    """A regular expression for the whole of them: lower case, without punctuation at the end."""
    intent: str
    """Which of the agent's own intents they then are."""
    slots: Mapping[str, str] = field(default_factory=dict)
    """The slots of the task they make."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HandlerResult:
    """A handler's answer: facts first, prose as a view of them."""

    facts: tuple[Fact, ...] = ()
    text: str = ""
    """The answer in plain words; empty lets the curator render the facts."""
    actions: tuple[Action, ...] = ()
    """Writes it proposes; performed by bootstrap's runner, never by the handler."""
    warnings: tuple[str, ...] = ()
    choice: Choice | None = None
    """What the user is asked to choose from, before the task can be answered."""
    follow_ups: tuple[FollowUp, ...] = ()
    """What may be said next of the same thing, "how is it going": the first that fits holds."""
    focus: Scope | None = None
    """The part of the days to be shown, where the task's own scope does not say it."""
    declined: bool = False
    """Whether the task's words name nothing that the handler knows of, so that where another
    reading of them was near, that one holds. The facts say what was not found."""


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
