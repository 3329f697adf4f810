"""Whether a telling of a day is true: every word of it has to be accounted for.

Titles stand in double quotes, which no title holds. A sentence tells one part, with its own times
in their own places, and otherwise holds only words of a closed list, of which none can deny, move
or join anything. What is not proved by that is refused, however true it may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iris_harness.llm.narrative.sentences import CLOSINGS, OPENINGS
from iris_harness.llm.narrative.story import Part

_NEUTRAL = (
    *("you", "have", "there", "is", "it", "the", "a", "an", "your", "goes", "on"),
    *("and", "also", "besides", ",", ":"),
)
"""Words that say nothing about when."""
_SEQUENCE = ("then", "after", "that", "next", "later", "afterwards", "finally")
"""Words that say that what came before is over."""
_START = "(?:(?:starts|begins) )?(?:at|from) S "
_END = "(?:ends at|until|till) E "
_FORMS = {
    (True, True): f"{_START}N(?:{_END}|to E )",
    (True, False): _START,
    (False, True): _END,
    (False, False): "(?:is )?all day ",
}
"""By whether a part has a start and an end: how its times are said.

T, S and E stand for its title, start and end, N for neutral words and the title.
"""


def find_untruth(text: str, parts: Sequence[Part]) -> str:
    """Return the first thing in `text` that cannot be accounted for; empty: there is none."""
    times = sorted({time for part in parts for time in part.times}, key=lambda t: (-len(t), t))
    told = 0
    for sentence in _sentences(text, times):
        if _plain(sentence) in {*OPENINGS, *CLOSINGS}:
            continue
        if sum(_is_title(token) for token in sentence) != 1:
            return f"a sentence that tells not exactly one thing: {_plain(sentence)}"
        if told == len(parts):
            return f"more than there is: {_plain(sentence)}"
        if problem := _problem(sentence, parts[told], times, first=told == 0):
            return f"{problem}: {_plain(sentence)}"
        told += 1
    return "" if told == len(parts) else f"nothing is said of {parts[told].title}"


def _sentences(text: str, times: Sequence[str]) -> list[list[str]]:
    """Return the sentences as tokens: titles, times, words, marks; ends of sentences included."""
    known = "".join(rf"(?<!\w){re.escape(time)}(?!\w)|" for time in times)
    tokens = re.findall(rf'"[^"]*"|{known}\w+|\S', text)
    found: list[list[str]] = [[]]
    for token in tokens:
        found[-1].append(token)
        if token in {".", "!"}:
            found.append([])
    return [sentence for sentence in found if sentence]


def _plain(sentence: Sequence[str]) -> str:
    return re.sub(r" (?=[.,!:])", "", " ".join(sentence))


def _is_title(token: str) -> bool:
    return len(token) > 1 and token.startswith('"')


def _problem(sentence: Sequence[str], part: Part, times: Sequence[str], *, first: bool) -> str:
    if sentence[-1] not in {".", "!"}:
        return "a sentence without an end"
    if f'"{part.title}"' not in sentence:
        return f"another title than {part.title}"
    if tuple(token for token in sentence if token in times) != part.times:
        return f"other times than those of {part.title}"
    neutral = (*_NEUTRAL, *(_SEQUENCE if part.follows and not first else ()))
    body = _abstract(sentence[:-1], part, times)
    return "" if _form(part, neutral).fullmatch(body) else "words that are not accounted for"


def _abstract(body: Sequence[str], part: Part, times: Sequence[str]) -> str:
    """Return the words of a sentence with T, S and E for its title and its times."""
    stand_ins = iter("SE" if part.start else "E")
    words = (
        "T" if _is_title(token) else next(stand_ins) if token in times else token.lower()
        for token in body
    )
    return "".join(f"{word} " for word in words)


def _form(part: Part, neutral: Sequence[str]) -> re.Pattern[str]:
    anything = f"(?:(?:T|{'|'.join(neutral)}) )*"
    form = _FORMS[bool(part.start), bool(part.end)].replace("N", anything)
    return re.compile(f"{anything}{form}{anything}")
