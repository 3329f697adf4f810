"""How much later or earlier something is to be: "postpone the review by an hour"."""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import TaskError

_LENGTH = re.compile(
    r"\s*\b(?:back|forwards?|out|down|up)?\s*(?:\bby\s+)?\b"
    r"(?P<count>\d+|an?|one|two|three|four|half an)\s+"
    r"(?P<unit>min(?:ute)?s?|hours?|days?|weeks?)\b(?:\s+(?:later|earlier|sooner|back|forward))?",
    re.IGNORECASE,
)
_THAN_IT_IS = re.compile(r"\b(?:later|earlier|sooner)\b", re.IGNORECASE)
"""In a scope: it is no time, but how far from the time that something has."""
_EARLIER = re.compile(r"\b(?:earlier|sooner|forwards?|bring)\b", re.IGNORECASE)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_TAKES = re.compile(
    r"(?:(?P<half>half an hour)"
    r"|(?P<hours>\d+(?:\.\d+)?|[a-z]+) ?h(?:ours?|rs?)?\b(?P<more> and a half)?)?"
    r"(?:(?: ?and)? ?(?P<minutes>\d+|[a-z]+)(?: more)? ?m(?:in(?:ute)?s?)?\b)?"
)
_SMALL = _COUNTS | {
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
_HALF_HOUR = dt.timedelta(minutes=30)
_FARTHEST = 9999
"""Of whatever unit: nobody moves a thing further than that."""


class Shift(NamedTuple):
    """By how much what is moved."""

    title: str
    """What is moved, in the user's words."""
    length: dt.timedelta
    """Negative when it is to be earlier."""

    def from_time(self, at: dt.date | dt.datetime, zone: ZoneInfo) -> dt.date | dt.datetime:
        """Return a time so much later: days and weeks on the clock of `zone`, hours elapsed.

        Raises:
            TaskError: a whole day is to be moved by hours.
        """
        is_days = not self.length % dt.timedelta(days=1)
        if isinstance(at, dt.datetime):
            if is_days:
                return at.astimezone(zone) + self.length
            return (at.astimezone(dt.UTC) + self.length).astimezone(zone)
        if not is_days:
            raise TaskError(
                f"“{self.title}” is a whole day; it has no hour to move",
                hint="say by how many days",
            )
        return at + self.length


def read_shift(task: AgentTask) -> Shift | None:
    """Return by how much something is to be moved; None where a time is named, or no length is.

    Raises:
        TaskError: it is further than anything is moved.
    """
    if task.scope is not None and not _THAN_IT_IS.search(task.scope.text):
        return None
    match = _LENGTH.search(task.utterance)
    title = _LENGTH.sub(" ", task.slots.get("title", "")).strip(" ,.")
    title = re.sub(r"\s+(?:by|back|forward)$", "", title)
    if match is None or not title:
        return None
    length = _length(match["count"].lower(), match["unit"].lower())
    is_earlier = _EARLIER.search(task.utterance) is not None
    return Shift(" ".join(title.split()), -length if is_earlier else length)


def read_minutes(text: str) -> int | None:
    """Return how long "an hour and a half", "2h 30m" or "45 minutes" is; None for anything else."""
    match = _TAKES.fullmatch(" ".join(text.lower().split()))
    if match is None:
        return None
    hours, minutes = (_number(match[name] or "0") for name in ("hours", "minutes"))
    if hours is None or minutes is None:
        return None
    more = 30 * sum(match[name] is not None for name in ("half", "more"))
    return round(hours * 60) + round(minutes) + more or None


def _number(text: str) -> float | None:
    return float(text) if text[0].isdecimal() else _SMALL.get(text)


def _length(count: str, unit: str) -> dt.timedelta:
    if count == "half an":
        return _HALF_HOUR
    number = _COUNTS.get(count) or int(count[: len(str(_FARTHEST)) + 1])
    if number > _FARTHEST:
        raise TaskError("that is further than I can move it", hint="name a shorter time")
    if unit.startswith("min"):
        return dt.timedelta(minutes=number)
    if unit.startswith("hour"):
        return dt.timedelta(hours=number)
    return dt.timedelta(weeks=number) if unit.startswith("week") else dt.timedelta(days=number)
