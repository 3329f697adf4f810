"""How a turn tells what it is doing, and how it is told to stop."""

from __future__ import annotations

import enum
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from iris_harness.errors import TurnCancelledError


class Stage(enum.StrEnum):
    """What happened to a task."""

    STARTED = "started"
    RETRIED = "retried"
    FINISHED = "finished"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressEvent:
    """One step of a running plan. Events of one task come in order."""

    task_id: str
    agent: str
    stage: Stage
    state: str = ""
    """How it ended (`TaskState` value); empty unless `stage` is finished."""


ProgressListener: TypeAlias = Callable[[ProgressEvent], None]
"""Called from the thread that runs the plan, never from two threads at once."""


class CancelSignal(Protocol):
    """Asks running work to stop at its next good moment. Thread-safe."""

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to stop."""
        ...


CURRENT_SIGNAL: ContextVar[CancelSignal | None] = ContextVar("iris_cancel_signal", default=None)
"""The signal of the turn this code runs in; None outside a turn."""


def raise_if_cancelled() -> None:
    """Stop here if the turn was cancelled; a long handler calls this between steps.

    Raises:
        TurnCancelledError: the turn was cancelled or its deadline passed.
    """
    signal = CURRENT_SIGNAL.get()
    if signal is not None and signal.cancelled:
        raise TurnCancelledError("the turn was cancelled")
