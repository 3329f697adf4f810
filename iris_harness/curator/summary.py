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


def summary_lines(
    plan: DailyPlan, language: Language, *, is_part: bool = False
) -> tuple[Line, ...]:
    """Return what does not fit, what the day holds, what is unknown, odd clocks.

    `is_part`: only some of the day's hours are shown, so the counts say that they are the day's.
    """
    figures = day_figures(plan)
    hours = frame_of(plan).hours
    candidates = (
        (unplaced(figures, language), _urgency(figures)),
        (not_yet(figures, language), Tone.PLAIN),
        (calendar_statement(figures, language), Tone.PLAIN),
        (_day_counts(figures, language) if is_part else counts(figures, language), Tone.PLAIN),
        (unread(figures, language), Tone.CAUTION),
        (language.say("clocks", count=hours) if hours != USUAL_HOURS else "", Tone.QUIET),
    )
    return tuple(
        Line(kind=LineKind.NOTE, title=text, tone=tone) for text, tone in candidates if text
    )


def _urgency(figures: Figures) -> Tone:
    if figures.is_over or figures.is_day_off:
        return Tone.CAUTION if figures.unplaced else Tone.PLAIN
    return Tone.ALARM


def unplaced(figures: Figures, language: Language) -> str:
    """Say which day this is for the due todos without a place; empty when all have one.

    A day that is over and a day off are not overcommitted: there was nothing to fit into.
    """
    work = _work(figures, language)
    text = unplaced_text(figures, language)
    if figures.workload and text and not figures.is_over and not figures.is_day_off:
        text = language.say("summary.unplaced", count=figures.unplaced)
    if text and figures.unplaced_minutes and not figures.is_over:
        length = language.duration(figures.unplaced_minutes)
        text = language.say("summary.with_length", text=text, length=length)
    if work and text:
        text = language.say("summary.also", text=work, also=text)
    return language.say("sentence", text=text or work) if text or work else ""


def _work(figures: Figures, language: Language) -> str:
    """Say how much work there is in how much time; empty where the time is enough."""
    if figures.excess is None:
        return ""
    work = language.duration(figures.excess.work_minutes)
    if not figures.excess.free_minutes:
        return language.say("summary.work_no_time", work=work)
    free = language.duration(figures.excess.free_minutes)
    return language.say("summary.work", work=work, free=free)


def unplaced_text(figures: Figures, language: Language) -> str:
    """Return what `unplaced` says, without the length and the full stop."""
    if figures.is_day_off and not figures.is_over and not figures.unplaced:
        return language.say("summary.day_off")
    if not figures.unplaced:
        return ""
    key = "summary.overcommitted"
    if figures.is_over:
        key = "summary.unplaced_past"
    elif figures.is_day_off:
        key = "summary.day_off_waiting"
    return language.say(key, count=figures.unplaced)


def not_yet(figures: Figures, language: Language) -> str:
    """Say how many due todos may not start yet; empty when all may, or the day is over."""
    if not figures.not_yet or figures.is_over:
        return ""
    return language.say("summary.not_yet", count=figures.not_yet)


def calendar_statement(figures: Figures, language: Language) -> str:
    """Say what a day without events may be called; empty when there are events."""
    if figures.events:
        return ""
    return language.say(f"summary.calendar.{figures.calendars.value}")


def counts(figures: Figures, language: Language) -> str:
    """Say how much of everything there is, in one sentence; empty when there is nothing."""
    parts = count_parts(figures, language)
    text = ", ".join(parts)
    return language.say("sentence", text=text[:1].upper() + text[1:]) if parts else ""


def _day_counts(figures: Figures, language: Language) -> str:
    text = ", ".join(count_parts(figures, language))
    return language.say("summary.whole_day", text=text) if text else ""


def count_parts(figures: Figures, language: Language) -> list[str]:
    """Return how much of everything there is, each in a few words."""
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
    if not figures.is_over and not figures.is_day_off:
        parts.append(_free(figures, language))
    return parts


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
