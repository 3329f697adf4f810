"""What has come due: which briefings and reminders are to be said now, and by which channels.

Pure: it follows from the settings, from what is stored and from "now".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.config.settings import Briefing, Settings
from iris_harness.contracts.reminders import next_occurrence
from iris_harness.contracts.timetable import (
    Timetable,
    find_due,
    find_missed,
    next_time,
    parse_timetable,
)
from iris_harness.contracts.zones import UserZones
from iris_harness.storage.records import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    Schedule,
    StoredReminder,
)
from iris_harness.storage.reminders import MOST_AT_ONCE, Advance

_INSTANT = dt.timedelta(microseconds=1)
_LONGEST_QUIET = dt.timedelta(hours=1)
"""After which everything is looked at again, whatever was computed."""
_NEVER_SAID: frozenset[dt.date] = frozenset()
"""How far a schedule has come stands in its `since`, so that no day has to be remembered."""


class Entries(NamedTuple):
    """What is to be written down at one tick."""

    deliveries: tuple[Delivery, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    dropped: tuple[str, ...] = ()
    """Schedules that are not in the settings any more."""
    advances: tuple[Advance, ...] = ()

    def __bool__(self) -> bool:
        return any((self.deliveries, self.schedules, self.dropped, self.advances))


class _Quiet(NamedTuple):
    """A stretch of time in which no briefing comes due."""

    schedules: Sequence[Schedule]
    """As they were then: the very same object."""
    zone: str
    since: dt.datetime
    until: dt.datetime
    """Exclusive."""

    def covers(self, schedules: Sequence[Schedule], zone: str, now: dt.datetime) -> bool:
        """Return whether nothing can have come due at `now`."""
        is_same = schedules is self.schedules and zone == self.zone
        return is_same and self.since <= now < self.until


class Agenda:
    """Finds what has come due. One thread at a time."""

    def __init__(self, settings: Settings, zones: UserZones) -> None:
        """Take the settings, and where the user is, day by day."""
        self._briefings = [(one, parse_timetable(one.when)) for one in settings.briefings]
        self._reminder_channels = settings.reminder_channels
        self._zones = zones
        self._quiet: _Quiet | None = None
        self._wakes: dict[str, tuple[Schedule, ZoneInfo, dt.datetime]] = {}

    def entries(
        self,
        schedules: Sequence[Schedule],
        ringing: Iterable[StoredReminder],
        now: dt.datetime,
    ) -> Entries:
        """Return what has come due at `now`, aware, and is not written down yet."""
        zone = self._zones.at(now)
        found = Entries()
        if self._quiet is None or not self._quiet.covers(schedules, zone, now):
            found, until = self._of_briefings(schedules, ZoneInfo(zone), now)
            self._quiet = None if found else _Quiet(schedules, zone, now, until)
        return found._replace(advances=tuple(self._advance(one, now) for one in ringing))

    # Briefings

    def _of_briefings(
        self, schedules: Sequence[Schedule], zone: ZoneInfo, now: dt.datetime
    ) -> tuple[Entries, dt.datetime]:
        """Return what has come due, and until when nothing else does."""
        by_name = {one.name: one for one in schedules}
        until = now + _LONGEST_QUIET
        found: list[Entries] = []
        for one, table in self._briefings:
            known = by_name.pop(one.name, None)
            if known is None or known.timetable != one.when or known.since > now:
                # New, changed, or the clock was set back: from now on.
                found.append(Entries(schedules=(Schedule(one.name, one.when, now),)))
                continue
            wakes_at = self._wakes_at(known, table, zone)
            until = min(until, wakes_at)
            if wakes_at <= now and len(found) < MOST_AT_ONCE:  # the rest at the next tick
                found.append(_of_briefing(one, table, known.since, zone, now))
        entries = Entries(
            deliveries=tuple(delivery for entry in found for delivery in entry.deliveries),
            schedules=tuple(schedule for entry in found for schedule in entry.schedules),
            dropped=tuple(by_name),
        )
        return entries, until

    def _wakes_at(self, known: Schedule, timetable: Timetable, zone: ZoneInfo) -> dt.datetime:
        """Return the first instant of a schedule that lies not before its `since`."""
        found = self._wakes.get(known.name)
        if found is None or found[0] != known or found[1] is not zone:
            at = next_time(timetable, zone, known.since - _INSTANT)
            found = self._wakes[known.name] = (known, zone, at)
        return found[2]

    # Reminders

    def _advance(self, stored: StoredReminder, now: dt.datetime) -> Advance:
        """Return that a reminder rings: once, for the last time that has passed."""
        reminder, first = stored.reminder, stored.next_at
        if first is None:
            raise ValueError("a reminder that rings has a time")
        at, following = first, next_occurrence(reminder, first, self._zones)
        while following is not None and following <= now:
            at, following = following, next_occurrence(reminder, following, self._zones)
        # What passed while it was cancelled is not made up for; only a single time is.
        is_wanted = not reminder.rule or stored.resumed_at is None or at >= stored.resumed_at
        return Advance(
            reminder_id=reminder.reminder_id,
            expected=first,
            next_at=following,
            deliveries=self._rings(stored, at) if is_wanted else (),
        )

    def _rings(self, stored: StoredReminder, at: dt.datetime) -> tuple[Delivery, ...]:
        zone = ZoneInfo(self._zones.at(at))
        return tuple(
            Delivery(
                kind=DeliveryKind(stored.reminder.kind.value),
                name=stored.reminder.reminder_id,
                channel=channel,
                day=at.astimezone(zone).date(),
                due_at=at,
                title=stored.reminder.title,
            )
            for channel in self._reminder_channels
        )


def _of_briefing(
    briefing: Briefing, timetable: Timetable, since: dt.datetime, zone: ZoneInfo, now: dt.datetime
) -> Entries:
    """Return what of a briefing has come due, or was missed, since it was last looked at."""
    missed = find_missed(timetable, zone, now, _NEVER_SAID, since)
    due = find_due(timetable, zone, now, _NEVER_SAID, since)
    if due is None and not missed:
        return Entries()
    last = due.at if due is not None else timetable.instant(missed[-1], zone)
    return Entries(
        deliveries=(
            *_missed(briefing, missed, timetable, zone),
            *(_to_say(briefing, due.day, due.at) if due is not None else ()),
        ),
        schedules=(Schedule(briefing.name, briefing.when, last + _INSTANT),),
    )


def _to_say(briefing: Briefing, day: dt.date, at: dt.datetime) -> Iterator[Delivery]:
    for channel in briefing.channels:
        yield Delivery(DeliveryKind.BRIEFING, briefing.name, channel, day, at)


def _missed(
    briefing: Briefing, days: Iterable[dt.date], timetable: Timetable, zone: ZoneInfo
) -> Iterator[Delivery]:
    for day in days:
        for one in _to_say(briefing, day, timetable.instant(day, zone)):
            yield one._replace(state=DeliveryState.MISSED, detail="Iris was not running")


def is_over(delivery: Delivery, today: dt.date) -> bool:
    """Return whether it is too late to say it: a briefing for yesterday helps nobody."""
    return delivery.kind is DeliveryKind.BRIEFING and delivery.day < today


def briefing_now(briefing: Briefing, now: dt.datetime, zones: UserZones) -> tuple[Delivery, ...]:
    """Return today's deliveries of a briefing, to be said now, whatever its times are."""
    day = now.astimezone(ZoneInfo(zones.at(now))).date()
    return tuple(_to_say(briefing, day, now))
