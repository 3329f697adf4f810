"""Tasks, their plan, and the agents that answer them."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from iris_harness.contracts.results import AgentResult, HandlerResult
from iris_harness.contracts.scopes import Scope
from iris_harness.dag import build_graph, waves
from iris_harness.errors import GraphError, PlanError


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTask:
    """One question to one agent. Everything a handler may know about its turn."""

    id: str
    """Unique in its plan."""
    agent: str
    """Name of the agent that answers."""
    intent: str
    utterance: str
    """What the user said, or the clause of it that this task is about."""
    slots: Mapping[str, str] = field(default_factory=dict)
    scope: Scope | None = None
    """The time it is about; None when the utterance names none."""
    inputs: Mapping[str, AgentResult] = field(default_factory=dict)
    """Results of the tasks in `depends_on`, by id; filled in by the executor."""
    depends_on: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    """Time from its start until it is reported `timed_out`; None means the executor's default."""
    session_id: str = ""
    locale: str = "en"
    """BCP 47 tag."""
    asked_at: dt.datetime
    """The turn's one "now", aware, UTC."""
    timezone: str = "UTC"
    """IANA name of the user's zone."""
    shown_on: dt.date | None = None
    """The day that the conversation was shown last, which words without a day are about; None:
    the user's today."""
    is_tried: bool = False
    """Whether the words are meant for the agent only if it knows what they name; where it does
    not, the handler returns a result that is `declined`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPlan:
    """A DAG of tasks that answers one utterance."""

    id: str
    utterance: str
    tasks: tuple[AgentTask, ...]

    def execution_groups(self) -> tuple[tuple[AgentTask, ...], ...]:
        """Return the waves: each task in the first one after all it depends on, in plan order.

        Raises:
            PlanError: a cycle, an unknown or a duplicate id; the message and `nodes` name it.
        """
        try:
            graph = build_graph((task.id, task.depends_on) for task in self.tasks)
        except GraphError as error:
            raise PlanError(error.message, nodes=error.nodes) from error
        by_id = {task.id: task for task in self.tasks}
        return tuple(tuple(by_id[node] for node in wave) for wave in waves(graph))


Handler: TypeAlias = Callable[[AgentTask], HandlerResult]
"""Answers one task. Reads and returns; never writes. Called from any thread."""


class Rule(enum.StrEnum):
    """How a rule's pattern is held against the normalised utterance."""

    EXACT = "exact"  # the whole utterance, scope words taken out
    HINT = "hint"  # anywhere in it
    # The whole utterance, in the user's own words: only where no reading of it is sure, and only
    # as far as the handler then knows what it names (`HandlerResult.declined`). A named group is a
    # slot. The router takes no notice of these.
    EVIDENCE = "evidence"


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutingRule:
    """One regular expression (Python `re`), matched on normalised text.

    That is lower case, without punctuation, contractions written out ("what is"), politeness
    ("could you please") taken off.
    """

    pattern: str
    kind: Rule = Rule.HINT


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """Something an agent can be asked for."""

    name: str
    """Dotted label, unique among all agents."""
    description: str
    """Completes "I can …", in the user's words; empty for what needs no telling."""
    examples: tuple[str, ...]
    """What people say; every one must route to this intent (tested)."""
    rules: tuple[RoutingRule, ...] = ()
    priority: int = 0
    """Between two rules that both match, the higher wins; equal: registration order."""
    kin: tuple[str, ...] = ()
    """Intents that this one's handler answers as well, by what there is to be meant: how sure it
    is that one of them is meant is then how sure the request is."""
    writes: bool = False
    """Whether answering it changes the user's data (needs confidence or a confirmation)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """A registered unit: a name, intents, and the handler that answers them."""

    name: str
    intents: tuple[Intent, ...]
    handler: Handler
    read_only: bool = False
    """True allows the executor to retry a failed task."""
    timeout_seconds: float | None = None
    """Default deadline of its tasks; None means the executor's default."""
