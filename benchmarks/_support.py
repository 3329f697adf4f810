"""What the benchmarks share: a calibration loop, medians, a table."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

_LOOP = 2_000_000


def calibration_ms() -> float:
    """Return the time of a fixed loop of pure Python: how fast this machine is just now."""
    start = time.perf_counter()
    total = 0
    for number in range(_LOOP):
        total += number & 7
    return (time.perf_counter() - start) * 1e3


def describe_machine() -> str:
    """Return one line that says what the figures below were measured on."""
    best = min(calibration_ms() for _ in range(5))
    return (
        f"Python {platform.python_version()} on {platform.machine()}; "
        f"calibration loop ({_LOOP:,} additions): {best:.0f} ms"
    )


def measure_ms(call: Callable[[], object], times: int) -> float:
    """Return the median time of one call, in milliseconds."""
    samples = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples) * 1e3


def as_installed(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program that somebody installed: it may keep its byte code.

    Where that is switched off (``PYTHONDONTWRITEBYTECODE``), a checkout is compiled at each start
    and the peers, which pip compiled, are not.
    """
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **extra}


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command to its end and drop what it says.

    Raises:
        CalledProcessError: it failed.
    """
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


_PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def peak_megabytes(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command to its end and return the most memory it had, in megabytes (2^20 bytes).

    A small process starts it: until a program is loaded, its process counts as large as the one
    that it was forked from.

    Raises:
        CalledProcessError: it failed.
    """
    result = subprocess.run(
        [sys.executable, "-c", _PEAK, *command],
        check=True,
        stdout=subprocess.PIPE,
        env=environment,
    )
    return int(result.stdout) / 1024  # kilobytes on Linux


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their heads; the first column to the left, figures to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
