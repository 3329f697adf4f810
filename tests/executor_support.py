"""What the executor's tests share: executors that clean up, and handlers that hang."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from iris_harness.clock import SystemClock
from iris_harness.contracts.results import AgentResult, HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Handler
from iris_harness.executor import AgentExecutor, ExecutorSettings
from iris_harness.testing import make_agent


@contextmanager
def open_executor(
    settings: ExecutorSettings | None = None, **handlers: Handler | Agent
) -> Iterator[AgentExecutor]:
    """An executor over handlers by name; afterwards none of its threads is left."""
    agents = {
        name: entry if isinstance(entry, Agent) else make_agent(name, entry)
        for name, entry in handlers.items()
    }
    others = set(threading.enumerate())
    with AgentExecutor(agents, SystemClock(), settings or ExecutorSettings()) as executor:
        yield executor
        for handler in handlers.values():
            hang = handler.handler if isinstance(handler, Agent) else handler
            if isinstance(hang, Hang):
                hang.release.set()
    for thread in set(threading.enumerate()) - others:
        thread.join(10)
        assert not thread.is_alive(), f"{thread.name} was left behind"


class Hang:
    """A handler that hangs, deaf to every signal, until the test releases it."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.entered = threading.Semaphore(0)
        self.calls: list[str] = []

    def __call__(self, task: AgentTask) -> HandlerResult:
        self.calls.append(task.id)
        self.entered.release()
        self.release.wait(60)
        return HandlerResult(text="too late")


def say_id(task: AgentTask) -> HandlerResult:
    return HandlerResult(text=task.id)


def fail(task: AgentTask) -> HandlerResult:
    raise ValueError(f"no luck with {task.id}")


def texts(results: Sequence[AgentResult]) -> list[str]:
    """The answers; empty where there is none."""
    return [result.result.text if result.result else "" for result in results]


def states(results: Sequence[AgentResult]) -> list[str]:
    return [result.state.value for result in results]


def reasons(results: Sequence[AgentResult]) -> list[str]:
    """Why there is no answer; empty where there is one."""
    return [result.error.message if result.error else "" for result in results]
