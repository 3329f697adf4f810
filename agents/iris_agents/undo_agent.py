"""Undo: the last change is taken back, and done again when that is asked once more."""

from __future__ import annotations

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule

_THAT = r"(?:it|that|this|the last (?:change|action|thing|one)|my last (?:change|action))"
_EXACT = (
    rf"(?:undo|revert|redo)(?: {_THAT})?(?: again)?",
    rf"(?:take|put|change) {_THAT} back(?: again)?",
    r"(?:take|put|change) back (?:the last change|that)",
)


def agent(_ports: AgentPorts) -> Agent:
    """Return the agent that undoes."""
    intent = Intent(
        name="change.undo",
        description="undo the last change",
        examples=("undo", "undo that", "take that back", "undo the last change"),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=25,
        writes=True,
    )
    return Agent(name="undo", intents=(intent,), handler=_undo, read_only=True)


def _undo(_task: AgentTask) -> HandlerResult:
    return HandlerResult(actions=(Action(kind=ActionKind.UNDO),))
