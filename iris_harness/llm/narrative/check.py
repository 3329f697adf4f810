"""Whether a telling of a day is true: every word of it has to be accounted for.

Titles stand in double quotes, which no title holds. A sentence tells one part, with its own times
in their own places, and otherwise holds only words of a closed list, of which none can deny, move
or join anything. What is not proved by that is refused, however true it may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iris_harness.llm.narrative.sentences import CLOSINGS, NEXT, OPENINGS
from iris_harness.llm.narrative.story import Part

_STARTS = frozenset({"at", "from"})
_ENDS = frozenset({"until", "till", "to"})
_OF_ENDS = frozenset({"ends", "until", "till", "to"})
_OF_STARTS = frozenset({"starts", "begins", "from"})
_SEQUENCE = frozenset(re.findall(r"[a-z]+", " ".join(NEXT).lower())) | {"afterwards"}
_PLAIN = frozenset(
    {"you", "have", "there", "is", "it", "the", "a", "an", "and", "also", "besides", "your", "goes",
     "on", "starts", "begins", "ends", "at", "from", "to", "until", "till", "all", "day"}
)  # fmt: skip
_MARKS = frozenset(",:")


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
    body = [
        token if _is_title(token) or token in times else token.lower() for token in sentence[:-1]
    ]
    if f'"{part.title}"' not in body:
        return f"another title than {part.title}"
    if tuple(token for token in body if token in times) != part.times:
        return f"other times than those of {part.title}"
    words = [token for token in body if not _is_title(token) and token not in times]
    allowed = _PLAIN | _MARKS | (_SEQUENCE if part.follows and not first else frozenset())
    if unknown := [word for word in words if word not in allowed]:
        return f"a word that is not accounted for, {unknown[0]}"
    if ("all" in words) != (not part.times) or ("day" in words) != (not part.times):
        return "all day, or not"
    return _misplaced(body, part)


def _misplaced(body: list[str], part: Part) -> str:
    """Return what is wrong with the words that say which time is which."""
    before_start, between = body, body
    if part.start:
        at = body.index(part.start)
        before_start, between = body[:at], body[at + 1 :]
        if not before_start or before_start[-1] not in _STARTS or _OF_ENDS & set(before_start):
            return "a start that is not said to be one"
    if part.end:
        at = between.index(part.end)
        before_end, after = between[:at], between[at + 1 :]
        ends_at = before_end[-2:] == ["ends", "at"]
        if not before_end or not (ends_at or before_end[-1] in _ENDS):
            return "an end that is not said to be one"
        if _OF_STARTS & set(before_end) or (_OF_STARTS | _OF_ENDS | {"at"}) & set(after):
            return "words about times that belong to none"
        return ""
    if _OF_ENDS & set(body) or (part.start and (_OF_STARTS | {"at"}) & set(between)):
        return "words about times that belong to none"
    return "" if part.start else _timeless(body)


def _timeless(body: Sequence[str]) -> str:
    words_of_time = (_OF_STARTS | _OF_ENDS | {"at"}) & set(body)
    return "words about times that belong to none" if words_of_time else ""
