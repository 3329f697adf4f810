"""Which zone the user is in, day by day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from zoneinfo import ZoneInfo

from iris_harness.contracts.values import Value


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Journey(Value):
    """Days the user spends in another zone; both ends included."""

    first_on: dt.date
    last_on: dt.date
    timezone: str
    """IANA name."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class UserZones(Value):
    """The user's own zone, and the journeys that override it."""

    home: str
    """IANA name."""
    journeys: tuple[Journey, ...] = ()
    """Without overlap; any order."""

    def on(self, day: dt.date) -> str:
        """Return the zone of a day."""
        found = (one.timezone for one in self.journeys if one.first_on <= day <= one.last_on)
        return next(found, self.home)

    def at(self, instant: dt.datetime) -> str:
        """Return the zone the user is in at an aware instant.

        A journey counts from its first to its last midnight in its own zone; where two claim
        the instant, the one that began last has it.
        """
        claims = [
            one
            for one in self.journeys
            if one.first_on <= instant.astimezone(ZoneInfo(one.timezone)).date() <= one.last_on
        ]
        return max(claims, key=lambda one: one.first_on).timezone if claims else self.home

    def stretches(self, days: Sequence[dt.date]) -> tuple[tuple[str, tuple[dt.date, ...]], ...]:
        """Return `days` by date, each once, cut into stretches of one zone."""
        ordered = sorted(set(days))
        return tuple((zone, tuple(part)) for zone, part in groupby(ordered, key=self.on))
