"""The queue over HTTP, for tests: a real server, and daemons with tokens of their own."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import uvicorn

from iris_harness.bootstrap.jobs import Jobs
from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.database import Database
from iris_harness.jobs.leasing import Daemon, Lease, Limits, NewStep, Renewal, Step, Wakeup
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.remote import RemoteQueue
from iris_harness.jobs.steps import JobSteps
from iris_harness.jobs.tokens import Role, Tokens
from iris_harness.surfaces.web.jobs_api import build_jobs_app
from tests.jobs_support import submitter


@contextlib.contextmanager
def serve_jobs(database: Database, limits: Limits | None = None, port: int = 0) -> Iterator[str]:
    """Serve the jobs of a database until the end of the block; give the address."""
    bounds = limits or Limits()
    opened = Jobs(
        database=database, submitter=submitter(database), reader=JobReader(database, "local"),
        control=JobControl(database, "local"), steps=JobSteps(database, bounds.max_work_bytes),
        limits=bounds, embedder=None,
    )  # fmt: skip
    with socket.create_server(("127.0.0.1", port)) as listener:
        config = uvicorn.Config(build_jobs_app(opened), log_config=None, lifespan="off",
                                timeout_graceful_shutdown=1)  # fmt: skip
        server = uvicorn.Server(config)
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        serving.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            serving.join()


class Elsewhere:
    """Implements `leasing.WorkQueue` for daemons that each ask a server with their own token."""

    def __init__(self, url: str, tokens: Tokens) -> None:
        """Take the server, and where tokens are made."""
        self._url = url
        self._tokens = tokens
        self._lock = threading.Lock()
        self._queues: dict[str, RemoteQueue] = {}
        self._holders: dict[tuple[str, int], RemoteQueue] = {}

    def of(self, name: str) -> RemoteQueue:
        """Return the queue as a daemon sees it."""
        with self._lock:
            if name not in self._queues:
                token = self._tokens.create(name, Role.DAEMON)
                self._queues[name] = RemoteQueue(self._url, token, SystemClock())
            return self._queues[name]

    def _holder(self, lease: Lease) -> RemoteQueue:
        return self._holders[lease.spec.id, lease.fence]

    @property
    def limits(self) -> Limits:
        return self.of("some").limits

    def open_wakeup(self, daemon: Daemon) -> Wakeup:
        return self.of(daemon.name).open_wakeup(daemon)

    def lease(self, daemon: Daemon) -> Lease | None:
        queue = self.of(daemon.name)
        lease = queue.lease(daemon)
        if lease is not None:
            self._holders[lease.spec.id, lease.fence] = queue
        return lease

    def renew(self, lease: Lease) -> Renewal:
        return self._holder(lease).renew(lease)

    def complete(self, lease: Lease, result: Json = None, step: NewStep | None = None) -> None:
        self._holder(lease).complete(lease, result, step)

    def fail(self, lease: Lease, kind: str, reason: str, result: Json = None) -> None:
        self._holder(lease).fail(lease, kind, reason, result)

    def give_up(self, lease: Lease, reason: str = "cancelled") -> None:
        self._holder(lease).give_up(lease, reason)

    def release(self, lease: Lease) -> None:
        self._holder(lease).release(lease)

    def log(self, lease: Lease, text: str) -> None:
        self._holder(lease).log(lease, text)

    def begin(self, lease: Lease, commit: str) -> tuple[Step, ...]:
        return self._holder(lease).begin(lease, commit)

    def steps(self, lease: Lease) -> tuple[Step, ...]:
        return self._holder(lease).steps(lease)

    def pack(self, lease: Lease, number: int) -> bytes:
        return self._holder(lease).pack(lease, number)
