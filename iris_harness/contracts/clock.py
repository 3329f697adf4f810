"""The one way to learn the time."""

from __future__ import annotations

import datetime as dt
from typing import Protocol


class Clock(Protocol):
    """Reads time. Only `iris_harness.clock.SystemClock` reads the machine's."""

    def now(self) -> dt.datetime:
        """Return the current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds from an arbitrary origin that never goes back."""
        ...
