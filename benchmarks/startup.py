"""Whole-process time of `iris plan --demo` beside `khal list` on the same calendars.

Run it with ``make bench``. khal reads a vdir of the demonstration's events with a warm cache;
`python -c pass` and a fixed loop tell what this machine gives. Bar: at most 0.6 of khal's time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from _support import as_installed
from icalendar import Calendar

from iris_harness.sources import demo

ROUNDS = 9
SERIES = 5
BAR = 0.6
_BIN = Path(sys.executable).parent
_KHAL_CONFIG = """\
[calendars]
[[demo]]
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


def write_vdir(target: Path) -> None:
    """Write the demonstration's events as a vdir: one file for each UID."""
    target.mkdir()
    for path in sorted((Path(demo.__file__).parent / "demo_data").glob("*.ics")):
        source = Calendar.from_ical(path.read_bytes())
        by_uid: dict[str, Calendar] = {}
        for event in source.walk("VEVENT"):
            holder = by_uid.setdefault(str(event["UID"]), Calendar(VERSION="2.0", PRODID="-//x//"))
            holder.add_component(event)
        for index, (_, calendar) in enumerate(sorted(by_uid.items())):
            (target / f"{path.stem}-{index}.ics").write_bytes(calendar.to_ical())


def seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run `command` to its end and return its wall time."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def calibration() -> float:
    """Return the time of a fixed amount of pure Python work."""
    started = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number & 7
    return time.perf_counter() - started + total * 0


def measure(
    commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> dict[str, float]:
    """Return each command's best of `SERIES` medians over interleaved rounds, in seconds."""
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(SERIES):
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(seconds(command, environment))
        for name, taken in times.items():
            best[name] = min(best[name], statistics.median(taken))
    return best


def main() -> int:
    """Measure, print the table, and return 1 when the bar is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_vdir(folder / "vdir")
        config = folder / "khal.conf"
        config.write_text(
            _KHAL_CONFIG.format(vdir=folder / "vdir", zone=demo.DEMO_TIMEZONE, folder=folder)
        )
        environment = as_installed({
            "HOME": name, "XDG_DATA_HOME": name, "XDG_CACHE_HOME": name,
        })  # fmt: skip
        day = demo.DEMO_DATE.isoformat()
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "khal list": [str(_BIN / "khal"), "-c", str(config), "list", day, "1d"],
            "iris plan --demo": [str(_BIN / "iris"), "plan", "--demo"],
        }
        for command in commands.values():
            seconds(command, environment)  # warms khal's cache and the byte code
        best = measure(commands, environment)
    ratio = best["iris plan --demo"] / best["khal list"]
    print(f"calibration loop (1,000,000 steps): {calibration() * 1000:.1f} ms")
    for label, taken in best.items():
        print(f"{label:<18} {taken * 1000:7.1f} ms")
    print(f"iris / khal        {ratio:7.2f}     bar <= {BAR} {'met' if ratio <= BAR else 'MISSED'}")
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
