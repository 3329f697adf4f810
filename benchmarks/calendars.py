"""Reading large calendars, cold and warm, beside icalendar, khal and a bare look at the files.

Run it with ``make bench`` where the collected inputs are (``IRIS_CORPUS``): its
``bench/make_calendar.py`` writes 10,000 events with 1,000 rules as one .ics and as a vdir. All
figures are of one run, interleaved, medians; best of five series where a call is short. Ratios
are what counts: the machine may be busy.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events
from _support import (
    as_installed,
    describe_machine,
    peak_megabytes,
    print_table,
    run_program,
)

from iris_harness.clock import SystemClock
from iris_harness.contracts.ports import CalendarPort, Reading, ReadWindow
from iris_harness.sources.index.opening import IndexOpener
from iris_harness.sources.opening import open_calendar

EVENTS = 10_000
GROWN = 100_000
SERIES = 5
ROUNDS = 5
ZONE = "Europe/Berlin"
DAY = dt.date(2024, 5, 15)
_YEAR = re.compile(r"^((?:DTSTART|DTEND|EXDATE|RRULE).*?[:=])(\d{4})(?=\d{4})")
_BIN = Path(sys.executable).parent
_KHAL_CONFIG = """\
[calendars]
[[perf]]
path = {vdir}
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = {zone}
default_timezone = {zone}
[sqlite]
path = {folder}/khal.db
"""
_IRIS_CONFIG = """\
version: 1
timezone: {zone}
calendars:
  - name: perf
    path: {path}
"""


def window(day: dt.date) -> ReadWindow:
    zone = ZoneInfo(ZONE)
    start = dt.datetime.combine(day, dt.time(), zone)
    end = dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), zone)
    return ReadWindow(start=start, end=end, timezone=ZONE, now=start)


def make_calendar(events: int, folder: Path) -> None:
    corpus = Path(os.environ.get("IRIS_CORPUS", "../shared/corpus"))
    script = corpus / "bench" / "make_calendar.py"
    subprocess.run(
        [sys.executable, str(script), str(events), str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def measure(
    calls: Mapping[str, Callable[[], object]], *, series: int, rounds: int
) -> dict[str, float]:
    """Return the best of `series` medians of each call, interleaved, in milliseconds."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(series):
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                taken[name].append(milliseconds(call))
        for name, samples in taken.items():
            best[name] = min(best[name], statistics.median(samples))
    return best


def sweep(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat()


class Program(NamedTuple):
    """A program with its arguments and its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]

    def __call__(self) -> None:
        """Run it to its end."""
        run_program(self.command, self.environment)

    def peak(self) -> float:
        """Run it and return its most memory in megabytes."""
        return peak_megabytes(self.command, self.environment)


class Bench:
    """The files of one run, and the calls that are measured on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ics = folder / "perf.ics"
        self.vdir = folder / "vdir"
        self._caches = 0
        make_calendar(EVENTS, folder)

    @property
    def home(self) -> Path:
        """The home folder of the programs of this run."""
        folder = self.folder / "home"
        folder.mkdir(exist_ok=True)
        return folder

    def environment(self, **extra: str) -> dict[str, str]:
        """Return the environment of the programs of this run."""
        named = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(self.home))
        cache = {"XDG_CACHE_HOME": str(self.home / "cache")}
        return as_installed({**named, **cache, **extra})

    def planning(self, path: Path) -> Program:
        """Return `iris plan` for a user whose only calendar is in `path`."""
        config = self.home / f"{path.parent.name}-{path.name}.yaml"
        config.write_text(_IRIS_CONFIG.format(zone=ZONE, path=path))
        command = (str(_BIN / "iris"), "plan", "--date", DAY.isoformat())
        return Program(command, self.environment(IRIS_CONFIG=str(config)))

    def opened(self, path: Path, cache: str) -> CalendarPort:
        """Return the calendar in `path` with its index in the folder `cache` of this run."""
        return IndexOpener(self.folder / cache, SystemClock()).open_calendar("perf", path)

    def cold(self, path: Path) -> Callable[[], object]:
        """Return a call that reads a day, each time with a new index."""

        def read() -> object:
            self._caches += 1
            return checked(self.opened(path, f"cold-{self._caches}").read(window(DAY)))

        return read

    def same_day(self, calendar: CalendarPort) -> Callable[[], object]:
        """Return a call that reads the same day each time."""
        return lambda: checked(calendar.read(window(DAY)))

    def another_day(self, calendar: CalendarPort) -> Callable[[], object]:
        """Return a call that reads the days of four weeks in turn: none was asked for lately."""
        days = itertools.cycle(DAY + dt.timedelta(days=number) for number in range(28))
        for _ in range(28):
            calendar.read(window(next(days)))
        return lambda: checked(calendar.read(window(next(days))))

    def one_changed(self, calendar: CalendarPort) -> Iterator[float]:
        """Yield the time of a day after one file changed; writing it is not counted."""
        file = self.vdir / "cal" / "perf-77.ics"
        plain = file.read_bytes()
        for number in range(SERIES * ROUNDS):
            file.write_bytes(plain.replace(b"SUMMARY:", b"SUMMARY:%d " % number))
            yield milliseconds(lambda: checked(calendar.read(window(DAY))))
        file.write_bytes(plain)


def checked(reading: Reading[object]) -> int:
    """Return how many events a reading holds: a benchmark of wrong answers is worth nothing."""
    if not reading.items or reading.warnings:
        raise SystemExit(f"not read: {reading.status} {reading.warnings[:3]}")
    return len(reading.items)


def parse(path: Path) -> icalendar.Component:
    return icalendar.Calendar.from_ical(path.read_bytes())


def parse_and_expand(path: Path) -> object:
    return recurring_ical_events.of(parse(path)).at(DAY)


def agree(bench: Bench) -> None:
    """Stop unless readings with and without an index are the same."""
    for path in (bench.ics, bench.vdir):
        with_index = bench.opened(path, "warm").read(window(DAY))
        if with_index != open_calendar("perf", path).read(window(DAY)):
            raise SystemExit(f"the index gives another answer for {path.name}")


Row = tuple[str, float, str, float]
"""What was measured, how long it took, what the bar is, and the bar in the same unit."""


def cold_rows(bench: Bench) -> list[Row]:
    calls = {
        "bare icalendar parse": lambda: parse(bench.ics),
        "parse + recurring-ical-events": lambda: parse_and_expand(bench.ics),
        "first read of the .ics": bench.cold(bench.ics),
        "first read of the vdir": bench.cold(bench.vdir),
    }
    taken = measure(calls, series=1, rounds=ROUNDS)
    bare = taken["bare icalendar parse"]
    return [
        ("bare icalendar parse", bare, "", 0),
        ("parse + recurring-ical-events", taken["parse + recurring-ical-events"], "", 0),
        ("first read of the .ics", taken["first read of the .ics"], "0.6 of the parse", 0.6 * bare),
        ("first read of the vdir", taken["first read of the vdir"], "0.9 of the parse", 0.9 * bare),
    ]


def warm_rows(bench: Bench) -> list[Row]:
    one, many = bench.opened(bench.ics, "warm"), bench.opened(bench.vdir, "warm")
    for calendar in (one, many):
        calendar.read(window(DAY))
    time.sleep(3)  # files that have just been written are not trusted by their times
    calls = {
        "sweep": lambda: sweep(bench.vdir / "cal"),
        "ics same": bench.same_day(one),
        "ics other": bench.another_day(one),
        "vdir same": bench.same_day(many),
        "vdir other": bench.another_day(many),
    }
    for call in calls.values():
        call()
    taken = measure(calls, series=SERIES, rounds=9)
    changed = bench.one_changed(many)
    paired = [(milliseconds(calls["sweep"]), sample) for sample in changed]
    look = taken["sweep"]
    look_then = statistics.median(pair[0] for pair in paired)
    edited = statistics.median(pair[1] for pair in paired)
    return [
        ("stat sweep of the vdir", look, "", 0),
        ("a day of the .ics, again", taken["ics same"], "5 ms", 5),
        ("another day of the .ics", taken["ics other"], "5 ms", 5),
        ("a day of the vdir, again", taken["vdir same"], "1.3 sweeps + 5 ms", 1.3 * look + 5),
        ("another day of the vdir", taken["vdir other"], "1.3 sweeps + 5 ms", 1.3 * look + 5),
        ("one changed file, then a day", edited, "1.3 sweeps + 10 ms", 1.3 * look_then + 10),
    ]


def process_rows(bench: Bench) -> list[Row]:
    home = bench.home
    khal = home / "khal.conf"
    khal.write_text(_KHAL_CONFIG.format(vdir=bench.vdir / "cal", zone=ZONE, folder=home))
    listing = (str(_BIN / "khal"), "-c", str(khal), "list", DAY.isoformat(), "1d")
    calls = {
        "khal": Program(listing, bench.environment()),
        "ics": bench.planning(bench.ics),
        "vdir": bench.planning(bench.vdir),
    }
    first_sync = milliseconds(calls["khal"])
    for call in (*calls.values(), *calls.values()):
        call()
    time.sleep(3)
    for call in calls.values():
        call()
    peaks = {name: call.peak() for name, call in calls.items()}
    calls["demo"] = Program((str(_BIN / "iris"), "plan", "--demo"), bench.environment())
    taken = measure(calls, series=SERIES, rounds=3)
    peer = taken["khal"]
    return [
        ("khal, first sync", first_sync, "", 0),
        ("khal list, warm", peer, "", 0),
        ("iris plan --demo", taken["demo"], "", 0),
        ("iris plan --date, the .ics", taken["ics"], "0.5 of khal list", 0.5 * peer),
        ("iris plan --date, the vdir", taken["vdir"], "0.5 of khal list", 0.5 * peer),
        ("its memory, the .ics (MB)", peaks["ics"], "120 MB", 120),
        ("its memory, the vdir (MB)", peaks["vdir"], "120 MB", 120),
        ("khal's memory (MB)", peaks["khal"], "", 0),
    ]


def memory_row(bench: Bench, path: Path) -> Row:
    """Measure a process of its own that reads a day twice from a warm index."""
    result = subprocess.run(
        [sys.executable, __file__, "--memory-of", str(path), "--cache", str(bench.folder / "warm")],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return (f"memory, warm, {path.name} (MB)", float(result.stdout), "120 MB", 120)


def print_memory(path: Path, cache: Path) -> None:
    calendar = IndexOpener(cache, SystemClock()).open_calendar("perf", path)
    for day in range(3):
        checked(calendar.read(window(DAY + dt.timedelta(days=day))))
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1024)


def growth_rows(bench: Bench) -> list[Row]:
    grown = bench.folder / "grown"
    make_calendar(GROWN, grown)
    shutil.rmtree(grown / "vdir")
    large = grown / "perf.ics"
    small_cold, large_cold = bench.cold(bench.ics), bench.cold(large)
    taken = measure({"small": small_cold, "large": large_cold}, series=1, rounds=3)
    spread = write_spread(bench.ics, bench.folder / "spread.ics")
    small, big = bench.opened(bench.ics, "warm"), bench.opened(large, "warm")
    long = bench.opened(spread, "warm")
    big.read(window(DAY))
    long.read(window(DAY))
    plan = bench.planning(large)
    peak_first = plan.peak()
    time.sleep(3)
    calls = {
        "small": bench.same_day(small),
        "large": bench.same_day(big),
        "small other": bench.another_day(small),
        "large other": bench.another_day(big),
        "long other": bench.another_day(long),
    }
    for call in calls.values():
        call()
    warm = measure(calls, series=SERIES, rounds=9)
    peak = plan.peak()
    whole = measure({"plan": plan}, series=1, rounds=ROUNDS)["plan"]
    other = warm["small other"]
    return [
        ("10,000 events, first read", taken["small"], "", 0),
        ("100,000 events, first read", taken["large"], "12 of 10,000", 12 * taken["small"]),
        ("10,000 events, a day again", warm["small"], "", 0),
        ("100,000 events, a day again", warm["large"], "1.5 of 10,000", 1.5 * warm["small"]),
        ("10,000 events, another day", warm["small other"], "", 0),
        ("100,000 events, another day", warm["large other"], "(ten times as much a day)", 0),
        ("100,000 over 100 years, another day", warm["long other"], "1.5 of 10,000", 1.5 * other),
        ("iris plan --date, 100,000 events", whole, "", 0),
        ("its memory (MB)", peak, "120 MB", 120),
        ("its memory at the first reading (MB)", peak_first, "", 0),
    ]


def write_spread(source: Path, target: Path) -> Path:
    """Write ten times the events of `source` over ten times its years: as many a day as there.

    The copies lie multiples of twelve years away, so that leap days stay; their rules have ended.
    """
    end, begin = "END:VCALENDAR\r\n", "BEGIN:VEVENT\r\n"
    head, *events = source.read_bytes().decode().replace(end, "").split(begin)
    copies = (_moved(event, copy) for copy in range(-5, 5) for event in events)
    target.write_bytes(begin.join([head, *copies, end]).replace(begin + end, end).encode())
    return target


def _moved(event: str, copy: int) -> str:
    if not copy:
        return event
    lines = [
        _YEAR.sub(lambda found: f"{found[1]}{int(found[2]) + 12 * copy}", line)
        for line in event.replace("UID:", f"UID:{copy}-").splitlines(keepends=True)
        if not line.startswith("RRULE") or "UNTIL" in line
    ]
    return "".join(lines)


def show(rows: Sequence[Row]) -> bool:
    """Print rows with their bars; return whether all are met."""
    lines = [
        (
            label,
            f"{taken:.2f}",
            bar,
            f"{limit:.2f}" if limit else "",
            "" if not limit else "met" if taken <= limit else "MISSED",
        )
        for label, taken, bar, limit in rows
    ]
    print_table(("work", "ms", "bar", "ms", ""), lines)
    print()
    return all(taken <= limit for _, taken, _, limit in rows if limit)


def main() -> int:
    """Measure, print the tables, and return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-growth", action="store_true", help="leave out 100,000 events")
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.memory_of:
        print_memory(chosen.memory_of, chosen.cache)
        return 0
    print(describe_machine(), end="\n\n")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name) / "bench")
        agree(bench)
        met = [show(cold_rows(bench)), show(warm_rows(bench)), show(process_rows(bench))]
        met.append(show([memory_row(bench, path) for path in (bench.ics, bench.vdir)]))
        if not chosen.no_growth:
            met.append(show(growth_rows(bench)))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
