"""What the executor promises about time: deadlines, cancelling, Ctrl-C, and threads that hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.progress import CURRENT_SIGNAL, ProgressEvent, raise_if_cancelled
from iris_harness.contracts.results import AgentResult, HandlerResult, TaskState
from iris_harness.contracts.tasks import AgentTask
from iris_harness.executor import AgentExecutor, CancelToken, ExecutorSettings, Schedule
from iris_harness.testing import make_agent, make_plan, make_task
from tests.executor_support import Hang, open_executor, reasons, say_id, states, texts

SCHEDULES = pytest.mark.parametrize("schedule", list(Schedule))
SOON = 0.05
"""Seconds: a deadline that hanging tasks are given."""
PROMPTLY = 5.0
"""Seconds: far more than prompt, far less than any hang here."""


@contextmanager
def promptly() -> Iterator[None]:
    """Hold that the body takes no longer than a machine under load may need."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < PROMPTLY


def listen_to_signal(task: AgentTask) -> HandlerResult:
    """A handler that does nothing but stop when it is asked to."""
    for _ in range(6000):
        raise_if_cancelled()
        time.sleep(0.005)
    return HandlerResult(text=f"{task.id} was never asked to stop")


@contextmanager
def cancelling(token: CancelToken, under_way: threading.Semaphore) -> Iterator[None]:
    """Cancel, from another thread, as soon as the body is under way."""

    def cancel() -> None:
        under_way.acquire(timeout=10)
        token.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    yield
    canceller.join()


def wait_until_nothing_hangs(executor: AgentExecutor) -> None:
    for _ in range(1000):
        if not executor.abandoned:
            return
        time.sleep(0.005)
    raise AssertionError(f"{executor.abandoned} threads still hang")


def test_a_hanging_task_alone_is_reported_at_its_deadline() -> None:
    hang = Hang()
    with open_executor(a=hang) as executor:
        with promptly():
            result = executor.execute(make_task("x", "a", timeout_seconds=SOON))
        assert result.state is TaskState.TIMED_OUT
        assert reasons([result]) == ["a gave no answer within 0.05 s"]
        assert result.started_at is not None
        assert result.duration_seconds >= SOON
        assert executor.abandoned == 1
        hang.release.set()
        wait_until_nothing_hangs(executor)
        assert result.result is None


@SCHEDULES
@pytest.mark.parametrize("max_workers", [1, 2, 4])
@pytest.mark.parametrize("hanging", ["top", "left", "right", "bottom"])
def test_whichever_task_hangs_all_other_results_are_kept(
    schedule: Schedule, max_workers: int, hanging: str
) -> None:
    needs = {"top": (), "left": ("top",), "right": ("top",), "bottom": ("left", "right")}
    plan = make_plan(
        *(
            make_task(name, "hang", depends_on=on, timeout_seconds=SOON)
            if name == hanging
            else make_task(name, "a", depends_on=on)
            for name, on in needs.items()
        ),
        make_task("free", "a"),
        make_task("later", "a", depends_on=["free"]),
    )
    skipped = {
        "top": {"left", "right", "bottom"},
        "left": {"bottom"},
        "right": {"bottom"},
        "bottom": set[str](),
    }[hanging]
    settings = ExecutorSettings(schedule=schedule, max_workers=max_workers)
    with open_executor(settings, a=say_id, hang=Hang()) as executor, promptly():
        ended = {result.task_id: result.state.value for result in executor.run(plan)}
    assert ended == {
        name: "timed_out" if name == hanging else "skipped" if name in skipped else "ok"
        for name in (*needs, "free", "later")
    }


def test_the_pool_keeps_its_width_after_many_hangs() -> None:
    meet = threading.Barrier(3, timeout=10)

    def together(task: AgentTask) -> HandlerResult:
        meet.wait()
        return say_id(task)

    settings = ExecutorSettings(max_workers=3, max_stuck_calls=100)
    with open_executor(settings, hang=Hang(), a=together) as executor:
        for _ in range(4):
            wave = [make_task(name, "hang", timeout_seconds=SOON) for name in "xyz"]
            assert states(executor.execute_wave(wave)) == ["timed_out"] * 3
        assert executor.abandoned == 12
        with promptly():
            assert texts(executor.execute_wave([make_task(name, "a") for name in "xyz"])) == [
                *"xyz"
            ]


def test_an_agent_that_hangs_again_and_again_is_not_asked_until_a_call_comes_back() -> None:
    hang = Hang()
    settings = ExecutorSettings(max_stuck_calls=2)
    with open_executor(settings, hang=hang, a=say_id) as executor:
        for _ in range(2):
            executor.execute(make_task("x", "hang", timeout_seconds=SOON))
        refused, other = executor.execute_wave([make_task("y", "hang"), make_task("z", "a")])
        assert refused.state is TaskState.FAILED
        assert "2 earlier calls still hang" in reasons([refused])[0]
        assert other.state is TaskState.OK
        assert hang.calls == ["x", "x"]
        hang.release.set()
        wait_until_nothing_hangs(executor)
        assert executor.execute(make_task("y", "hang")).state is TaskState.OK


def test_a_plan_that_runs_out_of_time_ends_with_a_result_for_every_task() -> None:
    settings = ExecutorSettings(max_workers=2, plan_timeout_seconds=0.5)
    hang = Hang()
    with open_executor(settings, hang=hang, a=say_id) as executor, promptly():
        results = executor.run(
            make_plan(
                make_task("quick", "a"),
                make_task("x", "hang"),
                make_task("y", "hang"),
                make_task("crowded out", "hang"),
                make_task("needs x", "a", depends_on=["x"]),
                make_task("next", "a", depends_on=["quick"]),
            )
        )
    assert states(results) == ["ok", "timed_out", "timed_out", "timed_out", "skipped", "timed_out"]
    told = reasons(results)
    assert told[1] == "hang gave no answer before the turn's 0.5 s were over"
    assert told[3] == told[5] == "not started before the turn's 0.5 s were over"
    assert told[4] == "not started: it needs 'x', which timed out"
    assert sorted(hang.calls) == ["x", "y"]


def test_a_task_knows_its_deadline_best_then_its_agent_then_the_settings() -> None:
    settings = ExecutorSettings(task_timeout_seconds=0.03)
    slow = make_agent("slow", Hang(), timeout_seconds=0.02)
    with open_executor(settings, slow=slow, plain=Hang()) as executor:
        results = executor.execute_wave(
            [
                make_task("x", "slow", timeout_seconds=0.01),
                make_task("y", "slow"),
                make_task("z", "plain"),
            ]
        )
    assert [reason.rpartition("within ")[2] for reason in reasons(results)] == [
        "0.01 s",
        "0.02 s",
        "0.03 s",
    ]


def test_a_short_deadline_is_held_behind_tasks_with_long_ones() -> None:
    def short(task: AgentTask) -> HandlerResult:
        time.sleep(2 * SOON)
        return say_id(task)

    plan = make_plan(
        make_task("x", "a", timeout_seconds=20),
        make_task("y", "hang", depends_on=["x"], timeout_seconds=SOON),
        make_task("z", "a", timeout_seconds=30),
    )
    with open_executor(a=short, hang=Hang()) as executor, promptly():
        assert states(executor.run(plan)) == ["ok", "timed_out", "ok"]


def test_a_handler_that_listens_stops_at_its_deadline_and_frees_its_thread() -> None:
    with open_executor(a=listen_to_signal) as executor:
        with promptly():
            result = executor.execute(make_task("x", "a", timeout_seconds=SOON))
        assert result.state is TaskState.TIMED_OUT
        wait_until_nothing_hangs(executor)


def test_a_timeout_is_never_retried() -> None:
    hang = Hang()
    agent = make_agent("a", hang, read_only=True)
    with open_executor(ExecutorSettings(retries=3), a=agent) as executor:
        executor.execute(make_task("x", "a", timeout_seconds=SOON))
        hang.release.set()
        wait_until_nothing_hangs(executor)
    assert hang.calls == ["x"]


def test_an_exception_after_the_deadline_is_not_retried_and_counts_as_too_late() -> None:
    calls: list[str] = []

    def handler(task: AgentTask) -> HandlerResult:
        calls.append(task.id)
        time.sleep(2 * SOON)
        raise OSError("gone")

    agent = make_agent("a", handler, read_only=True)
    with open_executor(ExecutorSettings(retries=3), a=agent) as executor:
        result = executor.execute(make_task("x", "a", timeout_seconds=SOON))
        assert result.state is TaskState.TIMED_OUT
        wait_until_nothing_hangs(executor)
    assert calls == ["x"]


@SCHEDULES
def test_cancelling_reports_at_once_even_what_does_not_listen(schedule: Schedule) -> None:
    hang, token = Hang(), CancelToken()
    settings = ExecutorSettings(schedule=schedule, max_workers=3)
    plan = make_plan(
        make_task("done", "a"),
        make_task("deaf", "hang"),
        make_task("listening", "listen"),
        make_task("after deaf", "a", depends_on=["deaf"]),
        make_task("held back", "hang", depends_on=["done"]),
    )
    with open_executor(settings, a=say_id, hang=hang, listen=listen_to_signal) as executor:
        finished = threading.Event()

        def listen(event: ProgressEvent) -> None:
            if (event.task_id, event.state) == ("done", "ok"):
                finished.set()

        def cancel_when_under_way() -> None:
            finished.wait(10)
            hang.entered.acquire(timeout=10)
            token.cancel()

        canceller = threading.Thread(target=cancel_when_under_way)
        canceller.start()
        with promptly():
            results = executor.run(plan, cancel=token, listener=listen)
        canceller.join()
    assert states(results) == ["ok", "cancelled", "cancelled", "skipped", "cancelled"]
    assert reasons(results)[3] == "not started: it needs 'deaf', which was cancelled"


def test_a_turn_cancelled_beforehand_runs_nothing() -> None:
    token, hang = CancelToken(), Hang()
    token.cancel()
    with open_executor(a=hang) as executor, promptly():
        results = executor.run(make_plan(make_task("x", "a"), make_task("y", "a")), cancel=token)
    assert states(results) == ["cancelled"] * 2
    assert reasons(results) == ["cancelled before it started"] * 2
    assert hang.calls == []


def test_a_token_may_be_cancelled_in_a_signal_handler() -> None:
    token, hang = CancelToken(), Hang()

    def interrupt_when_under_way() -> None:
        hang.entered.acquire(timeout=10)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, lambda *_: token.cancel())
    try:
        with open_executor(a=hang) as executor:
            interrupter = threading.Thread(target=interrupt_when_under_way)
            interrupter.start()
            with promptly():
                result = executor.execute(make_task("x", "a"), cancel=token)
            interrupter.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert result.state is TaskState.CANCELLED


CTRL_C = """\
import os, signal, threading, time

from iris_harness.contracts.results import HandlerResult
from iris_harness.executor import AgentExecutor
from iris_harness.testing import FixedClock, NOW, make_agent, make_task

# A job that a shell runs in the background inherits a SIGINT that is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
entered, released = threading.Event(), threading.Event()


def hang(task):
    entered.set()
    released.wait(60)
    return HandlerResult()


def interrupt_when_under_way():
    entered.wait(60)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)


agents = {"hang": make_agent("hang", hang), "a": make_agent("a", lambda task: HandlerResult())}
with AgentExecutor(agents, FixedClock(NOW)) as executor:
    threading.Thread(target=interrupt_when_under_way, daemon=True).start()
    try:
        executor.execute_wave([make_task("x", "hang"), make_task("y", "hang")])
        print("nothing interrupted it")
    except KeyboardInterrupt:
        print("interrupted, then", executor.execute(make_task("z", "a")).state.value)
    released.set()
"""


def test_ctrl_c_ends_the_turn_and_not_the_executor() -> None:
    # In a process of its own: the signal must not meet the one that runs the tests.
    ended = subprocess.run(
        [sys.executable, "-c", CTRL_C], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.stdout, ended.stderr) == ("interrupted, then ok\n", "")


def test_tasks_see_the_signal_of_their_own_turn_only() -> None:
    token = CancelToken()

    def look(_task: AgentTask) -> HandlerResult:
        current = CURRENT_SIGNAL.get()
        return HandlerResult(text="none" if current is None else str(current.cancelled))

    def cancel_and_look(task: AgentTask) -> HandlerResult:
        before = look(task).text
        token.cancel()
        return HandlerResult(text=f"{before} {look(task).text}")

    seen: list[str] = []

    def record(task: AgentTask) -> HandlerResult:
        seen.append(cancel_and_look(task).text)
        return HandlerResult()

    with open_executor(look=look, record=record) as executor:
        executor.execute(make_task("x", "record"), cancel=token)
        wait_until_nothing_hangs(executor)
        assert executor.execute(make_task("y", "look")).result == HandlerResult(text="False")
    assert seen == ["False True"]
    assert CURRENT_SIGNAL.get() is None


def test_cancelling_reaches_nested_plans() -> None:
    token, started = CancelToken(), threading.Semaphore(0)
    ended: list[AgentResult] = []

    def outer(_task: AgentTask) -> HandlerResult:
        started.release()
        ended.extend(executor.execute_wave([make_task("x", "listen"), make_task("y", "listen")]))
        return HandlerResult()

    with open_executor(outer=outer, listen=listen_to_signal) as executor:
        with cancelling(token, started), promptly():
            executor.execute(make_task("o", "outer"), cancel=token)
        wait_until_nothing_hangs(executor)
    assert states(ended) == ["cancelled"] * 2


def test_a_nested_task_is_too_late_by_its_own_deadline() -> None:
    def slow(task: AgentTask) -> HandlerResult:
        time.sleep(0.1)
        return say_id(task)

    def outer(_task: AgentTask) -> HandlerResult:
        wave = [make_task("x", "slow", timeout_seconds=0.01), make_task("y", "slow")]
        return HandlerResult(text=" ".join(states(executor.execute_wave(wave))))

    with open_executor(outer=outer, slow=slow) as executor:
        assert texts([executor.execute(make_task("o", "outer"))]) == ["timed_out ok"]


def test_another_executor_inside_a_handler_hears_of_the_cancelling() -> None:
    token, hang = CancelToken(), Hang()
    ended: list[AgentResult] = []

    def outer(_task: AgentTask) -> HandlerResult:
        ended.append(inner.execute(make_task("x", "hang")))
        return HandlerResult()

    clock = SystemClock()
    with (
        AgentExecutor({"hang": make_agent("hang", hang)}, clock) as inner,
        AgentExecutor({"outer": make_agent("outer", outer)}, clock) as executor,
        cancelling(token, hang.entered),
        promptly(),
    ):
        executor.execute(make_task("o", "outer"), cancel=token)
        wait_until_nothing_hangs(executor)
    hang.release.set()
    assert states(ended) == ["cancelled"]


def test_closing_ends_running_turns_and_waits_for_nothing_that_hangs() -> None:
    hang = Hang()
    results: list[AgentResult] = []
    plan = make_plan(make_task("x", "a"), make_task("y", "a", depends_on=["x"]))
    with open_executor(a=hang) as executor:
        turn = threading.Thread(target=lambda: results.extend(executor.run(plan)))
        turn.start()
        hang.entered.acquire(timeout=10)
        with promptly():
            executor.close()
            turn.join()
        assert states(results) == ["cancelled", "skipped"]
        assert executor.abandoned == 1
        executor.close()
        with pytest.raises(RuntimeError, match="closed"):
            executor.execute(make_task("z", "a"))


def test_a_handler_may_close_its_own_executor() -> None:
    def close(task: AgentTask) -> HandlerResult:
        executor.close()
        return say_id(task)

    with open_executor(a=close) as executor, promptly():
        assert executor.execute(make_task("x", "a")).state is TaskState.CANCELLED


EXIT_WHILE_HANGING = """
import threading
from iris_harness.clock import SystemClock
from iris_harness.executor import AgentExecutor
from iris_harness.testing import make_agent, make_task

for_ever = threading.Event()
executor = AgentExecutor({"a": make_agent("a", lambda task: for_ever.wait())}, SystemClock())
tasks = [make_task(name, "a", timeout_seconds=0.05) for name in "xyz"]
print([result.state.value for result in executor.execute_wave(tasks)], executor.abandoned)
"""


@pytest.mark.parametrize("ending", ["", "executor.close()"], ids=["without close", "with close"])
def test_the_interpreter_exits_though_threads_hang(ending: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXIT_WHILE_HANGING + ending],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "['timed_out', 'timed_out', 'timed_out'] 3\n"
    assert done.stderr == ""
