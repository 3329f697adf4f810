"""What the router makes of an utterance."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.tasks import Intent

OUT_OF_SCOPE = "out_of_scope"
"""The intent of an utterance that no intent fits."""


IMPOSSIBLE_TIME = "impossible_time"
"""The slot that holds what names a time that does not exist ("31 february"), as it was said."""
LEFT_OUT_TIME = "left_out_time"
"""The slot that holds a time which its day's clock leaves out, ``2026-03-29T02:30``. The route's
scope is as much later as the clock is put forward: good enough to look at, not to write down."""
IMPOSSIBLE_LENGTH = "impossible_length"
"""The slot that holds a length that nothing can have ("-5 minutes"), as it was said."""


class Tier(enum.StrEnum):
    """Which part of the router decided."""

    RULE = "rule"
    STATISTICAL = "statistical"
    MINILM = "minilm"
    MODEL = "model"
    EVIDENCE = "evidence"  # an agent knows what the words name
    NONE = "none"  # nothing was said


class Decision(enum.StrEnum):
    """What the router advises to do with its best reading."""

    ACCEPT = "accept"
    ASK = "ask"  # two readings are too close to choose between
    REFUSE = "refuse"  # it is out of scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Alternative:
    """Another reading of the same words."""

    intent: str
    confidence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One clause of an utterance, understood."""

    utterance: str
    """The clause, in the user's words."""
    intent: str
    """A known intent's name, or `OUT_OF_SCOPE`."""
    agent: str | None
    """Who answers it; None when the intent is out of scope or its agent is not installed."""
    confidence: float
    """0 to 1: how often such a reading is right."""
    tier: Tier
    decision: Decision = Decision.ACCEPT
    alternatives: tuple[Alternative, ...] = ()
    """Other readings, most likely first."""
    slots: Mapping[str, str] = field(default_factory=dict)
    scope: Scope | None = None
    spelt: str = ""
    """The clause with misspelt words put right; empty where there are none."""
    depends_on: tuple[int, ...] = ()
    """Indexes of earlier clauses whose result this one needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentIntents:
    """What the registry tells the router about one installed agent."""

    agent: str
    intents: tuple[Intent, ...]


class IntentRouter(Protocol):
    """Understands utterances. Pure: equal arguments give equal routes. Thread-safe."""

    def route(self, utterance: str, reference: dt.datetime, locale: str) -> tuple[Route, ...]:
        """Return one route per clause, in spoken order; at least one.

        `reference` is the turn's "now" in the user's zone, which dates are resolved against.
        """
        ...


class RouterLoader(Protocol):
    """The entry point `iris_harness.router`: builds a router for the installed agents."""

    def __call__(
        self, agents: Sequence[AgentIntents], *, tier: Tier = Tier.STATISTICAL
    ) -> IntentRouter:
        """Load the router's own data and return a router.

        `tier` is the slowest one that may be asked; it is given only where the user chose one.

        Raises:
            IrisError: that tier is not there; the message says what it needs.
        """
        ...
