"""Which events a question means: those that mention what it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import Event
from iris_harness.contracts.people import name_foldings, normal_name
from iris_harness.planner.questions.reading import plain_words

_WORD = re.compile(r"[^\W_]+(?:[-:.&/][^\W_]+)*")
_LEAST_LETTERS = 3
_COMMON = frozenset({
    "about", "address", "afternoon", "again", "ahead", "all", "and", "any", "anyone", "anything",
    "appointment", "appointments", "april", "are", "around", "attend", "august", "available",
    "been", "before", "begin", "booked", "busy", "calendar", "calendars", "call", "called",
    "can", "check", "clear", "coming", "could", "date", "day", "days", "december", "did",
    "does", "doing", "end", "ends", "evening", "event", "events", "everything", "february",
    "find", "first", "following", "for", "free", "friday", "from", "get", "give", "going",
    "got", "had", "happening", "has", "have", "hear", "held", "hour", "hours", "how", "january",
    "july", "june", "just", "know", "last", "lasting", "latest", "left", "let", "lined", "list",
    "location", "long", "look", "looking", "many", "march", "may", "meet", "meeting",
    "meetings", "minute", "minutes", "monday", "month", "morning", "much", "need", "next",
    "night", "november", "now", "october", "off", "open", "our", "out", "over", "place", "plan",
    "planned", "planning", "plans", "please", "previous", "pull", "read", "remaining", "room",
    "saturday", "schedule", "scheduled", "see", "seeing", "september", "set", "should", "show",
    "some", "something", "soon", "start", "starts", "sunday", "supposed", "take", "takes",
    "taking", "tell", "that", "the", "them", "there", "these", "thing", "things", "this",
    "thursday", "till", "time", "times", "today", "tomorrow", "tonight", "tuesday", "until",
    "upcoming", "visit", "want", "was", "wednesday", "week", "weekend", "were", "what", "when",
    "where", "which", "who", "whose", "will", "with", "would", "yesterday", "you", "your",
})  # fmt: skip
"""Words that say what is asked, and so are part of no title that is looked for."""


class Topics(NamedTuple):
    """What a question names."""

    words: tuple[str, ...]
    """In lower case, in the order said; () when nothing in particular."""
    calls: tuple[str, ...] = ()
    """What a person who is meant is called; any of these is enough."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing in particular is named."""
        return not (self.words or self.calls)

    def all_in(self, event: Event) -> bool:
        """Return whether an event mentions all of it."""
        return all(_mentions(event, word) for word in self.words) and self._calls_in(event)

    def any_in(self, event: Event) -> bool:
        """Return whether an event mentions a part of it."""
        called = bool(self.calls) and self._calls_in(event)
        return called or any(_mentions(event, word) for word in self.words)

    def _calls_in(self, event: Event) -> bool:
        names = [name.lower().split() for name in self.calls]
        return not names or any(all(_mentions(event, part) for part in name) for name in names)

    def of(self, said: str, calls: Sequence[str]) -> Topics:
        """Return the same for somebody who is called differently than it was `said`."""
        own = set(_split(plain_words(said)))
        rest = tuple(word for word in self.words if word not in own)
        return Topics(rest, tuple(calls))

    def without(self, words: re.Pattern[str]) -> Topics:
        """Return the same without what begins as `words` do."""
        return self._replace(words=tuple(one for one in self.words if not words.match(one)))

    def shown(self) -> list[str]:
        """Return what to name it by."""
        return [*self.words, *self.calls[:1]]


def read_topics(utterance: str, time_words: str = "") -> Topics:
    """Return what an utterance names, without the words of time in it."""
    said = plain_words(utterance).replace(plain_words(time_words), " ", 1)
    found = (word.removesuffix("'s") for word in _split(said))
    return Topics(tuple(dict.fromkeys(word for word in found if _tells(word))))


def _split(said: str) -> Iterable[str]:
    return _WORD.findall(re.sub(r"'s?\b", "", said))


def _tells(word: str) -> bool:
    if word in _COMMON or word.isdigit():
        return False
    return len(word) >= _LEAST_LETTERS or not word.isalpha()


def _mentions(event: Event, word: str) -> bool:
    said = normal_name(f"{event.summary} {event.location}")
    texts = name_foldings(said)
    if any(word in text or word.removesuffix("s") in text for text in texts):
        return True
    # One of the two may be written as one word where the other has two: stand-up, standup.
    apart = not word.isalnum() or "-" in said
    return apart and any(_bare(word) in _bare(text) for text in texts)


def _bare(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def first_of_each(events: Sequence[Event]) -> list[Event]:
    """Return the first occurrence of each series, and every event that is none."""
    first: dict[tuple[str, str], Event] = {}
    for event in events:
        first.setdefault((event.calendar, event.uid), event)
    return list(first.values())
