"""How a worker ends, and what it may spend until then."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from decimal import Decimal

from iris_harness.contracts.model import TokenUsage


class Ending(enum.StrEnum):
    """How a worker ended; the name is the queue's short name of a failure."""

    DONE = "done"
    UNRESOLVED = "unresolved"
    """A file that was named is not there, or may be several."""
    UNVERIFIABLE = "unverifiable"
    IMPOSSIBLE = "impossible"
    """The tests cannot run here, whatever the code says."""
    NOT_DONE = "not_done"
    """All attempts were used."""
    STUCK = "stuck"
    """The model went in circles."""
    BUDGET = "budget"
    MODEL = "model"
    """The model could not be asked."""
    CONFLICT = "conflict"
    """It does not go together with what other workers did meanwhile."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What one worker may spend. What was spent before a restart counts."""

    attempts: int = 6
    tokens: int = 400_000
    """Sent and made together."""
    seconds: int = 3_600
    """In which a model is waited for, or tests run."""
    money: Decimal | None = None
    """In the currency of the model's price; None is any amount."""
    reply_tokens: int = 8_000
    """Of one answer of the model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerResult:
    """What came of a worker."""

    ending: Ending
    why: str
    can_do: str = ""
    commit: str | None = None
    """The proved commit on the worker's branch; None unless done."""
    summary: str = ""
    """What the model says it did."""
    changed: tuple[str, ...] = ()
    attempts: int = 0
    usage: TokenUsage = field(
        default_factory=lambda: TokenUsage(prompt_tokens=0, completion_tokens=0)
    )
    confined: bool = True
    notes: tuple[str, ...] = ()


class EndError(Exception):
    """Ends a worker's loop; the reason becomes its result."""

    def __init__(self, ending: Ending, why: str, can_do: str = "") -> None:
        super().__init__(why)
        self.ending, self.why, self.can_do = ending, why, can_do
