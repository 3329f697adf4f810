"""Spans of a day's wall clock, as settings write them."""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise
from typing import Annotated

from pydantic import Field, PlainSerializer, PlainValidator

from iris_harness.config.sections import Section, problem
from iris_harness.contracts.day import TimeSpan

_SPAN = re.compile(r"(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)")
_SPAN_FORM = "spans of one day, as 09:00-12:30; [] for a day off"
_MIDNIGHT = 24 * 60  # minutes
_LAST_MINUTE = 59  # of an hour


def parse_spans(value: object) -> tuple[TimeSpan, ...]:
    """Read one day's spans from text, a list of texts, or spans; sorted, without overlap."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    timed = [(_parse_span(part, index), index) for index, part in enumerate(parts)]
    timed.sort(key=lambda pair: pair[0].start)
    for (before, _), (after, index) in pairwise(timed):
        if after.start < before.end or before.end == dt.time():
            raise problem(f"{span_text(before)} and {span_text(after)} overlap", at=(index,))
    return tuple(span for span, _ in timed)


def _parse_span(value: object, index: int) -> TimeSpan:
    if isinstance(value, TimeSpan):
        return value
    match = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise problem(f"{value!r} is no span of time", at=(index,))
    hours = [int(group) for group in match.groups()]
    start, end = (hour * 60 + minute for hour, minute in (hours[:2], hours[2:]))
    if max(hours[1], hours[3]) > _LAST_MINUTE or end > _MIDNIGHT:
        raise problem(f"{value!r} names a time that no day has", at=(index,))
    if start >= end:
        raise problem(f"{value!r} ends before it starts", at=(index,))
    return TimeSpan(start=_time(start), end=_time(end))


def _time(minutes: int) -> dt.time:
    return dt.time(minutes // 60 % 24, minutes % 60)


def span_text(span: TimeSpan) -> str:
    """Return a span as it is written in the settings."""
    end = "24:00" if span.end == dt.time() else f"{span.end:%H:%M}"
    return f"{span.start:%H:%M}-{end}"


def _span_texts(spans: tuple[TimeSpan, ...]) -> list[str]:
    return [span_text(span) for span in spans]


Spans = Annotated[
    tuple[TimeSpan, ...],
    PlainValidator(parse_spans),
    PlainSerializer(_span_texts),
    Field(description="Spans of the day's wall clock.", json_schema_extra={"expected": _SPAN_FORM}),
]
_OFFICE = (TimeSpan(start=dt.time(9), end=dt.time(17)),)


class WorkingHours(Section):
    """When todos are placed, per weekday."""

    mon: Spans = _OFFICE
    tue: Spans = _OFFICE
    wed: Spans = _OFFICE
    thu: Spans = _OFFICE
    fri: Spans = _OFFICE
    sat: Spans = ()
    sun: Spans = ()

    def week(self) -> tuple[tuple[TimeSpan, ...], ...]:
        """Return seven days, Monday first."""
        return (self.mon, self.tue, self.wed, self.thu, self.fri, self.sat, self.sun)
