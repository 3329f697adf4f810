"""Runs wait for their turn, those of older workers first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from iris_harness.daemon.sandbox import Command, Ended, Outcome, Places, Turns

PLACES = Places(checkout=Path("/checkout"), home=Path("/home"))
COMMAND = Command(argv=("true",), places=PLACES)


class Gated:
    """A sandbox whose runs end when they are told to."""

    name = "gated"

    def __init__(self) -> None:
        self.begun: list[tuple[str, ...]] = []
        self.most = 0
        self._running = 0
        self._lock = threading.Lock()
        self._gate = threading.Semaphore(0)

    def home(self, places: Places) -> str:
        return str(places.home)

    def let_end(self, count: int) -> None:
        self._gate.release(count)

    def run(self, command: Command, cancelled: Callable[[], bool] = lambda: False) -> Outcome:
        assert not cancelled()
        with self._lock:
            self.begun.append(command.argv)
            self._running += 1
            self.most = max(self.most, self._running)
        self._gate.acquire(timeout=30)
        with self._lock:
            self._running -= 1
        return Outcome(
            ended=Ended.EXITED, exit_code=0, output="", seconds=0.0, peak_memory_bytes=0,
            confined=True,
        )  # fmt: skip


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(3000):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came to this")


def test_no_more_run_at_once_than_there_are_places_and_older_workers_go_first() -> None:
    gated, turns = Gated(), Turns(1)
    workers = [turns.of_next_worker(gated) for _ in range(4)]
    with ThreadPoolExecutor() as pool:
        busy = pool.submit(workers[3].run, Command(argv=("busy",), places=PLACES))
        wait_until(lambda: len(gated.begun) == 1)
        later = [
            pool.submit(workers[n].run, Command(argv=(str(n),), places=PLACES)) for n in (2, 0, 1)
        ]
        wait_until(lambda: turns.waiting == 3)
        gated.let_end(4)
        assert all(one.result(30).succeeded for one in (busy, *later))
    assert gated.begun == [("busy",), ("0",), ("1",), ("2",)]
    assert gated.most == 1


def test_who_is_cancelled_while_waiting_never_runs_and_keeps_nobody_waiting() -> None:
    gated, turns = Gated(), Turns(1)
    first, second, third = (turns.of_next_worker(gated) for _ in range(3))
    with ThreadPoolExecutor() as pool:
        busy = pool.submit(first.run, COMMAND)
        wait_until(lambda: len(gated.begun) == 1)
        cancelled = pool.submit(second.run, COMMAND, lambda: True)
        last = pool.submit(third.run, COMMAND)
        assert cancelled.result(30).ended is Ended.CANCELLED
        gated.let_end(2)
        assert busy.result(30).succeeded
        assert last.result(30).succeeded
    assert len(gated.begun) == 2
