"""Requests of one utterance in stages: what comes after a change is answered after it is made.

"Add milk to my list and show me the list" shows the milk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from iris_harness.contracts.reports import ActionReport, ActionState
from iris_harness.contracts.results import AgentResult, TaskFailure, TaskState
from iris_harness.contracts.tasks import AgentTask, TaskPlan

_ASKED = "asked"
_REFUSED = "refused"
_UNMADE = {
    True: "the change before it waits for your yes; ask for this again after that",
    False: "the change before it was not made",
}
_NOT_DONE = frozenset({ActionState.REFUSED, ActionState.ASKED})


def stages_of(
    tasks: Iterable[AgentTask], writing: Collection[str]
) -> tuple[tuple[AgentTask, ...], ...]:
    """Return the tasks in plan order, cut after each whose intent is among `writing`."""
    stages: list[tuple[AgentTask, ...]] = [()]
    for task in tasks:
        stages[-1] = (*stages[-1], task)
        if task.intent in writing:
            stages.append(())
    return tuple(stage for stage in stages if stage)


def waves_of(
    stage: Sequence[AgentTask], earlier: Mapping[str, AgentResult]
) -> tuple[tuple[AgentTask, ...], ...]:
    """Return the waves of a stage; what its tasks need of earlier ones stands in their inputs."""
    own = {task.id for task in stage}
    within = tuple(
        replace(task, depends_on=tuple(one for one in task.depends_on if one in own))
        for task in stage
    )
    full = {task.id: _with_inputs(task, earlier) for task in stage}
    groups = TaskPlan(id="", utterance="", tasks=within).execution_groups()
    return tuple(tuple(full[task.id] for task in group) for group in groups)


def _with_inputs(task: AgentTask, earlier: Mapping[str, AgentResult]) -> AgentTask:
    found = {one: earlier[one] for one in task.depends_on if one in earlier}
    return replace(task, inputs={**task.inputs, **found})


def as_input(result: AgentResult, reports: Sequence[ActionReport]) -> AgentResult:
    """Return a result as later tasks take it: a change that was not made is no success."""
    missed = next((report for report in reports if report.state in _NOT_DONE), None)
    if missed is None or result.state is not TaskState.OK:
        return result
    is_asked = missed.state is ActionState.ASKED
    failure = TaskFailure(kind=_ASKED if is_asked else _REFUSED, message=_UNMADE[is_asked])
    return replace(result, state=TaskState.FAILED, result=None, error=failure)


def is_unmade(result: AgentResult | None) -> bool:
    """Return whether a result is that of a change which was not made, or waits for one."""
    kinds = {_ASKED, _REFUSED}
    return result is not None and result.error is not None and result.error.kind in kinds


def without_unmade(task: AgentTask, earlier: Mapping[str, AgentResult]) -> AgentTask:
    """Return a task that needs no change any more which was not made."""
    needed = tuple(one for one in task.depends_on if not is_unmade(earlier.get(one)))
    return replace(task, depends_on=needed)


def not_asked(task: AgentTask, earlier: Mapping[str, AgentResult]) -> AgentResult:
    """Return the result of a change that comes after another which was not made."""
    failures = [earlier[one].error for one in task.depends_on if is_unmade(earlier.get(one))]
    failure = failures[0] if failures else None
    return AgentResult(task_id=task.id, agent=task.agent, state=TaskState.SKIPPED, error=failure)
