"""Readings that what there is decides: an agent looks, and what it does not know it gives back.

The router cannot see a calendar. Where it is unsure, or takes words for none of its business, an
agent may have said (`Rule.EVIDENCE`) that they are meant for it if it knows what they name: "how
long is the review" is a question to a calendar with a review in it. Two intents that say they are
kin are one request, since whoever answers it sees which of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iris_harness.contracts.results import AgentResult, TaskState
from iris_harness.contracts.routing import (
    IMPOSSIBLE_TIME,
    OUT_OF_SCOPE,
    AgentIntents,
    Alternative,
    Decision,
    Route,
    Tier,
)
from iris_harness.contracts.tasks import Intent, Rule

FOUND = 0.75
"""How sure a reading is that an agent's evidence bears out: enough for an answer, and for a change
only when the user says yes."""
_MARGIN = 0.2
_UNSURE = 0.8
"""Below this even a reading that was accepted gives way to evidence."""
_PREPOSITION = r"(?:\b(?:at|on|to|for|until|till|from|by|in) )?"

Probe: TypeAlias = Callable[[Route], bool]


@dataclass(frozen=True, slots=True)
class _Claim:
    agent: str
    intent: str
    pattern: re.Pattern[str]


class EvidenceReader:
    """Settles routes by what agents say of themselves. Pure and thread-safe."""

    def __init__(self, agents: Sequence[AgentIntents]) -> None:
        """Compile the claims; a higher priority of an intent goes first."""
        pairs = [(found.agent, intent) for found in agents for intent in found.intents]
        ranked = sorted(pairs, key=lambda pair: -pair[1].priority)
        self._claims = tuple(_claims(ranked))
        self._talk = {one.name for _, one in pairs if not (one.description or one.writes)}
        self._kin = {intent.name: frozenset(intent.kin) for _, intent in pairs if intent.kin}

    def settle(self, routes: Sequence[Route], probe: Probe) -> tuple[Route, ...]:
        """Return routes with kin counted together, and with the readings that evidence bears out.

        `probe` asks the agent of a route whether it knows what is named, and changes nothing. The
        first claim that it bears out is the reading; where there is none, the router's stands.
        """
        return tuple(self._settled(self._together(route), probe) for route in routes)

    def _together(self, route: Route) -> Route:
        kin = self._kin.get(route.intent, frozenset())
        own = [reading for reading in route.alternatives if reading.intent in kin]
        if not own:
            return route
        rest = tuple(reading for reading in route.alternatives if reading.intent not in kin)
        sure = min(1.0, route.confidence + sum(reading.confidence for reading in own))
        second = rest[0].confidence if rest else 0.0
        is_clear = route.agent is not None and sure - second >= _MARGIN
        decision = Decision.ACCEPT if is_clear else route.decision
        return replace(route, confidence=sure, alternatives=rest, decision=decision)

    def _settled(self, route: Route, probe: Probe) -> Route:
        if self._is_sure(route):
            return route
        refuted = False
        for tried in self._tried(route):
            if probe(tried):
                return tried
            refuted = refuted or tried.intent == route.intent
        return _refuted(route) if refuted else route

    def _is_sure(self, route: Route) -> bool:
        """Return whether no evidence is asked for: somebody answers it, and it is clear.

        Small talk is clear only where it is exact: "who is Grace" is none, if there is a Grace.
        """
        is_clear = route.decision is Decision.ACCEPT and route.confidence >= _UNSURE
        is_talk = route.intent in self._talk and route.tier is not Tier.RULE
        return is_clear and route.agent is not None and not is_talk

    def _tried(self, route: Route) -> Iterator[Route]:
        time = route.slots.get(IMPOSSIBLE_TIME) or (route.scope.text if route.scope else "")
        # The words of time may as well be part of a name: "rename it to friday's list".
        if route.spelt:
            route = replace(route, utterance=route.spelt)
        for said in dict.fromkeys(_without_time(route.utterance, words) for words in (time, "")):
            for claim in self._claims:
                match = claim.pattern.fullmatch(said)
                if match is not None:
                    yield _claimed(route, claim, match.groupdict())


def _claims(ranked: Sequence[tuple[str, Intent]]) -> Iterator[_Claim]:
    for agent, intent in ranked:
        for rule in intent.rules:
            if rule.kind is Rule.EVIDENCE:
                yield _Claim(agent, intent.name, re.compile(rule.pattern, re.IGNORECASE))


def _without_time(utterance: str, words: str) -> str:
    """Return what was said on one line, without the words of time and the marks at its end."""
    said = " ".join(utterance.replace("\u2019", "'").split())
    if words:
        time = re.escape(" ".join(words.split()))
        said = re.sub(_PREPOSITION + time, " ", said, count=1, flags=re.IGNORECASE)
    return " ".join(said.split()).strip(" ,.;!?")


def _claimed(route: Route, claim: _Claim, groups: Mapping[str, str | None]) -> Route:
    before = Alternative(intent=route.intent, confidence=route.confidence)
    found = {name: value for name, value in groups.items() if value}
    return replace(
        route,
        intent=claim.intent,
        agent=claim.agent,
        confidence=FOUND,
        tier=Tier.EVIDENCE,
        decision=Decision.ACCEPT,
        alternatives=tuple(
            one for one in (before, *route.alternatives) if one.intent != claim.intent
        ),
        slots={**route.slots, **found},
    )


def is_borne_out(result: AgentResult) -> bool:
    """Return whether an agent knew what was named to it."""
    return result.state is TaskState.OK and result.result is not None and not result.result.declined


def _refuted(route: Route) -> Route:
    """Return a route whose best reading is not what was meant: there is nothing of the name."""
    rest = tuple(reading for reading in route.alternatives if reading.intent != OUT_OF_SCOPE)
    return replace(
        route, intent=OUT_OF_SCOPE, agent=None, decision=Decision.REFUSE, alternatives=rest
    )
