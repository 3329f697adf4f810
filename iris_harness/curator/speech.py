"""A day said aloud: about fifteen seconds, no symbols, the worst news never cut."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from iris_harness.contracts.day import BlockKind, DailyPlan
from iris_harness.curator.birthdays import birthdays_spoken
from iris_harness.curator.clean import shorten, speakable
from iris_harness.curator.figures import (
    Figures,
    day_figures,
    days_from_now,
)
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import source_name, unplaced_text

TITLE_WORDS = 10
"""Words of a title that are said; one with more is cut, and said to be."""

SPOKEN_WORDS = 45
"""Words of a text that are said: about fifteen seconds."""

_SENTENCE_END = re.compile(r"(?<=\w\w\w\w[.!?])\s+(?=[A-Z])")
_TIME_RANGE = re.compile(r"(\d{1,2}:\d\d)\s*[-\N{EN DASH}]\s*(\d{1,2}:\d\d)")


def day_speech(plan: DailyPlan, language: Language = ENGLISH) -> str:
    """Return what a voice says about a plan: the day, the worst of it, what comes next."""
    speaker = _Speaker(plan, language)
    sentences = (
        speaker.opening(),
        speaker.unplaced(),
        speaker.conflict(),
        birthdays_spoken(plan, language),
        speaker.next_event(),
        speaker.next_todo(),
        speaker.free(),
        speaker.unread(),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def day_speech_brief(plan: DailyPlan, language: Language = ENGLISH) -> str:
    """Return one or two sentences about a plan that is one of several."""
    speaker = _Speaker(plan, language)
    sentences = (speaker.opening(), speaker.unplaced(), speaker.unread())
    return " ".join(sentence for sentence in sentences if sentence)


def text_speech(text: str, language: Language) -> str:
    """Return any text for a voice, by lines and sentences; see `facts_speech`."""
    facts = (part for line in text.splitlines() for part in _SENTENCE_END.split(line))
    return facts_speech(facts, language)


def facts_speech(facts: Iterable[str], language: Language) -> str:
    """Return facts for a voice: no symbols, "9:00-9:30" as "9:00 to 9:30", not too long.

    A fact is said whole or not at all, and once one is left out so are all after it; what is
    left out is said to be on the screen.
    """
    spoken = [said for said in (_aloud(fact, language) for fact in facts) if said]
    kept = list(_within(spoken, SPOKEN_WORDS))
    if len(kept) == len(spoken):
        return " ".join(kept)
    return " ".join((*kept, language.say("speech.rest" if kept else "speech.all")))


def _within(spoken: Iterable[str], words: int) -> Iterator[str]:
    for said in spoken:
        words -= len(said.split())
        if words < 0:
            return
        yield said


def _aloud(fact: str, language: Language) -> str:
    def span(match: re.Match[str]) -> str:
        return language.say("span", start=match[1], end=match[2])

    words = speakable(_TIME_RANGE.sub(span, fact))
    if not words or words[-1] in ".!?":
        return words
    return language.say("sentence", text=words.rstrip(",;:"))


class _Speaker:
    def __init__(self, plan: DailyPlan, language: Language) -> None:
        self._plan = plan
        self._language = language
        self._frame = frame_of(plan)
        self._figures: Figures = day_figures(plan)
        # What is over needs no saying on the day itself; other days are told from their start.
        self._is_today = days_from_now(plan) == 0
        self._from = plan.now if self._is_today else self._frame.start

    def opening(self) -> str:
        say, figures = self._language.say, self._figures
        day = self._day()
        if not figures.events:
            return say(f"speech.calendar.{figures.calendars.value}", day=day)
        return say("speech.opening", day=day, events=say("count.events", count=figures.events))

    def _day(self) -> str:
        away = days_from_now(self._plan)
        if abs(away) <= 1:
            name = self._language.days_from_now(away)
            return name[:1].upper() + name[1:]
        return self._language.date_spoken(self._plan.date)

    def unplaced(self) -> str:
        figures, say = self._figures, self._language.say
        text = unplaced_text(figures, self._language)
        if not text:
            return ""
        if figures.unplaced_minutes and not figures.is_over:
            length = self._language.duration_spoken(figures.unplaced_minutes)
            text = say("speech.with_length", text=text, length=length)
        return say("sentence", text=text)

    def conflict(self) -> str:
        if not self._plan.conflicts:
            return ""
        first = self._plan.conflicts[0]
        text = self._language.say(
            "speech.conflict",
            first=self._title(first.first.summary),
            second=self._title(first.second.summary),
            time=self._time(first.start),
        )
        others = len(self._plan.conflicts) - 1
        more = self._language.say("speech.more_conflicts", count=others) if others else ""
        return f"{text} {more}".strip()

    def next_event(self) -> str:
        ahead = (event for event in self._plan.events if event.takes_place)
        starts = ((event.summary, event.start) for event in ahead)
        for summary, start in starts:
            if isinstance(start, dt.datetime) and start >= self._from:
                key = "speech.next_event" if self._is_today else "speech.first_event"
                return self._language.say(key, title=self._title(summary), time=self._time(start))
        return ""

    def next_todo(self) -> str:
        blocks = (b for b in self._plan.blocks if b.kind is BlockKind.TODO and b.end > self._from)
        block = next(blocks, None)
        if block is None:
            return ""
        title, time = self._title(block.title), self._time(block.start)
        return self._language.say("speech.todo", title=title, time=time)

    def free(self) -> str:
        if not self._figures.free_minutes or self._figures.is_over:
            return ""
        length = self._language.duration_spoken(self._figures.free_minutes)
        return self._language.say("speech.free", length=length)

    def unread(self) -> str:
        names = [speakable(source_name(s, self._language)) for s in self._figures.unread]
        if not names:
            return ""
        return self._language.say("speech.unread", names=self._language.listing(names))

    def _title(self, title: str) -> str:
        words = speakable(title)
        short = shorten(words, TITLE_WORDS)
        if short != words:
            return self._language.say("speech.cut", text=short.rstrip(".,;:"))
        return words or self._language.say("speech.untitled")

    def _time(self, instant: dt.datetime) -> str:
        if instant < self._frame.start:
            return self._language.time_spoken(dt.time())
        return self._language.time_spoken(self._frame.local(instant))
