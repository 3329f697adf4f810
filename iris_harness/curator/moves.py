"""What changed since the plan shown before, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.contracts.memory import BlockMove, Spans
from iris_harness.curator.language import Language


def move_lines(moves: Sequence[BlockMove], language: Language) -> tuple[str, ...]:
    """Return a heading and a line for each move; () for none."""
    if not moves:
        return ()
    return (language.say("heading.moves"), *(f"  {_line(move, language)}" for move in moves))


def _line(move: BlockMove, language: Language) -> str:
    before, after = _times(move.before, language), _times(move.after, language)
    if not move.before:
        return language.say("move.new", title=move.title, after=after)
    if not move.after:
        return language.say("move.gone", title=move.title, before=before)
    return language.say("move.moved", title=move.title, before=before, after=after)


def _times(spans: Spans, language: Language) -> str:
    return ", ".join(f"{language.time(start)}-{language.time(end)}" for start, end in spans)
