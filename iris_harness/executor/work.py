"""A plan made ready to run: tasks by index, what each needs, and when it may start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iris_harness.contracts.tasks import AgentTask, TaskPlan
from iris_harness.errors import PlanError
from iris_harness.executor.frontier import Frontier, ReadyFrontier, WaveFrontier
from iris_harness.executor.settings import Schedule


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """The tasks of a plan, which are known by their index in it from here on."""

    tasks: Sequence[AgentTask]
    needs: Sequence[Sequence[int]]
    """For each task the tasks of this plan whose results it needs."""
    frontier: Frontier


def work_of_plan(plan: TaskPlan, schedule: Schedule) -> Work:
    """Prepare a plan.

    Raises:
        PlanError: as `TaskPlan.execution_groups`.
    """
    index_of = {task.id: index for index, task in enumerate(plan.tasks)}
    waves = _waves_in_order(plan.tasks, index_of)
    if waves is None:
        waves = [[index_of[task.id] for task in group] for group in plan.execution_groups()]
    needs = [[index_of[other] for other in task.depends_on] for task in plan.tasks]
    frontier = ReadyFrontier(needs) if schedule is Schedule.READY else WaveFrontier(waves)
    return Work(tasks=plan.tasks, needs=needs, frontier=frontier)


def _waves_in_order(tasks: Sequence[AgentTask], index_of: dict[str, int]) -> list[list[int]] | None:
    """Group tasks that stand after all they depend on, as plans usually are written.

    It is what `execution_groups` would say, at a third of the time; None when a task stands
    before one that it depends on, or an id is not known or not unique.
    """
    if len(index_of) < len(tasks):
        return None
    waves: list[list[int]] = []
    wave_of: dict[str, int] = {}
    for index, task in enumerate(tasks):
        wave = 0
        for other in task.depends_on:
            if other not in wave_of:
                return None
            wave = max(wave, wave_of[other] + 1)
        wave_of[task.id] = wave
        if wave == len(waves):
            waves.append([])
        waves[wave].append(index)
    return waves


def work_of_waves(waves: Iterable[Sequence[AgentTask]]) -> Work:
    """Prepare waves that somebody else has formed.

    A dependency on a task in none of them counts as done.

    Raises:
        PlanError: a duplicate id, or a dependency on a task of the same or a later wave.
    """
    tasks: list[AgentTask] = []
    needs: list[list[int]] = []
    indexes: list[range] = []
    index_of: dict[str, int] = {}
    for wave in waves:
        first = len(tasks)
        tasks.extend(wave)
        indexes.append(range(first, len(tasks)))
        needs.extend(
            [index_of[other] for other in task.depends_on if other in index_of] for task in wave
        )
        index_of.update((tasks[index].id, index) for index in indexes[-1])
    _check_waves(tasks, needs, index_of)
    return Work(tasks=tasks, needs=needs, frontier=WaveFrontier(indexes))


def _check_waves(
    tasks: Sequence[AgentTask], needs: Sequence[Sequence[int]], index_of: dict[str, int]
) -> None:
    for index, task in enumerate(tasks):
        if index_of[task.id] != index:
            raise PlanError(f"the id {task.id!r} is used twice", nodes=(task.id,))
        if len(needs[index]) == len(task.depends_on):
            continue
        for other in task.depends_on:
            if other in index_of and index_of[other] not in needs[index]:
                raise PlanError(
                    f"{task.id!r} depends on {other!r}, which is not in an earlier wave",
                    nodes=(task.id, other),
                )
