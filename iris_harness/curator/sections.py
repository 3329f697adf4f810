"""A day's plan as sections of lines: what every view shows, in the order it shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.contracts.day import Conflict, DailyPlan, PlannedTodo, SkippedTodo, Unplaced
from iris_harness.contracts.scopes import Scope
from iris_harness.contracts.sources import SourceRef
from iris_harness.curator.birthdays import birthday_lines
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.figures import days_from_now, todo_spans
from iris_harness.curator.frame import frame_of, minutes_between
from iris_harness.curator.jobs import job_lines
from iris_harness.curator.language import Language
from iris_harness.curator.reading import source_lines, warning_lines
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import summary_lines
from iris_harness.curator.timeline import DayLines
from iris_harness.curator.view import Line, LineKind, Mark, Section, SectionKind, Tone

BACKLOG_SHOWN = 5
"""How many todos of the backlog a view lists unless it is to show all; others are counted."""

ID_DIGITS = 12
"""Digits of a plan's id that a person sees: enough to find it again."""

REPEATED = frozenset({SectionKind.BACKLOG, SectionKind.SOURCES, SectionKind.WARNINGS})
"""Sections that are left out of a day of a range when the day before has just said them."""


def day_sections(
    plan: DailyPlan,
    language: Language = ENGLISH,
    *,
    earlier: Sequence[DailyPlan] = (),
    full: bool = False,
    focus: Scope | None = None,
) -> tuple[Section, ...]:
    """Return the sections of a plan, in the order of `SectionKind`; empty ones are left out.

    `earlier` are the plans of a range that are shown before it: todos that one of them has
    already, and what the last of them says of the backlog, the sources and warnings, are not
    said again. Empty means the plan stands alone. `full` lists the whole backlog.
    `focus` cuts the hours to a part of the day, named in the heading; None shows all of them.
    """
    shown = None if full else BACKLOG_SHOWN
    sections = _Writer(plan, language, _placed(earlier), shown).sections(focus)
    if not earlier:
        return sections
    before = _Writer(earlier[-1], language, _placed(earlier[:-1]), shown).sections()
    said = {_gist(section) for section in before}
    return tuple(one for one in sections if one.kind not in REPEATED or _gist(one) not in said)


def _gist(section: Section) -> Section:
    """Return what a section says; dates of the backlog are worded differently on other days."""
    if section.kind is not SectionKind.BACKLOG:
        return section
    return section._replace(lines=tuple(line._replace(notes=()) for line in section.lines))


def _placed(plans: Iterable[DailyPlan]) -> frozenset[SourceRef]:
    """Return the todos that one of `plans` has in full."""
    return frozenset(
        block.source
        for plan in plans
        for block in plan.blocks
        if block.source is not None and block.source not in {one.source for one in plan.unplaced}
    )


class _Writer:
    def __init__(
        self,
        plan: DailyPlan,
        language: Language,
        placed: frozenset[SourceRef],
        shown: int | None,
    ) -> None:
        self._plan = plan
        self._language = language
        self._due = [planned for planned in plan.todos if planned.todo.source not in placed]
        self._later = [planned for planned in plan.backlog if planned.todo.source not in placed]
        self._hidden = 0 if shown is None else max(0, len(self._later) - shown)
        self._hours = DayLines(plan, language, (*plan.todos, *self._later[:shown]))
        # On a day without time for todos nothing fits: the summary says so for all of them.
        off = plan.is_day_off or days_from_now(plan) < 0
        self._unplaced = () if off else plan.unplaced
        self._misplaced = frozenset(unplaced.source for unplaced in self._unplaced)

    def sections(self, focus: Scope | None = None) -> tuple[Section, ...]:
        plan, say = self._plan, self._language.say
        every = (
            (SectionKind.HEAD, self._heading(focus), self._head()),
            (
                SectionKind.SUMMARY,
                "",
                summary_lines(plan, self._language, is_part=focus is not None),
            ),
            (SectionKind.ALL_DAY, say("heading.all_day"), self._hours.all_day()),
            (SectionKind.BIRTHDAYS, *birthday_lines(plan, self._language)),
            (SectionKind.TIMELINE, say("heading.timeline"), self._hours.timeline(focus)),
            (SectionKind.CONFLICTS, say("heading.conflicts"), map(self._conflict, plan.conflicts)),
            (SectionKind.DUE, say("heading.due"), map(self._todo, self._due)),
            (SectionKind.UNPLACED, say("heading.unplaced"), map(self._misfit, self._unplaced)),
            (SectionKind.SKIPPED, say("heading.skipped"), map(self._skipped, plan.skipped)),
            (SectionKind.JOBS, say("heading.jobs"), job_lines(plan, self._language)),
            (SectionKind.BACKLOG, say("heading.backlog"), self._backlog()),
            (SectionKind.SOURCES, say("heading.sources"), source_lines(plan, self._language)),
            (SectionKind.WARNINGS, say("heading.warnings"), warning_lines(plan)),
            (SectionKind.PLAN, "", (self._id(),)),
        )
        built = (Section(kind=kind, heading=head, lines=tuple(ls)) for kind, head, ls in every)
        return tuple(section for section in built if section.lines)

    def _heading(self, focus: Scope | None) -> str:
        date = self._language.date_long(self._plan.date)
        if focus is None:
            return date
        start, end = self._hours.span(focus.start, focus.end)
        return f"{date}, {self._language.say('span', start=start, end=end)}"

    def _head(self) -> Iterable[Line]:
        now = frame_of(self._plan).local(self._plan.now)
        away = days_from_now(self._plan)
        clock = self._language.day_and_time(now, self._plan.date) if away else ""
        now_text = self._language.say("head.now", when=clock or self._language.time(now))
        yield Line(
            kind=LineKind.NOTE,
            title=self._language.days_from_now(away),
            tone=Tone.QUIET,
            notes=cleaned(now_text, self._plan.timezone),
        )

    def _conflict(self, conflict: Conflict) -> Line:
        start, end = self._hours.span(conflict.start, conflict.end)
        titles = (clean(event.summary) for event in (conflict.first, conflict.second))
        first, second = (title or self._language.say("untitled") for title in titles)
        return Line(
            kind=LineKind.CONFLICT,
            title=self._language.say("conflict", first=first, second=second),
            tone=Tone.ALARM,
            start=start,
            end=end,
            notes=(self._language.duration(minutes_between(conflict.start, conflict.end)),),
            sources=(conflict.first.source, conflict.second.source),
        )

    def _todo(self, planned: PlannedTodo) -> Line:
        source = planned.todo.source
        spans = [self._hours.span(start, end) for start, end in todo_spans(self._plan, source)]
        start, end = spans[0] if spans else ("", "")
        also = [self._language.say("span", start=first, end=last) for first, last in spans[1:]]
        more = self._language.say("todo.also", spans=self._language.listing(also)) if also else ""
        return Line(
            kind=LineKind.TODO,
            title=clean(planned.todo.summary) or self._language.say("untitled"),
            start=start,
            end=end,
            tone=Tone.CAUTION if planned.overdue else Tone.PLAIN,
            marks=tuple(self._todo_marks(planned, is_placed=bool(spans))),
            notes=cleaned(planned.reason, more),
            sources=(source,),
        )

    def _todo_marks(self, planned: PlannedTodo, *, is_placed: bool) -> Iterable[Mark]:
        overdue = self._language.say("mark.overdue")
        # The reason usually says so itself, and since when.
        if planned.overdue and overdue.casefold() not in planned.reason.casefold():
            yield Mark(text=overdue, tone=Tone.CAUTION)
        if planned.todo.source in self._misplaced:
            key = "mark.partly_placed" if is_placed else "mark.not_placed"
            yield Mark(text=self._language.say(key), tone=Tone.CAUTION)

    def _misfit(self, unplaced: Unplaced) -> Line:
        change = clean(unplaced.would_fit_if)
        fits = self._language.say("unplaced.fits_if", change=change) if change else ""
        return Line(
            kind=LineKind.TODO,
            title=clean(unplaced.summary) or self._language.say("untitled"),
            tone=Tone.CAUTION,
            notes=cleaned(unplaced.reason, fits),
            sources=(unplaced.source,),
        )

    def _skipped(self, skipped: SkippedTodo) -> Line:
        return Line(
            kind=LineKind.TODO,
            title=clean(skipped.title) or self._language.say("untitled"),
            tone=Tone.QUIET,
            sources=(skipped.source,),
        )

    def _backlog(self) -> Iterable[Line]:
        yield from map(self._todo, self._later[: len(self._later) - self._hidden])
        if self._hidden:
            more = self._language.say("backlog.more", count=self._hidden)
            yield Line(kind=LineKind.NOTE, title=more, tone=Tone.QUIET)

    def _id(self) -> Line:
        text = self._language.say("plan.id", id=self._plan.plan_id[:ID_DIGITS])
        return Line(kind=LineKind.NOTE, title=text, tone=Tone.QUIET)
