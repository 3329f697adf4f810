"""Why something is where it is, in words: as sections for any layout, as text, and aloud."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from iris_harness.contracts.day import DailyPlan, EventStatus
from iris_harness.contracts.explain import (
    Cause,
    Change,
    ChangeKind,
    DayItem,
    Explanation,
    ItemTime,
    Outcome,
    Reason,
)
from iris_harness.curator.clean import clean
from iris_harness.curator.frame import DayFrame, frame_for, frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.speech import facts_speech
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.text import sections_text
from iris_harness.curator.view import Line, LineKind, Section, SectionKind, Tone

_TIMED = frozenset(
    {Cause.TAKEN, Cause.CLEAR, Cause.TOO_SHORT, Cause.OUTSIDE, Cause.COSTS, Cause.UNDECIDED}
)
"""What is wrong with one time of the day."""


def explanation_sections(
    explanation: Explanation, language: Language = ENGLISH
) -> tuple[Section, ...]:
    """Return what is said of an item, then why it is not earlier, then what would help."""
    writer = _Writer(explanation, language)
    earlier = "why.earlier" if explanation.item.times else "why.anywhere"
    every = (
        Section(kind=SectionKind.SUMMARY, heading="", lines=tuple(writer.statements())),
        Section(
            kind=SectionKind.REASONS, heading=language.say(earlier), lines=tuple(writer.times())
        ),
        Section(
            kind=SectionKind.CHANGES,
            heading=language.say("why.fits_if"),
            lines=tuple(writer.changes()),
        ),
    )
    return tuple(section for section in every if section.lines)


def explanation_text(explanation: Explanation, language: Language = ENGLISH) -> str:
    """Return an explanation as plain text, without a final line break."""
    return sections_text(explanation_sections(explanation, language), language)


def explanation_speech(explanation: Explanation, language: Language = ENGLISH) -> str:
    """Return an explanation for a voice: what is so, the weightiest reason, the smallest change."""
    writer = _Writer(explanation, language)
    said = [line.title for line in writer.statements()]
    against = [reason for reason in explanation.reasons if reason.cause is Cause.COSTS]
    if against:
        said.append(writer.aloud(against[-1]))
    if explanation.changes:
        change = writer.change(explanation.changes[0])
        said.append(language.say("why.would_fit", change=change))
    return facts_speech(said, language)


def candidate_sections(
    items: Iterable[DayItem], plan: DailyPlan, language: Language = ENGLISH
) -> tuple[Section, ...]:
    """Return what a name may mean on the day of a plan, where that is not one thing."""
    frame = frame_of(plan)
    lines = tuple(
        Line(
            kind=LineKind.NOTE,
            title=clean(item.title) or language.say("untitled"),
            notes=(
                language.say(f"page.legend.{item.kind.value}"),
                *(_span(time, frame, language) for time in item.times),
            ),
            sources=(item.source,) if item.source else (),
        )
        for item in items
    )
    heading = language.say("why.which")
    return (Section(kind=SectionKind.REASONS, heading=heading, lines=lines),)


def _span(time: ItemTime, frame: DayFrame, language: Language) -> str:
    start, end = (_clock(moment, frame, language) for moment in (time.start, time.end))
    return language.say("span", start=start, end=end)


def _clock(moment: dt.datetime, frame: DayFrame, language: Language) -> str:
    """Return a time of the day, or of another day with its name; the day's end is 24:00."""
    instant = moment.astimezone(dt.UTC)
    if instant == frame.end:
        return language.say("time.end_of_day")
    local = frame.local(moment)
    is_of_day = frame.start <= instant < frame.end
    return language.time(local) if is_of_day else language.day_and_time(local, frame.date)


class _Writer:
    def __init__(self, explanation: Explanation, language: Language) -> None:
        self._told = explanation
        self._language = language
        self._say = language.say
        self._frame = frame_for(explanation.date, explanation.timezone)

    def statements(self) -> Iterator[Line]:
        """Yield what is so, one sentence each."""
        item = self._told.item
        yield Line(
            kind=LineKind.NOTE,
            title=self._what(),
            tone=Tone.CAUTION if self._told.outcome in _LACKING else Tone.PLAIN,
            sources=(item.source,) if item.source else (),
        )
        for reason in self._told.reasons:
            if reason.cause not in _TIMED and (text := self._statement(reason)):
                yield Line(kind=LineKind.NOTE, title=text)

    def _what(self) -> str:
        item = self._told.item
        spans = [_span(time, self._frame, self._language) for time in item.times]
        return self._say(
            f"why.{self._told.outcome.value}" if spans else _UNTIMED[self._told.outcome],
            title=clean(item.title) or self._say("untitled"),
            spans=self._language.listing(spans),
            date=self._language.date_long(self._told.date),
        )

    def _statement(self, reason: Reason) -> str:
        match reason.cause:
            case Cause.DETAIL | Cause.LACKS | Cause.SETTING:
                text = clean(reason.detail)
                return self._say("sentence", text=text[:1].upper() + text[1:]) if text else ""
            case Cause.CALENDAR:
                return self._say("why.calendar", name=clean(reason.other))
            case Cause.NOT_BUSY:
                return self._say(self._not_busy(reason.detail))
            case Cause.OVERLAPS:
                return self._say("why.overlaps", other=clean(reason.other), span=self._time(reason))
            case _:
                return self._say(f"why.{reason.cause.value}")

    def _not_busy(self, status: str) -> str:
        if status == EventStatus.DECLINED:
            return "why.declined"
        if status == EventStatus.CANCELLED:
            return "why.cancelled"
        return "why.not_busy" if self._told.item.times else "why.all_day"

    def times(self) -> Iterator[Line]:
        """Yield a line for each time that was looked at, by time."""
        for reason in self._told.reasons:
            if reason.cause in _TIMED and reason.start and reason.end:
                yield Line(
                    kind=LineKind.NOTE,
                    title=self._against(reason),
                    tone=Tone.QUIET if reason.cause in _SIMPLE else Tone.PLAIN,
                    start=self._clock(reason.start),
                    end=self._clock(reason.end),
                    sources=reason.sources,
                )

    def _clock(self, moment: dt.datetime | None) -> str:
        return _clock(moment, self._frame, self._language) if moment else ""

    def _time(self, reason: Reason) -> str:
        start, end = self._clock(reason.start), self._clock(reason.end)
        return self._say("span", start=start, end=end)

    def _against(self, reason: Reason) -> str:
        other = clean(reason.other) or self._say("untitled")
        match reason.cause:
            case Cause.COSTS if reason.level:
                return self._say(f"why.costs.{reason.level.value}", other=other)
            case Cause.TOO_SHORT:
                return self._say("why.too_short", length=self._language.duration(reason.minutes))
            case Cause.OUTSIDE:
                return self._say("why.outside", limits=clean(reason.detail))
            case _:
                return self._say(f"why.{reason.cause.value}", other=other)

    def aloud(self, reason: Reason) -> str:
        """Return one reason as a sentence that names its time."""
        at = self._language.time_spoken(self._frame.local(reason.start)) if reason.start else ""
        return self._say("why.at", time=at, text=self._against(reason))

    def changes(self) -> Iterator[Line]:
        """Yield a line per change, the smallest first."""
        for change in self._told.changes:
            yield Line(kind=LineKind.NOTE, title=self.change(change), sources=change.sources)

    def change(self, change: Change) -> str:
        """Return a change in words that complete "it would fit if"."""
        other = clean(change.other) or self._say("untitled")
        match change.kind:
            case ChangeKind.SHORTEN | ChangeKind.SPLIT:
                length = self._language.duration(change.minutes)
                return self._say(f"why.change.{change.kind.value}", length=length)
            case ChangeKind.DROP | ChangeKind.MOVE:
                length = self._language.duration(change.cost_minutes)
                return self._say(f"why.change.{change.kind.value}", other=other, length=length)
            case ChangeKind.EXTEND if change.until:
                return self._say("why.change.extend", time=self._clock(change.until))
            case _:
                return self._say(f"why.change.{change.kind.value}")


_LACKING = frozenset({Outcome.UNPLACED, Outcome.PARTLY})
_SIMPLE = frozenset({Cause.TAKEN, Cause.CLEAR, Cause.TOO_SHORT})
_UNTIMED = {
    Outcome.PLACED: "why.unplaced",
    Outcome.PARTLY: "why.unplaced",
    Outcome.UNPLACED: "why.unplaced",
    Outcome.FIXED: "why.on_the_day",
}
