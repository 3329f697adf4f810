"""What may be said next of what a conversation was about: "how is it going" after a job."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from iris_harness.contracts.results import AgentResult, FollowUp
from iris_harness.contracts.routing import Decision, Route, Tier

_MOST_SESSIONS = 1000
"""Conversations of which it is kept; the one that was quiet longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class _Open:
    agent: str
    follow_ups: tuple[FollowUp, ...]


class FollowUps:
    """What each conversation was about last, as far as words may mean it. Thread-safe."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, session: str, results: Sequence[AgentResult]) -> None:
        """Keep what the only answer of a turn was about; any other answer ends it.

        A yes or a no is no turn of its own: what was asked about stays what is talked of.
        """
        if not session:
            return
        found = [_Open(one.agent, one.result.follow_ups) for one in results if one.result]
        with self._lock:
            self._open.pop(session, None)
            if len(found) == 1 and found[0].follow_ups:
                self._open[session] = found[0]
            while len(self._open) > _MOST_SESSIONS:
                self._open.popitem(last=False)

    def take(self, utterance: str, session: str) -> Route | None:
        """Return what words mean of what a conversation was about; None where they mean nothing."""
        with self._lock:
            found = self._open.get(session)
        if found is None:
            return None
        said = " ".join(utterance.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
        for one in found.follow_ups:
            if re.fullmatch(one.pattern, said.strip(" .!?,")):
                return _route(utterance, found.agent, one)
        return None


def _route(utterance: str, agent: str, meant: FollowUp) -> Route:
    return Route(
        intent=meant.intent,
        agent=agent,
        utterance=utterance,
        confidence=1.0,
        tier=Tier.RULE,
        decision=Decision.ACCEPT,
        slots=dict(meant.slots),
    )
