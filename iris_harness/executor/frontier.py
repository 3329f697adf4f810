"""Which tasks may start next: one small rule per schedule. Tasks are known by their index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Frontier(Protocol):
    """Follows a plan. Each index is handed out once. Not thread-safe."""

    def start(self) -> Sequence[int]:
        """Return what may start at once; called first, and once."""
        ...

    def settle(self, index: int) -> Sequence[int]:
        """Take note that `index` has ended, however; return what may start now because of it."""
        ...


class WaveFrontier:
    """A wave starts when all of the wave before it has ended."""

    def __init__(self, waves: Iterable[Sequence[int]]) -> None:
        """Take the waves in order; empty ones count as ended."""
        self._waves = iter(waves)
        self._left = 0

    def start(self) -> Sequence[int]:
        """Return the first wave."""
        wave = next(filter(None, self._waves), ())
        self._left = len(wave)
        return wave

    def settle(self, index: int) -> Sequence[int]:  # noqa: ARG002 - only the number counts here
        """Return the next wave when this was the last of the current one."""
        self._left -= 1
        return () if self._left else self.start()


class ReadyFrontier:
    """A task starts when what it needs has ended."""

    def __init__(self, needs: Sequence[Sequence[int]]) -> None:
        """Take, for each task, the tasks it needs, without duplicates."""
        self._waiting_for = [len(needed) for needed in needs]
        self._dependents: list[list[int]] = [[] for _ in needs]
        for index, needed in enumerate(needs):
            for other in needed:
                self._dependents[other].append(index)

    def start(self) -> Sequence[int]:
        """Return the tasks that need nothing."""
        return [index for index, count in enumerate(self._waiting_for) if not count]

    def settle(self, index: int) -> Sequence[int]:
        """Return the tasks that were waiting for this one only."""
        freed = []
        for dependent in self._dependents[index]:
            self._waiting_for[dependent] -= 1
            if not self._waiting_for[dependent]:
                freed.append(dependent)
        return freed
