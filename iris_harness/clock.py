"""The machine's clock: the only place that reads the time."""

from __future__ import annotations

import datetime as dt
import time


class SystemClock:
    """Implements `iris_harness.contracts.clock.Clock` with the operating system's clock."""

    def now(self) -> dt.datetime:
        """Return the current instant, aware, in UTC."""
        return dt.datetime.now(dt.UTC)

    def monotonic(self) -> float:
        """Return seconds from an arbitrary origin that never goes back."""
        return time.monotonic()


class FixedClock:
    """A clock whose "now" was given (``--now``); its monotonic time is the machine's."""

    def __init__(self, now: dt.datetime) -> None:
        """Take an aware instant."""
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware instant")
        self._now = now.astimezone(dt.UTC)

    def now(self) -> dt.datetime:
        """Return the instant given, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return seconds from an arbitrary origin that never goes back."""
        return time.monotonic()
