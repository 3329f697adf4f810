"""Watches the processes of a run: how many there are, and what memory they hold.

The kernel's own limits are per process (memory) or not for root (processes), and control groups
need a service manager or root. So the sum is taken here, a few times a second.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from iris_harness.daemon.sandbox.values import Ended, Limits


class Load(NamedTuple):
    """What processes hold at one moment."""

    processes: int
    memory_bytes: int


def measure(processes: Sequence[psutil.Process]) -> Load:
    """Return what processes hold together; pages that several share count once."""
    found = [memory for process in processes if (memory := _memory(process)) is not None]
    own = sum(max(rss - shared, 0) for rss, shared in found)
    return Load(len(found), own + max((shared for _, shared in found), default=0))


def _memory(process: psutil.Process) -> tuple[int, int] | None:
    try:
        info = process.memory_info()
    except psutil.Error:
        return None  # it has ended
    return info.rss, getattr(info, "shared", 0)


def find_exceeded(load: Load, limits: Limits, checkout: Path) -> Ended | None:
    """Return the limit that is passed; None where none is."""
    if load.processes > limits.processes:
        return Ended.TOO_MANY_PROCESSES
    if load.memory_bytes > limits.memory_bytes:
        return Ended.OUT_OF_MEMORY
    if shutil.disk_usage(checkout).free < limits.free_bytes:
        return Ended.DISK_FULL
    return None


def family(pid: int) -> tuple[psutil.Process, ...]:
    """Return a process with all its descendants; empty where it has ended."""
    try:
        process = psutil.Process(pid)
        return (process, *process.children(recursive=True))
    except psutil.Error:
        return ()


def existing(numbers: Iterable[int]) -> Iterator[psutil.Process]:
    """Yield those of some processes that have not ended yet."""
    for number in numbers:
        try:
            yield psutil.Process(number)
        except psutil.NoSuchProcess:
            continue


def marked(name: str, value: str) -> Iterator[psutil.Process]:
    """Yield the processes that were started with a variable of this value, wherever they went."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(name) == value:
                yield process
        except (psutil.Error, OSError):
            continue  # another user's, or it has ended
