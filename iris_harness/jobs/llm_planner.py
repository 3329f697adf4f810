"""A planner that asks a language model, and never trusts it.

A model that takes grammars can write only graphs without cycles; any other is given a schema, or
told it. The plan must hold up either way; one repair round is given, and then the heuristic plan
stands, with the reason. A test command from a model is dropped: it would decide what counts as
proof of its own kind's work.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.decoding import from_json
from iris_harness.contracts.model import ChatMessage, ChatModel, ChatRequest, FinishReason
from iris_harness.errors import ConfigError, JobPlanError, ModelError
from iris_harness.jobs.context import NO_CONTEXT, Context, context_notes
from iris_harness.jobs.heuristic import HeuristicPlanner
from iris_harness.jobs.validation import MAX_WORKERS, check_plan, check_request
from iris_harness.jobs.values import Plan, PlannedWorker, PlanOutcome, PlanRequest
from iris_harness.llm.gbnf import dag_grammar, json_text
from iris_harness.llm.structured import read_json, shaped

ROUNDS: Final = 2
"""The first answer and one repair."""

_MAX_TOKENS = 4_096
_MOST_IN_GRAMMAR = 12
"""Workers that a grammar allows: it grows with their square."""
_LONGEST_TEXT = 400
_LONGEST_PATH = 120
_WORKER_FIELDS: Final[dict[str, Json]] = {
    "id": {"type": "string", "minLength": 1, "maxLength": 64},
    "task": {"type": "string", "minLength": 1},
    "file": {"type": ["string", "null"]},
    "files": {"type": "array", "items": {"type": "string"}},
    "depends_on": {"type": "array", "items": {"type": "string"}},
}
_INSTRUCTION = """\
Split a software task into workers that can run side by side, each in its own checkout of the same \
repository. You have not seen the repository: files are hints. Use as few workers as possible; one \
is often right. Two workers that touch the same file must be ordered by depends_on. Each task must \
be understandable on its own. Ids are short words of letters, digits and hyphens. Answer with JSON \
only: {"summary": text, "workers": [{"id", "task", "file", "files", "depends_on"}]}."""


def plan_schema(max_workers: int) -> dict[str, Json]:
    """Return the JSON Schema of an answer."""
    worker: dict[str, Json] = {
        "type": "object",
        "properties": dict(_WORKER_FIELDS),
        "required": ["id", "task", "file", "files", "depends_on"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "summary": {"type": "string"},
            "workers": {"type": "array", "minItems": 1, "maxItems": max_workers, "items": worker},
        },
        "required": ["summary", "workers"],
        "additionalProperties": False,
    }


def plan_grammar(max_workers: int) -> str:
    """Return the GBNF grammar of an answer: a worker depends on earlier ones only."""
    ids = [f"w{number}" for number in range(1, min(max_workers, _MOST_IN_GRAMMAR) + 1)]
    text = json_text(longest=_LONGEST_TEXT)
    path = json_text(longest=_LONGEST_PATH)
    fields = {
        "task": text,
        "file": f'"null" | {path}',
        "files": f'"[" ({path} ("," {path})*)? "]"',
    }
    return dag_grammar(ids, fields, head={"summary": text})


class LLMPlanner:
    """Plans with a `ChatModel`; falls back to rules. Implements `Planner`."""

    def __init__(
        self, model: ChatModel, *, max_workers: int = MAX_WORKERS, timeout_seconds: float = 120.0
    ) -> None:
        """Take the planner's own model; it is never the workers'."""
        self._model = model
        self._max_workers = max_workers
        self._timeout_seconds = timeout_seconds

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def plan(self, request: PlanRequest, context: Context = NO_CONTEXT) -> PlanOutcome:
        """Return the model's plan, or the heuristic one with the reason in its notes.

        Raises:
            RequestError: the request cannot be planned.
        """
        check_request(request)
        messages = [
            ChatMessage(role="system", content=_INSTRUCTION),
            ChatMessage(role="user", content=_question(request, context)),
        ]
        wrong = ""
        for _ in range(ROUNDS):
            try:
                text = self._ask(messages)
            except (ModelError, ConfigError) as error:
                said = f"{self.name} gave no answer: {error.message}"
                return _by_rules(request, context, said)
            try:
                outcome = self._outcome(text)
                notes = (*outcome.notes, *context_notes(context, used=True))
                return replace(outcome, notes=notes)
            except JobPlanError as error:
                wrong = error.message
            messages += [
                ChatMessage(role="assistant", content=text),
                ChatMessage(role="user", content=f"That plan is refused: {wrong}. Correct it."),
            ]
        said = f"{self.name} gave no plan that holds up: {wrong}"
        return _by_rules(request, context, said)

    def _ask(self, messages: list[ChatMessage]) -> str:
        request = ChatRequest(
            messages=tuple(messages),
            max_tokens=_MAX_TOKENS,
            grammar=plan_grammar(self._max_workers),
            timeout_seconds=self._timeout_seconds,
        )
        schema = plan_schema(self._max_workers)
        response = self._model.complete(shaped(self._model, request, schema))
        if response.finish_reason is not FinishReason.STOP:
            raise ModelError(f"its answer was cut ({response.finish_reason.value})")
        return response.text

    def _outcome(self, text: str) -> PlanOutcome:
        plan, notes = _without_commands(_parsed(text))
        check_plan(plan, max_workers=self._max_workers)
        return PlanOutcome(plan=plan, planner=self.name, notes=notes)


def _question(request: PlanRequest, context: Context) -> str:
    files = request.named_files()
    parts = [f"Task:\n{request.task}"]
    if files:
        parts.append(f"Files named by the user (hints): {', '.join(files)}")
    if context.jobs:
        parts.append("Earlier tasks of the same user and how they were split, as examples only:")
        parts += [json.dumps({"task": one.task, "workers": one.workers}) for one in context.jobs]
    return "\n".join(parts)


def _parsed(text: str) -> Plan:
    try:
        return from_json(Plan, read_json(text))
    except (TypeError, ValueError) as error:
        raise JobPlanError(f"it is no plan: {error}", problem="malformed") from error


def _without_commands(plan: Plan) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan without what only the user may say, and what was dropped."""
    notes = tuple(
        f"the test command that the model gave worker {worker.id!r} was dropped."
        for worker in plan.workers
        if worker.test_cmd is not None
    )
    return replace(plan, workers=tuple(map(_without_command, plan.workers))), notes


def _without_command(worker: PlannedWorker) -> PlannedWorker:
    return replace(worker, test_cmd=None, model="")


def _by_rules(request: PlanRequest, context: Context, reason: str) -> PlanOutcome:
    outcome = HeuristicPlanner().plan(request, context)
    return replace(outcome, notes=(f"{reason}; planned by rules.", *outcome.notes))
