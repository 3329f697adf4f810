"""What the benchmarks share: a calibration loop, medians, a table."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Sequence

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


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under their heads; the first column to the left, figures to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
