"""What the job queue costs, beside a bare table on the same database.

Run it with ``make bench`` or ``python benchmarks/job_queue.py``. The peer is the least that a lease
queue can be: tasks of the same size beside a manifest, raw `sqlite3` or `psycopg`, `FOR UPDATE SKIP
LOCKED` where there is one, no graph, no owner, no checks. Ours does all that `iris jobs submit` and
a daemon do. Both commit with the same durability; PostgreSQL is a server of this run, with fsync
on. They take turns, task by task; a figure is the median of the rounds. procrastinate and DBOS are
measured in the same run where they are installed. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import resource
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import psycopg
import sqlalchemy as sa
from _queue_peers import dbos_ms, procrastinate_ms
from _support import calibration_ms, describe_machine, print_table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from iris_harness.clock import SystemClock
from iris_harness.jobs.database import Database, open_database
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.leases import Daemon, Queue
from iris_harness.jobs.submit import Submission, Submitter
from iris_harness.jobs.tables import workers
from iris_harness.jobs.values import Plan, PlannedWorker, PlanRequest
from iris_harness.jobs.wakeup import open_wakeup
from tests.postgres_server import PostgresServer, find_programs, run_postgres

ROUNDS = 15
TASKS = 100
FINISHED = 1_000_000
SUBMIT_BAR = 1.5
TURN_BARS = {"SQLite": 0.6, "PostgreSQL": 0.9}
LATENCY_BAR_MS = 20.0
IDLE_BAR = 0.01
CROWD_BAR = 1.3
DAEMON = Daemon(name="bench")
_SPEC = {
    "task": "do it", "job_task": "the whole", "files": [], "model": "", "test_cmd": None,
    "depends_on": [], "repo_url": "https://example.org/r.git", "ref": "", "job_id": "0123456789ab",
}  # fmt: skip


class Peer(Protocol):
    """A queue to be timed."""

    def submit(self, count: int) -> None:
        """Write `count` tasks in one transaction."""
        ...

    def turn(self) -> None:
        """Lease one task and complete it."""
        ...


class BareTable:
    """One table and two statements, in the driver's own words."""

    def __init__(self, connection: Any, *, mark: str, locking: str) -> None:
        self.connection = connection
        row = ", ".join([mark] * 3)
        self._insert = f"INSERT INTO bare (id, spec, state, fence) VALUES ({row}, 0)"
        self._record = f"INSERT INTO bare_manifest (id, body) VALUES ({mark}, {mark})"
        self._lease = (
            "UPDATE bare SET state = 'leased', fence = fence + 1 WHERE id = (SELECT id FROM bare "
            f"WHERE state = 'ready' ORDER BY id LIMIT 1 {locking}) RETURNING id, spec, fence"
        )
        self._complete = (
            f"UPDATE bare SET state = 'done' WHERE id = {mark} AND fence = {mark} "
            "AND state = 'leased'"
        )
        self._number = 0
        connection.execute(
            "CREATE TABLE bare (id bigint PRIMARY KEY, spec text, state text, fence bigint)"
        )
        connection.execute("CREATE TABLE bare_manifest (id text PRIMARY KEY, body text)")
        connection.execute("CREATE INDEX bare_ready ON bare (id) WHERE state = 'ready'")

    def submit(self, count: int) -> None:
        """See `Peer`."""
        specs = [json.dumps(_SPEC | {"id": f"w{n}", "file": f"src/{n}.py"}) for n in range(count)]
        manifest = json.dumps(specs)
        rows = [(self._number + n, spec, "ready") for n, spec in enumerate(specs)]
        self._number += count
        self.connection.execute("BEGIN")
        named = hashlib.sha256(f"{self._number}{manifest}".encode()).hexdigest()
        self.connection.execute(self._record, (named, manifest))
        self.connection.cursor().executemany(self._insert, rows)
        self.connection.execute("COMMIT")

    def turn(self) -> None:
        """See `Peer`."""
        self.connection.execute("BEGIN" if "SKIP" in self._lease else "BEGIN IMMEDIATE")
        named, spec, fence = self.connection.execute(self._lease).fetchone()
        self.connection.execute("COMMIT")
        json.loads(spec)
        self.connection.execute("BEGIN" if "SKIP" in self._lease else "BEGIN IMMEDIATE")
        self.connection.execute(self._complete, (named, fence))
        self.connection.execute("COMMIT")


class Ours:
    """The queue of `iris_harness.jobs`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.queue = Queue(database, SystemClock())
        self.preparing: list[float] = []
        """Seconds that checking a plan and making its rows took, each time."""
        self._submitter = Submitter(database, plans=HeuristicPlanner().plan, host="bench")

    def submit(self, count: int) -> None:
        """See `Peer`."""
        planned = tuple(
            PlannedWorker(id=f"w{n}", task="do it", file=f"src/{n}.py") for n in range(count)
        )
        request = PlanRequest(task="the whole", repo_url="https://example.org/r.git")
        submission = Submission(request, plan=Plan(summary="s", workers=planned))
        begin = time.perf_counter()
        records = self._submitter.prepare(submission)
        self.preparing.append(time.perf_counter() - begin)
        self._submitter.write(records, submission)

    def turn(self) -> None:
        """See `Peer`."""
        lease = self.queue.lease(DAEMON)
        if lease is None:
            raise RuntimeError("nothing was ready")
        self.queue.complete(lease)


@contextlib.contextmanager
def engines() -> Iterator[tuple[dict[str, tuple[Ours, Peer]], PostgresServer | None]]:
    """Open ours and the bare table on each database, and the server of the second."""
    programs = find_programs()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        found: dict[str, tuple[Ours, Peer]] = {}
        database = stack.enter_context(
            contextlib.closing(open_database(folder / "jobs.db", SystemClock()))
        )
        bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
        stack.callback(bare.close)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        server = None
        found["SQLite"] = (Ours(database), BareTable(bare, mark="?", locking=""))
        if programs is not None:
            server = stack.enter_context(run_postgres(programs, durable=True))
            url = server.url("postgres")
            database = stack.enter_context(contextlib.closing(open_database(url, SystemClock())))
            raw = stack.enter_context(psycopg.connect(url, autocommit=True))
            table = BareTable(raw, mark="%s", locking="FOR UPDATE SKIP LOCKED")
            found["PostgreSQL"] = (Ours(database), table)
        yield found, server


def seconds(mine: Callable[[], object], peer: Callable[[], object], times: int) -> list[float]:
    """Return how long one call of each took, of `times` in turn."""
    spent = [0.0, 0.0]
    for _ in range(times):
        for which, act in enumerate((mine, peer)):
            begin = time.perf_counter()
            act()
            spent[which] += time.perf_counter() - begin
    return [one / times for one in spent]


def measure(ours: Ours, bare: Peer) -> dict[str, tuple[float, float]]:
    """Return figure -> (ours, bare), in milliseconds: the medians of the rounds."""
    rounds = [
        (
            *seconds(lambda: ours.submit(TASKS), lambda: bare.submit(TASKS), 1),
            *seconds(ours.turn, bare.turn, TASKS),
        )
        for _ in range(ROUNDS)
    ]
    medians = [median(figures) * 1000 for figures in zip(*rounds, strict=True)]
    return {
        "submit": (medians[0], medians[1]),
        "turn": (medians[2], medians[3]),
    }


def latency_ms(ours: Ours) -> float:
    """Return the median time from a commit that makes a task ready to its lease."""
    wakeup = open_wakeup(ours.database, SystemClock())
    leased: list[float] = []
    stop = threading.Event()

    def daemon() -> None:
        while not stop.is_set():
            lease = ours.queue.lease(DAEMON)
            if lease is None:
                wakeup.wait(1, stop)
            else:
                leased.append(time.perf_counter())
                ours.queue.complete(lease)

    thread = threading.Thread(target=daemon)
    thread.start()
    delays = []
    for number in range(1, 31):
        time.sleep(0.02 + number * 7 % 30 / 1000)  # at no fixed moment between two looks
        ours.submit(1)
        ready = time.perf_counter()
        while len(leased) < number:
            if not thread.is_alive():
                raise RuntimeError("the daemon's thread ended before it was told to")
            time.sleep(0.0005)
        delays.append(max(0.0, leased[-1] - ready))
    stop.set()
    thread.join()
    wakeup.close()
    return median(delays) * 1000


def idle_share(ours: Ours) -> float:
    """Return the share of a core that waiting for work takes."""
    wakeup = open_wakeup(ours.database, SystemClock())
    before, begin = _cpu(), time.perf_counter()
    wakeup.wait(5, threading.Event())
    share = (_cpu() - before) / (time.perf_counter() - begin)
    wakeup.close()
    return share


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def crowd(ours: Ours, count: int) -> None:
    """Add `count` finished tasks."""
    with ours.database.writing() as connection:
        job = connection.execute(sa.select(workers.c.job_id).limit(1)).scalar_one()
        columns = [column.name for column in workers.columns]
        values = {name: f"w.{name}" for name in columns}
        values |= {"id": "'x' || n", "position": "n", "job_id": f"'{job}'"}
        numbers = (
            f"generate_series(1, {count}) AS numbers(n)"
            if ours.database.is_postgresql
            else f"(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
            f"WHERE n < {count}) SELECT n FROM c) AS numbers"
        )
        chosen = ", ".join(values[name] for name in columns)
        connection.execute(
            sa.text(
                f"INSERT INTO workers ({', '.join(columns)}) SELECT {chosen} FROM {numbers}, "
                "(SELECT * FROM workers WHERE state = 'succeeded' LIMIT 1) AS w"
            )
        )
    if ours.database.is_postgresql:
        with ours.database.engine.connect().execution_options(
            isolation_level="AUTOCOMMIT"
        ) as open_:
            # A million did not finish this minute: what they left to do was done long ago.
            open_.execute(sa.text("VACUUM ANALYZE workers"))
            open_.execute(sa.text("CHECKPOINT"))


def ready_made(server: PostgresServer, mine: float, missed: list[str]) -> list[list[str]]:
    """Return a row for each ready-made queue that is installed, beside our turn on PostgreSQL."""
    rows = []
    for name, measured, bar in (("procrastinate", procrastinate_ms, 0.0), ("DBOS", dbos_ms, 5.0)):
        with psycopg.connect(server.url("postgres"), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE peer_{name.lower()}")
        figures = measured(server.url(f"peer_{name.lower()}"))
        if figures is None:
            continue
        ratio = figures[1] / mine
        said = "met" if ratio >= bar else "MISSED"
        if ratio < bar:
            missed.append(name)
        rows.append(
            [
                f"PostgreSQL: {name}",
                f"{TASKS} tasks {figures[0]:.0f} ms, a turn {figures[1]:.1f} ms: {ratio:.1f}x ours",
                f">= {bar:g}x" if bar else "",
                said if bar else "",
            ]
        )
    return rows


def main() -> int:
    """Measure, print, and return the exit code."""
    print(describe_machine(), f"calibration {calibration_ms():.1f} ms")
    rows, missed = [], []

    def judge(name: str, value: str, bar: str, *, met: bool) -> None:
        rows.append([name, value, bar, "met" if met else "MISSED"])
        if not met:
            missed.append(name)

    turns: dict[str, float] = {}
    with engines() as (found, server):
        for name, (ours, bare) in found.items():
            measure(ours, bare)  # warm
            figures = measure(ours, bare)
            mine, peer = figures["submit"]
            prepared = median(ours.preparing[-ROUNDS:]) * 1000
            mine -= prepared  # no transaction is open yet
            ratio = mine / peer
            judge(
                f"{name}: manifest + {TASKS} tasks, one transaction",
                f"{mine:.1f} ms (and {prepared:.1f} before it), bare {peer:.1f} ms: {ratio:.2f}x",
                f"<= {SUBMIT_BAR}x",
                met=ratio <= SUBMIT_BAR,
            )
            mine, peer = figures["turn"]
            turns[name] = mine
            ratio = peer / mine
            judge(
                f"{name}: lease + complete",
                f"{mine:.2f} ms, bare {peer:.2f} ms: {ratio:.2f}x its rate",
                f">= {TURN_BARS[name]}x",
                met=ratio >= TURN_BARS[name],
            )
            delay = latency_ms(ours)
            judge(f"{name}: ready to leased", f"{delay:.1f} ms", f"<= {LATENCY_BAR_MS:g} ms",
                  met=delay <= LATENCY_BAR_MS)  # fmt: skip
            share = idle_share(ours)
            judge(f"{name}: CPU of an idle daemon", f"{share:.2%}", f"<= {IDLE_BAR:.0%}",
                  met=share <= IDLE_BAR)  # fmt: skip
            crowd(ours, FINISHED)
            measure(ours, bare)
            after, beside = measure(ours, bare)["turn"]
            slower = (after / beside) / (mine / peer)  # the machine's own ups and downs left out
            judge(f"{name}: the same beside {FINISHED:,} finished tasks", f"{slower:.2f}x",
                  f"<= {CROWD_BAR}x", met=slower <= CROWD_BAR)  # fmt: skip
        if server is not None:
            rows += ready_made(server, turns["PostgreSQL"], missed)
    print_table(["what", "measured", "bar", ""], rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
