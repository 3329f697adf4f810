"""The few sentences that sum a day up, worst news first."""

from __future__ import annotations

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.sources import SourceStatus
from iris_harness.curator.clean import clean
from iris_harness.curator.figures import Figures, Knowledge, day_figures
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.view import Line, LineKind, Tone

USUAL_HOURS = 24


def summary_lines(plan: DailyPlan, language: Language) -> tuple[Line, ...]:
    """Return what does not fit, what the day holds, what is unknown, odd clocks."""
    figures = day_figures(plan)
    hours = frame_of(plan).hours
    candidates = (
        (overcommitment(figures, language), Tone.ALARM),
        (calendar_statement(figures, language), Tone.PLAIN),
        (counts(figures, language), Tone.PLAIN),
        (unread(figures, language), Tone.CAUTION),
        (language.say("clocks", count=hours) if hours != USUAL_HOURS else "", Tone.QUIET),
    )
    return tuple(
        Line(kind=LineKind.NOTE, title=text, tone=tone) for text, tone in candidates if text
    )


def overcommitment(figures: Figures, language: Language) -> str:
    """Say that more is due than fits, with the hours; empty when all fits."""
    if not figures.unplaced:
        return ""
    key = "summary.unplaced_past" if figures.is_over else "summary.overcommitted"
    text = language.say(key, count=figures.unplaced)
    if not figures.unplaced_minutes:
        return language.say("sentence", text=text)
    length = language.duration(figures.unplaced_minutes)
    how_much = "summary.at_least" if figures.unplaced_unknown else "summary.exactly"
    return language.say("sentence", text=language.say(how_much, text=text, length=length))


def calendar_statement(figures: Figures, language: Language) -> str:
    """Say what a day without events may be called; empty when there are events."""
    if figures.events:
        return ""
    return language.say(f"summary.calendar.{figures.calendars.value}")


def counts(figures: Figures, language: Language) -> str:
    """Say how much of everything there is, in one sentence; empty when there is nothing."""
    say = language.say
    parts = []
    if figures.events:
        parts.append(say("count.events", count=figures.events))
    if figures.conflicts:
        parts.append(say("count.conflicts", count=figures.conflicts))
    if not figures.due and figures.todo_lists in {Knowledge.FULL, Knowledge.STALE}:
        parts.append(say("count.nothing_due"))
    if figures.placed:
        parts.append(say("count.placed", count=figures.placed))
    if not figures.is_over:
        parts.append(_free(figures, language))
    text = ", ".join(parts)
    return say("sentence", text=text[:1].upper() + text[1:]) if parts else ""


def _free(figures: Figures, language: Language) -> str:
    if not figures.free_minutes:
        return language.say("count.no_free")
    return language.say("count.free", length=language.duration(figures.free_minutes))


def unread(figures: Figures, language: Language) -> str:
    """Name the sources that could not be read; empty when all were."""
    names = [source_name(status, language) for status in figures.unread]
    return language.say("summary.unread", names=language.listing(names)) if names else ""


def source_name(status: SourceStatus, language: Language) -> str:
    """Return a source's kind and name: "calendar work"."""
    kind = language.say(f"source.kind.{status.kind.value}", count=1)
    return language.say("source.named", kind=kind, name=clean(status.name))
