"""Planned days as bytes, exactly: what is stored can be loaded, shown and planned again."""

from __future__ import annotations

import json

from iris_harness.contracts.canonical import canonical_bytes
from iris_harness.contracts.day import DailyPlan, PlannedDay
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import StorageError
from iris_harness.planner.build import build_daily_plan

FORMAT = 1
"""Raised when a stored day can no longer be read by an older program."""


def dump_planned_day(day: PlannedDay) -> bytes:
    """Return canonical JSON (RFC 8785) of the format's number and all of `day`.

    Raises:
        CanonicalError: `day` holds a naive time or text that is not valid Unicode.
    """
    return canonical_bytes({"format": FORMAT, "planned_day": day})


def load_planned_day(data: bytes) -> PlannedDay:
    """Return the day that `dump_planned_day` wrote; times come with the offsets they had.

    A field that was added since it was written has its default.

    Raises:
        StorageError: the bytes are of another format or damaged.
    """
    try:
        stored = json.loads(data)
        found, content = stored["format"], stored["planned_day"]
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError("the stored plan is damaged: it is no plan at all") from error
    if found != FORMAT:
        raise StorageError(
            f"the stored plan has format {found}; this program reads format {FORMAT}",
            hint="make the plan again",
        )
    try:
        return from_json(PlannedDay, content)
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"the stored plan is damaged: {error}") from error


def recompute(day: PlannedDay) -> DailyPlan:
    """Return the plan that this program makes of what `day` was made of.

    It equals ``day.plan`` unless the algorithm's version has changed.
    """
    return build_daily_plan(day.snapshot, day.preferences)
