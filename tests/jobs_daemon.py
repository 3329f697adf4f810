"""A daemon for tests, a process of its own: it leases workers and completes them.

Arguments: where the database is (a path, or an address of PostgreSQL), its name, the folder of its
journal, and the most seconds that each half of a worker takes. Each line of the journal is what it
believed at that moment.
"""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path

from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.errors import LeaseLostError
from iris_harness.jobs.database import open_database
from iris_harness.jobs.leases import Daemon, Limits, Queue
from iris_harness.jobs.wakeup import open_wakeup

LIMITS = Limits(lease_seconds=1.0, max_deliveries=1_000)


def main(place: str, name: str, folder: str, most_seconds: str) -> None:
    """Work until the process is ended."""
    clock = SystemClock()
    database = open_database(place if "://" in place else Path(place), clock)
    queue, wakeup = Queue(database, clock, LIMITS), open_wakeup(database, clock)
    most, chance = float(most_seconds), random.Random(name)  # noqa: S311 - the same pauses each time
    with (Path(folder) / name).open("a", buffering=1) as journal:
        while True:
            lease = queue.lease(Daemon(name=name))
            if lease is None:
                wakeup.wait(0.3, threading.Event())
                continue
            journal.write(f"start {lease.spec.id} {lease.fence}\n")
            _rest(chance.uniform(0, most))
            try:
                queue.renew(lease)
                _rest(chance.uniform(0, most))
                told: dict[str, Json] = {
                    "by": name,
                    "fence": lease.fence,
                    "clock": clock.now().isoformat(),
                }
                queue.complete(lease, told)
            except LeaseLostError:
                journal.write(f"lost {lease.spec.id} {lease.fence}\n")
            else:
                journal.write(f"done {lease.spec.id} {lease.fence}\n")


def _rest(seconds: float) -> None:
    threading.Event().wait(seconds)  # `time.sleep` fails where libfaketime gives the time


if __name__ == "__main__":
    main(*sys.argv[1:])
