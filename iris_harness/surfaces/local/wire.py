"""Answers as JSON, and back."""

from __future__ import annotations

from dataclasses import dataclass, fields

from iris_harness.contracts.canonical import Json, to_json
from iris_harness.contracts.decoding import from_json
from iris_harness.contracts.progress import ProgressEvent
from iris_harness.contracts.reply import DayBlock, Reply, ReplyBlock, TextBlock
from iris_harness.contracts.reports import ActionReport
from iris_harness.contracts.sources import SourceRef
from iris_harness.surfaces.answer import Answer

MOST_BYTES = 64 * 1024 * 1024
"""Of one line: a year of plans is far below it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Block:
    """A block of a reply; exactly one field is set."""

    text: TextBlock | None = None
    day: DayBlock | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reply:
    """The fields of `Reply`, with types that JSON can be read back by."""

    text: str
    speech: str
    blocks: tuple[_Block, ...]
    citations: tuple[SourceRef, ...]
    warnings: tuple[str, ...]
    plan_id: str | None
    trace_id: str
    actions: tuple[ActionReport, ...]
    choices: tuple[str, ...]
    degraded: bool


def reply_to_json(reply: Reply) -> Json:
    """Return a reply with everything that any view of it needs."""
    values = {field.name: getattr(reply, field.name) for field in fields(Reply)}
    return to_json(_Reply(**{**values, "blocks": tuple(map(_wrapped, reply.blocks))}))


def reply_from_json(value: object) -> Reply:
    """Return the reply that `reply_to_json` made `value` of.

    Raises:
        TypeError, ValueError: it is of no reply.
    """
    read = from_json(_Reply, value)
    values = {field.name: getattr(read, field.name) for field in fields(_Reply)}
    return Reply(**{**values, "blocks": tuple(map(_unwrapped, read.blocks))})


def _wrapped(block: ReplyBlock) -> _Block:
    return _Block(day=block) if isinstance(block, DayBlock) else _Block(text=block)


def _unwrapped(block: _Block) -> ReplyBlock:
    found = block.day or block.text
    if found is None:
        raise TypeError("a block of a reply holds nothing")
    return found


def answer_to_json(answer: Answer) -> Json:
    """Return an answer with its reply and its trace."""
    return {
        "reply": reply_to_json(answer.reply),
        "is_waiting": answer.is_waiting,
        "trace_lines": list(answer.trace_lines),
        "trace": answer.trace,
    }


def answer_from_json(value: object) -> Answer:
    """Return the answer that `answer_to_json` made `value` of.

    Raises:
        TypeError, ValueError: it is of no answer.
    """
    if not isinstance(value, dict):
        raise TypeError("an answer is an object")
    return Answer(
        reply=reply_from_json(value.get("reply")),
        is_waiting=bool(value.get("is_waiting")),
        trace_lines=tuple(map(str, value.get("trace_lines", ()))),
        trace=value.get("trace"),
    )


def event_from_json(value: object) -> ProgressEvent:
    """Return the progress event that `to_json` made `value` of.

    Raises:
        TypeError, ValueError: it is of no event.
    """
    return from_json(ProgressEvent, value)
