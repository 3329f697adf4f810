"""Routing one request: it goes to the tiers in turn, until one of them is sure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from iris_harness.contracts.routing import (
    IMPOSSIBLE_TIME,
    LEFT_OUT_TIME,
    OUT_OF_SCOPE,
    Alternative,
    Route,
    Tier,
)
from iris_router.clauses import Clause, ClauseReader, RoutingTier, Understood
from iris_router.decision import SURE, decide
from iris_router.slots import SlotReader

_NOT_UNDERSTOOD = (Alternative(intent=OUT_OF_SCOPE, confidence=0.0),)


class Router:
    """Implements `iris_router.requests.ClauseRouter`. Pure and thread-safe."""

    def __init__(
        self,
        reader: ClauseReader,
        slots: SlotReader,
        tiers: Sequence[RoutingTier],
        agents: Mapping[str, str],
    ) -> None:
        """Take the tiers, cheapest first, and which installed agent answers which intent."""
        self._reader = reader
        self._slots = slots
        self._tiers = tuple(tiers)
        self._agents = dict(agents)

    def understand(self, text: str, reference: dt.datetime, locale: str) -> Understood:
        """Return what `text` means, taken as one request."""
        clause = self._reader.read(text, reference, locale)
        return Understood(text, clause, *self._read(clause))

    def route_of(self, understood: Understood) -> Route:
        """Return the route of a request that was understood."""
        text, clause, tier, readings = understood
        best = readings[0]
        slots = self._slots.read(best.intent, clause.text, clause.scope_span)
        if clause.impossible:
            slots[IMPOSSIBLE_TIME] = clause.impossible[0]
        if clause.left_out:
            slots[LEFT_OUT_TIME] = clause.left_out
        return Route(
            utterance=text,
            intent=best.intent,
            agent=self._agents.get(best.intent),
            confidence=best.confidence,
            tier=tier,
            decision=decide(readings, self._agents),
            alternatives=readings[1:],
            slots=slots,
            scope=clause.scope,
        )

    def _read(self, clause: Clause) -> tuple[Tier, tuple[Alternative, ...]]:
        """Return the readings of the first tier that is sure, or else of the last one."""
        found: tuple[Tier, tuple[Alternative, ...]] = (Tier.NONE, _NOT_UNDERSTOOD)
        if clause.words:
            for tier in self._tiers:
                readings = tier.read(clause)
                if readings:
                    found = (tier.tier, readings)
                    if readings[0].confidence >= SURE:
                        break
        return found
