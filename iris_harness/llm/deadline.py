"""One bound on the time of a whole call, which also ends when its turn is cancelled."""

from __future__ import annotations

import threading

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.progress import raise_if_cancelled
from iris_harness.errors import ModelTimeoutError

SLICE_SECONDS = 0.1
"""How long a wait lasts at most before it is asked whether the turn was cancelled."""


class Deadline:
    """A moment on a monotonic clock. Thread-safe."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        """Start now; `seconds` is above 0."""
        self._monotonic = clock.monotonic
        self._seconds = seconds
        self._end = clock.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left, above 0.

        Raises:
            ModelTimeoutError: there are none.
            TurnCancelledError: the turn was cancelled.
        """
        raise_if_cancelled()
        left = self._end - self._monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def slice(self) -> float:
        """Return how long to wait before looking again, in seconds; raises as `remaining`."""
        return min(self.remaining(), SLICE_SECONDS)

    def allows(self, seconds: float) -> bool:
        """Return whether so much time is left; raises as `remaining`."""
        return self.remaining() > seconds

    def wait(self, seconds: float) -> None:
        """Let time pass; raises as `remaining`."""
        end = self._monotonic() + seconds
        while (left := end - self._monotonic()) > 0:
            threading.Event().wait(min(left, self.slice()))

    def passed(self) -> ModelTimeoutError:
        """Return the error that says the time is over."""
        hint = "give it more time (timeout_seconds), or ask for a shorter answer"
        return ModelTimeoutError(f"gave no complete answer in {self._seconds:g} s", hint=hint)
