"""An answer as a surface prints it, wherever the Iris that gave it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.progress import ProgressListener
from iris_harness.contracts.reply import Reply

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer."""

    reply: Reply
    is_waiting: bool
    """Whether something waits for the user's yes (`Assistant.confirm`)."""
    trace_lines: tuple[str, ...]
    trace: Json


class Assistant(Protocol):
    """Who answers one question, and takes the yes to it."""

    def ask(self, words: str, listener: ProgressListener) -> Answer:
        """Answer `words`; `listener` hears of the agents at work."""
        ...

    def confirm(self) -> Reply:
        """Do what the last answer asked about, now that the user has said yes."""
        ...


def answer_of(turn: Turn) -> Answer:
    """Return a turn as an answer."""
    return Answer(
        reply=turn.reply,
        is_waiting=bool(turn.waiting),
        trace_lines=turn.trace.lines(),
        trace=turn.trace.to_json(),
    )
