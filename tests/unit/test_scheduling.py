from __future__ import annotations

import datetime as dt
import threading
import time

from iris_harness.clock import SystemClock
from iris_harness.scheduling import Ticker


def test_it_ticks_at_once_again_and_again_with_an_aware_now() -> None:
    seen: list[dt.datetime] = []
    enough = threading.Event()

    def tick(now: dt.datetime) -> None:
        seen.append(now)
        if len(seen) == 3:
            enough.set()

    ticker = Ticker(tick, SystemClock(), seconds=0.05)
    ticker.start()
    assert enough.wait(10)
    ticker.stop()
    count = len(seen)
    assert all(now.tzinfo is not None for now in seen)
    time.sleep(0.2)
    assert len(seen) == count


def test_a_tick_that_takes_long_is_never_run_twice_at_once() -> None:
    running = threading.Lock()
    twice = threading.Event()
    ticks = threading.Semaphore(0)

    def tick(_now: dt.datetime) -> None:
        if not running.acquire(blocking=False):
            twice.set()
            return
        time.sleep(0.15)
        running.release()
        ticks.release()

    ticker = Ticker(tick, SystemClock(), seconds=0.05)
    ticker.start()
    assert all(ticks.acquire(timeout=10) for _ in range(3))
    ticker.stop()
    assert not twice.is_set()


def test_a_clock_that_was_set_back_does_not_stop_it() -> None:
    ticks = threading.Semaphore(0)
    ticker = Ticker(lambda _now: ticks.release(), SystemClock(), seconds=0.05)
    ticker.start()
    assert ticks.acquire(timeout=10)
    # As it is after the clock went back by an hour: the next tick is far away.
    job = ticker._scheduler.get_job("tick")
    job.modify(next_run_time=dt.datetime.now(dt.UTC) + dt.timedelta(hours=1))
    while ticks.acquire(blocking=False):
        pass
    assert all(ticks.acquire(timeout=10) for _ in range(3))
    ticker.stop()
