"""Which events overlap."""

from __future__ import annotations

from iris_harness.contracts.day import Conflict
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.planner import words
from iris_harness.planner.conflicts import find_conflicts
from iris_harness.planner.questions.look import Look
from iris_harness.planner.questions.telling import (
    between,
    capital,
    day_text,
    end_text,
    limit,
    said_of,
    window_text,
)
from iris_harness.planner.questions.topics import Topics

_MOST_TOLD = 10
_ANYTHING = Topics(())


def answer_conflicts(look: Look, topics: Topics = _ANYTHING) -> list[Fact]:
    """Return how many pairs of busy timed events overlap in the window, then each pair.

    Where `topics` name an event of the window, only what overlaps that one counts.
    """
    named = [] if topics.is_empty else [one for one in look.events if topics.all_in(one)]
    pairs = [
        pair
        for pair in find_conflicts(look.events)
        if pair.start < look.window.end and pair.end > look.window.start
        if not named or pair.first in named or pair.second in named
    ]
    if named and not pairs:
        return [said_of(look, f"Nothing overlaps {named[0].summary}{limit(look)}.")]
    when = window_text(look.window, look.now) if look.is_named else between(look)
    if not pairs:
        return [said_of(look, f"No events overlap {when}{limit(look)}.")]
    count = "1 pair of events overlaps" if len(pairs) == 1 else f"{len(pairs)} pairs overlap"
    head = said_of(look, f"{count} {when}{limit(look)}.")
    told = [_fact(look, pair) for pair in pairs[:_MOST_TOLD]]
    rest = len(pairs) - len(told)
    more = [said_of(look, f"{rest} more are not listed.")] if rest else []
    return [head, *told, *more]


def _fact(look: Look, pair: Conflict) -> Fact:
    day = capital(day_text(pair.start.date(), look.now))
    span = f"{words.clock_text(pair.start)} to {end_text(pair.end)}"
    return Fact(
        kind=FactKind.EVENT,
        text=f"{day}, {span}: {pair.first.summary} and {pair.second.summary}.",
        value={"start": pair.start.isoformat(), "end": pair.end.isoformat()},
        sources=tuple(dict.fromkeys((pair.first.source, pair.second.source))),
    )
