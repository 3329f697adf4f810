"""Takes workers from the queue and runs them; several daemons share the work.

A lease is renewed from another thread at a third of its length. Once it is lost, nothing further is
done on its behalf: what was made stays in a worktree that nobody reads.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import ChatModel
from iris_harness.daemon.loop import Budget, EditorCommand, Ending, Journal, Worker, WorkerResult
from iris_harness.daemon.workplace import Site, Workplace
from iris_harness.errors import (
    IntegrationError,
    IrisError,
    LeaseLostError,
    StorageError,
    TokenRefusedError,
    WorkOutdatedError,
)
from iris_harness.jobs.leasing import Daemon, Lease, Wakeup, WorkQueue
from iris_harness.llm.metering import Price

_log = logging.getLogger("iris.daemon")
_RENEWALS = 3
"""Within one lease; as often is looked, without being woken, whether leases of others have ended."""
_OUTAGE_SECONDS = 5.0
"""Until a database that could not be reached is tried again."""
_OF_THE_QUEUE = (LeaseLostError, StorageError, TokenRefusedError)
"""What says nothing about a worker."""
_MOST_MERGES = 20
"""Of one worker, each time because another's was handed in first."""
_CONTINUED = frozenset({Ending.CANCELLED, Ending.MODEL})
"""After these, a worker that is run again goes on where it was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DaemonService:
    """One daemon."""

    queue: WorkQueue
    daemon: Daemon
    workplace: Workplace
    open_model: Callable[[str], ChatModel]
    """By the name in a worker's spec; empty is the configured one."""
    price_of: Callable[[str], Price | None]
    """What that model's tokens cost; None where that is not known."""
    clock: Clock
    budget: Budget
    editor: EditorCommand | None = None
    """A program of the user's that edits in place of the models; None: they do."""

    def run_next(self, stop: threading.Event) -> bool:
        """Run the next worker, if there is one that this daemon can run; return whether there was."""
        lease = self.queue.lease(self.daemon)
        if lease is None:
            return False
        _log.info("worker %s: delivery %d", lease.spec.id, lease.delivery)
        self._tell(lease, f"{self.daemon.name} has taken it")
        with self._held(lease) as held:
            self._finish(lease, held, stop)
        return True

    def run(self, stop: threading.Event, *, once: bool = False, workers: int = 1) -> None:
        """Run workers until told to stop, or, `once`, until there is none that can be run.

        Args:
            stop: set by another thread, or by a signal.
            once: whether it ends when nothing is left to run; then a failure of the database ends
                it, too.
            workers: how many are run at once.

        Raises:
            StorageError: the database cannot be reached.
        """
        crew = _Crew(self, stop, once=once)
        with ThreadPoolExecutor(workers, thread_name_prefix="worker") as pool:
            for done in [pool.submit(crew.work) for _ in range(workers)]:
                done.result()

    def _finish(self, lease: Lease, held: _Held, stop: threading.Event) -> None:
        try:
            result = self._work(lease, held, stop)
            if held.lost.is_set() or (result.ending is Ending.DONE and result.commit):
                return
            if stop.is_set() and result.ending is Ending.CANCELLED and not held.cancelled.is_set():
                self.queue.release(lease)  # another daemon, or this one later, goes on with it
            elif result.ending is Ending.CANCELLED:
                self.queue.give_up(lease)
            else:
                told = _result_json(result)
                self.queue.fail(lease, result.ending.value, _reason(result), told)
        except LeaseLostError:
            _log.warning("worker %s: the lease was lost; nothing of it is kept", lease.spec.id)

    def _work(self, lease: Lease, held: _Held, stop: threading.Event) -> WorkerResult:
        """Return what came of a worker; where it is done, that is handed in."""

        def ended() -> bool:
            return held.lost.is_set() or held.cancelled.is_set() or stop.is_set()

        try:
            site = self.workplace.open(lease, self.queue)
        except _OF_THE_QUEUE:
            raise
        except IrisError as error:
            return _failed(Ending.IMPOSSIBLE, error)
        try:
            result = self._on_site(site, ended)
            if result.ending is not Ending.DONE and result.ending not in _CONTINUED:
                self.workplace.end(site)
            return result
        finally:
            self.workplace.close(site)

    def _on_site(self, site: Site, ended: Callable[[], bool]) -> WorkerResult:
        try:
            self._tell(site.lease, f"it starts from {site.worktree.base[:12]}")
            result = self._proved(site, ended)
            self._tell(site.lease, f"{result.ending.value}: {_reason(result)}")
            return result if result.commit is None else self._handed_in(site, result, ended)
        except _OF_THE_QUEUE:
            raise
        except IntegrationError as error:
            return _failed(Ending.CONFLICT, error)
        except IrisError as error:
            return _failed(Ending.IMPOSSIBLE, error)
        except Exception as error:  # noqa: BLE001 - the border of a job: a recorded result
            _log.exception("worker %s failed", site.spec.id)
            failure = IrisError(f"Iris failed: {type(error).__name__}")
            return _failed(Ending.IMPOSSIBLE, failure)

    def _tell(self, lease: Lease, line: str) -> None:
        """Add a line to the worker's log; one that cannot be added is left out."""
        try:
            self.queue.log(lease, f"{line}\n")
        except _OF_THE_QUEUE as error:
            _log.info("worker %s: its log has not %r: %s", lease.spec.id, line, error)

    def _handed_in(
        self, site: Site, result: WorkerResult, ended: Callable[[], bool]
    ) -> WorkerResult:
        """Merge what a worker made into its job's work, until nobody else was faster."""
        assert result.commit is not None  # noqa: S101 - who calls has looked
        with self.workplace.alone(site.spec.job_id):
            for _ in range(_MOST_MERGES):
                step = self.workplace.integrate(site, result.commit, self.queue, ended)
                if step is None:
                    return replace(result, ending=Ending.CANCELLED)
                self._tell(site.lease, f"merged into {step.built_on[:12]} as {step.head[:12]}")
                told = _result_json(result, site.branch.name, step.head)
                try:
                    self.queue.complete(site.lease, told, step)
                except WorkOutdatedError:
                    self._tell(site.lease, "others were faster; it is merged anew")
                else:
                    site.branch.add(step)
                    return result
        raise IntegrationError(
            f"others were faster {_MOST_MERGES} times",
            hint="retry the worker: it starts from theirs",
        )

    def _proved(self, site: Site, ended: Callable[[], bool]) -> WorkerResult:
        with contextlib.closing(Journal(site.journal)) as journal:
            author: ChatModel | EditorCommand
            if self.editor is None:
                author, price = self.open_model(site.spec.model), self.price_of(site.spec.model)
            else:
                author, price = self.editor, None
            worker = Worker(site.spec, site.project, site.worktree, author, journal, price)
            return worker.run(self.budget, self.clock, ended)

    @contextlib.contextmanager
    def _held(self, lease: Lease) -> Iterator[_Held]:
        held = _Held(self.queue, lease, self.clock)
        thread = threading.Thread(target=held.renew, name=f"lease {lease.spec.id}", daemon=True)
        thread.start()
        try:
            yield held
        finally:
            held.over.set()
            thread.join()


class _Crew:
    """The threads of one daemon."""

    def __init__(self, service: DaemonService, stop: threading.Event, *, once: bool) -> None:
        self._service = service
        self._stop = stop
        self._once = once
        self._lock = threading.Lock()
        self._busy = 0

    def work(self) -> None:
        """Run one worker after another, until the daemon is done."""
        queue = self._service.queue
        seconds = queue.limits.lease_seconds / _RENEWALS
        with contextlib.closing(queue.open_wakeup(self._service.daemon)) as wakeup:
            while not self._stop.is_set():
                if self._run_next():
                    continue
                if self._once and not self._busy:
                    return
                # One that ends wakes nobody when nothing becomes ready by it.
                self._wait(wakeup, min(seconds, 1.0) if self._once else seconds)

    def _run_next(self) -> bool:
        with self._lock:
            self._busy += 1
        try:
            return self._service.run_next(self._stop)
        except StorageError as error:
            self._outlive(error)
            return False
        finally:
            with self._lock:
                self._busy -= 1

    def _wait(self, wakeup: Wakeup, seconds: float) -> None:
        try:
            wakeup.wait(seconds, self._stop)
        except StorageError as error:
            self._outlive(error)
            self._stop.wait(_OUTAGE_SECONDS)

    def _outlive(self, error: StorageError) -> None:
        """Go on after a failure of the database, unless it was to end soon."""
        if self._once:
            raise error
        _log.warning("the database cannot be reached: %s", error)


class _Held:
    """Keeps a lease alive."""

    def __init__(self, queue: WorkQueue, lease: Lease, clock: Clock) -> None:
        self._queue = queue
        self._lease = lease
        self._clock = clock
        self.over = threading.Event()
        self.lost = threading.Event()
        self.cancelled = threading.Event()

    def renew(self) -> None:
        """Renew it until it is over, lost or cancelled."""
        length = self._queue.limits.lease_seconds
        renewed = self._clock.monotonic()
        while not self.over.wait(length / _RENEWALS):
            asked = self._clock.monotonic()
            try:
                if self._queue.renew(self._lease).cancel_requested:
                    self.cancelled.set()
                renewed = asked
            except (LeaseLostError, TokenRefusedError):
                self.lost.set()
            except StorageError as error:
                _log.warning("worker %s: the lease was not renewed: %s", self._lease.spec.id, error)
            if self._clock.monotonic() - renewed > length:
                self.lost.set()  # it has ended, whether or not that can be asked
            if self.lost.is_set():
                return


def _failed(ending: Ending, error: IrisError) -> WorkerResult:
    return WorkerResult(ending=ending, why=error.message, can_do=error.hint)


def _reason(result: WorkerResult) -> str:
    return f"{result.why} ({result.can_do})" if result.can_do else result.why


def _result_json(result: WorkerResult, branch: str | None = None, head: str | None = None) -> Json:
    return {
        "ending": result.ending.value,
        "why": result.why,
        "can_do": result.can_do,
        "branch": branch,
        "head": head,
        "commit": result.commit,
        "summary": result.summary,
        "changed": list(result.changed),
        "attempts": result.attempts,
        "tokens": {
            "sent": result.usage.prompt_tokens,
            "made": result.usage.completion_tokens,
        },
        "confined": result.confined,
        "notes": list(result.notes),
    }
