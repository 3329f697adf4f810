"""One plan being run by several threads, watched by the one that asked for it.

Each thread at work takes a task, runs it, records its result and takes the next one, until
nothing may start; a thread that leaves ready tasks behind calls in a helper. So a chain of single
tasks stays on one thread, and none of them coordinates. The caller's thread watches: it tells the
listener what happens, and settles a task that is overdue or cancelled in place of the thread that
hangs in it.
"""

from __future__ import annotations

import contextlib
import enum
import threading
from contextvars import copy_context
from queue import Empty, SimpleQueue

from iris_harness.contracts.progress import (
    CURRENT_SIGNAL,
    ProgressEvent,
    ProgressListener,
    Stage,
)
from iris_harness.contracts.results import AgentResult
from iris_harness.executor import calls
from iris_harness.executor.calls import Outcome
from iris_harness.executor.cancel import CancelToken
from iris_harness.executor.engine import Engine
from iris_harness.executor.ledger import Ledger
from iris_harness.executor.threads import Worker
from iris_harness.executor.work import Work

_POLL_SECONDS = 0.2  # an outer turn's signal cannot call, and Ctrl-C ends no wait on Windows


class RunningTask:
    """A started task; to its handler it is the `CancelSignal`."""

    __slots__ = ("deadline", "index", "run", "started", "started_at", "worker")

    def __init__(self, run: PlanRun, index: int, worker: Worker | None, started: float) -> None:
        self.run = run
        self.index = index
        self.worker = worker
        self.started = started
        self.started_at = run.engine.clock.now()
        self.deadline = min(started + run.timeouts[index], run.deadline)

    @property
    def cancelled(self) -> bool:
        """Whether its handler shall stop: the turn was cancelled, or the deadline has passed."""
        return self.run.stopping or self.run.engine.clock.monotonic() >= self.deadline

    def note_retry(self) -> None:
        """Tell the listener that the handler is asked again."""
        self.run.note_retry(self)

    def timed_out(self) -> Outcome:
        """Word the deadline that has passed."""
        agent = self.run.ledger.tasks[self.index].agent
        if self.deadline < self.run.deadline:
            seconds = self.run.timeouts[self.index]
            return calls.timed_out(f"{agent} gave no answer within {seconds:g} s")
        seconds = self.run.engine.settings.plan_timeout_seconds
        return calls.timed_out(f"{agent} gave no answer before the turn's {seconds:g} s were over")

    def report(self, outcome: Outcome, ended: float) -> AgentResult:
        """Return its result."""
        task = self.run.ledger.tasks[self.index]
        return AgentResult(
            task_id=task.id,
            agent=task.agent,
            state=outcome.state,
            result=outcome.result,
            error=outcome.failure,
            started_at=self.started_at,
            duration_seconds=ended - self.started,
        )


class _Note(enum.Enum):
    """What the watching thread is told, besides progress events."""

    LOOK = "look"
    DONE = "done"


class PlanRun:
    """One plan on its way. Used once: `watch`, or `run_here`.

    Attributes:
        engine: what it shares with others.
        deadline: when the plan is overdue, on the clock's monotonic scale.
        timeouts: seconds each task has.
        ledger: what is known so far; changed only under the lock.
    """

    def __init__(
        self,
        engine: Engine,
        work: Work,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> None:
        self.engine = engine
        self.deadline = engine.clock.monotonic() + engine.settings.plan_timeout_seconds
        self.timeouts = [engine.timeout_of(task) for task in work.tasks]
        self._cancel = cancel
        self._listener = listener
        self._outer = CURRENT_SIGNAL.get()
        self._context = copy_context()
        self._stopped = False
        self._error: BaseException | None = None
        self._inbox: SimpleQueue[ProgressEvent | _Note] = SimpleQueue()
        self._lock = threading.Lock()
        self.ledger = Ledger(work, None if listener is None else self._inbox.put)
        self._running: dict[int, RunningTask] = {}
        self._may_call = engine.settings.max_workers - 1  # helpers, besides those at work
        self._calling = False  # a helper was called and has not come yet

    @property
    def stopping(self) -> bool:
        """Whether nothing more shall start and what runs shall end."""
        return (
            self._stopped
            or (self._cancel is not None and self._cancel.cancelled)
            or (self._outer is not None and self._outer.cancelled)
        )

    def stop(self) -> None:
        """End the plan now: what has no result yet is cancelled. Thread-safe."""
        self._stopped = True
        if not self.ledger.complete:
            self._settle_overdue()

    def note_retry(self, running: RunningTask) -> None:
        """Tell the listener that a handler is asked again, unless nobody waits for it."""
        with self._lock:
            if self._running.get(running.index) is running:
                self.ledger.note(running.index, Stage.RETRIED)

    # On the caller's thread.

    def watch(self) -> tuple[AgentResult, ...]:
        """Have the plan run on the engine's threads; return when every task has a result."""
        if self.ledger.complete:
            self._inbox.put(_Note.DONE)  # every task was skipped for what it was given
        if self._cancel is not None:
            self._cancel.subscribe(self._call_watcher)
        try:
            self.engine.turns.submit(self._lead)
            while (note := self._next_note()) is not _Note.DONE:
                if isinstance(note, ProgressEvent):
                    self._tell(note)
                else:
                    self._settle_overdue()
        finally:
            self.stop()
            if self._cancel is not None:
                self._cancel.unsubscribe(self._call_watcher)
        return self._results()

    def run_here(self) -> tuple[AgentResult, ...]:
        """Run the plan on this thread, one task after the other.

        Nobody watches: an overdue task is reported as such when its handler returns.
        """
        self._may_call = 0
        running = self._take(None)
        while running is not None:
            self._tell_waiting()
            running = self._perform(running)
        self._tell_waiting()
        return self._results()

    def _results(self) -> tuple[AgentResult, ...]:
        if self._error is not None:
            raise self._error
        return self.ledger.in_order()

    def _call_watcher(self) -> None:
        self._inbox.put(_Note.LOOK)

    def _next_note(self) -> ProgressEvent | _Note:
        """Wait for a note, at most until the next deadline there can be."""
        now = self.engine.clock.monotonic()
        with self._lock:
            deadlines = [running.deadline for running in self._running.values()]
        # A task that starts while this thread sleeps has a deadline after now + its timeout.
        until = min(now + _POLL_SECONDS, now + min(self.timeouts), self.deadline, *deadlines)
        try:
            return self._inbox.get(timeout=max(0.0, until - now))
        except Empty:
            return _Note.LOOK

    def _tell(self, event: ProgressEvent) -> None:
        if self._listener is not None:
            self._listener(event)

    def _tell_waiting(self) -> None:
        while not self._inbox.empty():
            note = self._inbox.get()
            if isinstance(note, ProgressEvent):
                self._tell(note)

    def _settle_overdue(self) -> None:
        """Give a result to all that may go on no longer, and new threads to what may start."""
        now = self.engine.clock.monotonic()
        with self._lock:
            overdue = [running for running in self._running.values() if running.cancelled]
            for running in overdue:
                self._abandon(running, now)
            self._drop_if_over(now)
            for _ in range(min(len(self.ledger.ready), len(overdue))):
                self._may_call -= 1
                self.engine.turns.submit(self._lead)

    # On the threads at work.

    def _lead(self, worker: Worker) -> None:
        """Be the thread that the plan starts on, or one in place of an abandoned one."""
        self._serve(self._take(worker))

    def _help(self, worker: Worker) -> None:
        """Be a thread that was called in."""
        with self._lock:
            self._calling = False
            running = self._next(worker, self.engine.clock.monotonic())
        self._serve(running)

    def _serve(self, running: RunningTask | None) -> None:
        """Run tasks until none may start."""
        while running is not None:
            running = self._perform(running)

    def _perform(self, running: RunningTask) -> RunningTask | None:
        """Run a task to its end and return what this thread does next."""
        task = self.ledger.task_with_inputs(running.index)
        context = self._context.copy()
        try:
            outcome = context.run(self.engine.call, task, running, running.note_retry)
        except BaseException as error:  # noqa: BLE001 - raised again where the plan was asked for
            outcome = self._abort(running, error)
        return self._settle(running, outcome)

    def _abort(self, running: RunningTask, error: BaseException) -> Outcome:
        """Let an error that is none of the task's end the plan, unless nobody waits for it."""
        with self._lock:
            if self._running.get(running.index) is running:
                self._error = error
                self._stopped = True
                self._call_watcher()
        return calls.cancelled(f"stopped by {type(error).__name__}")

    def _take(self, worker: Worker | None) -> RunningTask | None:
        with self._lock:
            return self._next(worker, self.engine.clock.monotonic())

    def _settle(self, running: RunningTask, outcome: Outcome) -> RunningTask | None:
        """Record how a task ended, unless it was abandoned, and start the next one."""
        ended = self.engine.clock.monotonic()
        if ended >= running.deadline:
            outcome = running.timed_out()
        result = running.report(outcome, ended)
        with self._lock:
            if self._running.get(running.index) is not running:
                return None
            del self._running[running.index]
            self._record(running.index, result)
            return self._next(running.worker, ended)

    # Under the lock.

    def _next(self, worker: Worker | None, now: float) -> RunningTask | None:
        """Start the next task that may start, and call a helper when there are more."""
        self._drop_if_over(now)
        ready = self.ledger.ready
        if not ready:
            self._may_call += 1  # this thread leaves
            return None
        index = ready.popleft()
        running = self._running[index] = RunningTask(self, index, worker, now)
        self.ledger.note(index, Stage.STARTED)
        if ready:
            self._call_helper()
        return running

    def _call_helper(self) -> None:
        """Have another thread come, unless one is on its way: who comes calls the next one.

        So tasks that end before anyone could come wake one thread only.
        """
        if self._calling or self._may_call <= 0:
            return
        with contextlib.suppress(RuntimeError):  # no more threads to be had: go on without
            self.engine.helpers.submit(self._help)
            self._calling = True
            self._may_call -= 1

    def _abandon(self, running: RunningTask, now: float) -> None:
        """Settle a task in place of the thread that is still in it."""
        del self._running[running.index]
        if running.worker is not None:
            self._may_call += 1
            running.worker.abandon(self.ledger.tasks[running.index].agent)
        outcome = (
            calls.cancelled("cancelled while it ran") if self.stopping else running.timed_out()
        )
        self._record(running.index, running.report(outcome, now))

    def _drop_if_over(self, now: float) -> None:
        """Let nothing start any more once the plan was stopped or its time is over."""
        if self.stopping:
            outcome = calls.cancelled("cancelled before it started")
        elif now >= self.deadline:
            seconds = self.engine.settings.plan_timeout_seconds
            outcome = calls.timed_out(f"not started before the turn's {seconds:g} s were over")
        else:
            return
        while self.ledger.ready:
            index = self.ledger.ready.popleft()
            self._record(index, self.ledger.unstarted(index, outcome))

    def _record(self, index: int, result: AgentResult) -> None:
        self.ledger.record(index, result)
        if self.ledger.complete:
            self._inbox.put(_Note.DONE)
