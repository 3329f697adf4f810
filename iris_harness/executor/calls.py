"""One call of a handler, from task to outcome; and the words for every way it can end."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import NamedTuple

from iris_harness.contracts.progress import CURRENT_SIGNAL, CancelSignal
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskFailure, TaskState
from iris_harness.contracts.tasks import Agent, AgentTask
from iris_harness.errors import IrisError, TaskError, TurnCancelledError

_SAID_OF = {
    TaskState.OK: "ended well",
    TaskState.FAILED: "failed",
    TaskState.TIMED_OUT: "timed out",
    TaskState.SKIPPED: "was skipped",
    TaskState.CANCELLED: "was cancelled",
}


class Outcome(NamedTuple):
    """What a call came to. `result` is set exactly when `state` is ok, else `failure` is."""

    state: TaskState
    result: HandlerResult | None = None
    failure: TaskFailure | None = None


def call_handler(
    agent: Agent,
    task: AgentTask,
    signal: CancelSignal,
    retries: int,
    on_retry: Callable[[], None],
) -> Outcome:
    """Ask `agent` until it answers, decides to fail, or has raised `retries` + 1 times.

    Runs in a context of its own: `CURRENT_SIGNAL` is set in it and stays set. Nothing that the
    handler raises escapes. SystemExit and KeyboardInterrupt are its failures, too: handlers run
    on threads that no signal reaches, so neither is the user's wish to end the program.
    """
    CURRENT_SIGNAL.set(signal)
    while True:
        try:
            return _checked(agent, agent.handler(task))
        except TurnCancelledError:
            return cancelled("stopped when the turn was cancelled")
        except TaskError as error:  # the handler's own decision: trying again cannot change it
            return failed(agent, error)
        except BaseException as error:  # noqa: BLE001 - the task boundary: it becomes its result
            if not retries or signal.cancelled or not isinstance(error, Exception):
                return failed(agent, error)
        retries -= 1
        on_retry()


def _checked(agent: Agent, answer: object) -> Outcome:
    """Believe no annotation: plugins are other people's code."""
    if isinstance(answer, HandlerResult):
        return Outcome(TaskState.OK, answer)
    kind = type(answer).__name__
    message = f"the {agent.name} agent returned {kind} instead of a HandlerResult"
    return Outcome(TaskState.FAILED, failure=TaskFailure(kind="TypeError", message=message))


def failed(agent: Agent, error: BaseException) -> Outcome:
    """Word an exception: ours speaks for itself, a stranger's is introduced."""
    if isinstance(error, IrisError):
        message, hint = error.message, error.hint
    else:
        # format_exception_only also survives an exception whose own __str__ raises
        said = traceback.format_exception_only(error)[-1].strip()
        message, hint = f"the {agent.name} agent failed: {said}", ""
    failure = TaskFailure(
        kind=type(error).__name__,
        message=message,
        hint=hint,
        detail="".join(traceback.format_exception(error)),
    )
    return Outcome(TaskState.FAILED, failure=failure)


def unknown_agent(name: str) -> Outcome:
    """Word a task that nobody here can answer."""
    failure = TaskFailure(
        kind="UnknownAgent",
        message=f"no agent named {name!r} is installed",
        hint="see which are with: iris agents",
    )
    return Outcome(TaskState.FAILED, failure=failure)


def stuck_agent(agent: Agent, calls: int) -> Outcome:
    """Word the refusal to lose yet another thread to an agent that hangs."""
    failure = TaskFailure(
        kind="StuckAgent",
        message=f"the {agent.name} agent was not asked: {calls} earlier calls still hang",
        hint="restart Iris to end them",
    )
    return Outcome(TaskState.FAILED, failure=failure)


def timed_out(message: str) -> Outcome:
    """Word a deadline that passed."""
    failure = TaskFailure(kind="timed_out", message=message, hint="ask again, or allow more time")
    return Outcome(TaskState.TIMED_OUT, failure=failure)


def cancelled(message: str) -> Outcome:
    """Word a stop that the user asked for."""
    return Outcome(TaskState.CANCELLED, failure=TaskFailure(kind="cancelled", message=message))


def skipped(culprit: AgentResult) -> Outcome:
    """Word a task that was not started because of another one."""
    message = f"not started: it needs {culprit.task_id!r}, which {_SAID_OF[culprit.state]}"
    return Outcome(TaskState.SKIPPED, failure=TaskFailure(kind="skipped", message=message))
