"""Long-lived threads that can be given up.

The standard `ThreadPoolExecutor` keeps a hanging thread's slot for ever, and interpreter exit
joins it. Here a thread that hangs is *abandoned*: its slot is free for a new thread at once,
nobody joins it, and it ends by itself should its job ever return. Threads are daemons, so that
an abandoned one cannot hold the process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeAlias

_JOIN_SECONDS = 1.0  # an idle thread ends at once; the bound is for a machine under load


class Worker:
    """One thread of a pool."""

    def __init__(self, pool: ThreadPool, name: str) -> None:
        self._pool = pool
        self.thread = threading.Thread(target=pool.serve, args=(self,), name=name, daemon=True)

    def abandon(self, agent: str) -> None:
        """Give this thread up, in the middle of a job for `agent`. At most once per job."""
        self._pool.abandon(self, agent)


Job: TypeAlias = Callable[[Worker], None]
"""What a pool runs; it is told on which thread, and must not raise."""


class ThreadPool:
    """Runs jobs on threads that stay, started when there is more work than threads.

    Thread-safe. Jobs start in the order given.
    """

    def __init__(self, name: str, limit: int | None) -> None:
        """Take the prefix of the threads' names and how many may live; None means no bound."""
        self._name = name
        self._limit = limit
        self._lock = threading.Lock()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._workers: set[Worker] = set()
        self._abandoned: dict[Worker, str] = {}
        self._outstanding = 0  # jobs given and not yet ended or abandoned
        self._started = 0
        self._closed = False

    @property
    def abandoned(self) -> int:
        """How many threads were given up and have not come back."""
        return len(self._abandoned)

    def stuck_calls(self, agent: str) -> int:
        """Return how many of the abandoned threads hang in this agent."""
        if not self._abandoned:
            return 0
        with self._lock:
            return sum(name == agent for name in self._abandoned.values())

    def submit(self, job: Job) -> None:
        """Have `job` run as soon as a thread is free; nothing happens after `close`.

        Raises:
            RuntimeError: it needs a new thread and the system gives none.
        """
        with self._lock:
            if self._closed:
                return
            self._grow(self._outstanding + 1)
            self._outstanding += 1
        self._queue.put(job)

    def close(self) -> None:
        """End all idle threads; abandoned ones are left behind. No job may be running."""
        with self._lock:
            self._closed = True
            workers = tuple(self._workers)
            self._workers.clear()
        for _ in workers:
            self._queue.put(None)
        for worker in workers:
            if worker.thread is not threading.current_thread():
                worker.thread.join(_JOIN_SECONDS)

    def serve(self, worker: Worker) -> None:
        """Be a thread of this pool until closed or abandoned."""
        while (job := self._queue.get()) is not None:
            job(worker)
            del job  # an idle thread keeps no plan alive
            with self._lock:
                if self._abandoned.pop(worker, None) is not None:
                    return
                self._outstanding -= 1

    def abandon(self, worker: Worker, agent: str) -> None:
        """Take `worker` out of the pool, as `Worker.abandon` says."""
        with self._lock:
            self._workers.discard(worker)
            self._abandoned[worker] = agent
            self._outstanding -= 1
            if not self._closed:
                with contextlib.suppress(RuntimeError):  # no thread to be had; others will serve
                    self._grow(self._outstanding)

    def _grow(self, jobs: int) -> None:
        alive = len(self._workers)
        if jobs <= alive or (self._limit is not None and alive >= self._limit):
            return
        self._started += 1
        worker = Worker(self, f"{self._name}-{self._started}")
        worker.thread.start()
        self._workers.add(worker)
