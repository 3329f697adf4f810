"""The collected files of other programs: no crash, no hang, no silent loss.

Needs the corpus beside the project; see its README. `make soak` reads more days of each file.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iris_harness.contracts.ports import ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.decoding import plain_bytes
from iris_harness.sources.ical.components import Component, split
from iris_harness.sources.ical.counting import expand
from iris_harness.sources.ical.entries import raw_uid
from iris_harness.sources.ical.rules import parse_rule
from iris_harness.sources.opening import open_calendar, open_todos
from iris_harness.sources.todotxt import TodoTxtList
from tests.support import SOAK

Window = Callable[..., ReadWindow]

DAYS_PER_FILE = 400 if SOAK else 4
SLOW_SECONDS = 5.0
"""Of processor time; one reading of the largest file takes a fraction of this."""
_DATE = re.compile(rb"(?<!\d)(1[6-9]\d\d|20\d\d|21\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)")

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(3600)]


def interesting_days(data: bytes, most: int) -> Iterator[str]:
    """Yield days that the file speaks of, spread over its span, and one it knows nothing of."""
    found = set()
    for year, month, day in _DATE.findall(data):
        try:
            date = dt.date(int(year), int(month), int(day))
        except ValueError:
            continue
        # In the user's zone it may be the day before or after.
        found |= {date - dt.timedelta(days=1), date, date + dt.timedelta(days=1)}
    days = sorted(found)
    yield from (day.isoformat() for day in days[:: max(1, -(-len(days) // most))])
    yield "2031-07-03"


def calendar_files(corpus: Path) -> list[Path]:
    files = (path for path in sorted((corpus / "ics").rglob("*")) if path.is_file())
    return [path for path in files if path.suffix != ".tsv"]


@pytest.mark.soak
def test_no_collected_calendar_crashes_or_hangs(corpus: Path, window: Window) -> None:
    troubles = []
    for path in calendar_files(corpus):
        calendar, todos = open_calendar(path.name, path), open_todos(f"{path.name}.ics", path)
        for day in interesting_days(path.read_bytes(), DAYS_PER_FILE):
            began = time.process_time()
            details = [port.read(window(day)).status.detail for port in (calendar, todos)]
            took = time.process_time() - began
            if took > SLOW_SECONDS:
                troubles.append(f"{path}: {day} took {took:.1f} s")
            troubles += [f"{path}: {text}" for text in details if "could not be read" in text]
    assert troubles == []


def is_accounted_for(component: Component, listed: set[str], warnings: str) -> bool:
    """Whether an event was listed, warned of or taken out, or says nothing at all."""
    body = component.body.upper()
    return (
        raw_uid(component) in listed
        or f":{component.line}: " in warnings
        or b"EXDATE" in body
        or not body.strip()
    )


def test_no_event_of_a_collected_calendar_is_lost_in_silence(corpus: Path, window: Window) -> None:
    lost = []
    for path in calendar_files(corpus):
        data = path.read_bytes()
        *days, _ = interesting_days(data, 10_000)
        if not days:
            continue
        first = dt.date.fromisoformat(days[0])
        length = (dt.date.fromisoformat(days[-1]) - first).days
        reading = open_calendar(path.name, path).read(window(days[0], days=length + 400))
        if reading.status.state is SourceState.FAILED:
            continue
        events = [c for c in split(plain_bytes(data), path.name).components if c.kind == "VEVENT"]
        called_off = {raw_uid(event) for event in events if b"CANCELLED" in event.body.upper()}
        listed = called_off | {event.uid for event in reading.items}
        warnings = "\n".join(reading.warnings)
        lost += [
            f"{path}:{event.line}"
            for event in events
            if not is_accounted_for(event, listed, warnings)
        ]
    assert lost == []


def test_every_collected_todo_txt_is_read_line_by_line(corpus: Path, window: Window) -> None:
    for path in sorted((corpus / "tasks").rglob("*.txt")):
        lines = path.read_text(encoding="utf-8").split("\n")
        reading = TodoTxtList("todo.txt", path).read(window())
        assert reading.status.state in {SourceState.OK, SourceState.EMPTY}, path
        hidden = [line for line in lines if re.match(r"x |x$", line.strip()) or "h:1" in line]
        assert len(reading.items) == sum(map(bool, map(str.strip, lines))) - len(hidden), path


def _wall(text: str) -> dt.datetime:
    return dt.datetime.strptime(text[:15] if "T" in text else f"{text}T000000", "%Y%m%dT%H%M%S")  # noqa: DTZ007 - a wall clock


# What libical does otherwise, and why it stays so here. In RFC 5545 §3.3.10's table BYMONTHDAY
# expands a YEARLY rule: without BYMONTH to every month. Weeks across New Year with an INTERVAL
# belong to the calendar year for dateutil, to the week's own year for libical.
OTHERWISE = {
    "FREQ=YEARLY;BYMONTHDAY=29;COUNT=3",
    "FREQ=YEARLY;BYMONTHDAY=-29,-1;COUNT=4",
    "FREQ=YEARLY;BYWEEKNO=53;BYDAY=TU,SA;INTERVAL=6;UNTIL=20170101T000000Z",
    "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TU;INTERVAL=3;UNTIL=20320101",
}


def test_rules_are_counted_out_as_libical_counts_them(corpus: Path) -> None:
    lines = (corpus / "oracles" / "libical_rrule_instances.jsonl").read_text(encoding="utf-8")
    differing = set()
    for row in map(json.loads, lines.splitlines()):
        if not row["dtstart_in_set"] or not row["instances"]:
            continue  # undefined by RFC 5545 §3.8.5.3, or not implemented by libical
        wanted, start = [_wall(text) for text in row["instances"]], _wall(row["dtstart"])
        rule = parse_rule(row["rrule"], start, dt.UTC, all_day="T" not in row["dtstart"])
        if expand(rule, start, start, wanted[-1]) != wanted:
            differing.add(row["rrule"])
    assert differing == OTHERWISE
