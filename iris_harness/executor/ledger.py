"""What is known of a plan at one moment: pure bookkeeping, without threads or time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from iris_harness.contracts.progress import ProgressEvent, Stage
from iris_harness.contracts.results import AgentResult, TaskState
from iris_harness.contracts.tasks import AgentTask
from iris_harness.executor.calls import Outcome, skipped
from iris_harness.executor.work import Work


class Ledger:
    """Which tasks may start and which have a result. Not thread-safe.

    Attributes:
        tasks: all of the plan.
        ready: tasks that may start, in the order in which they were freed.
        results: by task, in the order in which they came.
    """

    def __init__(self, work: Work, tell: Callable[[ProgressEvent], None] | None) -> None:
        """Take the plan and who is told of its progress; None when nobody listens."""
        self.tasks = work.tasks
        self._needs = work.needs
        self._frontier = work.frontier
        self.ready = deque[int]()
        self.results: dict[int, AgentResult] = {}
        self._tell = tell
        self._admit(self._frontier.start())

    @property
    def complete(self) -> bool:
        """Whether every task has a result."""
        return len(self.results) == len(self.tasks)

    def record(self, index: int, result: AgentResult) -> None:
        """Keep the result of a task, and admit or skip what was waiting for it."""
        self.results[index] = result
        self.note(index, Stage.FINISHED, result.state.value)
        self._admit(self._frontier.settle(index))

    def task_with_inputs(self, index: int) -> AgentTask:
        """Return the task with its predecessors' results."""
        task, needs = self.tasks[index], self._needs[index]
        if not needs:
            return task
        found = {self.tasks[other].id: self.results[other] for other in needs}
        return replace(task, inputs={**task.inputs, **found})

    def in_order(self) -> tuple[AgentResult, ...]:
        """Return all results in the order of the tasks."""
        return tuple(self.results[index] for index in range(len(self.tasks)))

    def note(self, index: int, stage: Stage, state: str = "") -> None:
        """Tell what has happened to a task."""
        if self._tell is not None:
            task = self.tasks[index]
            self._tell(ProgressEvent(task_id=task.id, agent=task.agent, stage=stage, state=state))

    def unstarted(self, index: int, outcome: Outcome) -> AgentResult:
        """Return the result of a task that never ran."""
        task = self.tasks[index]
        return AgentResult(
            task_id=task.id, agent=task.agent, state=outcome.state, error=outcome.failure
        )

    def _admit(self, indexes: Sequence[int]) -> None:
        freed = deque(indexes)  # a queue, not recursion: a chain of skips may be long
        while freed:
            index = freed.popleft()
            culprit = self._culprit(index)
            if culprit is None:
                self.ready.append(index)
                continue
            result = self.unstarted(index, skipped(culprit))
            self.results[index] = result
            self.note(index, Stage.FINISHED, result.state.value)
            freed.extend(self._frontier.settle(index))

    def _culprit(self, index: int) -> AgentResult | None:
        """Return the first result it needs that is not ok; None when it may start."""
        needed = [self.results[other] for other in self._needs[index]]
        for result in (*needed, *self.tasks[index].inputs.values()):
            if result.state is not TaskState.OK:
                return result
        return None
