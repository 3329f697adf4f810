"""Whatever happens to files, clock and index, a reading with an index is the one without."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from iris_harness.sources.index.port import IndexedCalendar
from iris_harness.sources.opening import open_calendar
from tests.index_support import ME, JumpingClock, days, indexed
from tests.support import examples

CASES = Path(__file__).parent.parent / "acceptance" / "day_cases"
SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*/input.ics"))]
ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Beirut", "Pacific/Apia"])
NAMES = st.sampled_from(["a.ics", "b.ics", "c.ics", "home/a.ics", "home/b.ics", "work/a.ics"])
DAYS = st.dates(dt.date(2026, 3, 27), dt.date(2026, 4, 12))

UIDS = ["one", "two", "three", "a b", "a  b", "a\\,b", "line 5", "", "ünï"]
ZONE_LINES = ["", "Z", ";TZID=Europe/Berlin", ";TZID=Own", ";TZID=Nowhere", ";TZID=GMT+0200"]
EXTRAS = [
    "STATUS:CANCELLED", "SEQUENCE:2", "SEQUENCE:1", "TRANSP:TRANSPARENT", "DURATION:PT90M",
    "DURATION:P3D", "DTEND:20260301T000000Z", "DTEND:bad", "LOCATION:Room 1", "STATUS:TENTATIVE",
    "ATTENDEE;PARTSTAT=DECLINED:mailto:ada@example.org", "LAST-MODIFIED:20260101T000000Z",
    "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
]  # fmt: skip
_TICK_SECONDS = 0.01
"""Longer than two changes of a file can be apart and have the same stamp."""
RULES = [
    "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE", "RRULE:FREQ=DAILY;COUNT=9",
    "RRULE:FREQ=MONTHLY;BYDAY=-1FR", "RRULE:FREQ=HOURLY;INTERVAL=5", "RRULE:FREQ=MINUTELY",
    "RRULE:FREQ=DAILY;INTERVAL=0", "RRULE:FREQ=WEEKLY;UNTIL=20260410", "RDATE:20260402T100000",
    "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "RRULE:FREQ=MINUTELY;INTERVAL=50",
    "RRULE:FREQ=DAILY;UNTIL=20250101T000000Z", "EXDATE:bad", "RRULE:FREQ=SECONDLY;COUNT=9999999",
    "EXRULE:FREQ=WEEKLY",
]  # fmt: skip
OWN_ZONE = (
    "BEGIN:VTIMEZONE\r\nTZID:Own\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
    "TZOFFSETFROM:+0000\r\nTZOFFSETTO:{}\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
)


@st.composite
def events(draw: st.DrawFn) -> str:
    """Draw a VEVENT that has little in common with what it should be."""
    day = draw(DAYS)
    zone = draw(st.sampled_from(ZONE_LINES))
    time = draw(st.sampled_from(["", "T000000", "T090000", "T233000", "T023000", "T999999"]))
    suffix = "Z" if zone == "Z" and time else ""
    lines = ["BEGIN:VEVENT", f"SUMMARY:{draw(st.sampled_from('xyz'))}"]
    uid = draw(st.sampled_from(UIDS))
    lines += [f"UID:{uid}"] if uid else []
    lines.append(f"DTSTART{zone.removesuffix('Z')}:{day:%Y%m%d}{time}{suffix}")
    if draw(st.integers(0, 3)) == 0:
        replaced = draw(DAYS)
        later = draw(st.sampled_from(["", ";RANGE=THISANDFUTURE"]))
        lines.append(f"RECURRENCE-ID{later}:{replaced:%Y%m%d}{time}")
    lines += draw(st.lists(st.sampled_from(EXTRAS), max_size=2))
    lines += draw(st.lists(st.sampled_from(RULES), max_size=2))
    if draw(st.integers(0, 20)) == 0:
        lines += ["BEGIN:VALARM", "TRIGGER:-PT5M", "END:VALARM"]
    lines += ["END:VEVENT"] if draw(st.integers(0, 15)) else []
    return "\r\n".join(lines) + "\r\n"


@st.composite
def calendars(draw: st.DrawFn) -> bytes:
    """Draw a file: mostly a calendar."""
    match draw(st.integers(0, 12)):
        case 0:
            return draw(st.sampled_from([b"", b"hello", b"<html>", b"\0\1\2", b"\r\n"]))
        case 1:
            return draw(st.sampled_from(SEEDS))
        case _:
            method = draw(st.sampled_from(["", "", "", "METHOD:CANCEL\r\n", "METHOD:REPLY\r\n"]))
            zone = OWN_ZONE.format(draw(st.sampled_from(["+0100", "+0500"])))
            busy = draw(st.sampled_from(["", "", "BEGIN:VFREEBUSY\r\nEND:VFREEBUSY\r\n"]))
            body = "".join(draw(st.lists(events(), max_size=5)))
            end = draw(st.sampled_from(["END:VCALENDAR\r\n"] * 5 + [""]))
            return f"BEGIN:VCALENDAR\r\n{method}{zone}{busy}{body}{end}".encode()


class IndexMachine(RuleBasedStateMachine):
    """Edits a vdir and a file as programs, people and accidents do, and reads in between."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.vdir = self.root / "vdir"
        self.file = self.root / "all.ics"
        self.cache = self.root / "cache"
        self.clock = JumpingClock()
        self.coarse = False
        self.calendars: list[IndexedCalendar] = []
        self.is_damaged = False
        self.window = days("2026-04-01", 2)
        self.asked = slice(0, 4)

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @initialize(coarse=st.booleans(), content=calendars())
    def begin(self, coarse: bool, content: bytes) -> None:
        self.coarse = coarse
        self.vdir.mkdir()
        self.file.write_bytes(content)
        self.start_two_programs()

    @rule()
    def start_two_programs(self) -> None:
        """Two programs share an index; both begin with nothing in memory."""
        self.asked = slice(0, 4)
        self.calendars = [
            indexed(self.cache, path, clock=self.clock, coarse=self.coarse)
            for path in (self.vdir, self.file) * 2
        ]

    @rule(name=NAMES, content=calendars())
    def write(self, name: str, content: bytes) -> None:
        path = self.vdir / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    @rule(content=calendars())
    def write_the_file(self, content: bytes) -> None:
        self.file.write_bytes(content)

    @rule(name=NAMES, content=calendars())
    def replace(self, name: str, content: bytes) -> None:
        path = self.vdir / name
        path.parent.mkdir(exist_ok=True)
        other = self.root / "new"
        other.write_bytes(content)
        other.replace(path)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.vdir / name).unlink(missing_ok=True)

    @rule()
    def delete_the_file(self) -> None:
        self.file.unlink(missing_ok=True)

    @rule(name=NAMES, other=NAMES)
    def rename(self, name: str, other: str) -> None:
        (self.vdir / other).parent.mkdir(exist_ok=True)
        if (self.vdir / name).exists():
            (self.vdir / name).replace(self.vdir / other)

    @rule(name=NAMES, seconds=st.sampled_from([0, -5, 5, -100_000, 100_000]))
    def touch(self, name: str, seconds: int) -> None:
        path = self.vdir / name
        if path.exists():
            changed = path.stat().st_mtime_ns + seconds * 10**9
            os.utime(path, ns=(changed, changed))

    @rule(name=NAMES, pair=st.sampled_from([(b"2026", b"2025"), (b"SUMMARY:x", b"SUMMARY:y")]))
    def edit_without_a_trace(self, name: str, pair: tuple[bytes, bytes]) -> None:
        """Another content of the same size, the time of change put back."""
        for path in (self.vdir / name, self.file):
            if path.exists():
                changed = path.stat().st_mtime_ns
                path.write_bytes(path.read_bytes().replace(*pair))
                os.utime(path, ns=(changed, changed))

    @rule(hours=st.integers(-30, 30))
    def set_the_clock(self, hours: int) -> None:
        # Where times are seconds apart, a tick would have to be as long (see the invariant): there
        # the clock is only set back.
        self.clock.wrong_by = dt.timedelta(hours=min(hours, 0) if self.coarse else hours)

    @rule(share=st.floats(0, 1))
    def truncate_the_index(self, share: float) -> None:
        # No precondition: whether there is a file may depend on how fast this runs, and hypothesis
        # takes a machine whose rules come and go by themselves for a broken one.
        path = self.cache / "cache.db"
        if path.exists():
            os.truncate(path, int(path.stat().st_size * share))
        self.is_damaged = True

    @rule()
    def lose_the_index(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)
        self.is_damaged = True

    @rule(day=DAYS, zone=ZONES, length=st.sampled_from([1, 1, 2, 7, 40, 100]))
    def ask_for(self, day: dt.date, zone: str, length: int) -> None:
        self.window = days(day, length, zone)

    @rule(first=st.booleans())
    def rest(self, first: bool) -> None:
        """One of the two programs is not asked for a while."""
        self.asked = slice(0, 2) if first else slice(2, 4)

    @invariant()
    def the_index_makes_no_difference(self) -> None:
        paths = (self.vdir, self.file)
        plain = [open_calendar("cal", path, ME).read(self.window) for path in paths] * 2
        pairs = list(zip(self.calendars, plain, strict=True)) if self.calendars else []
        for reader, expected in pairs[self.asked]:
            assert reader.read(self.window) == expected
            assert self.is_damaged or not reader.bypassed
        if self.clock.wrong_by:
            # A machine's clock stamps its files, too: what is written after it jumped never has
            # the stamp of what was written before. Here only the program's clock jumps.
            time.sleep(_TICK_SECONDS)


TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = settings(
    max_examples=examples(25),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@given(content=calendars(), zone=ZONES, starts=st.lists(DAYS, min_size=1, max_size=4))
@settings(max_examples=examples(60), deadline=None)
def test_every_day_of_a_stretch_is_what_a_reading_of_that_day_gives(
    content: bytes, zone: str, starts: list[dt.date]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.ics"
        path.write_bytes(content)
        reader = indexed(Path(folder) / "cache", path)
        for start in starts:
            for offset in range(4):
                window = days(start + dt.timedelta(days=offset), 1, zone)
                assert reader.read(window) == open_calendar("cal", path, ME).read(window)
                assert not reader.bypassed
