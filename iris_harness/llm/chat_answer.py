"""What servers of OpenAI's kind answer: a whole completion, a stream of chunks, or an error.

Source: platform.openai.com/docs/api-reference/chat/object and …/chat/streaming. Nothing in an
answer is trusted: what has another form than expected is a `MalformedError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iris_harness.contracts.model import ChatResponse, FinishReason, TokenUsage, ToolCall

_REASONS = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "eos_token": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}
DONE = "[DONE]"


class MalformedError(ValueError):
    """An answer that is no chat completion."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerComplaint:
    """The error object of an answer; empty texts where it says nothing."""

    message: str
    code: str
    parameter: str


def parse_completion(body: bytes) -> ChatResponse:
    """Return a whole answer; its usage is -1 tokens where the server does not count.

    Raises:
        MalformedError: it is cut off, or something else.
    """
    tree = _object(load(body))
    choice = _object(_first(tree.get("choices")))
    message = _object(choice.get("message"))
    calls = tuple(
        _tool_call(call, index) for index, call in enumerate(_list(message, "tool_calls"))
    )
    text = _text(message.get("content"))
    return ChatResponse(
        text=text or ("" if calls else _text(message.get("refusal"))),
        finish_reason=_reason(choice.get("finish_reason"), has_calls=bool(calls)),
        usage=_usage(tree.get("usage")) or UNCOUNTED,
        tool_calls=calls,
    )


def parse_model_names(body: bytes) -> tuple[str, ...]:
    """Return the ids of `GET /models`, in the server's order.

    Raises:
        MalformedError: it is no list of models.
    """
    listed = _object(load(body)).get("data")
    if not isinstance(listed, list):
        raise MalformedError("no list")
    return tuple(_text(_object(one).get("id")) for one in listed)


UNCOUNTED = TokenUsage(prompt_tokens=-1, completion_tokens=-1, estimated=True)
"""Stands for the count of a server that does not count."""


@dataclass(kw_only=True, slots=True)
class StreamedAnswer:
    """An answer while it comes, chunk by chunk."""

    text: str = ""
    reason: object = None
    usage: TokenUsage = UNCOUNTED
    calls: dict[int, dict[str, str]] = field(default_factory=dict)

    def add(self, data: str) -> str:
        """Take one chunk; return its piece of text, which may be empty.

        Raises:
            MalformedError: it is something else.
            StreamedComplaintError: the server says that something is wrong.
        """
        tree = _object(load(data.encode()))
        if "error" in tree:
            raise StreamedComplaintError(complaint(data.encode()))
        self.usage = _usage(tree.get("usage")) or self.usage
        choices = _list(tree, "choices")
        if not choices:
            return ""
        choice = _object(choices[0])
        self.reason = choice.get("finish_reason") or self.reason
        delta = _object(choice.get("delta") or {})
        for index, call in enumerate(_list(delta, "tool_calls")):
            self._add_call(_object(call), index)
        piece = _text(delta.get("content"))
        self.text += piece
        return piece

    def _add_call(self, call: Mapping[str, Any], index: int) -> None:
        at = call.get("index", index)
        kept = self.calls.setdefault(
            at if isinstance(at, int) else index, {"id": "", "name": "", "arguments": ""}
        )
        function = _object(call.get("function") or {})
        kept["id"] = kept["id"] or _text(call.get("id"))
        kept["name"] += _text(function.get("name"))
        kept["arguments"] += _text(function.get("arguments"))

    @property
    def ended(self) -> bool:
        """Whether the server said why it stopped; without that the answer was broken off."""
        return self.reason is not None

    def response(self) -> ChatResponse:
        """Return the answer as `parse_completion` does.

        Raises:
            MalformedError: it stopped for a reason that is not known.
        """
        calls = tuple(
            ToolCall(
                id=call["id"] or f"call_{index}", name=call["name"], arguments=call["arguments"]
            )
            for index, call in sorted(self.calls.items())
        )
        return ChatResponse(
            text=self.text,
            finish_reason=_reason(self.reason, has_calls=bool(calls)),
            usage=self.usage,
            tool_calls=calls,
        )


class StreamedComplaintError(Exception):
    """An error that came in the midst of a stream."""

    def __init__(self, said: ServerComplaint) -> None:
        super().__init__(said.message)
        self.complaint = said


def complaint(body: bytes) -> ServerComplaint:
    """Return what an error answer says, whatever its form; never raises."""
    try:
        tree = load(body)
    except MalformedError:
        return ServerComplaint(message="", code="", parameter="")
    if isinstance(tree, list) and tree:  # Google's habit
        tree = tree[0]
    inner = tree.get("error", tree) if isinstance(tree, dict) else tree
    if not isinstance(inner, dict):
        return ServerComplaint(message=_text(inner), code="", parameter="")
    message = inner.get("message") or inner.get("detail")
    code = inner.get("code") if isinstance(inner.get("code"), str) else inner.get("type")
    return ServerComplaint(
        message=_text(message), code=_text(code), parameter=_text(inner.get("param"))
    )


def events(pieces: Iterator[bytes]) -> Iterator[str]:
    """Yield the data of server-sent events (HTML standard, section 9.2); comments are left out."""
    data: list[str] = []
    for line in _lines(pieces):
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:  # a last event without its blank line: some servers just hang up
        yield "\n".join(data)


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    rest = b""
    for piece in pieces:
        rest += piece
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8", "replace").removesuffix("\r")


def load(body: bytes) -> object:
    """Return JSON, with control characters allowed in texts.

    Raises:
        MalformedError: it is none.
    """
    try:
        return json.loads(body.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise MalformedError("no JSON") from error


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise MalformedError("no object where one belongs")
    return value


def _first(value: object) -> object:
    if not isinstance(value, list) or not value:
        raise MalformedError("no answer in it")
    return value[0]


def _list(tree: Mapping[str, Any], key: str) -> list[object]:
    value = tree.get(key)
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    if isinstance(value, list):  # content in parts; only texts count
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _tool_call(value: object, index: int) -> ToolCall:
    call = _object(value)
    function = _object(call.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, dict):  # Ollama's habit
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(
        id=_text(call.get("id")) or f"call_{index}",
        name=_text(function.get("name")),
        arguments=_text(arguments) or "{}",
    )


def _reason(value: object, *, has_calls: bool) -> FinishReason:
    reason = _REASONS.get(value.lower()) if isinstance(value, str) else None
    if reason is None:
        raise MalformedError("it does not say why it stopped")
    # Some servers say "stop" of an answer that asks for tools, and the other way round.
    if reason is FinishReason.STOP and has_calls:
        return FinishReason.TOOL_CALLS
    return FinishReason.STOP if reason is FinishReason.TOOL_CALLS and not has_calls else reason


def _usage(value: object) -> TokenUsage | None:
    if not isinstance(value, dict):
        return None
    counts = [value.get(key) for key in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (n if isinstance(n, int) and n >= 0 else None for n in counts)
    if prompt is None or completion is None:
        return None
    return TokenUsage(prompt_tokens=prompt, completion_tokens=completion)
