"""What all plans of one executor share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.progress import CancelSignal
from iris_harness.contracts.tasks import Agent, AgentTask
from iris_harness.executor import calls
from iris_harness.executor.calls import Outcome
from iris_harness.executor.settings import ExecutorSettings
from iris_harness.executor.threads import ThreadPool


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """The agents, and the means to ask them."""

    agents: Mapping[str, Agent]
    clock: Clock
    settings: ExecutorSettings
    turns: ThreadPool
    """Gives each plan the thread it starts on; without bound, since each has a caller waiting."""
    helpers: ThreadPool
    """Gives plans further threads; `max_workers` of them."""

    def timeout_of(self, task: AgentTask) -> float:
        """Return the seconds from a task's start to its deadline."""
        if task.timeout_seconds is not None:
            return task.timeout_seconds
        agent = self.agents.get(task.agent)
        if agent is not None and agent.timeout_seconds is not None:
            return agent.timeout_seconds
        return self.settings.task_timeout_seconds

    def call(self, task: AgentTask, signal: CancelSignal, on_retry: Callable[[], None]) -> Outcome:
        """Have the task's agent answer it, on this thread and in this context."""
        agent = self.agents.get(task.agent)
        if agent is None:
            return calls.unknown_agent(task.agent)
        stuck = self.turns.stuck_calls(task.agent) + self.helpers.stuck_calls(task.agent)
        if stuck >= self.settings.max_stuck_calls:
            return calls.stuck_agent(agent, stuck)
        retries = self.settings.retries if agent.read_only else 0
        return calls.call_handler(agent, task, signal, retries, on_retry)
