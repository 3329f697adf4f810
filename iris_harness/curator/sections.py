"""A day's plan as sections of lines: what every view shows, in the order it shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.contracts.day import Conflict, DailyPlan, PlannedTodo, Unplaced
from iris_harness.contracts.sources import SourceRef, SourceState, SourceStatus
from iris_harness.curator.clean import clean, cleaned
from iris_harness.curator.figures import days_from_now, todo_spans
from iris_harness.curator.frame import frame_of, minutes_between
from iris_harness.curator.language import Language
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import source_name, summary_lines
from iris_harness.curator.timeline import BACKLOG_SHOWN, DayLines
from iris_harness.curator.view import Line, LineKind, Mark, Section, SectionKind, Tone

REPEATED = frozenset({SectionKind.BACKLOG, SectionKind.SOURCES, SectionKind.WARNINGS})
"""Sections that are left out of a day of a range when the day before has just said them."""


def day_sections(
    plan: DailyPlan, language: Language = ENGLISH, *, earlier: Sequence[DailyPlan] = ()
) -> tuple[Section, ...]:
    """Return the sections of a plan, in the order of `SectionKind`; empty ones are left out.

    `earlier` are the plans of a range that are shown before it: todos that one of them has
    already, and what the last of them says of the backlog, the sources and warnings, are not
    said again. Empty means the plan stands alone.
    """
    sections = _Writer(plan, language, _placed(earlier)).sections()
    if not earlier:
        return sections
    said = _Writer(earlier[-1], language, _placed(earlier[:-1])).sections()
    return tuple(each for each in sections if each.kind not in REPEATED or each not in said)


def _placed(plans: Iterable[DailyPlan]) -> frozenset[SourceRef]:
    """Return the todos that one of `plans` has in full."""
    return frozenset(
        block.source
        for plan in plans
        for block in plan.blocks
        if block.source is not None and block.source not in {one.source for one in plan.unplaced}
    )


class _Writer:
    def __init__(self, plan: DailyPlan, language: Language, placed: frozenset[SourceRef]) -> None:
        self._plan = plan
        self._language = language
        self._due = [planned for planned in plan.todos if planned.todo.source not in placed]
        self._later = [planned for planned in plan.backlog if planned.todo.source not in placed]
        self._hours = DayLines(plan, language)
        self._unplaced = frozenset(unplaced.source for unplaced in plan.unplaced)

    def sections(self) -> tuple[Section, ...]:
        plan, say = self._plan, self._language.say
        every = (
            (SectionKind.HEAD, self._language.date_long(plan.date), self._head()),
            (SectionKind.SUMMARY, "", summary_lines(plan, self._language)),
            (SectionKind.ALL_DAY, say("heading.all_day"), self._hours.all_day()),
            (SectionKind.TIMELINE, say("heading.timeline"), self._hours.timeline()),
            (SectionKind.CONFLICTS, say("heading.conflicts"), map(self._conflict, plan.conflicts)),
            (SectionKind.DUE, say("heading.due"), map(self._todo, self._due)),
            (SectionKind.UNPLACED, say("heading.unplaced"), map(self._misfit, plan.unplaced)),
            (SectionKind.BACKLOG, say("heading.backlog"), self._backlog()),
            (SectionKind.SOURCES, say("heading.sources"), self._sources()),
            (SectionKind.WARNINGS, say("heading.warnings"), map(_warning, cleaned(*plan.warnings))),
        )
        built = (Section(kind=kind, heading=head, lines=tuple(ls)) for kind, head, ls in every)
        return tuple(section for section in built if section.lines)

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
        if planned.todo.source in self._unplaced:
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

    def _backlog(self) -> Iterable[Line]:
        yield from map(self._todo, self._later[:BACKLOG_SHOWN])
        hidden = len(self._later) - BACKLOG_SHOWN
        if hidden > 0:
            more = self._language.say("backlog.more", count=hidden)
            yield Line(kind=LineKind.NOTE, title=more, tone=Tone.QUIET)

    def _sources(self) -> Iterable[Line]:
        yield from (
            self._source(status)
            for status in self._plan.sources
            if status.state is not SourceState.OK
        )
        yield Line(kind=LineKind.NOTE, title=self._what_was_read(), tone=Tone.QUIET)

    def _source(self, status: SourceStatus) -> Line:
        age = "" if status.age_seconds is None else self._language.age(status.age_seconds)
        key = f"source.{status.state.value}"
        if status.state is SourceState.STALE and not age:
            key = "source.stale_unknown"
        failed = status.state is SourceState.FAILED
        return Line(
            kind=LineKind.NOTE,
            title=self._language.say(key, source=source_name(status, self._language), age=age),
            tone=Tone.CAUTION if failed or status.state is SourceState.STALE else Tone.QUIET,
            notes=cleaned(status.detail),
            sources=(SourceRef(source=status.name),),
        )

    def _what_was_read(self) -> str:
        names: dict[str, list[str]] = {}
        for status in self._plan.sources:
            if status.was_read:
                names.setdefault(status.kind.value, []).append(clean(status.name))
        if not names:
            return self._language.say("source.nothing_read")
        groups = (
            self._language.say(
                "source.named",
                kind=self._language.say(f"source.kind.{kind}", count=len(members)),
                name=", ".join(members),
            )
            for kind, members in names.items()
        )
        return self._language.say("source.read", groups="; ".join(groups))


def _warning(text: str) -> Line:
    return Line(kind=LineKind.NOTE, title=text, tone=Tone.CAUTION)
