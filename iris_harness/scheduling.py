"""A ticker: calls a function every so often, on a thread of its own, until it is stopped.

The only importer of APScheduler (ADR 0006). It decides nothing: what is due is computed, at each
tick, from what is stored.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from iris_harness.contracts.clock import Clock

_JOB = "tick"
TICK_SECONDS = 1.0


class Ticker:
    """Calls `tick(now)` at once, and then every `seconds`; never twice at the same time."""

    def __init__(
        self, tick: Callable[[dt.datetime], None], clock: Clock, *, seconds: float = TICK_SECONDS
    ) -> None:
        """Take what is called; it must not raise. `now` is the clock's, aware."""
        # That a slow tick lets others pass is meant, and no news.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler = _Scheduler(
            timezone=dt.UTC, executors={"default": ThreadPoolExecutor(max_workers=1)}
        )
        self._seconds = seconds
        self._scheduler.tick_seconds = seconds
        self._scheduler.add_job(
            lambda: tick(clock.now()),
            "interval",
            seconds=seconds,
            id=_JOB,
            coalesce=True,
            misfire_grace_time=None,
            max_instances=1,
            next_run_time=dt.datetime.now(dt.UTC),  # noqa: TID251 - the library's own clock
        )

    def start(self) -> None:
        """Begin."""
        self._scheduler.start()

    def stop(self) -> None:
        """End, once the tick that runs is over."""
        self._scheduler.shutdown(wait=True)


class _Scheduler(BackgroundScheduler):  # type: ignore[misc] # the library has no types
    """A scheduler that a clock which is set back does not stop until it has caught up."""

    tick_seconds = TICK_SECONDS

    def _process_jobs(self) -> float:
        longest = dt.timedelta(seconds=2 * self.tick_seconds)
        now = dt.datetime.now(dt.UTC)  # noqa: TID251 - the library's own clock
        for job in self.get_jobs():
            if job.next_run_time is not None and job.next_run_time - now > longest:
                job.modify(next_run_time=now)
        waits: float | None = super()._process_jobs()
        return self.tick_seconds if waits is None else min(waits, self.tick_seconds)
