"""The language-model port. A model only adds words; it never decides."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
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
    temperature_percent: int = 0
    """Sampling temperature in hundredths; 0 is greedy."""
    seed: int = 0
    timeout_seconds: float = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenUsage:
    """What a call cost, in tokens."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatResponse:
    """A model's answer, unchecked."""

    text: str
    finish_reason: FinishReason
    usage: TokenUsage
    tool_calls: tuple[ToolCall, ...] = ()


class ChatModel(Protocol):
    """A chat model. Implementations are thread-safe: calls from several threads queue."""

    @property
    def name(self) -> str:
        """The model's name, for traces."""
        ...

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer.

        Raises:
            ModelError: no answer within the timeout, a dead backend, a malformed grammar.
        """
        ...

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """Yield the answer's text in pieces; their concatenation is what `complete` returns.

        Raises:
            ModelError: as `complete`, possibly after some pieces.
        """
        ...
