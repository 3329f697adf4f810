"""What is asked about days: told by the words alone, before anything is read.

English, no locale. A question that is none of these is answered with a list or a plan.
"""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Mapping
from typing import NamedTuple

from iris_harness.contracts.day import TimeSpan


class Ask(enum.StrEnum):
    """What is to be answered."""

    WHEN_FREE = "when_free"
    IS_FREE = "is_free"
    FITS = "fits"  # whether there is time for something
    CONFLICTS = "conflicts"
    BIRTHDAYS = "birthdays"
    LOAD = "load"  # how busy
    PLANNED = "planned"  # what the plan was that was shown
    FIRST = "first"  # the first event of a day
    LAST = "last"  # the last one, and when it ends
    UNTIL = "until"  # how long it is until something
    WHO = "who"  # who takes part
    WHEN = "when"
    WHERE = "where"
    HOW_LONG = "how_long"


class Question(NamedTuple):
    """What is asked."""

    ask: Ask
    minutes: int = 0
    """The length that is asked for; 0 where none was said."""
    name: str = ""
    """Whose birthday; empty: everybody's."""
    is_next: bool = False
    """Whether only the first one is wanted."""
    is_last: bool = False
    """Whether it is about the one that was last."""
    part: TimeSpan | None = None
    """The part of any day that is to be free; None: no part was said."""


_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'"})
_PARTS = {
    "morning": TimeSpan(start=dt.time(6), end=dt.time(12)),
    "afternoon": TimeSpan(start=dt.time(12), end=dt.time(18)),
    "evening": TimeSpan(start=dt.time(18), end=dt.time(22)),
}
"""As in docs/dates.md."""
_FREE_PART = re.compile(r"\bfree (morning|afternoon|evening)s?\b")
_AHEAD = re.compile(r"\b(?:next|first|earliest)\b")
_LAST = re.compile(r"\b(?:was|were|did)\b.*\b(?:last|latest|previous)\b|\blast time\b")

_A_BIRTHDAY = r" ?\bbirthday\b(?! (?:party|dinner|lunch|present|cake|gift|drinks|do\b))"
_ROOM = r"(?:time|room|space) (?:for|to)\b(?!.*\b(?:all|everything|that|my)\b)"
_NOT_ONE = r"^(?!(?:when|where|what time|how long)(?:'s| is| does| are)\b)"
"""Before words that may as well stand in a title ("when is the conflict workshop")."""
_LONG = r"(?:\d+|an?|half an|one|two) (?:free )?(?:minutes?|hours?)"
_SLOT = r"(?:times?|hours?|slots?|gaps?|minutes?|spots?|mornings?|afternoons?|evenings?|days?|\d+)"

_THING = r"(?:thing|meeting|appointment|event|call|class|lesson|lecture|session)"

_WORDS: tuple[tuple[Ask, tuple[str, ...]], ...] = (
    (
        Ask.CONFLICTS,
        (
            rf"{_NOT_ONE}.*\b(?:conflict(?:s|ing)?|clash(?:es|ing)?|overlap(?:s|ping)?)\b",
            rf"{_NOT_ONE}.*\b(?:collid(?:e|es|ing)|double[- ]?book(?:ed|ings?))\b",
        ),
    ),
    (
        Ask.BIRTHDAYS,
        (
            r"\bbirthdays\b",
            rf"\b(?:when|whose|who|wh(?:at|ich) (?:day|date))\b.*{_A_BIRTHDAY}",
            rf"\b(?:next|any\w*|upcoming)\b.*{_A_BIRTHDAY}",
            rf"\b[\w-]+'s?{_A_BIRTHDAY}(?!.*\b(?:calendar|list|schedule)\b)",
            r"^how old (?:is|will|are)\b",
        ),
    ),
    (Ask.PLANNED, (r"\bwhat (?:did|have|had) i (?:planned|plan|set out|want(?:ed)? to do)\b",)),
    (
        Ask.LOAD,
        (
            r"\bhow (?:busy|full|packed|crowded|hectic|stressful|booked(?: up)?)\b",
            r"\b(?:a|is|be) (?:very |really )?(?:busy|quiet|light|full|packed) (?:day|week|one)\b",
            r"\b(?:am|are|will) (?:i|we) (?:be )?over(?:booked|committed|loaded)\b",
        ),
    ),
    (
        Ask.FITS,
        (
            rf"\b(?:do|will|is) (?:i|we|there) (?:still )?(?:have |be )?(?:enough |any )?{_ROOM}",
            rf"^(?:do|will) (?:i|we) (?:still )?have {_LONG}(?: free| left)?\b",
            r"\bcan (?:i|we) (?:still )?(?:fit|squeeze)(?: in)?\b(?!.*\b(?:all|everything|my)\b)",
        ),
    ),
    (
        Ask.WHEN_FREE,
        (
            r"\b(?:when|wh(?:at|ich) (?:times?|days?)|how much)\b.*\b(?:free|available)\b",
            r"\b(?:best|good) time (?:for|to)\b",
            r"\bfind (?:me )?(?:some |enough |a )?(?:time|room) (?:for|to)\b",
            r"^(?:find|suggest|give) (?:me )?an? (?:slot|gap|spot|window) (?:for|of)\b",
            rf"\b(?:free|open|available|spare|empty) (?:half[- ])?(?:an )?{_SLOT}\b",
        ),
    ),
    (
        Ask.IS_FREE,
        (
            r"\b(?:am|are|will|if) (?:i|we)\b.*\b(?:free|available|busy|booked|open)\b",
            r"^(?:free|busy|available|booked)\b",
            r"^(?:is|are)\b.*\b(?:free|busy|booked)$",
        ),
    ),
    (
        Ask.FIRST,
        (
            rf"\b(?:what|when|which|where|who)\b.*\bfirst {_THING}\b",
            r"\bwhat time (?:do|must|should) i (?:start|begin|get up)\b",
            r"\bwhen (?:do|does) my (?:day|work) (?:start|begin)\b",
        ),
    ),
    (
        Ask.LAST,
        (
            rf"\b(?:what|when|which|where|who)\b(?!.*\b(?:was|did|were)\b).*\blast {_THING}\b",
            r"\b(?:when|what time) (?:do|am|will) i (?:be )?(?:finish|finished|done|get off)\b",
            r"\bwhen (?:do|does) my (?:day|work) (?:end|finish)\b",
        ),
    ),
    (Ask.UNTIL, (r"\bhow (?:long|many \w+|much time|soon|far)\b.*\b(?:until|till|before|to)\b",)),
    (Ask.HOW_LONG, (r"\bhow long\b(?! (?:until|till|before|ago))", r"\bhow much time does\b")),
    (Ask.WHO, (r"\bwho(?:'s| is| are| will be)? (?:in|at|on|coming|attending|invited|going)\b",)),
    (
        Ask.WHERE,
        (r"\bwhere\b", r"\b(?:which|what) room\b", r"\b(?:address|location|place) of\b"),
    ),
    (Ask.WHEN, (r"\b(?:when|what time|which day|what day)\b", r"\bnext\b")),
)
"""What is said to ask it; the first that is found decides."""

_KINDS = tuple((ask, re.compile("|".join(patterns))) for ask, patterns in _WORDS)

_NAME = r"(?P<name>[^\W\d_][\w-]*(?: [^\W\d_][\w-]*){0,2}?)"
_WHOSE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:is|was|when's|when(?! is\b)|on) (?:my |our |the )?{_NAME}(?:'s?|s) birthday\b",
        rf"^(?:my |our |the )?{_NAME}'s? birthday\b",
        r"\bbirthday (?:is|of|for|does) (?:my |our )?(?P<name>[^\d]+?)(?: have| on| again)*$",
        r"\bdoes (?:my |our )?(?P<name>[^\d]+?) have (?:his|her|their|a) birthday\b",
        r"^how old (?:is|will|are) (?:my |our )?(?P<name>[^\d]+?)(?: be| turn| turning| now)*$",
    )
)
_NOBODY = frozenset({
    "your", "my", "next", "it", "whose", "any", "you", "anyone", "anybody", "someone", "somebody",
    "everyone", "everybody", "who",
})  # fmt: skip
_HALF = re.compile(r"\b(?:half[- ](?:an )?hour|half an)\b")
_HOURS = re.compile(r"\b(?:(?P<count>\d+|two|three|four) )?(?:free|open|spare|empty) hours?\b")
_COUNTS = {"two": 2, "three": 3, "four": 4}


def plain_words(utterance: str) -> str:
    """Return an utterance in lower case, on one line, without the marks around it."""
    return " ".join(utterance.translate(_APOSTROPHES).lower().split()).strip(" .?!,;")


def read_question(
    utterance: str, slots: Mapping[str, str], time_words: str = ""
) -> Question | None:
    """Return what is asked, or None where it is none of the questions that are known here.

    `time_words` are those of the scope: "next" in "next week" asks for no next one.
    """
    said = plain_words(utterance)
    timeless = said.replace(plain_words(time_words), " ", 1)
    found = next((ask for ask, pattern in _KINDS if pattern.search(said)), None)
    if found is None:
        return None
    return Question(
        ask=found,
        minutes=int(slots.get("duration_minutes", "0")) or _free_minutes(said),
        name=_whom(said, utterance, slots) if found is Ask.BIRTHDAYS else "",
        is_next=_AHEAD.search(timeless) is not None,
        is_last=_LAST.search(timeless) is not None,
        part=_free_part(said),
    )


def _whom(said: str, utterance: str, slots: Mapping[str, str]) -> str:
    return slots.get("person") or _as_said(_whose(said), utterance)


def _as_said(name: str, utterance: str) -> str:
    """Return a name in the letters in which the user said it."""
    match = re.search(re.escape(name), utterance, re.IGNORECASE)
    return match[0] if match else name


def _free_part(said: str) -> TimeSpan | None:
    match = _FREE_PART.search(said)
    return _PARTS[match[1]] if match else None


def _free_minutes(said: str) -> int:
    """Return how long the free time is to be that is asked for; 0 where it is not said."""
    if _HALF.search(said):
        return 30
    match = _HOURS.search(said)
    if match is None:
        return 0
    count = match["count"] or "1"
    return 60 * (_COUNTS.get(count) or int(count))


def _whose(said: str) -> str:
    found = next(filter(None, (pattern.search(said) for pattern in _WHOSE)), None)
    name = found["name"].strip() if found else ""
    return "" if name in _NOBODY else name
