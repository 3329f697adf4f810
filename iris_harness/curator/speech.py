"""A day said aloud: half a minute at most, no symbols, the worst news first."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import BlockKind, DailyPlan
from iris_harness.curator.birthdays import birthdays_spoken
from iris_harness.curator.clean import shorten, speakable
from iris_harness.curator.figures import (
    Figures,
    day_figures,
    days_from_now,
)
from iris_harness.curator.frame import frame_of
from iris_harness.curator.jobs import jobs_spoken
from iris_harness.curator.language import Language
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import source_name, unplaced_text

TITLE_WORDS = 10
"""Words of a title that are said; one with more is cut, and said to be."""

SPOKEN_WORDS = 45
"""Words of a text that are said: about fifteen seconds."""

MOST_WORDS = 89
"""Words of anything that is said, at most: half a minute."""

_REST_WORDS = 9
"""Room for saying that there is more."""

_TITLE_LETTERS = 90
"""Letters of a title that are said: some languages write no spaces between words."""

_NAMES = 3
"""Sources, or days, that are named; of more, only how many they are."""

_SENTENCE_END = re.compile(r"(?<=\w\w\w\w[.!?])\s+(?=[A-Z])")
_TIME_RANGE = re.compile(r"(\d{1,2}:\d\d)\s*[-\N{EN DASH}]\s*(\d{1,2}:\d\d)")


def day_speech(plan: DailyPlan, language: Language = ENGLISH) -> str:
    """Return what a voice says about a plan, `MOST_WORDS` at most.

    The three things that matter come first (more due than fits, what could not be read, what
    overlaps), then what comes next.
    """
    speaker = _Speaker(plan, language)
    sentences = (
        *speaker.opening(),
        speaker.conflict(),
        speaker.next_event(),
        speaker.next_todo(),
        birthdays_spoken(plan, language),
        jobs_spoken(plan, language),
        speaker.free(),
    )
    return _bounded(sentences, language)


def days_speech(plans: Sequence[DailyPlan], language: Language = ENGLISH) -> str:
    """Return what a voice says about plans, at least one, by date; `MOST_WORDS` at most.

    Of several days first what is wrong on any of them, then each in a few words; days that are
    over only where all are.
    """
    if len(plans) == 1:
        return day_speech(plans[0], language)
    ahead = [plan for plan in plans if days_from_now(plan) >= 0] or list(plans)
    speakers = [_Speaker(plan, language) for plan in ahead]
    sentences = (
        *(speaker.overcommitted() for speaker in speakers),
        *dict.fromkeys(speaker.unread() for speaker in speakers),
        _conflict_days(ahead, language),
        *(sentence for speaker in speakers for sentence in speaker.brief()),
    )
    return _bounded(sentences, language)


def _conflict_days(plans: Iterable[DailyPlan], language: Language) -> str:
    names = [_day_name(plan, language) for plan in plans if plan.conflicts]
    if not names:
        return ""
    return language.say("speech.conflict_days", days=language.listing(_some(names, language)))


def _day_name(plan: DailyPlan, language: Language) -> str:
    away = days_from_now(plan)
    near = abs(away) <= 1
    return language.days_from_now(away) if near else language.date_spoken(plan.date)


def _some(names: Sequence[str], language: Language) -> list[str]:
    """Return the first few names, and how many more there are."""
    more = len(names) - _NAMES
    rest = [language.say("speech.more", count=more)] if more > 0 else []
    return [*names[:_NAMES], *rest]


def answers_speech(answers: Iterable[str], language: Language) -> str:
    """Return spoken answers one after another, cut at a sentence where they are too many."""
    said = [answer for answer in answers if answer]
    if sum(len(answer.split()) for answer in said) <= MOST_WORDS:
        return " ".join(said)
    return _bounded((part for answer in said for part in _SENTENCE_END.split(answer)), language)


def _bounded(sentences: Iterable[str], language: Language) -> str:
    """Return sentences in their order, those left out that are too much, which is then said."""
    wanted = [sentence for sentence in sentences if sentence]
    kept: list[str] = []
    for sentence in wanted:
        if sum(len(one.split()) for one in (*kept, sentence)) <= MOST_WORDS - _REST_WORDS:
            kept.append(sentence)
    if len(kept) < len(wanted):
        kept.append(language.say("speech.rest" if kept else "speech.all"))
    return " ".join(kept)


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

    def opening(self) -> tuple[str, ...]:
        """Return the day's first sentences: its worst news, then how much there is."""
        wrong = self.overcommitted()
        events = self._events() if wrong else self._day_and_events()
        return (wrong, self.unread(), events) if wrong else (events, self._waiting(), self.unread())

    def brief(self) -> tuple[str, ...]:
        """Return how much there is on a day that is one of several."""
        return self._day_and_events(), "" if self.overcommitted() else self._waiting()

    def overcommitted(self) -> str:
        figures, say = self._figures, self._language.say
        if figures.excess:
            work, room = figures.excess.work_minutes, figures.excess.free_minutes
            too_much = say(
                "speech.too_much" if room else "speech.no_time_at_all",
                day=self._day(),
                work=self._language.duration_spoken(work),
                room=self._language.duration_spoken(room),
            )
            rest = say("speech.unplaced", count=figures.unplaced) if figures.unplaced else ""
            return f"{too_much} {rest}".rstrip()
        if not figures.unplaced or figures.is_over or figures.is_day_off:
            return ""
        return say(
            "speech.overcommitted",
            day=self._day(),
            count=figures.unplaced,
            length=self._language.duration_spoken(figures.unplaced_minutes),
        )

    def _events(self) -> str:
        say, figures = self._language.say, self._figures
        if not figures.events:
            return say(f"summary.calendar.{figures.calendars.value}")
        return say("sentence", text=say("count.events", count=figures.events))

    def _day_and_events(self) -> str:
        say, figures = self._language.say, self._figures
        if not figures.events:
            return say(f"speech.calendar.{figures.calendars.value}", day=self._day())
        return say(
            "speech.opening", day=self._day(), events=say("count.events", count=figures.events)
        )

    def _day(self) -> str:
        name = _day_name(self._plan, self._language)
        return name[:1].upper() + name[1:]

    def _waiting(self) -> str:
        """Say what waits on a day that is over or has no working hours."""
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
        short = [shorten(name, TITLE_WORDS)[:_TITLE_LETTERS] for name in names]
        named = self._language.listing(_some(short, self._language))
        return self._language.say("speech.unread", names=named)

    def _title(self, title: str) -> str:
        words = speakable(title)
        short = shorten(words, TITLE_WORDS)[:_TITLE_LETTERS].rstrip()
        if short != words:
            return self._language.say("speech.cut", text=short.rstrip(".,;:"))
        return words or self._language.say("speech.untitled")

    def _time(self, instant: dt.datetime) -> str:
        if instant < self._frame.start:
            return self._language.time_spoken(dt.time())
        return self._language.time_spoken(self._frame.local(instant))
