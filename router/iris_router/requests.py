"""The router of whole utterances: each request in one is routed by itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from iris_harness.contracts.routing import OUT_OF_SCOPE, Route
from iris_router.clauses import Understood
from iris_router.compound import Joint, JointFinder

MOST_REQUESTS = 8
"""Of one utterance; nobody asks for more in one breath, and what is left stays whole."""
_LONGEST = 1000
"""Characters within which joints are looked for."""
_WRITING = frozenset(
    {"todo.add", "todo.change", "reminder.set", "email.send", "calendar.create", "job.submit"}
)
"""Intents of requests that carry a text of the user's."""
_NO_REQUESTS = frozenset({OUT_OF_SCOPE, "chat"})
"""Intents that nobody joins to a request in one breath ("… and who is there")."""
_SURELY = 0.6
_SHARING = frozenset({"planner", "calendar.query", "todo.query", "weather.query"})
"""Intents that are about a time: what is asked in one breath is about one time."""


class ClauseRouter(Protocol):
    """Routes one request, in two steps: most parts that are understood become none."""

    def understand(self, text: str, reference: dt.datetime, locale: str) -> Understood:
        """Return what `text` means, taken as one request."""
        ...

    def route_of(self, understood: Understood) -> Route:
        """Return the route of a request that was understood."""
        ...


class RequestRouter:
    """Implements `iris_harness.contracts.routing.IntentRouter`. Pure and thread-safe."""

    def __init__(
        self, clauses: ClauseRouter, finders: Mapping[str, JointFinder], default: str
    ) -> None:
        """Take what routes one request, and where requests join in each language."""
        self._clauses = clauses
        self._finders = dict(finders)
        self._default = default

    def route(self, utterance: str, reference: dt.datetime, locale: str) -> tuple[Route, ...]:
        """Return a route for each request of the utterance, in spoken order; at least one."""
        language = locale.partition("-")[0].lower()
        finder = self._finders.get(language) or self._finders[self._default]
        division = _Division(self._clauses, finder, reference, locale)
        return _joined(finder, division.requests(utterance))


class _Request(NamedTuple):
    route: Route
    is_after: bool
    """Whether it is to come after the one before it."""


class _Division:
    """Divides one utterance."""

    def __init__(
        self, clauses: ClauseRouter, finder: JointFinder, reference: dt.datetime, locale: str
    ) -> None:
        self._clauses = clauses
        self._finder = finder
        self._reference = reference
        self._locale = locale
        self._known: dict[str, Understood] = {}
        """What was understood: what stands behind one joint stands before the next."""

    def requests(self, utterance: str) -> list[_Request]:
        """Return the requests of the utterance, routed."""
        text = utterance[:_LONGEST]
        joints = [joint for joint in self._finder.joints(text) if _may_divide(joint)]
        found: list[_Request] = []
        start, is_after = 0, False
        for number, joint in enumerate(joints):
            if len(found) == MOST_REQUESTS - 1:
                break
            rest_end = joints[number + 1].start if number + 1 < len(joints) else len(text)
            before = text[start : joint.start]
            if self._divides(joint, before, text[joint.end : rest_end]):
                found.append(self._request(before, is_after=is_after))
                start, is_after = joint.end, joint.is_sequence
        whole = utterance if not found else utterance[start:]
        return [*found, self._request(whole, is_after=is_after)]

    def _request(self, text: str, *, is_after: bool) -> _Request:
        return _Request(self._clauses.route_of(self._understand(text)), is_after)

    def _divides(self, joint: Joint, before: str, after: str) -> bool:
        if joint.is_bare and not self._finder.is_request(before):
            return False  # "tomorrow, what is on?"
        first = self._understand(before)
        if first.intent == OUT_OF_SCOPE:
            # "Dim the lights, then plan my day": what is not understood stands for itself.
            return joint.is_sequence and _is_request(self._understand(after))
        is_closed = self._finder.is_closed(before) or _is_moved(first)
        is_writing = first.intent in _WRITING and not is_closed
        if joint.is_addressed or (joint.is_command and not is_writing):
            return joint.is_sequence or _is_request(self._understand(after))
        return joint.is_sequence and not is_writing

    def _understand(self, text: str) -> Understood:
        if text not in self._known:
            self._known[text] = self._clauses.understand(text, self._reference, self._locale)
        return self._known[text]


def _is_request(part: Understood) -> bool:
    """Return whether a part is surely a request: not small talk, and no guess."""
    return part.intent not in _NO_REQUESTS and part.confidence >= _SURELY


def _is_moved(part: Understood) -> bool:
    """Return whether a todo is moved to a time, with which the request then ends."""
    if part.intent != "todo.change" or part.scope is None:
        return False
    return part.utterance.rstrip(" ,.").endswith(part.scope.text)


def _may_divide(joint: Joint) -> bool:
    return joint.is_sequence or joint.is_addressed or joint.is_command


def _joined(finder: JointFinder, requests: Sequence[_Request]) -> tuple[Route, ...]:
    """Return the routes with what each takes from the one before it."""
    routes: list[Route] = []
    for index, (route, is_after) in enumerate(requests):
        if not routes:
            routes.append(route)
            continue
        before = routes[-1]
        speaks = finder.speaks_of_before(route.utterance)
        needs = is_after or speaks
        # "Move it to friday, then show my todos" does not ask for Friday's.
        of_time = before.intent in _SHARING and (is_after or route.intent in _SHARING)
        shares = route.scope is None and (speaks or of_time)
        routes.append(
            replace(
                route,
                depends_on=(index - 1,) if needs else (),
                scope=before.scope if shares else route.scope,
            )
        )
    return tuple(routes)
