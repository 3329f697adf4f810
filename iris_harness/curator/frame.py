"""A day of a zone as a span of instants."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import DailyPlan


def minutes_between(start: dt.datetime, end: dt.datetime) -> int:
    """Return the minutes from `start` to `end` as they are shown, clock changes counted.

    Times are shown without their seconds, so a length is that of the times without them:
    14:00:40 to 14:05:00 is shown, and counted, as 14:00 to 14:05.
    """
    # Python subtracts two times of one zone by the wall clock; instants need a common offset.
    passed = _whole_minute(end).astimezone(dt.UTC) - _whole_minute(start).astimezone(dt.UTC)
    return int(passed.total_seconds()) // 60


def _whole_minute(instant: dt.datetime) -> dt.datetime:
    return instant.replace(second=0, microsecond=0)


class DayFrame(NamedTuple):
    """[00:00, 24:00) of one date in one zone."""

    date: dt.date
    zone: ZoneInfo

    @property
    def start(self) -> dt.datetime:
        """First instant of the day, UTC."""
        return self._midnight(self.date)

    @property
    def end(self) -> dt.datetime:
        """First instant after the day, UTC."""
        return self._midnight(self.date + dt.timedelta(days=1))

    def _midnight(self, date: dt.date) -> dt.datetime:
        return dt.datetime.combine(date, dt.time(), self.zone).astimezone(dt.UTC)

    @property
    def hours(self) -> int:
        """Length of the day in hours, rounded: 23 or 25 where the clocks change by one."""
        return round(minutes_between(self.start, self.end) / 60)

    def local(self, instant: dt.datetime) -> dt.datetime:
        """Return `instant` in the day's zone."""
        return instant.astimezone(self.zone)

    def is_ambiguous(self, instant: dt.datetime) -> bool:
        """Return whether the clock shows the time of `instant` twice on its date."""
        local = self.local(instant)
        return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def frame_of(plan: DailyPlan) -> DayFrame:
    """Return the frame of a plan's day."""
    return frame_for(plan.date, plan.timezone)


def frame_for(date: dt.date, timezone: str) -> DayFrame:
    """Return the frame of a date in the zone of an IANA name."""
    return DayFrame(date=date, zone=ZoneInfo(timezone))
