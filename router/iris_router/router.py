"""The router: each clause goes to the tiers in turn, and the first that can read it decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from iris_harness.contracts.routing import IMPOSSIBLE_TIME, OUT_OF_SCOPE, Alternative, Route, Tier
from iris_router.clauses import Clause, ClauseReader, RoutingTier

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
        clause = self._reader.read(utterance, reference, locale)
        tier, readings = self._read(clause)
        best = readings[0]
        route = Route(
            utterance=utterance,
            intent=best.intent,
            agent=self._agents.get(best.intent),
            confidence=best.confidence,
            tier=tier,
            alternatives=readings[1:],
            slots={IMPOSSIBLE_TIME: clause.impossible[0]} if clause.impossible else {},
            scope=clause.scope,
        )
        return (route,)

    def _read(self, clause: Clause) -> tuple[Tier, tuple[Alternative, ...]]:
        """Return the first tier that has readings, and them; at least one."""
        if clause.words:
            for tier in self._tiers:
                readings = tier.read(clause)
                if readings:
                    return tier.tier, readings
        return Tier.NONE, _NOT_UNDERSTOOD
