"""What the executor promises about results: order, isolation, dependents, inputs, contexts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import replace

import pytest

from iris_harness.clock import FixedClock
from iris_harness.contracts.progress import ProgressEvent, Stage
from iris_harness.contracts.results import HandlerResult, TaskState
from iris_harness.contracts.tasks import Agent, AgentTask, Handler
from iris_harness.errors import ConfigError, ModelError, PlanError, RegistryError, TaskError
from iris_harness.executor import AgentExecutor, ExecutorSettings, Schedule
from iris_harness.testing import NOW, make_agent, make_plan, make_task
from tests.executor_support import fail, open_executor, reasons, say_id, states, texts

Make = Callable[..., AgentExecutor]
SCHEDULES = pytest.mark.parametrize("schedule", list(Schedule))


@pytest.fixture
def make_executor() -> Iterator[Make]:
    """Executors over handlers by name; closed after the test."""
    with ExitStack() as stack:

        def make(
            settings: ExecutorSettings | None = None, **handlers: Handler | Agent
        ) -> AgentExecutor:
            return stack.enter_context(open_executor(settings, **handlers))

        yield make


def meeting_point(parties: int) -> Handler:
    """Return a handler that answers only when `parties` calls of it run at the same time."""
    barrier = threading.Barrier(parties, timeout=10)

    def handler(task: AgentTask) -> HandlerResult:
        barrier.wait()
        return HandlerResult(text=task.id)

    return handler


@SCHEDULES
def test_results_come_in_plan_order_whatever_the_order_of_completion(
    make_executor: Make, schedule: Schedule
) -> None:
    later = threading.Event()

    def slow(task: AgentTask) -> HandlerResult:
        later.wait(10)
        return say_id(task)

    def quick(task: AgentTask) -> HandlerResult:
        later.set()
        return say_id(task)

    executor = make_executor(ExecutorSettings(schedule=schedule), slow=slow, quick=quick)
    plan = make_plan(make_task("first", "slow"), make_task("second", "quick"))
    assert texts(executor.run(plan)) == ["first", "second"]


@SCHEDULES
def test_a_plan_may_name_a_task_before_those_it_depends_on(
    make_executor: Make, schedule: Schedule
) -> None:
    executor = make_executor(ExecutorSettings(schedule=schedule), a=say_id)
    plan = make_plan(make_task("last", "a", depends_on=["first"]), make_task("first", "a"))
    assert texts(executor.run(plan)) == ["last", "first"]


@SCHEDULES
def test_independent_tasks_overlap_in_time(make_executor: Make, schedule: Schedule) -> None:
    executor = make_executor(ExecutorSettings(schedule=schedule), a=meeting_point(4))
    plan = make_plan(*(make_task(name, "a") for name in "wxyz"))
    assert states(executor.run(plan)) == ["ok"] * 4


def test_no_more_tasks_run_at_once_than_there_are_workers(make_executor: Make) -> None:
    lock = threading.Lock()
    now_running: set[str] = set()
    most = 0
    both = threading.Barrier(2, timeout=10)

    def handler(task: AgentTask) -> HandlerResult:
        nonlocal most
        with lock:
            now_running.add(task.id)
            most = max(most, len(now_running))
        both.wait()
        with lock:
            now_running.remove(task.id)
        return say_id(task)

    executor = make_executor(ExecutorSettings(max_workers=2), a=handler)
    results = executor.execute_wave([make_task(str(number), "a") for number in range(8)])
    assert states(results) == ["ok"] * 8
    assert most == 2


def test_a_wave_starts_no_more_threads_than_it_has_tasks(make_executor: Make) -> None:
    names: set[str] = set()
    meet = meeting_point(2)

    def handler(task: AgentTask) -> HandlerResult:
        names.add(threading.current_thread().name)
        return meet(task)

    executor = make_executor(ExecutorSettings(max_workers=8), a=handler)
    for _ in range(5):
        executor.execute_wave([make_task("x", "a"), make_task("y", "a")])
    assert len([name for name in names if name.startswith("iris-pool")]) == 1


def test_a_chain_of_single_tasks_stays_on_one_thread_that_is_not_the_pools(
    make_executor: Make,
) -> None:
    names: list[str] = []

    def handler(task: AgentTask) -> HandlerResult:
        names.append(threading.current_thread().name)
        return say_id(task)

    executor = make_executor(a=handler)
    executor.run(
        make_plan(
            make_task("x", "a"),
            make_task("y", "a", depends_on=["x"]),
            make_task("z", "a", depends_on=["y"]),
        )
    )
    executor.execute(make_task("again", "a"))
    assert len(names) == 4
    assert all(name.startswith("iris-turn") for name in names)
    assert len(set(names[:3])) == 1


def test_ready_starts_a_task_before_an_unrelated_slow_one_has_ended(make_executor: Make) -> None:
    reached = threading.Event()

    def wait_for_the_other_branch(_task: AgentTask) -> HandlerResult:
        return HandlerResult(text=str(reached.wait(10)))

    def tell(task: AgentTask) -> HandlerResult:
        reached.set()
        return say_id(task)

    executor = make_executor(
        ExecutorSettings(schedule=Schedule.READY), slow=wait_for_the_other_branch, a=say_id, b=tell
    )
    plan = make_plan(
        make_task("slow", "slow"), make_task("x", "a"), make_task("y", "b", depends_on=["x"])
    )
    assert texts(executor.run(plan)) == ["True", "x", "y"]


def test_waves_hold_a_task_back_until_the_wave_before_has_ended(make_executor: Make) -> None:
    ended: list[str] = []
    both = threading.Barrier(2, timeout=10)

    def first_wave(task: AgentTask) -> HandlerResult:
        both.wait()
        ended.append(task.id)
        return say_id(task)

    def second_wave(_task: AgentTask) -> HandlerResult:
        return HandlerResult(text=",".join(sorted(ended)))

    executor = make_executor(a=first_wave, b=second_wave)
    plan = make_plan(
        make_task("x", "a"), make_task("y", "a"), make_task("z", "b", depends_on=["x"])
    )
    assert texts(executor.run(plan))[2] == "x,y"


@SCHEDULES
def test_an_exception_becomes_a_result_and_stops_no_sibling(
    make_executor: Make, schedule: Schedule
) -> None:
    executor = make_executor(ExecutorSettings(schedule=schedule), bad=fail, good=say_id)
    results = executor.run(make_plan(make_task("x", "bad"), make_task("y", "good")))
    assert states(results) == ["failed", "ok"]
    error = results[0].error
    assert error is not None
    assert error.kind == "ValueError"
    assert error.message == "the bad agent failed: ValueError: no luck with x"
    assert "in fail" in error.detail
    assert results[0].result is None


def test_an_error_made_for_people_is_reported_in_its_own_words(make_executor: Make) -> None:
    def handler(_task: AgentTask) -> HandlerResult:
        raise TaskError("the list is locked", hint="close the editor")

    result = make_executor(a=handler).execute(make_task(agent="a"))
    assert result.error is not None
    assert (result.error.message, result.error.hint) == ("the list is locked", "close the editor")


def test_an_exception_that_cannot_be_printed_is_still_a_result(make_executor: Make) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("not even this")

    def handler(_task: AgentTask) -> HandlerResult:
        raise MuteError

    result = make_executor(a=handler).execute(make_task(agent="a"))
    assert result.state is TaskState.FAILED
    assert result.error is not None
    assert result.error.kind == "MuteError"


@pytest.mark.parametrize("answer", ["text", None, 7, HandlerResult])
def test_an_answer_of_the_wrong_type_is_a_failure(make_executor: Make, answer: object) -> None:
    result = make_executor(a=lambda _: answer).execute(make_task(agent="a"))
    assert result.state is TaskState.FAILED
    assert result.error is not None
    assert f"returned {type(answer).__name__} instead of a HandlerResult" in result.error.message


def test_a_task_for_an_agent_that_is_not_installed_fails_alone(make_executor: Make) -> None:
    executor = make_executor(a=say_id)
    results = executor.execute_wave([make_task("x", "nobody"), make_task("y", "a")])
    assert states(results) == ["failed", "ok"]
    assert results[0].error is not None
    assert "'nobody'" in results[0].error.message


@SCHEDULES
def test_dependents_of_a_failure_are_skipped_with_the_reason_and_never_run(
    make_executor: Make, schedule: Schedule
) -> None:
    ran: list[str] = []

    def note(task: AgentTask) -> HandlerResult:
        ran.append(task.id)
        return say_id(task)

    executor = make_executor(ExecutorSettings(schedule=schedule), bad=fail, good=note)
    results = executor.run(
        make_plan(
            make_task("root", "bad"),
            make_task("child", "good", depends_on=["root"]),
            make_task("grandchild", "good", depends_on=["child", "free"]),
            make_task("free", "good"),
            make_task("after", "good", depends_on=["free"]),
        )
    )
    assert states(results) == ["failed", "skipped", "skipped", "ok", "ok"]
    assert sorted(ran) == ["after", "free"]
    assert reasons(results)[1] == "not started: it needs 'root', which failed"
    assert reasons(results)[2] == "not started: it needs 'child', which was skipped"
    assert results[1].started_at is None
    assert results[1].duration_seconds == 0


def test_a_long_chain_of_skips_ends_without_recursion(make_executor: Make) -> None:
    chain = [make_task("0", "bad")]
    chain += [make_task(str(n), "bad", depends_on=[str(n - 1)]) for n in range(1, 3000)]
    results = make_executor(bad=fail).run(make_plan(*chain))
    assert states(results) == ["failed"] + ["skipped"] * 2999


@SCHEDULES
def test_a_task_receives_the_results_of_exactly_what_it_depends_on(
    make_executor: Make, schedule: Schedule
) -> None:
    def show_inputs(task: AgentTask) -> HandlerResult:
        found = {name: result.result.text for name, result in task.inputs.items() if result.result}
        return HandlerResult(text=repr(found))

    executor = make_executor(ExecutorSettings(schedule=schedule), a=say_id, show=show_inputs)
    results = executor.run(
        make_plan(
            make_task("x", "a"),
            make_task("y", "a"),
            make_task("z", "a"),
            make_task("sum", "show", depends_on=["z", "x"]),
        )
    )
    assert texts(results)[3] == "{'z': 'z', 'x': 'x'}"


@SCHEDULES
def test_a_dependency_named_twice_counts_once(make_executor: Make, schedule: Schedule) -> None:
    executor = make_executor(ExecutorSettings(schedule=schedule), a=say_id)
    twice = make_task("y", "a", depends_on=["x", "x"])
    assert texts(executor.run(make_plan(make_task("x", "a"), twice))) == ["x", "y"]
    assert texts(executor.execute_waves([[make_task("x", "a")], [twice]])) == ["x", "y"]


def test_waves_run_one_by_one_may_be_given_their_inputs_by_the_caller(make_executor: Make) -> None:
    executor = make_executor(bad=fail, a=say_id)
    good, bad = executor.execute_wave([make_task("good", "a"), make_task("bad", "bad")])
    fed = replace(make_task("fed", "a", depends_on=["good"]), inputs={"good": good})
    starved = replace(make_task("starved", "a", depends_on=["bad"]), inputs={"bad": bad})
    assert states(executor.execute_wave([fed, starved])) == ["ok", "skipped"]
    assert executor.execute(starved).state is TaskState.SKIPPED


def test_execute_waves_honours_waves_and_gives_one_flat_tuple(make_executor: Make) -> None:
    executor = make_executor(a=say_id, bad=fail)
    waves = (
        (make_task("x", "bad"), make_task("y", "a")),
        (),
        (make_task("z", "a", depends_on=["x"]), make_task("w", "a", depends_on=["y"])),
    )
    results = executor.execute_waves(waves)
    assert [result.task_id for result in results] == ["x", "y", "z", "w"]
    assert states(results) == ["failed", "ok", "skipped", "ok"]


def test_nothing_to_do_gives_no_results(make_executor: Make) -> None:
    executor = make_executor()
    assert executor.run(make_plan()) == ()
    assert executor.execute_waves([(), ()]) == ()


@SCHEDULES
def test_a_plan_that_is_no_dag_is_refused_by_name(make_executor: Make, schedule: Schedule) -> None:
    executor = make_executor(ExecutorSettings(schedule=schedule), a=say_id)
    circle = make_plan(make_task("x", "a", depends_on=["y"]), make_task("y", "a", depends_on=["x"]))
    with pytest.raises(PlanError, match=r"in a circle: (x -> y -> x|y -> x -> y)"):
        executor.run(circle)
    with pytest.raises(PlanError, match="'ghost', which does not exist"):
        executor.run(make_plan(make_task("x", "a", depends_on=["ghost"])))
    with pytest.raises(PlanError, match="'x' is used twice"):
        executor.run(make_plan(make_task("x", "a"), make_task("x", "a")))


def test_waves_that_contradict_their_dependencies_are_refused(make_executor: Make) -> None:
    executor = make_executor(a=say_id)
    with pytest.raises(PlanError, match="'y' depends on 'x', which is not in an earlier wave"):
        executor.execute_wave([make_task("x", "a"), make_task("y", "a", depends_on=["x"])])
    with pytest.raises(PlanError, match="which is not in an earlier wave"):
        executor.execute_waves([[make_task("y", "a", depends_on=["x"])], [make_task("x", "a")]])
    with pytest.raises(PlanError, match="'x' is used twice"):
        executor.execute_waves([[make_task("x", "a")], [make_task("x", "a")]])


def fail_times(times: int, error: Exception) -> tuple[Handler, list[str]]:
    calls: list[str] = []

    def handler(task: AgentTask) -> HandlerResult:
        calls.append(task.id)
        if len(calls) <= times:
            raise error
        return say_id(task)

    return handler, calls


def test_a_read_only_agent_is_asked_again_after_an_exception(make_executor: Make) -> None:
    handler, calls = fail_times(2, ModelError("busy"))
    executor = make_executor(
        ExecutorSettings(retries=2), a=make_agent("a", handler, read_only=True)
    )
    assert executor.execute(make_task("x", "a")).state is TaskState.OK
    assert len(calls) == 3


def test_retries_end_and_the_last_exception_is_reported(make_executor: Make) -> None:
    handler, calls = fail_times(9, OSError("gone"))
    executor = make_executor(
        ExecutorSettings(retries=2), a=make_agent("a", handler, read_only=True)
    )
    assert executor.execute(make_task("x", "a")).state is TaskState.FAILED
    assert len(calls) == 3


def test_an_agent_that_may_write_is_never_asked_twice(make_executor: Make) -> None:
    handler, calls = fail_times(9, OSError("gone"))
    executor = make_executor(ExecutorSettings(retries=5), a=handler)
    assert executor.execute(make_task("x", "a")).state is TaskState.FAILED
    assert len(calls) == 1


def test_a_handlers_own_decision_to_fail_is_final(make_executor: Make) -> None:
    handler, calls = fail_times(9, TaskError("no such list"))
    executor = make_executor(
        ExecutorSettings(retries=5), a=make_agent("a", handler, read_only=True)
    )
    assert executor.execute(make_task("x", "a")).state is TaskState.FAILED
    assert len(calls) == 1


COLOUR: ContextVar[str] = ContextVar("colour", default="none")


def test_the_callers_context_travels_and_tasks_do_not_see_each_others(make_executor: Make) -> None:
    meet = meeting_point(3)

    def paint(task: AgentTask) -> HandlerResult:
        seen = COLOUR.get()
        COLOUR.set(task.id)
        meet(task)
        return HandlerResult(text=f"{seen} {COLOUR.get()}")

    executor = make_executor(a=paint)
    token = COLOUR.set("blue")
    try:
        results = executor.execute_wave([make_task(name, "a") for name in "xyz"])
        again = executor.execute_wave([make_task(name, "a") for name in "xyz"])
    finally:
        COLOUR.reset(token)
    assert texts(results) == texts(again) == ["blue x", "blue y", "blue z"]
    assert COLOUR.get() == "none"


def test_progress_tells_every_step_on_the_calling_thread(make_executor: Make) -> None:
    handler, _ = fail_times(1, OSError("once"))
    executor = make_executor(a=make_agent("a", handler, read_only=True), bad=fail, b=say_id)
    heard: list[tuple[str, str, str]] = []
    threads = set[str]()

    def listen(event: ProgressEvent) -> None:
        threads.add(threading.current_thread().name)
        heard.append((event.task_id, event.stage.value, event.state))

    plan = make_plan(
        make_task("x", "a"),
        make_task("y", "bad", depends_on=["x"]),
        make_task("z", "b", depends_on=["y"]),
    )
    executor.run(plan, listener=listen)
    assert heard == [
        ("x", "started", ""),
        ("x", "retried", ""),
        ("x", "finished", "ok"),
        ("y", "started", ""),
        ("y", "finished", "failed"),
        ("z", "finished", "skipped"),
    ]
    assert threads == {threading.current_thread().name}


def test_a_listener_that_raises_ends_the_plan_and_is_heard(make_executor: Make) -> None:
    ran: list[str] = []

    def note(task: AgentTask) -> HandlerResult:
        ran.append(task.id)
        return say_id(task)

    def listen(event: ProgressEvent) -> None:
        if event.stage is Stage.STARTED:
            raise RuntimeError("the terminal is gone")

    executor = make_executor(a=note)
    with pytest.raises(RuntimeError, match="the terminal is gone"):
        executor.run(make_plan(make_task("x", "a")), listener=listen)
    assert executor.execute(make_task("y", "a")).state is TaskState.OK


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
@SCHEDULES
def test_an_agent_that_wants_to_end_the_program_fails_alone_and_is_not_asked_again(
    make_executor: Make, schedule: Schedule, kind: type[BaseException]
) -> None:
    asked = 0

    def stop(_task: AgentTask) -> HandlerResult:
        nonlocal asked
        asked += 1
        raise kind("enough")

    executor = make_executor(ExecutorSettings(schedule=schedule), a=say_id, stop=stop)
    plan = make_plan(
        make_task("x", "stop"), make_task("y", "a", depends_on=["x"]), make_task("z", "a")
    )
    stopped, dependent, sibling = executor.run(plan)
    assert stopped.state is TaskState.FAILED
    assert stopped.error is not None
    assert stopped.error.message == f"the stop agent failed: {kind.__name__}: enough"
    assert dependent.state is TaskState.SKIPPED
    assert sibling.state is TaskState.OK
    assert asked == 1


def test_times_come_from_the_clock() -> None:
    with AgentExecutor({"a": make_agent("a", say_id)}, FixedClock(NOW)) as executor:
        result = executor.execute(make_task(agent="a"))
    assert result.started_at == NOW
    assert 0 < result.duration_seconds < 10


@pytest.mark.parametrize("max_workers", [1, 2, 4])
def test_nested_waves_run_inline_and_never_starve(make_executor: Make, max_workers: int) -> None:
    executor: AgentExecutor
    threads: dict[str, set[str]] = {}

    def leaf(task: AgentTask) -> HandlerResult:
        threads.setdefault(task.utterance, set()).add(threading.current_thread().name)
        return say_id(task)

    def branch(task: AgentTask) -> HandlerResult:
        leaf(replace(task, utterance=task.id))
        wave = [make_task(f"{task.id}{n}", "leaf", utterance=task.id) for n in range(3)]
        return HandlerResult(text=" ".join(texts(executor.execute_wave(wave))))

    def root(task: AgentTask) -> HandlerResult:
        wave = [make_task(f"{task.id}{n}", "branch") for n in range(3)]
        return HandlerResult(text="; ".join(texts(executor.execute_wave(wave))))

    executor = make_executor(
        ExecutorSettings(max_workers=max_workers), leaf=leaf, branch=branch, root=root
    )
    results = executor.execute_wave([make_task(name, "root") for name in "abcdef"])
    assert states(results) == ["ok"] * 6
    assert texts(results)[0] == "a00 a01 a02; a10 a11 a12; a20 a21 a22"
    assert len(threads) == 18
    assert all(len(names) == 1 for names in threads.values())


def test_progress_of_a_nested_plan_is_told_in_the_handlers_thread(make_executor: Make) -> None:
    executor: AgentExecutor
    heard: list[str] = []

    def outer(task: AgentTask) -> HandlerResult:
        me = threading.current_thread()

        def listen(event: ProgressEvent) -> None:
            heard.append(f"{event.stage.value} {threading.current_thread() is me}")

        executor.execute(make_task("inner", "a"), listener=listen)
        return say_id(task)

    executor = make_executor(a=say_id, outer=outer)
    executor.execute(make_task("x", "outer"))
    assert heard == ["started True", "finished True"]


def test_many_turns_share_one_executor(make_executor: Make) -> None:
    executor = make_executor(ExecutorSettings(max_workers=2), a=say_id)
    plan = make_plan(
        make_task("x", "a"),
        make_task("y", "a", depends_on=["x"]),
        make_task("z", "a", depends_on=["x"]),
    )
    wrong: list[object] = []

    def turn() -> None:
        wrong.extend(
            found for _ in range(50) if (found := texts(executor.run(plan))) != ["x", "y", "z"]
        )

    turns = [threading.Thread(target=turn) for _ in range(6)]
    for thread in turns:
        thread.start()
    for thread in turns:
        thread.join()
    assert wrong == []


def test_agents_and_intents_are_derived_from_what_was_given(make_executor: Make) -> None:
    executor = make_executor(
        todo=make_agent("todo", say_id, intents=["todo.add", "todo.list"]),
        clock=make_agent("clock", say_id, intents=["clock.now"]),
    )
    assert executor.valid_agents == {"todo", "clock"}
    assert executor.valid_intents == {"todo.add", "todo.list", "clock.now"}
    assert executor.intent_to_agent["todo.list"] == "todo"


def test_two_agents_cannot_claim_one_intent(make_executor: Make) -> None:
    with pytest.raises(RegistryError, match="'a' and 'b' both claim the intent 'same'"):
        make_executor(
            a=make_agent("a", say_id, intents=["same"]), b=make_agent("b", say_id, intents=["same"])
        )


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"max_workers": 0}, "max_workers"),
        ({"task_timeout_seconds": 0.0}, "task_timeout_seconds"),
        ({"plan_timeout_seconds": -1.0}, "plan_timeout_seconds"),
        ({"retries": -1}, "retries"),
        ({"max_stuck_calls": 0}, "max_stuck_calls"),
    ],
)
def test_settings_that_no_plan_could_run_with_are_refused(
    settings: dict[str, int], key: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        ExecutorSettings(**settings)  # type: ignore[arg-type]  # that is the point
    assert caught.value.key == key
