"""What the server counts, in the text format that Prometheus reads (version 0.0.4)."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram of turns."""


class Counters:
    """Counts turns and how long they take. Thread-safe. No text of the user's is in it."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._lock = threading.Lock()
        self._running = 0
        self._failed = 0
        self._total_seconds = 0.0
        self._buckets = [0] * (len(_SECONDS) + 1)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Count one turn; one whose client hung up has not failed."""
        started = time.perf_counter()
        with self._lock:
            self._running += 1
        try:
            yield
        except Exception:
            with self._lock:
                self._failed += 1
            raise
        finally:
            self._finish(time.perf_counter() - started)

    def _finish(self, seconds: float) -> None:
        with self._lock:
            self._running -= 1
            self._total_seconds += seconds
            self._buckets[bisect_left(_SECONDS, seconds)] += 1

    def text(self) -> str:
        """Return all counts."""
        with self._lock:
            counts = list(accumulate(self._buckets))
            running, failed, total = self._running, self._failed, self._total_seconds
        bounds = [*map(str, _SECONDS), "+Inf"]
        return "\n".join([
            "# HELP iris_turns_running Questions being answered or waiting.",
            "# TYPE iris_turns_running gauge",
            f"iris_turns_running {running}",
            "# HELP iris_turns_failed_total Questions that could not be answered.",
            "# TYPE iris_turns_failed_total counter",
            f"iris_turns_failed_total {failed}",
            "# HELP iris_turn_seconds Time from a question to its answer.",
            "# TYPE iris_turn_seconds histogram",
            *(f'iris_turn_seconds_bucket{{le="{bound}"}} {count}'
              for bound, count in zip(bounds, counts, strict=True)),
            f"iris_turn_seconds_sum {total:.6f}",
            f"iris_turn_seconds_count {counts[-1]}",
            "",
        ])  # fmt: skip
