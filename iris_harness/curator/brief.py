"""Several days in brief: each in a few lines, what they have in common once, at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.birthdays import birthday_notes
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.figures import Figures, day_figures
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.reading import source_lines, warning_lines
from iris_harness.curator.sections import ID_DIGITS
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import count_parts, unread
from iris_harness.curator.timeline import DayLines
from iris_harness.curator.view import Line, LineKind, Section, SectionKind, Tone


def brief_section(plan: DailyPlan, language: Language = ENGLISH) -> Section:
    """Return a day as one section: date and figures, events and blocks, what does not fit."""
    # No list below repeats why a todo stands where it does, so no block needs to say more.
    hours = DayLines(plan, language, (*plan.todos, *plan.backlog))
    all_day = language.say("brief.all_day")
    lines = (
        *(line._replace(start=all_day) for line in hours.all_day()),
        *(line._replace(start=all_day) for line in birthday_notes(plan, language)),
        *(line for line in hours.timeline() if line.kind is not LineKind.FREE),
        *_misfits(plan, language),
    )
    figures = ", ".join(_figures(day_figures(plan), language))
    return Section(
        kind=SectionKind.DAY, heading=language.date_long(plan.date), lines=lines, aside=figures
    )


def range_sections(plans: Sequence[DailyPlan], language: Language = ENGLISH) -> tuple[Section, ...]:
    """Return the plans of a range, at least one, in their order and in brief.

    First what is common to all, then a section per day, then sources, warnings and ids.
    """
    end = (
        (SectionKind.SOURCES, "heading.sources", (source_lines(p, language) for p in plans)),
        (SectionKind.WARNINGS, "heading.warnings", map(warning_lines, plans)),
        (SectionKind.PLAN, "heading.plans", ([_id(plan, language)] for plan in plans)),
    )
    sections = (
        _head(plans, language),
        _summary(plans, language),
        *(brief_section(plan, language) for plan in plans),
        *(
            Section(kind=kind, heading=language.say(heading), lines=_each_once(lines))
            for kind, heading, lines in end
        ),
    )
    days = {SectionKind.DAY}
    return tuple(section for section in sections if section.lines or section.kind in days)


def _each_once(groups: Iterable[Iterable[Line]]) -> tuple[Line, ...]:
    return tuple(dict.fromkeys(line for group in groups for line in group))


def _head(plans: Sequence[DailyPlan], language: Language) -> Section:
    first, last = plans[0], plans[-1]
    ends = [language.date_long(plan.date) for plan in (first, last)]
    now = frame_of(first).local(first.now)
    when = language.say("head.now", when=language.day_and_time(now, first.date))
    zones = dict.fromkeys(plan.timezone for plan in plans)
    line = Line(kind=LineKind.NOTE, title=when, tone=Tone.QUIET, notes=cleaned(*zones))
    heading = language.say("range", first=ends[0], last=ends[1]) if len(plans) > 1 else ends[0]
    return Section(kind=SectionKind.HEAD, heading=heading, lines=(line,))


def _summary(plans: Sequence[DailyPlan], language: Language) -> Section:
    missing = (unread(day_figures(plan), language) for plan in plans)
    lines = tuple(_alarm(text) for text in dict.fromkeys(missing) if text)
    return Section(kind=SectionKind.SUMMARY, heading="", lines=lines)


def _alarm(text: str) -> Line:
    return Line(kind=LineKind.NOTE, title=text, tone=Tone.CAUTION)


def _figures(figures: Figures, language: Language) -> Iterator[str]:
    say = language.say
    if not figures.events:
        yield say(f"brief.calendar.{figures.calendars.value}")
    yield from count_parts(figures, language)
    waiting = "brief.waiting"
    if figures.is_over:
        yield say("brief.over")
        waiting = "brief.open"
    elif figures.is_day_off:
        yield say("brief.day_off")
    else:
        return
    if figures.unplaced:
        yield say(waiting, count=figures.unplaced)


def _misfits(plan: DailyPlan, language: Language) -> Iterator[Line]:
    figures = day_figures(plan)
    if not plan.unplaced or figures.is_over or figures.is_day_off:
        return
    names = [clean(one.summary) or language.say("untitled") for one in plan.unplaced]
    missing = language.duration(sum(one.missing_minutes for one in plan.unplaced))
    yield _alarm(language.say("brief.unplaced", length=missing, names=", ".join(names)))


def _id(plan: DailyPlan, language: Language) -> Line:
    return Line(
        kind=LineKind.NOTE,
        title=plan.plan_id[:ID_DIGITS],
        tone=Tone.QUIET,
        start=language.date_short(plan.date, plan.now.date()),
    )
