"""Words for when a todo can be done, as todo.txt and VTODO lists both write them."""

from __future__ import annotations

import datetime as dt
import re

_LENGTH = re.compile(r"(?:(\d{1,3}(?:\.\d{1,2})?)h)?(?:(\d{1,4})m?)?", re.ASCII | re.IGNORECASE)
_TIME = re.compile(r"(\d{1,2})(?::(\d\d))?\s*([ap]m)?", re.ASCII | re.IGNORECASE)
_ENERGY = re.compile(r"[^\W\d_][\w-]{0,31}")
_IN_ONE_PIECE = frozenset({"no", "never", "0"})
_NOON = 12
_LAST_HOUR = 24  # of a day, as 24:00
_MINUTES = 60
_MOST_WORK = 999 * _MINUTES  # as much as ``est:999h``


def parse_minutes(text: str) -> int | None:
    """Read ``45``, ``30m``, ``2h``, ``1h30``, ``1.5h``; None when it is none of them or nothing."""
    found = _LENGTH.fullmatch(text)
    if not found:
        return None
    minutes = round(float(found[1] or 0) * _MINUTES) + int(found[2] or 0)
    return work_minutes(minutes) if minutes > 0 else None


def work_minutes(minutes: int | None) -> int | None:
    """Return a length of work; None when it is longer than any (a wrong unit, or a slip)."""
    return minutes if minutes is not None and minutes <= _MOST_WORK else None


def parse_chunk(text: str) -> int | None:
    """Read the least piece of a todo: a length, or ``no`` (0: in one piece); None otherwise."""
    return 0 if text.lower() in _IN_ONE_PIECE else parse_minutes(text)


def parse_energy(text: str) -> str:
    """Read a word as the name of an energy, in lower case; empty when it is no word."""
    return text.lower() if _ENERGY.fullmatch(text) else ""


def parse_time_of_day(text: str) -> dt.time | None:
    """Read ``9:00``, ``17:30``, ``24:00`` (midnight), ``9am`` or ``5:30pm``; None otherwise.

    A bare number is none: other programs write ids so.
    """
    found = _TIME.fullmatch(text)
    if not found or not (found[2] or found[3]):
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if half:
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    if hour > _LAST_HOUR or minute >= _MINUTES or (hour == _LAST_HOUR and minute):
        return None
    return dt.time(hour % _LAST_HOUR, minute)


def looks_like_time(text: str) -> bool:
    """Return whether somebody may have meant a time of day or a length."""
    return text[:1].isdigit() and not text.isdigit()
