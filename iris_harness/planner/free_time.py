"""The first free time that is long enough, of days that are planned."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from iris_harness.contracts.day import PlannedDay
from iris_harness.contracts.facts import Fact
from iris_harness.contracts.tasks import AgentTask, Handler
from iris_harness.errors import TaskError

_USUAL_MINUTES = 60


def find_first_free(task: AgentTask, plan_days: Handler) -> tuple[dt.datetime, dt.datetime]:
    """Return start and end of the first free time for what a task asks, aware.

    Free is what the plan leaves free. The plans are those of the requests that the task depends
    on; where they planned no day, `plan_days` plans those of the task's scope. The length is the
    task's own (slot ``duration_minutes``), else that of the time asked for (``first_free``),
    else an hour.

    Raises:
        TaskError: no free time is as long.
    """
    minutes = next(
        (int(text) for text in map(task.slots.get, ("duration_minutes", "first_free"))
         if text and int(text)),
        _USUAL_MINUTES,
    )  # fmt: skip
    length = dt.timedelta(minutes=minutes)
    days = list(_planned_before(task)) or list(_planned(plan_days(task).facts))
    for day in sorted(days, key=lambda day: day.plan.date):
        for span in day.plan.free:
            start = max(span.start, day.plan.now) if day.plan.now < span.end else span.start
            if start + length <= span.end:
                return start, start + length
    where = task.scope.text if task.scope and task.scope.text else "that day"
    raise TaskError(
        f"no {minutes} minutes are free {where}", hint="name another day, or a shorter time"
    )


def _planned_before(task: AgentTask) -> Iterator[PlannedDay]:
    for needed in task.depends_on:
        result = task.inputs[needed].result if needed in task.inputs else None
        yield from _planned(result.facts if result else ())


def _planned(facts: tuple[Fact, ...]) -> Iterator[PlannedDay]:
    return (fact.value for fact in facts if isinstance(fact.value, PlannedDay))
