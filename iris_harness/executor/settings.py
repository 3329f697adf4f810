"""How wide, how long and how often the executor works."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from iris_harness.errors import ConfigError


class Schedule(enum.StrEnum):
    """When a task may start."""

    WAVES = "waves"  # when every task of the waves before its own has ended
    READY = "ready"  # as soon as the tasks it depends on have ended


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutorSettings:
    """What bounds the executor.

    Raises:
        ConfigError: a value outside its range; `key` names it.
    """

    max_workers: int = 4
    """Tasks of one plan that run at the same time, and pool threads shared by all plans; >= 1."""
    task_timeout_seconds: float = 30.0
    """Deadline of a task when neither it nor its agent has one; > 0."""
    plan_timeout_seconds: float = 60.0
    """Deadline of a plan, from its start; > 0."""
    retries: int = 1
    """Further attempts after an exception, for agents declared read-only; >= 0."""
    schedule: Schedule = Schedule.WAVES
    max_stuck_calls: int = 8
    """Calls of one agent that may hang at the same time; at that number the agent is not called
    again until one has come back. >= 1."""

    def __post_init__(self) -> None:
        """Refuse values that no plan could run with."""
        _check("max_workers", self.max_workers >= 1, "1 or more")
        _check("task_timeout_seconds", self.task_timeout_seconds > 0, "more than 0 seconds")
        _check("plan_timeout_seconds", self.plan_timeout_seconds > 0, "more than 0 seconds")
        _check("retries", self.retries >= 0, "0 or more")
        _check("max_stuck_calls", self.max_stuck_calls >= 1, "1 or more")


def _check(key: str, right: bool, expected: str) -> None:  # noqa: FBT001 - a checked condition
    if not right:
        raise ConfigError("the value is out of range", key=key, expected=expected)
