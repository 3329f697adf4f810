"""One bound on the time of a whole refresh, however many steps it has."""

from __future__ import annotations

from collections.abc import Callable

from iris_harness.errors import SourceError


class Deadline:
    """A moment on a monotonic clock. Thread-safe."""

    def __init__(self, monotonic: Callable[[], float], seconds: float) -> None:
        """Start now; `seconds` is above 0."""
        self._monotonic = monotonic
        self._seconds = seconds
        self._end = monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left, above 0.

        Raises:
            SourceError: there are none.
        """
        left = self._end - self._monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> SourceError:
        """Return the error that says the time is over."""
        return SourceError(f"gave no complete answer in {self._seconds:g} s")
