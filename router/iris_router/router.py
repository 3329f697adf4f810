"""The router: each clause goes to the tiers in turn, until one of them is sure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from iris_harness.contracts.routing import IMPOSSIBLE_TIME, OUT_OF_SCOPE, Alternative, Route, Tier
from iris_router.clauses import Clause, ClauseReader, RoutingTier
from iris_router.decision import SURE, decide

_NOT_UNDERSTOOD = (Alternative(intent=OUT_OF_SCOPE, confidence=0.0),)


class Router:
    """Implements `iris_harness.contracts.routing.IntentRouter`. Pure and thread-safe."""

    def __init__(
        self, reader: ClauseReader, tiers: Sequence[RoutingTier], agents: Mapping[str, str]
    ) -> None:
        """Take the tiers, cheapest first, and which installed agent answers which intent."""
        self._reader = reader
        self._tiers = tuple(tiers)
        self._agents = dict(agents)

    def route(self, utterance: str, reference: dt.datetime, locale: str) -> tuple[Route, ...]:
        """Return the route of the utterance, taken as one clause."""
        return (self._route(utterance, self._reader.read(utterance, reference, locale)),)

    def _route(self, utterance: str, clause: Clause) -> Route:
        tier, readings = self._read(clause)
        best = readings[0]
        return Route(
            utterance=utterance,
            intent=best.intent,
            agent=self._agents.get(best.intent),
            confidence=best.confidence,
            tier=tier,
            decision=decide(readings, self._agents),
            alternatives=readings[1:],
            slots={IMPOSSIBLE_TIME: clause.impossible[0]} if clause.impossible else {},
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
