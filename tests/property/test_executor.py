"""What holds of every plan, however its tasks behave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.clock import SystemClock
from iris_harness.contracts.progress import ProgressEvent
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import AgentTask, TaskPlan
from iris_harness.executor import AgentExecutor, CancelToken, ExecutorSettings, Schedule
from iris_harness.executor.frontier import Frontier
from iris_harness.executor.work import work_of_plan
from iris_harness.testing import make_agent, make_plan, make_task
from tests.executor_support import open_executor, say_id, states
from tests.support import examples

Behaviour = Literal["answers", "raises", "returns nonsense", "hangs"]
OUTCOME: Mapping[Behaviour, str] = {
    "answers": "ok",
    "raises": "failed",
    "returns nonsense": "failed",
    "hangs": "timed_out",
}


@dataclass(frozen=True)
class Case:
    """A plan in any order, and how each of its tasks behaves."""

    plan: TaskPlan
    behaviour: Mapping[str, Behaviour]

    def expected(self) -> dict[str, str]:
        """How each task must end: by its own doing, or skipped for what it needs."""
        ended: dict[str, str] = {}
        by_id = {task.id: task for task in self.plan.tasks}
        for name in sorted(by_id, key=int):  # ids are numbered in dependency order
            needed = [ended[other] for other in by_id[name].depends_on]
            skip = any(state != "ok" for state in needed)
            ended[name] = "skipped" if skip else OUTCOME[self.behaviour[name]]
        return ended


@st.composite
def cases(draw: st.DrawFn, *behaviours: Behaviour, size: int = 10) -> Case:
    """Random DAGs: edges point from a higher number to lower ones; the order is shuffled."""
    count = draw(st.integers(1, size))
    behaviour = {str(n): draw(st.sampled_from(behaviours)) for n in range(count)}
    tasks = []
    for number in range(count):
        earlier = [str(other) for other in range(number)]
        needs = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=3)) if earlier else []
        hangs = behaviour[str(number)] == "hangs"
        tasks.append(
            make_task(str(number), "a", depends_on=needs, timeout_seconds=0.01 if hangs else None)
        )
    return Case(make_plan(*draw(st.permutations(tasks))), behaviour)


class Stage:
    """The one handler of these tests: plays each task's part and keeps a diary."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.diary: list[tuple[str, str]] = []
        self.given: dict[str, set[str]] = {}
        self.curtain = threading.Event()

    def __call__(self, task: AgentTask) -> HandlerResult:
        self.diary.append(("start", task.id))
        self.given[task.id] = set(task.inputs)
        behaviour = self.case.behaviour[task.id]
        if behaviour == "hangs":
            self.curtain.wait(60)
        self.diary.append(("end", task.id))
        if behaviour == "raises":
            raise ValueError(task.id)
        return say_id(task) if behaviour == "answers" else None  # type: ignore[return-value]  # nonsense


def play(
    case: Case, how: ExecutorSettings, run: Callable[[AgentExecutor], list[str]]
) -> tuple[list[str], Stage]:
    """Run a case; afterwards let everything that hangs go."""
    stage = Stage(case)
    with open_executor(how, a=stage) as executor:
        try:
            ended = run(executor)
        finally:
            stage.curtain.set()
    return ended, stage


def all_settings() -> st.SearchStrategy[ExecutorSettings]:
    return st.builds(
        ExecutorSettings,
        max_workers=st.integers(1, 4),
        schedule=st.sampled_from(Schedule),
        max_stuck_calls=st.just(1000),
    )


@settings(max_examples=examples(150), deadline=None)
@given(case=cases("answers", size=16), how=all_settings())
def test_every_task_runs_exactly_once_after_all_it_depends_on(
    case: Case, how: ExecutorSettings
) -> None:
    def run(executor: AgentExecutor) -> list[str]:
        return [r.result.text if r.result else r.state.value for r in executor.run(case.plan)]

    answers, stage = play(case, how, run)
    assert answers == [task.id for task in case.plan.tasks]
    position = {entry: place for place, entry in enumerate(stage.diary)}
    assert len(stage.diary) == len(position) == 2 * len(case.plan.tasks)
    for task in case.plan.tasks:
        assert stage.given[task.id] == set(task.depends_on)
        for needed in task.depends_on:
            assert position["end", needed] < position["start", task.id]


@settings(max_examples=examples(100), deadline=None)
@given(
    case=cases("answers", "answers", "answers", "raises", "returns nonsense", "hangs"),
    how=all_settings(),
)
def test_what_goes_wrong_costs_itself_and_what_needs_it_and_nothing_else(
    case: Case, how: ExecutorSettings
) -> None:
    ended, stage = play(case, how, lambda executor: states(executor.run(case.plan)))
    expected = case.expected()
    assert ended == [expected[task.id] for task in case.plan.tasks]
    started = sorted(name for what, name in stage.diary if what == "start")
    assert started == sorted(name for name, state in expected.items() if state != "skipped")


@settings(max_examples=examples(100), deadline=None)
@given(
    case=cases("answers", "answers", "answers", "raises", "hangs"),
    how=all_settings(),
    events=st.integers(0, 20),
)
def test_cancelling_at_any_moment_gives_every_task_a_fitting_result(
    case: Case, how: ExecutorSettings, events: int
) -> None:
    token = CancelToken()
    heard: list[ProgressEvent] = []

    def listen(event: ProgressEvent) -> None:
        heard.append(event)
        if len(heard) > events:
            token.cancel()

    def run(executor: AgentExecutor) -> list[str]:
        return states(executor.run(case.plan, cancel=token, listener=listen))

    ended, stage = play(case, how, run)
    state_of = dict(zip((task.id for task in case.plan.tasks), ended, strict=True))
    uncancelled = case.expected()
    for task in case.plan.tasks:
        assert state_of[task.id] in {uncancelled[task.id], "cancelled", "skipped"}
        needs_a_bad_one = any(state_of[other] != "ok" for other in task.depends_on)
        assert (state_of[task.id] == "skipped") == needs_a_bad_one
    started = [name for what, name in stage.diary if what == "start"]
    assert len(started) == len(set(started))
    told = [event.task_id for event in heard if event.state]
    assert sorted(told) == sorted(state_of)


@settings(max_examples=examples(40), deadline=None)
@given(
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    how=all_settings(),
)
def test_nested_waves_of_any_shape_never_deadlock(widths: list[int], how: ExecutorSettings) -> None:
    leaves: list[str] = []

    def handler(task: AgentTask) -> HandlerResult:
        depth = task.id.count(".")
        if depth == len(widths):
            leaves.append(task.id)
            return HandlerResult(text="1")
        wave = [make_task(f"{task.id}.{n}", "a") for n in range(widths[depth])]
        inner = executor.execute_wave(wave)
        return HandlerResult(text=str(sum(int(r.result.text) for r in inner if r.result)))

    with open_executor(how, a=handler) as executor:
        results = executor.execute_wave([make_task(str(n), "a") for n in range(5)])
    each = 1
    for width in widths:
        each *= width
    assert [r.result.text if r.result else r for r in results] == [str(each)] * 5
    assert len(set(leaves)) == len(leaves) == 5 * each


def follow(frontier: Frontier) -> list[list[int]]:
    """Return what a frontier hands out if each batch ends before the next is looked at."""
    batches = []
    batch = list(frontier.start())
    while batch:
        batches.append(batch)
        batch = [freed for index in batches[-1] for freed in frontier.settle(index)]
    return batches


@given(case=cases("answers", size=16))
def test_waves_are_those_of_the_plan_in_whatever_order_it_is_written(case: Case) -> None:
    index = {task.id: place for place, task in enumerate(case.plan.tasks)}
    waves = [[index[task.id] for task in group] for group in case.plan.execution_groups()]
    assert follow(work_of_plan(case.plan, Schedule.WAVES).frontier) == waves
    ready = follow(work_of_plan(case.plan, Schedule.READY).frontier)
    assert [sorted(batch) for batch in ready] == waves


def test_an_executor_serves_a_thousand_turns_on_the_same_few_threads() -> None:
    names: set[str] = set()

    def handler(task: AgentTask) -> HandlerResult:
        names.add(threading.current_thread().name)
        return say_id(task)

    plan = make_plan(*(make_task(str(n), "a") for n in range(4)))
    with AgentExecutor({"a": make_agent("a", handler)}, SystemClock()) as executor:
        for _ in range(1000):
            executor.run(plan)
    assert len([name for name in names if name.startswith("iris-pool")]) <= 4
    assert len([name for name in names if name.startswith("iris-turn")]) <= 2
