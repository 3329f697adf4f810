"""AgentExecutor: the public door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Self

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.progress import CURRENT_SIGNAL, ProgressListener
from iris_harness.contracts.results import AgentResult
from iris_harness.contracts.tasks import Agent, AgentTask, TaskPlan
from iris_harness.errors import RegistryError
from iris_harness.executor.cancel import CancelToken
from iris_harness.executor.engine import Engine
from iris_harness.executor.run import PlanRun, RunningTask
from iris_harness.executor.settings import ExecutorSettings
from iris_harness.executor.threads import ThreadPool
from iris_harness.executor.work import Work, work_of_plan, work_of_waves

_DEFAULT_SETTINGS = ExecutorSettings()


class AgentExecutor:
    """Runs tasks and plans of tasks. Thread-safe; one serves all turns until it is closed.

    Every method that runs something returns one result per task, in the order of the tasks, and
    raises nothing that a handler raised. What `listener` raises, and a KeyboardInterrupt that
    hits the waiting thread, come out here, after the rest of the plan was cancelled.

    Raises (all of them):
        PlanError: the tasks form no DAG over unique ids.
        RuntimeError: the executor is closed.
    """

    def __init__(
        self,
        agents: Mapping[str, Agent],
        clock: Clock,
        settings: ExecutorSettings = _DEFAULT_SETTINGS,
    ) -> None:
        """Take the agents by name.

        Raises:
            RegistryError: two agents claim one intent.
        """
        self._intent_to_agent = _intents(agents)
        self._engine = Engine(
            agents=dict(agents),
            clock=clock,
            settings=settings,
            turns=ThreadPool("iris-turn", None),
            helpers=ThreadPool("iris-pool", settings.max_workers),
        )
        self._runs: set[PlanRun] = set()
        self._closed = False

    @property
    def valid_agents(self) -> frozenset[str]:
        """Names of the agents that can be asked."""
        return frozenset(self._engine.agents)

    @property
    def valid_intents(self) -> frozenset[str]:
        """Names of all their intents."""
        return frozenset(self._intent_to_agent)

    @property
    def intent_to_agent(self) -> Mapping[str, str]:
        """Who answers each intent."""
        return self._intent_to_agent

    @property
    def abandoned(self) -> int:
        """How many threads hang at this moment in tasks that were given up."""
        return self._engine.turns.abandoned + self._engine.helpers.abandoned

    def run(
        self,
        plan: TaskPlan,
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> tuple[AgentResult, ...]:
        """Run a plan by the configured schedule; results in plan order."""
        return self._run(work_of_plan(plan, self._engine.settings.schedule), cancel, listener)

    def execute(
        self,
        task: AgentTask,
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> AgentResult:
        """Run one task; what it depends on is taken from its `inputs`."""
        return self.execute_waves(((task,),), cancel=cancel, listener=listener)[0]

    def execute_wave(
        self,
        tasks: Sequence[AgentTask],
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> tuple[AgentResult, ...]:
        """Run tasks that do not depend on each other."""
        return self.execute_waves((tasks,), cancel=cancel, listener=listener)

    def execute_waves(
        self,
        waves: Iterable[Sequence[AgentTask]],
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> tuple[AgentResult, ...]:
        """Run waves one after the other, whatever the schedule; results as one flat tuple.

        A dependency on a task of an earlier wave is honoured; one on a task that is in none of
        them counts as done, with its result in the task's own `inputs`.
        """
        return self._run(work_of_waves(waves), cancel, listener)

    def close(self) -> None:
        """Cancel what runs and end all threads but those that hang; again does nothing."""
        self._closed = True
        for run in tuple(self._runs):
            run.stop()
        self._engine.turns.close()
        self._engine.helpers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(
        self, work: Work, cancel: CancelToken | None, listener: ProgressListener | None
    ) -> tuple[AgentResult, ...]:
        if not work.tasks:
            return ()
        run = PlanRun(self._engine, work, cancel, listener)
        outer = CURRENT_SIGNAL.get()
        if isinstance(outer, RunningTask) and outer.run.engine is self._engine:
            return run.run_here()  # inside a handler: its own deadline is being watched
        self._runs.add(run)  # before the check, so that `close` sees it or it sees `close`
        try:
            if self._closed:
                raise RuntimeError("the executor is closed")
            return run.watch()
        finally:
            self._runs.discard(run)


def _intents(agents: Mapping[str, Agent]) -> Mapping[str, str]:
    owner: dict[str, str] = {}
    for name, agent in agents.items():
        for intent in agent.intents:
            if owner.setdefault(intent.name, name) != name:
                raise RegistryError(
                    f"the agents {owner[intent.name]!r} and {name!r} both claim the intent "
                    f"{intent.name!r}",
                    name=name,
                )
    return MappingProxyType(owner)
