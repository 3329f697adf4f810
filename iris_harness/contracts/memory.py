"""What is remembered of a day that was planned before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from iris_harness.contracts.day import ShownPlan


class DayMemory(NamedTuple):
    """What is known of one day."""

    shown: ShownPlan | None = None
    """The plan shown last, with what the user has said of the day since; None: there is neither."""
    last_id: str = ""
    """The id of the plan shown last; empty when none was."""
    last_now: dt.datetime | None = None
    """Its "now", aware; None when none was shown."""
    made_with: ShownPlan | None = None
    """What that plan was made with itself, with what the user says now; None: with nothing."""


Spans: TypeAlias = "tuple[tuple[dt.datetime, dt.datetime], ...]"
"""Spans of a day, by start, ends exclusive."""


class BlockMove(NamedTuple):
    """One todo or break whose time is another than the plan shown before had it."""

    title: str
    before: Spans
    """Where it was; () nowhere."""
    after: Spans
    """Where it is now; () nowhere any more."""


Recall: TypeAlias = Callable[[Sequence[dt.date]], Mapping[dt.date, DayMemory]]
"""Returns what is remembered of days, by day; never raises. Thread-safe."""
