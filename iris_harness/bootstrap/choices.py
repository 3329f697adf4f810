"""Questions back within a conversation: what was asked, and which answer the next words are."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iris_harness.contracts.items import find_item
from iris_harness.contracts.results import AgentResult, Choice, Option
from iris_harness.contracts.routing import Decision, Route

_MOST_SESSIONS = 1000
"""Conversations whose question is kept; the one that waits longest is forgotten first."""
_PLACES = (
    ("first", "1", "one", "1st"),
    ("second", "2", "two", "2nd"),
    ("third", "3", "three", "3rd"),
    ("fourth", "4", "four", "4th"),
    ("fifth", "5", "five", "5th"),
)
_AROUND = re.compile(
    r"^(?:the|i mean|i meant|it is|it's|that is|that's|make it|number)? ?(?:the )?"
)
_BEHIND = re.compile(r"(?:,? (?:one|please|of course))*[ .!]*$")


@dataclass(frozen=True, slots=True)
class _Asked:
    route: Route
    choice: Choice


@dataclass(frozen=True, kw_only=True, slots=True)
class _Named:
    title: str
    keys: tuple[str, ...] = ()


class OpenChoices:
    """What waits for an answer, by conversation. Thread-safe."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self._asked: OrderedDict[str, _Asked] = OrderedDict()
        self._lock = threading.Lock()

    def remember(
        self,
        session: str,
        routes: Sequence[Route],
        results: Sequence[AgentResult],
    ) -> tuple[str, ...]:
        """Keep the first question back of a turn, and return its options by name; () without one.

        Outside a conversation it is only returned.
        """
        choices = {one.task_id: one.result.choice for one in results if one.result}
        asked = [
            _Asked(route, choice)
            for index, route in enumerate(routes)
            if (choice := choices.get(f"t{index + 1}")) is not None
        ]
        if not asked:
            return ()
        if session:
            with self._lock:
                self._asked[session] = asked[0]
                while len(self._asked) > _MOST_SESSIONS:
                    self._asked.popitem(last=False)
        return tuple(option.label for option in asked[0].choice.options)

    def names(self, session: str) -> tuple[str, ...]:
        """Return what a conversation is asked to choose from, by name; () when it is not."""
        with self._lock:
            asked = self._asked.get(session)
        return tuple(option.label for option in asked.choice.options) if asked else ()

    def take(self, utterance: str, session: str) -> Route | None:
        """Return the route of what was asked about, settled; None where this is no answer to it.

        Anything that is no answer is a new request: the question is dropped.
        """
        with self._lock:
            asked = self._asked.pop(session, None) if session else None
        option = _chosen(utterance, asked.choice.options) if asked else None
        if asked is None or option is None:
            return None
        # Choosing what was named to the user is saying it: their words are both.
        return replace(
            asked.route,
            utterance=f"{asked.route.utterance}, {option.label}",
            confidence=1.0,
            decision=Decision.ACCEPT,
            alternatives=(),
            depends_on=(),
            slots={**asked.route.slots, **option.slots},
        )


def _chosen(utterance: str, options: Sequence[Option]) -> Option | None:
    said = " ".join(utterance.lower().split())
    bare = _BEHIND.sub("", _AROUND.sub("", said))
    for option, places in zip(options, _PLACES, strict=False):
        if bare in places:
            return option
    named = [_Named(title=option.label) for option in options]
    for words in (said.strip(" .!?"), bare):
        found = find_item(words, named).found
        if len(found) == 1:
            return options[named.index(found[0])]
    return None
