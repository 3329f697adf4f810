"""What is kept: plans and turns, as frozen values."""

from __future__ import annotations

import datetime as dt
import enum
from typing import NamedTuple


class PlanOrigin(enum.StrEnum):
    """What a plan was made from."""

    CONFIGURED = "configured"  # the user's own sources: only such a plan is "the plan of the day"
    ADHOC = "adhoc"  # sources named on the command line
    DEMO = "demo"


class PlanSummary(NamedTuple):
    """A stored plan without its content."""

    plan_id: str
    """SHA-256, 64 lower-case hexadecimal digits."""
    date: dt.date
    """The day that was planned."""
    timezone: str
    """IANA name of the zone it was planned in."""
    origin: PlanOrigin
    made_at: dt.datetime
    """When it was stored; aware, UTC."""
    session: str = ""
    """The conversation it was made in; empty outside one."""


class StoredPlan(NamedTuple):
    """A plan, with the very bytes that were shown."""

    summary: PlanSummary
    payload: bytes
    """`planner.archive.dump_planned_day`: enough to rebuild the plan."""
    public_json: str
    """What ``--json`` printed."""
    text: str
    """What was printed as plain text."""


class StoredTurn(NamedTuple):
    """One question and its answer."""

    trace_id: str
    session: str
    asked_at: dt.datetime
    """Aware; stored and returned in UTC."""
    utterance: str
    trace: str
    """JSON text: what each step was given, gave and took."""
    reply: str


class Deleted(NamedTuple):
    """How much was deleted."""

    plans: int = 0
    turns: int = 0
    backups: int = 0
    """Copies that Iris made by itself before migrations and restores."""


def instant_text(instant: dt.datetime) -> str:
    """Return an aware instant as stored: UTC text whose order is the order of time."""
    if instant.tzinfo is None:
        raise ValueError("only aware instants are stored")
    utc = instant.astimezone(dt.UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + "Z"


def parse_instant(text: str) -> dt.datetime:
    """Return the instant behind stored text."""
    return dt.datetime.fromisoformat(text)
