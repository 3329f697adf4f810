"""Times as a calendar writes them: wall-clock times in a zone, plain dates, lengths.

RFC 5545 §3.3.4 (DATE), §3.3.5 (DATE-TIME), §3.3.6 (DURATION), §3.3.9 (PERIOD).
"""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

_TIME = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})"
    r"(?:Z|[T ](\d{2}):?(\d{2})(?::?(\d{2}))?(?:[.,]\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE | re.ASCII,
)
_DURATION = re.compile(
    r"([+-])?P(?=[\dT])(?:(\d{1,6})W)?(?:(\d{1,7})D)?"
    r"(?:T(?=\d)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?",
    re.IGNORECASE | re.ASCII,
)
_MINUTE = 60  # seconds
_LONGEST_SHIFT = dt.timedelta(hours=3)
_DAY_SECONDS = 86_400

FIRST_WALL = dt.datetime(1, 1, 1)  # noqa: DTZ001 - a wall clock has no zone
LAST_WALL = dt.datetime(9999, 12, 31)  # noqa: DTZ001 - a wall clock has no zone


class Moment(NamedTuple):
    """A time as it was written: a wall clock in a zone, or a day."""

    wall: dt.datetime
    """Naive; midnight when `all_day`."""
    zone: dt.tzinfo
    """Where that clock hangs; for floating times and days the user's zone."""
    all_day: bool = False
    floating: bool = False
    """Whether nothing said in which zone: RFC 5545 §3.3.5 FORM #1, or an unknown TZID."""

    @property
    def instant(self) -> dt.datetime:
        """The instant in UTC; by RFC 5545 §3.3.5 in a gap and in a repeated hour.

        A time that a clock change skips has the offset from before it; of a time that comes
        twice the first is meant.
        """
        return (self.wall - _offset(self.wall, self.zone)).replace(tzinfo=dt.UTC)

    @property
    def day(self) -> dt.date:
        """The date that the wall clock shows."""
        return self.wall.date()

    def at(self, wall: dt.datetime) -> Moment:
        """Return another wall-clock time of the same kind and zone."""
        return self._replace(wall=wall)


def _offset(wall: dt.datetime, zone: dt.tzinfo) -> dt.timedelta:
    """Return the UTC offset, asking only for offsets: zones built from a VTIMEZONE know no fold."""
    at = _utcoffset(wall, zone)
    earlier = _utcoffset(max(wall - _LONGEST_SHIFT, FIRST_WALL), zone)
    if at > earlier and _utcoffset(wall - (at - earlier), zone, fold=1) == earlier:
        return earlier
    return at


def _utcoffset(wall: dt.datetime, zone: dt.tzinfo, fold: int = 0) -> dt.timedelta:
    return wall.replace(tzinfo=zone, fold=fold).utcoffset() or dt.timedelta(0)


def wall_clock(instant: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """Return what a clock in `zone` shows at an aware instant, naive."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def says_its_offset(text: str) -> bool:
    """Whether a DATE-TIME carries ``Z`` or an offset, so that no TZID applies to it."""
    found = _TIME.fullmatch(text.strip())
    return bool(found and found[7])


def parse_moment(
    text: str, zone: dt.tzinfo, *, date_only: bool = False, floating: bool = False
) -> Moment:
    """Read a DATE or DATE-TIME, ISO 8601's dashes and colons included.

    Args:
        text: the value as written.
        zone: where a value without an offset of its own is read.
        date_only: whether it was declared a DATE; a time of day is then dropped.
        floating: whether `zone` was assumed, not said.

    Raises:
        ValueError: it is neither.
    """
    found = _TIME.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text[:40]!r} is no date or time")
    year, month, day, hour, minute, second, offset = found.groups()
    wall = FIRST_WALL.replace(int(year), int(month), int(day))
    if hour is None or date_only:
        return Moment(wall=wall, zone=zone, all_day=True)
    if int(minute) > 59 or int(hour) > 24 or int(second or 0) > 60:  # noqa: PLR2004 - of a clock
        raise ValueError(f"{text[:40]!r} is no time of day")
    # 24:00 is the next midnight, and second 60 (a leap second) is read as 59 (§3.3.12).
    wall += dt.timedelta(hours=int(hour), minutes=int(minute), seconds=min(int(second or 0), 59))
    if offset:
        return Moment(wall=wall, zone=_fixed(offset))
    return Moment(wall=wall, zone=zone, floating=floating)


def _fixed(offset: str) -> dt.tzinfo:
    if offset in {"Z", "z"}:
        return dt.UTC
    length = dt.timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
    return dt.timezone(-length if offset[0] == "-" else length)


class Extent(NamedTuple):
    """How long something lasts: days by the calendar, then seconds by the clock (§3.3.6)."""

    days: int = 0
    seconds: int = 0

    @property
    def in_days(self) -> Extent:
        """The days that something of days takes: each one that it begins, and at least one.

        Only days and weeks are lengths of such a thing (§3.6.1); PT48H is written, too.
        """
        begun = -(-self.seconds // _DAY_SECONDS)
        return Extent(days=max(self.days + begun, 1))

    @property
    def upper_bound(self) -> dt.timedelta:
        """Longer than it can ever last."""
        return dt.timedelta(days=self.days + 1, seconds=self.seconds)

    def end_of(self, start: Moment) -> Moment:
        """Return when it ends, exclusively, if it begins at `start`; of a day only days count."""
        whole_days = self.seconds // _DAY_SECONDS if start.all_day else 0
        later = start.at(start.wall + dt.timedelta(days=self.days + whole_days))
        if start.all_day or not self.seconds:
            return later
        instant = later.instant + dt.timedelta(seconds=self.seconds)
        return Moment(wall=instant.replace(tzinfo=None), zone=dt.UTC)


def parse_duration(text: str) -> Extent:
    """Read a DURATION. A negative one has negative parts.

    Raises:
        ValueError: it is none; ``P`` and ``PT`` with nothing in them are none.
    """
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text[:40]!r} is no duration")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    sign = -1 if found[1] == "-" else 1
    return Extent(
        days=sign * (weeks * 7 + days), seconds=sign * (hours * 3600 + minutes * 60 + seconds)
    )


def duration_minutes(text: str) -> int | None:
    """Return the whole minutes of a DURATION; None when it is none, or not above 0."""
    try:
        length = parse_duration(text)
    except ValueError:
        return None
    minutes = length.days * 1440 + length.seconds // 60
    return minutes if minutes > 0 else None


def is_no_time(text: str) -> bool:
    """Return whether a text is a DURATION of less than a minute, either way, as ``PT0S``."""
    try:
        length = parse_duration(text)
    except ValueError:
        return False
    return length.days == 0 and abs(length.seconds) < _MINUTE


def extent_between(start: Moment, end: Moment) -> Extent:
    """Return the length from `start` to `end`: days for a day, else exact (§3.8.5.3)."""
    if start.all_day:
        days = (end.day - start.day).days
        partly = not end.all_day and end.wall.time() != dt.time()
        return Extent(days=days + partly)
    return Extent(seconds=int((end.instant - start.instant).total_seconds()))
