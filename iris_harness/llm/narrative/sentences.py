"""How the parts of a day may be said, and the grammar of all ways to say a day.

The model chooses among these; it writes no time and no title itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.llm.gbnf import choice, grammar
from iris_harness.llm.narrative.story import Part

OPENINGS = (
    "Here is your day.",
    "This is what your day looks like.",
    "Let us look at your day.",
)
CLOSINGS = ("That is all.", "That is your day.", "Have a good day!")
NEXT = ("Then ", "After that, ", "Next, ", "Later, ")
"""Before a part that begins when the one before it is over."""
BESIDE = ("Also, ", "Besides, ")
"""Before a part of which that cannot be said."""

_BOTH = (
    "At {start} you have {title}, until {end}.",
    "From {start} to {end} you have {title}.",
    "{title} starts at {start} and ends at {end}.",
    "{title} goes from {start} to {end}.",
    "From {start} until {end} there is {title}.",
)
_START = ("At {start} you have {title}.", "{title} starts at {start}.")
_END = ("You have {title} until {end}.", "{title} goes on until {end}.")
_NEITHER = ("All day you have {title}.", "{title} is all day.", "There is {title} all day.")


def sentences(part: Part, *, first: bool, turn: int | None = None) -> tuple[str, ...]:
    """Return the ways to say a part, as the first of a day or as a later one.

    A `turn`, the number of the part, leaves out every second form, the odd ones and the even ones
    by turns, so that sentences after one another differ; None: all of them.
    """
    forms = _forms(part) if turn is None else _forms(part)[turn % 2 :: 2]
    title = f'"{part.title}"'
    said = [form.format(title=title, start=part.start, end=part.end) for form in forms]
    if first:
        return tuple(said)
    linked = [f"{link}{_continued(one)}" for link in links(part) for one in said]
    return (*said, *linked)


def links(part: Part) -> tuple[str, ...]:
    """Return the words that may stand before a part which is not the first."""
    return NEXT if part.follows else BESIDE


def _forms(part: Part) -> tuple[str, ...]:
    if part.start and part.end:
        return _BOTH
    if part.start:
        return _START
    return _END if part.end else _NEITHER


def _continued(sentence: str) -> str:
    """Return a sentence as it goes on after a link: only a word of ours loses its capital."""
    return sentence if sentence.startswith('"') else sentence[0].lower() + sentence[1:]


def day_grammar(parts: Sequence[Part]) -> str:
    """Return the grammar of a day: an opening, each part once and in order, perhaps a closing.

    Raises:
        ValueError: there is nothing to tell, or a title that no grammar can hold.
    """
    if not parts:
        raise ValueError("there is nothing to tell")
    rules = {
        "root": " ".join(["opening", *(f'" " part-{at}' for at in range(len(parts))), "closing?"])
    }
    rules["opening"] = choice(OPENINGS)
    rules["closing"] = choice([f" {one}" for one in CLOSINGS])
    for at, part in enumerate(parts):
        rules[f"part-{at}"] = choice(sentences(part, first=at == 0, turn=at))
    return grammar(rules)


def longest_telling(parts: Sequence[Part]) -> int:
    """Return how many characters a telling has at most."""
    said = [max(len(one) for one in sentences(part, first=False)) + 1 for part in parts]
    return sum(said) + max(map(len, OPENINGS)) + max(map(len, CLOSINGS)) + 2
