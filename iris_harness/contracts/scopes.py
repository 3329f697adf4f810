"""Scope: the dates and times an utterance is about."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass

from iris_harness.contracts.values import Value


class ScopeKind(enum.StrEnum):
    """The shape of a scope."""

    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"
    WEEK = "week"
    MONTH = "month"
    WEEKEND = "weekend"
    DATE_RANGE = "daterange"
    DAY_PART = "daypart"
    TIME_RANGE = "timerange"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Scope(Value):
    """A span of time, aware, in the user's zone; `start <= end`, `end` exclusive."""

    start: dt.datetime
    end: dt.datetime
    kind: ScopeKind
    text: str
    """The words of the utterance that said so; empty when it was given otherwise."""

    def days(self) -> tuple[dt.date, ...]:
        """Return every calendar day that the scope touches, in order; at least one."""
        first = self.start.date()
        last = (self.end - dt.timedelta(microseconds=1)).date() if self.end > self.start else first
        return tuple(first + dt.timedelta(days=n) for n in range((last - first).days + 1))
