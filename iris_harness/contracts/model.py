"""The language-model port. A model only adds words; it never decides."""

from __future__ import annotations

import enum
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from iris_harness.contracts.canonical import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls the assistant made; only on assistant messages."""
    tool_call_id: str = ""
    """Which call a tool message answers; empty otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A function the model may ask for."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of the arguments object."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """The model's request to call a tool; `arguments` is unchecked JSON text."""

    id: str
    name: str
    arguments: str


class Ability(enum.StrEnum):
    """What a model's backend enforces by itself; a request that needs another is refused."""

    JSON_SCHEMA = "json_schema"
    """It answers in JSON of a schema."""
    GRAMMAR = "grammar"
    """It answers in the language of a GBNF grammar."""
    TOOLS = "tools"
    """It asks for tools in a form of its own; `iris_harness.llm.tools` does it for the others."""


class FinishReason(enum.StrEnum):
    """Why the model stopped. Only `STOP` and `TOOL_CALLS` are complete answers."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatRequest:
    """What is asked of a model."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    """Upper bound of the answer; always given, since some backends default to 16."""
    json_schema: Mapping[str, Json] | None = None
    """The answer must be JSON of this schema; None means free text."""
    grammar: str | None = None
    """The answer must match this GBNF grammar; at most one of `json_schema` and `grammar`."""
    tools: tuple[ToolSpec, ...] = ()
    must_call_tool: bool = False
    """Whether the answer has to be a call of one of `tools`; otherwise it may be text."""
    temperature_percent: int = 0
    """Sampling temperature in hundredths; 0 is greedy."""
    seed: int = 0
    timeout_seconds: float | None = None
    """Bound of the whole call, retries and waiting in the queue included; None: the model's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenUsage:
    """What a call cost, in tokens; attempts that were lost on the way are in it."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False
    """Whether some of it was not counted by the backend, but estimated from the text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatResponse:
    """A model's answer, unchecked."""

    text: str
    finish_reason: FinishReason
    usage: TokenUsage
    tool_calls: tuple[ToolCall, ...] = ()


class ChatModel(Protocol):
    """A chat model. Implementations are thread-safe: calls from several threads queue.

    A call ends early when its turn is cancelled (`contracts.progress.CURRENT_SIGNAL`).
    """

    @property
    def name(self) -> str:
        """The model's name, for traces."""
        ...

    @property
    def abilities(self) -> frozenset[Ability]:
        """What may be asked of it beyond free text."""
        ...

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer.

        Raises:
            ModelError: no answer within the timeout, a dead backend, a malformed grammar; its
                kinds are in `iris_harness.errors`.
            TurnCancelledError: the turn was cancelled meanwhile.
        """
        ...

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield the answer's text in pieces; the generator returns what `complete` returns.

        The pieces' concatenation is the answer's text. A generator that is closed early ends the
        call.

        Raises:
            ModelError: as `complete`, possibly after some pieces.
            TurnCancelledError: as `complete`.
        """
        ...
