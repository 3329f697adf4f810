"""Build a zone from a file's own VTIMEZONE (RFC 5545 §3.6.5)."""

from __future__ import annotations

import datetime as dt
import io
import re

from iris_harness.sources.decoding import decode
from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.properties import Property, parse_properties
from iris_harness.sources.ical.rules import parse_rule

_OBSERVANCE = re.compile(
    rb"^BEGIN[ \t]*:[ \t]*(STANDARD|DAYLIGHT)[ \t\r]*$(.*?)^END[ \t]*:[ \t]*\1",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_WANTED = ("DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE")
_OFFSET = re.compile(r"[+-]?\d{4}(\d{2})?", re.ASCII)
_WALL = re.compile(r"\d{8}T\d{6}", re.ASCII)


def zone_id(component: Component) -> str:
    """Return the TZID that a VTIMEZONE defines, without quotation marks; may be empty."""
    return parse_properties(component.body, ("TZID",)).text("TZID").strip("\"'")


def build_zone(component: Component) -> dt.tzinfo | None:
    """Return the zone that a VTIMEZONE describes; None when it describes none.

    Only what says when which offset holds is handed to dateutil, checked line by line: one odd
    comment or an endless rule in a definition must not cost the events that use it.
    """
    observances = [_observance(kind, body) for kind, body in _OBSERVANCE.findall(component.body)]
    usable = [text for text in observances if text]
    if not usable:
        return None
    from dateutil.tz import tzical

    text = "\n".join(["BEGIN:VTIMEZONE", "TZID:own", *usable, "END:VTIMEZONE"])
    try:
        zone: dt.tzinfo | None = tzical(io.StringIO(text)).get()
    except ValueError:
        return None
    return zone


def _observance(kind: bytes, body: bytes) -> str:
    """Return the observance with its checked lines, or "" when it cannot be used."""
    found = parse_properties(body, _WANTED)
    # With ISO 8601's dashes and colons, as everywhere.
    start = found.text("DTSTART").replace("-", "").replace(":", "").rstrip("Zz")[:15]
    start = start if "T" in start else f"{start}T000000"
    offsets = [found.text(name).replace(":", "") for name in ("TZOFFSETFROM", "TZOFFSETTO")]
    if not _WALL.fullmatch(start) or not all(_OFFSET.fullmatch(offset) for offset in offsets):
        return ""
    lines = [f"DTSTART:{start}"]
    lines += [f"RRULE:{rule.value.upper()}" for rule in found.all("RRULE") if _usable(rule, start)]
    lines += [f"RDATE:{date}" for rdate in found.all("RDATE") for date in _dates(rdate)]
    lines += [f"TZOFFSETFROM:{offsets[0]}", f"TZOFFSETTO:{offsets[1]}"]
    name = decode(kind).upper()
    return "\n".join([f"BEGIN:{name}", *lines, f"END:{name}"])


def _usable(rule: Property, start: str) -> bool:
    try:
        parse_rule(rule.value, dt.datetime.strptime(start, "%Y%m%dT%H%M%S"), dt.UTC)  # noqa: DTZ007 - a wall clock
    except ValueError:
        return False
    return True


def _dates(rdate: Property) -> list[str]:
    return [date for date in rdate.value.rstrip("Zz").split(",") if _WALL.fullmatch(date)]
