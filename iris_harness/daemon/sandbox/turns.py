"""Lets as many runs compute at once as there are processors, those of older workers first.

Workers that all compute at once all end at once, and then wait for each other to be merged. In turn,
the first is merged while the last still computes, and less memory is held at a time.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
from collections.abc import Callable, Iterator

from iris_harness.daemon.sandbox.values import Command, Ended, Outcome, Places, Sandbox

_LOOK_SECONDS = 0.2


class Turns:
    """Who computes next. Thread-safe."""

    def __init__(self, places: int) -> None:
        """Take how many may compute at once; at least one does."""
        self._free = max(places, 1)
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._numbers = itertools.count()

    @property
    def waiting(self) -> int:
        """How many runs wait for their turn."""
        with self._changed:
            return len(self._waiting)

    def of_next_worker(self, sandbox: Sandbox) -> Sandbox:
        """Return a sandbox whose runs come after those of all workers that asked before."""
        return _InTurn(sandbox, self, next(self._numbers))

    @contextlib.contextmanager
    def turn(self, rank: int, cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a turn, the lowest rank first; yield False where it was cancelled meanwhile."""
        had = self._wait((rank, next(self._numbers)), cancelled)
        try:
            yield had
        finally:
            with self._changed:
                self._free += had
                self._changed.notify_all()

    def _wait(self, entry: tuple[int, int], cancelled: Callable[[], bool]) -> bool:
        with self._changed:
            heapq.heappush(self._waiting, entry)
            while not (self._free and self._waiting[0] == entry):
                self._changed.wait(_LOOK_SECONDS)
                if cancelled():
                    self._waiting.remove(entry)
                    heapq.heapify(self._waiting)
                    return False
            heapq.heappop(self._waiting)
            self._free -= 1
            self._changed.notify_all()
            return True


class _InTurn:
    """A `Sandbox` whose runs wait for their turn."""

    def __init__(self, sandbox: Sandbox, turns: Turns, rank: int) -> None:
        self._sandbox = sandbox
        self._turns = turns
        self._rank = rank

    @property
    def name(self) -> str:
        return self._sandbox.name

    def home(self, places: Places) -> str:
        return self._sandbox.home(places)

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        with self._turns.turn(self._rank, cancelled) as had:
            if had:
                return self._sandbox.run(command, cancelled)
        return Outcome(
            ended=Ended.CANCELLED, exit_code=124, output="", seconds=0.0, peak_memory_bytes=0,
            confined=True,
        )  # fmt: skip
