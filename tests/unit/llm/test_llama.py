"""The process that llama.cpp lives in: watched, ended, started again; with the real engine."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.model import Ability
from iris_harness.contracts.progress import CURRENT_SIGNAL
from iris_harness.errors import (
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    TurnCancelledError,
)
from iris_harness.executor import CancelToken
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.llama.model import LlamaModel, LlamaSettings, default_threads
from iris_harness.llm.llama.process import child_environment
from tests.tiny_gguf import write_tiny_gguf
from tests.unit.llm.support import REQUEST, drained

Make = Callable[[Path], LlamaModel]
LONG = replace(REQUEST, max_tokens=1500)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf")


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[LlamaModel] = []

    def make_model(path: Path, **environ: str) -> LlamaModel:
        settings = LlamaSettings(name="small", path=path, context_tokens=2048, engine="xllamacpp")
        made.append(LlamaModel(settings, SystemClock(), environ))
        return made[-1]

    yield make_model
    for model in made:
        model.close()


def children() -> set[int]:
    """Return the processes that this one started and that run."""
    listed = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(word) for file in listed for word in file.read_text().split()}


def child_of(model: LlamaModel, before: set[int]) -> int:
    model.complete(REQUEST)
    (child,) = children() - before
    return child


def ended(process: int) -> bool:
    for _ in range(100):
        if process not in children():
            return True
        time.sleep(0.05)
    return False


def test_nothing_is_started_before_the_first_call_and_nothing_is_left(
    make: Make, tiny: Path
) -> None:
    before = children()
    model = make(tiny)
    assert children() == before
    child = child_of(model, before)
    model.close()
    assert ended(child)


def test_one_process_serves_all_calls(make: Make, tiny: Path) -> None:
    before = children()
    model = make(tiny)
    child = child_of(model, before)
    threads = [threading.Thread(target=model.complete, args=(REQUEST,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert children() - before == {child}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV])
def test_a_process_that_died_is_started_again(make: Make, tiny: Path, how: int) -> None:
    before = children()
    model = make(tiny)
    first = child_of(model, before)
    os.kill(first, how)
    while model._child is not None and model._child.alive:
        time.sleep(0.01)
    second = child_of(model, before)
    assert second != first


def test_a_call_whose_process_dies_says_so(make: Make, tiny: Path) -> None:
    before = children()
    model = make(tiny)
    child = child_of(model, before)
    pieces = model.stream(LONG)
    next(pieces)
    os.kill(child, signal.SIGKILL)
    with pytest.raises(ModelUnavailableError, match=r"small died \(signal 9\)"):
        drained(pieces)
    assert model.complete(REQUEST).text


def test_a_process_that_died_stays_dead_for_who_asks_next(make: Make, tiny: Path) -> None:
    model = make(tiny)
    model.complete(REQUEST)
    child = model._child
    assert child is not None
    child.kill()
    for _ in range(2):
        with pytest.raises(ModelUnavailableError, match="died"):
            child.hear(Deadline(SystemClock(), 5))


def test_a_process_that_hangs_is_ended_at_the_deadline(make: Make, tiny: Path) -> None:
    before = children()
    model = make(tiny)
    child = child_of(model, before)
    os.kill(child, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        model.complete(replace(REQUEST, timeout_seconds=0.3))
    assert time.monotonic() - began < 10
    assert ended(child)
    assert model.complete(REQUEST).text


def test_waiting_in_the_queue_counts_and_can_be_cancelled(make: Make, tiny: Path) -> None:
    model = make(tiny)
    holder = model.stream(REQUEST)
    next(holder)
    with pytest.raises(ModelTimeoutError):
        model.complete(replace(REQUEST, timeout_seconds=0.3))
    stop = CancelToken()
    stop.cancel()
    mark = CURRENT_SIGNAL.set(stop)
    try:
        with pytest.raises(TurnCancelledError):
            model.complete(REQUEST)
    finally:
        CURRENT_SIGNAL.reset(mark)
    drained(holder)
    assert model.complete(REQUEST).text


def test_calls_are_served_in_the_order_they_came(make: Make, tiny: Path) -> None:
    model = make(tiny)
    holder = model.stream(REQUEST)
    next(holder)
    served: list[int] = []

    def call(number: int) -> None:
        model.complete(REQUEST)
        served.append(number)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(5)]
    for count, thread in enumerate(threads, 2):
        thread.start()
        while len(model._queue._waiting) < count:
            time.sleep(0.005)
    drained(holder)
    for thread in threads:
        thread.join()
    assert served == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (None, "small cannot be read"),
        (b"hello", "small is no GGUF file"),
        (b"GGUF" + b"x" * 99, ""),
    ],
)
def test_a_file_that_is_no_model_is_said_so(
    make: Make, tmp_path: Path, content: bytes | None, wrong: str
) -> None:
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=wrong or "small cannot be loaded") as error:
        make(file).complete(REQUEST)
    assert error.value.model == "small"


def test_an_engine_that_is_not_installed_is_named_with_the_extra(tiny: Path) -> None:
    settings = LlamaSettings(name="small", path=tiny, engine="no_such_engine")
    with pytest.raises(ModelRefusedError, match="extra 'llm'"):
        LlamaModel(settings, SystemClock()).complete(REQUEST)


def test_a_base_model_without_a_template_answers_too(make: Make, tmp_path: Path) -> None:
    model = make(write_tiny_gguf(tmp_path / "base.gguf", template=""))
    assert model.complete(REQUEST).text


def test_a_child_gets_no_secret_of_the_environment() -> None:
    given = {"PATH": "/bin", "HOME": "/home/ada", "OPENAI_API_KEY": "sk-1", "IRIS_X": "y"}
    assert child_environment(given) == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "OMP_WAIT_POLICY": "passive",
    }


def test_nothing_of_a_request_stands_in_the_arguments_of_the_child(make: Make, tiny: Path) -> None:
    before = children()
    child = child_of(make(tiny), before)
    arguments = Path(f"/proc/{child}/cmdline").read_bytes()
    assert b"llama.child" in arguments
    assert str(tiny).encode() not in arguments
    assert b"hello" not in arguments


def test_others_find_no_port_of_the_child(make: Make, tiny: Path) -> None:
    before = children()
    child = child_of(make(tiny), before)
    sockets = {
        link.readlink().name.removeprefix("socket:[").removesuffix("]")
        for link in Path(f"/proc/{child}/fd").iterdir()
        if link.readlink().name.startswith("socket:")
    }
    for table in ("tcp", "tcp6"):
        rows = Path(f"/proc/{child}/net/{table}").read_text().splitlines()[1:]
        assert not sockets & {row.split()[9] for row in rows}


def test_one_core_is_left_to_others() -> None:
    assert default_threads() == max(1, len(os.sched_getaffinity(0)) - 1)


def test_it_takes_forms_and_no_native_calls(tiny: Path) -> None:
    model = LlamaModel(LlamaSettings(name="small", path=tiny), SystemClock())
    assert model.abilities == frozenset({Ability.GRAMMAR, Ability.JSON_SCHEMA})
