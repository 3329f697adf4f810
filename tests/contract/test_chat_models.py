"""What every `ChatModel` keeps: the scripted one, servers, and llama.cpp in a process of its own.

Servers and llama.cpp are real: llama.cpp's own engine runs a random model that the test writes.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    FinishReason,
    ToolSpec,
)
from iris_harness.contracts.progress import CURRENT_SIGNAL
from iris_harness.errors import (
    ModelBudgetError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    TurnCancelledError,
)
from iris_harness.executor import CancelToken
from iris_harness.llm.gbnf import choice_grammar, dag_grammar, json_text
from iris_harness.llm.llama.engines import ENGINES, installed_engines
from iris_harness.llm.llama.model import LlamaModel, LlamaSettings
from iris_harness.llm.metering import Budget, Meter, MeteredModel
from iris_harness.llm.openai_compatible import OpenAICompatibleModel, ServerSettings
from iris_harness.llm.structured import ask_json
from iris_harness.llm.tools import with_tools
from iris_harness.testing import ScriptedModel
from tests.llama_server import llama_server
from tests.support import SOAK, examples
from tests.tiny_gguf import write_tiny_gguf
from tests.unit.llm.support import drained

COLOURS: dict[str, Json] = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
ALL = frozenset(Ability)

pytestmark = pytest.mark.soak


class Subject(NamedTuple):
    model: ChatModel
    real: bool
    """Whether an engine stands behind it: it can be slow, and it is held to a form."""


ENGINES_HERE = [f"llama {name}" for name in installed_engines()]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(scope="module")
def address(tiny: Path) -> Iterator[str]:
    with llama_server(tiny) as base_url:
        yield base_url


@pytest.fixture(scope="module", params=["scripted", "server", *ENGINES_HERE])
def subject(request: pytest.FixtureRequest, tiny: Path) -> Iterator[Subject]:
    kind, _, engine = request.param.partition(" ")
    if kind == "scripted":
        yield Subject(ScriptedModel(['{"colour": "red"}'] * 1000), real=False)
    elif kind == "server":
        base_url = request.getfixturevalue("address")
        settings = ServerSettings(name="server", base_url=base_url, model="tiny", abilities=ALL)
        yield Subject(OpenAICompatibleModel(settings, SystemClock()), real=True)
    else:
        file = LlamaSettings(name="file", path=tiny, context_tokens=2048, threads=1, engine=engine)
        model = LlamaModel(file, SystemClock())
        yield Subject(model, real=True)
        model.close()


def asked(text: str = "What colour is the sky?", **changes: object) -> ChatRequest:
    request = ChatRequest(
        messages=(
            ChatMessage(role="system", content="Be brief."),
            ChatMessage(role="user", content=text),
        ),
        max_tokens=100,
        timeout_seconds=30,
    )
    return replace(request, **changes)  # type: ignore[arg-type] # fields of the request


def test_in_soak_llama_cpp_python_is_among_the_engines() -> None:
    # It is built from source, which takes minutes: `make soak` installs it, `make test` does not.
    assert (set(ENGINES) == set(installed_engines())) or not SOAK


def test_an_engine_of_llama_cpp_is_always_among_them() -> None:
    assert "xllamacpp" in installed_engines()


def test_a_model_has_a_name_and_says_what_it_can(subject: Subject) -> None:
    assert subject.model.name
    assert Ability.JSON_SCHEMA in subject.model.abilities


def test_an_answer_says_why_it_ended_and_what_it_cost(subject: Subject) -> None:
    response = subject.model.complete(asked(max_tokens=5))
    assert response.finish_reason in {FinishReason.LENGTH, FinishReason.STOP}
    assert response.text
    assert not response.usage.estimated
    if subject.real:
        assert response.usage.prompt_tokens > 20
        assert 1 <= response.usage.completion_tokens <= 5


def test_the_same_request_has_the_same_answer(subject: Subject) -> None:
    first, second = (subject.model.complete(asked(max_tokens=20, seed=3)) for _ in range(2))
    assert (first.text, first.finish_reason) == (second.text, second.finish_reason)


def test_pieces_of_a_stream_add_up_to_its_answer(subject: Subject) -> None:
    pieces, response = drained(subject.model.stream(asked(max_tokens=30)))
    assert "".join(pieces) == response.text
    assert len(pieces) > 1
    assert response.usage.completion_tokens > 0


def test_a_schema_is_kept(subject: Subject) -> None:
    found = ask_json(subject.model, asked(), COLOURS, lambda value: value["colour"])
    assert found.value in {"red", "blue"}
    assert not found.repaired


@pytest.mark.parametrize(
    "words",
    [
        ("yes", "no"),
        ('say "hi"', "back\\slash", "tab\tand\nline"),
        ("grüße", "日本語", "🎉 party"),
        (']"} ::= root', "[a-z]* | {1,3}"),
    ],
    ids=["plain", "escapes", "unicode", "grammar's own"],
)
def test_a_grammar_of_literals_is_kept_to_the_letter(
    subject: Subject, words: tuple[str, ...]
) -> None:
    if not subject.real:
        return
    response = subject.model.complete(asked(grammar=choice_grammar(words), max_tokens=80))
    assert response.text in words
    assert response.finish_reason is FinishReason.STOP


@pytest.mark.parametrize("seed", range(examples(3)))
def test_a_grammar_of_a_graph_gives_graphs_only(subject: Subject, seed: int) -> None:
    if not subject.real:
        return
    grammar = dag_grammar(
        ["w1", "w2", "w3", "w4", "w5"],
        {"task": json_text(longest=8)},
        head={"summary": json_text(longest=8)},
    )
    # Hot, so that each seed writes another graph.
    request = asked(grammar=grammar, max_tokens=900, temperature_percent=150, seed=seed)
    plan = json.loads(subject.model.complete(request).text, strict=False)
    known: list[str] = []
    for worker in plan["workers"]:
        assert list(worker) == ["id", "task", "depends_on"]
        assert worker["depends_on"] == [id_ for id_ in known if id_ in worker["depends_on"]]
        known.append(worker["id"])
    assert known == ["w1", "w2", "w3", "w4", "w5"][: len(known)]


def test_a_grammar_that_is_none_is_an_error_and_the_next_call_works(subject: Subject) -> None:
    if not subject.real:
        return
    with pytest.raises(ModelError):
        subject.model.complete(asked(grammar='root ::= "a" b" |'))
    assert subject.model.complete(asked(max_tokens=3)).text


def test_a_prompt_that_does_not_fit_is_refused_and_the_next_call_works(subject: Subject) -> None:
    if not subject.real:
        return
    with pytest.raises(ModelRefusedError, match=r"token"):
        subject.model.complete(asked("long " * 3000))
    assert subject.model.complete(asked(max_tokens=3)).text


def test_a_tool_is_called_by_every_model_with_one_loop(subject: Subject) -> None:
    tool = ToolSpec(name="paint", description="Paint.", parameters=COLOURS)
    if not subject.real:
        script = ['{"tool": "paint", "arguments": {"colour": "red"}}']
        subject = Subject(ScriptedModel(script, abilities={Ability.JSON_SCHEMA}), real=False)
    elif Ability.TOOLS in subject.model.abilities:
        return  # the template of the random model knows no tools: see the tests of the protocol
    response = with_tools(subject.model).complete(asked(tools=(tool,), must_call_tool=True))
    (call,) = response.tool_calls
    assert response.finish_reason is FinishReason.TOOL_CALLS
    assert call.name == "paint"
    assert json.loads(call.arguments)["colour"] in {"red", "blue"}


@pytest.mark.parametrize("changes", [{"max_tokens": 0}, {"must_call_tool": True}, "both"])
def test_a_request_that_means_nothing_is_a_mistake_of_the_program(
    subject: Subject, changes: object
) -> None:
    both = {"grammar": 'root ::= "a"', "json_schema": COLOURS}
    if subject.real:
        with pytest.raises(ValueError, match="request"):
            subject.model.complete(asked(**(both if changes == "both" else changes)))  # type: ignore[arg-type] # see asked


def test_the_deadline_ends_a_call_and_the_next_one_works(subject: Subject) -> None:
    if not subject.real:
        return
    subject.model.complete(asked(max_tokens=3))  # it is loaded
    began = time.monotonic()
    with pytest.raises(ModelTimeoutError) as error:
        subject.model.complete(asked(max_tokens=1900, timeout_seconds=0.05))
    assert time.monotonic() - began < 10
    assert error.value.model == subject.model.name
    assert subject.model.complete(asked(max_tokens=3)).text


def test_a_cancelled_turn_ends_a_call_and_the_next_one_works(subject: Subject) -> None:
    if not subject.real:
        return
    signal = CancelToken()
    pieces = subject.model.stream(asked(max_tokens=1900))
    next(pieces)
    mark = CURRENT_SIGNAL.set(signal)
    signal.cancel()
    try:
        with pytest.raises(TurnCancelledError):
            drained(pieces)
    finally:
        CURRENT_SIGNAL.reset(mark)
    assert subject.model.complete(asked(max_tokens=3)).text


def test_a_stream_that_is_closed_early_leaves_the_model_usable(subject: Subject) -> None:
    pieces = subject.model.stream(asked(max_tokens=500))
    next(pieces)
    pieces.close()
    assert subject.model.complete(asked(max_tokens=3)).text


def test_calls_from_several_threads_are_all_answered(subject: Subject) -> None:
    expected = subject.model.complete(asked(max_tokens=20)).text
    texts: list[str] = []
    work: Callable[[], None] = lambda: texts.append(  # noqa: E731 - the work of each thread
        subject.model.complete(asked(max_tokens=20)).text
    )
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [expected] * 8


def test_a_budget_holds_over_every_model(subject: Subject) -> None:
    meter = Meter(budget=Budget(tokens=400))
    metered = MeteredModel(subject.model, meter)
    with contextlib.suppress(ModelBudgetError):
        for _ in range(200):
            metered.complete(asked(max_tokens=20))
    spent = meter.spent
    assert 2 <= spent.calls < 200
    assert 300 < spent.tokens <= 400
