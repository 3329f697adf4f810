"""Reminders and timers: what is to be said, when, and when again."""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.zones import UserZones

_HOURLY = re.compile(r"FREQ=HOURLY(?:;INTERVAL=(\d{1,4}))?")
_AROUND = dt.timedelta(days=2)
"""More than any two zones differ, so that no occurrence is passed over."""


class ReminderKind(enum.StrEnum):
    """What rings."""

    REMINDER = "reminder"
    TIMER = "timer"


class Reminder(NamedTuple):
    """One thing the user wants to be told."""

    reminder_id: str
    """Eight hexadecimal digits, given when it is made."""
    kind: ReminderKind
    title: str
    """In the user's words; of a timer its length."""
    first_at: dt.datetime
    """When it is said first; aware, with the offset of the user's zone at that moment."""
    rule: str = ""
    """How it comes again (RFC 5545 §3.3.10, without DTSTART and UNTIL); empty: it does not.

    It comes again at the same time of the wall clock, wherever the user is then; every so many
    hours it comes after that much time.
    """

    def to_json(self) -> dict[str, Json]:
        """Return it as plain JSON."""
        return {
            "id": self.reminder_id,
            "kind": self.kind.value,
            "title": self.title,
            "first_at": self.first_at.isoformat(),
            "rule": self.rule,
        }


class PendingReminder(NamedTuple):
    """A reminder that is still to be said."""

    reminder: Reminder
    next_at: dt.datetime
    """When; aware, UTC."""


class ReminderPort(Protocol):
    """What is set, for handlers. Thread-safe."""

    def pending(self) -> tuple[PendingReminder, ...]:
        """Return what is still to be said, by when.

        Raises:
            StorageError: it cannot be read.
        """
        ...

    def is_anybody_there(self) -> bool:
        """Return whether a program runs that would say it."""
        ...


class ReminderChange(NamedTuple):
    """What happens to one reminder."""

    before: Reminder | None
    """None: it is not there, or cancelled."""
    after: Reminder | None
    """None: it is cancelled. One of the two is there."""

    @property
    def known(self) -> Reminder:
        """The reminder this is about."""
        found = self.before or self.after
        if found is None:
            raise ValueError("a change of nothing")
        return found

    def inverse(self) -> ReminderChange:
        """Return the change that takes this one back."""
        return ReminderChange(before=self.after, after=self.before)

    def to_json(self) -> Json:
        """Return it as plain JSON, for `from_json`."""
        return {
            "before": self.before.to_json() if self.before else None,
            "after": self.after.to_json() if self.after else None,
        }

    @classmethod
    def from_json(cls, tree: Json) -> ReminderChange:
        """Read what `to_json` gave.

        Raises:
            ValueError: it is something else.
        """
        try:
            fields: dict[str, Any] = dict(tree)  # type: ignore[arg-type] # JSON of anything
            return cls(before=_read(fields["before"]), after=_read(fields["after"]))
        except (TypeError, KeyError) as error:
            raise ValueError(f"this is no change of a reminder ({error})") from error


def _read(tree: Mapping[str, Any] | None) -> Reminder | None:
    if tree is None:
        return None
    return Reminder(
        reminder_id=tree["id"],
        kind=ReminderKind(tree["kind"]),
        title=tree["title"],
        first_at=dt.datetime.fromisoformat(tree["first_at"]),
        rule=tree["rule"],
    )


def first_occurrence(
    rule: str, day: dt.date, time: dt.time, after: dt.datetime, zones: UserZones
) -> dt.datetime:
    """Return when something that comes again comes first: aware, with the offset of its moment.

    That is the first time of the rule on or after `day` that is later than `after`, aware.

    Raises:
        ValueError: it never comes.
    """
    from dateutil.rrule import rrulestr  # noqa: PLC0415 - only what comes again needs it

    for moment in rrulestr(_every_one(rule), dtstart=dt.datetime.combine(day, time)):
        instant = moment.replace(tzinfo=ZoneInfo(zones.on(moment.date())))
        if instant > after:
            return instant.astimezone(dt.UTC).astimezone(instant.tzinfo)
    raise ValueError(f"{rule} never comes")


def _every_one(rule: str) -> str:
    """Return a rule that skips none: where it begins decides which ones it skips."""
    return ";".join(part for part in rule.split(";") if not part.startswith("INTERVAL="))


def next_occurrence(reminder: Reminder, after: dt.datetime, zones: UserZones) -> dt.datetime | None:
    """Return the first instant later than `after` at which it is said; aware, UTC.

    A time that a clock change leaves out is as much later as the clock is put forward; of one
    that comes twice the first is meant (RFC 5545 §3.3.5). None: never again.

    Args:
        reminder: what is asked about.
        after: aware.
        zones: where the user is, day by day.
    """
    first = reminder.first_at.astimezone(dt.UTC)
    if not reminder.rule:
        return first if first > after else None
    if hourly := _HOURLY.fullmatch(reminder.rule):
        step = dt.timedelta(hours=int(hourly[1] or 1))
        return first + step * max(0, (after - first) // step + 1)
    return next((one for one in _by_wall_clock(reminder, after, zones) if one > after), None)


def _by_wall_clock(
    reminder: Reminder, after: dt.datetime, zones: UserZones
) -> Iterator[dt.datetime]:
    from dateutil.rrule import rrulestr  # noqa: PLC0415 - only what comes again needs it

    start = reminder.first_at.replace(tzinfo=None)
    around = max(start, after.astimezone(dt.UTC).replace(tzinfo=None) - _AROUND)
    for moment in rrulestr(reminder.rule, dtstart=start).xafter(around, inc=True):
        zone = ZoneInfo(zones.on(moment.date()))
        yield moment.replace(tzinfo=zone).astimezone(dt.UTC)
