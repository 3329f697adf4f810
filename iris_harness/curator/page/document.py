"""A plan, or the plans of a range, as one HTML page.

The page is complete in itself and strict: its policy lets it load nothing and run nothing but its
own style sheet, which is named by its digest. All text stands in headings and lists; the pictures
repeat it for the eye.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import BlockKind, DailyPlan
from iris_harness.curator.birthdays import birthday_notes
from iris_harness.curator.brief import range_sections
from iris_harness.curator.figures import day_figures
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.page.axis import Axis
from iris_harness.curator.page.chart import Caption, draw_day
from iris_harness.curator.page.hours import Hours, read_hours
from iris_harness.curator.page.markup import Markup, element, verbatim
from iris_harness.curator.page.style import style_sheet
from iris_harness.curator.page.week import draw_week, fits_side_by_side
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.summary import counts
from iris_harness.curator.timeline import DayLines
from iris_harness.curator.view import Line, LineKind, Section, SectionKind

_ABOVE = (SectionKind.ALL_DAY, SectionKind.BIRTHDAYS)
_SIDE = (
    SectionKind.CONFLICTS,
    SectionKind.UNPLACED,
    SectionKind.DUE,
    SectionKind.SKIPPED,
    SectionKind.BACKLOG,
)
_FOOT = (SectionKind.SOURCES, SectionKind.WARNINGS, SectionKind.PLAN)
_EVENT = "event"
_REST = "rest"
_DASH = "\N{EN DASH}"
_DOT = " \N{MIDDLE DOT} "


def day_page(
    plan: DailyPlan,
    language: Language = ENGLISH,
    *,
    full: bool = False,
) -> str:
    """Return a plan as a page of HTML, UTF-8, with a final line break.

    `full` lists the whole backlog. The same plan gives the same bytes.
    """
    return days_page((plan,), language, full=full)


def days_page(
    plans: Sequence[DailyPlan],
    language: Language = ENGLISH,
    *,
    brief: bool = False,
    full: bool = False,
) -> str:
    """Return the plans of a range, at least one, in their order, as a page of HTML.

    `brief` gives each day a picture and its hours, and leaves the lists of todos out; `full`
    lists the whole backlog where there is one.
    """
    writer = _Writer(language)
    if brief:
        return writer.range_page(plans)
    return writer.page(plans, full=full)


class _Writer:
    def __init__(self, language: Language) -> None:
        self._language = language
        self._say = language.say

    def page(self, plans: Sequence[DailyPlan], *, full: bool) -> str:
        """Return each day in whole; its heading is the page's where it is the only one."""
        level = 1 if len(plans) == 1 else 2
        days = [
            self._day(
                plan,
                day_sections(plan, self._language, earlier=plans[:at], full=full),
                level,
            )
            for at, plan in enumerate(plans)
        ]
        first, last = (self._language.date_long(plan.date) for plan in (plans[0], plans[-1]))
        if level == 1:
            return self._document(first, days)
        title = self._say("range", first=first, last=last)
        return self._document(title, [element("header", element("h1", title)), *days])

    def range_page(self, plans: Sequence[DailyPlan]) -> str:
        """Return each day in brief, with a way to each at the top and what is common below."""
        sections = range_sections(plans, self._language)
        days = [section for section in sections if section.kind is SectionKind.DAY]
        head, rest = sections[0], [s for s in sections[1:] if s.kind is not SectionKind.DAY]
        hours = [read_hours(plan, self._language) for plan in plans]
        week = self._week(head.heading, hours) if fits_side_by_side(hours) else None
        articles = [
            self._brief_day(plan, day, each)
            for plan, day, each in zip(plans, days, hours, strict=True)
        ]
        body = [
            self._header(head, 1, "page"),
            *self._summaries(rest),
            element(
                "div",
                self._ways(plans, is_wide=week is not None),
                week,
                class_="week" if week else None,
            ),
            *articles,
            self._footer(rest, 2, "page"),
        ]
        return self._document(head.heading, body)

    def _document(self, title: str, body: Iterable[Markup | None]) -> str:
        style = style_sheet()
        head = element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", self._say("page.title", title=title)),
            element("link", rel="icon", href="data:,"),
            element("style", verbatim(style)),
            between="\n",
        )
        page = element(
            "html",
            head,
            element("body", _patterns(), element("main", *body, between="\n"), between="\n"),
            lang=self._language.tag,
            between="\n",
        )
        return f"<!DOCTYPE html>\n{page}\n"

    def _day(self, plan: DailyPlan, sections: Sequence[Section], level: int) -> Markup:
        name = f"day-{plan.date.isoformat()}"
        by_kind = {section.kind: section for section in sections}
        above = [by_kind[kind] for kind in _ABOVE if kind in by_kind]
        side = [section for section in sections if section.kind in _SIDE]
        hours = by_kind.get(SectionKind.TIMELINE)
        chips = [self._chips(section, level + 1, name) for section in above]
        picture = [
            element("div", *chips, class_="above") if chips else None,
            self._figure(plan, read_hours(plan, self._language), name),
        ]
        return element(
            "article",
            self._header(by_kind[SectionKind.HEAD], level, name),
            *self._summaries(sections),
            element(
                "div",
                element("div", *picture, class_="card") if any(picture) else None,
                element(
                    "div",
                    *(self._section(section, level + 1, name) for section in side),
                    class_="side",
                )
                if side
                else None,
                class_="day",
            ),
            self._section(hours, level + 1, name, wide=True) if hours else None,
            self._footer(sections, level + 1, name),
            id=name,
            aria_labelledby=f"{name}-head",
            between="\n",
        )

    def _brief_day(self, plan: DailyPlan, day: Section, hours: Hours) -> Markup:
        name = f"day-{plan.date.isoformat()}"
        figure = self._figure(plan, hours, name) if hours.items else None
        return element(
            "article",
            element(
                "header",
                element("h2", day.heading, id=f"{name}-head"),
                element("p", day.aside, class_="when"),
            ),
            element(
                "div",
                element("div", figure, class_="card") if figure else None,
                element("div", self._lines(day), class_="card") if day.lines else None,
                class_="day",
            )
            if day.lines
            else None,
            id=name,
            aria_labelledby=f"{name}-head",
            between="\n",
        )

    def _week(self, title: str, days: Sequence[Hours]) -> Markup:
        caption = Caption(
            name="week",
            title=self._say("page.chart", date=title),
            description=self._say("page.chart_is_text"),
        )
        return element(
            "figure",
            draw_week(days, caption, self._language),
            self._legend(days),
            class_="card",
        )

    def _header(self, head: Section, level: int, name: str) -> Markup:
        said = (part for line in head.lines for part in (line.title, *line.notes))
        return element(
            "header",
            element(f"h{level}", head.heading, id=f"{name}-head"),
            element("p", ", ".join(said), class_="when"),
        )

    def _summaries(self, sections: Iterable[Section]) -> Iterator[Markup]:
        for section in sections:
            if section.kind is SectionKind.SUMMARY:
                said = (element("p", line.title, class_=line.tone.value) for line in section.lines)
                yield element("div", *said, class_="summary")

    def _ways(self, plans: Sequence[DailyPlan], *, is_wide: bool) -> Markup:
        count = f" heads-{len(plans)}" if is_wide else ""
        return element(
            "nav",
            element("ul", *map(self._way, plans), class_=f"ways{count}"),
            aria_label=self._say("page.days"),
        )

    def _way(self, plan: DailyPlan) -> Markup:
        """Return a link to a day, with what its head says in a picture of several."""
        hours = DayLines(plan, self._language)
        notes = (*hours.all_day(), *birthday_notes(plan, self._language))
        name = self._language.date_short(plan.date, plan.now.date())
        return element(
            "li",
            element("a", name, href=f"#day-{plan.date.isoformat()}"),
            *(element("bdi", line.title, class_="note", aria_hidden="true") for line in notes),
            class_="today" if plan.date == frame_of(plan).local(plan.now).date() else None,
        )

    def _chips(self, section: Section, level: int, name: str) -> Markup:
        head = f"{name}-{section.kind.value}"
        return element(
            "section",
            element(f"h{level}", section.heading, id=head, class_="small"),
            element("ul", *map(_chip, section.lines), class_="chips"),
            aria_labelledby=head,
        )

    def _section(self, section: Section, level: int, name: str, *, wide: bool = False) -> Markup:
        head = f"{name}-{section.kind.value}"
        return element(
            "section",
            self._heading(section, level, head) if section.heading else None,
            self._lines(section),
            class_="card wide" if wide else "card",
            aria_labelledby=head if section.heading else None,
            between="\n",
        )

    def _heading(self, section: Section, level: int, name: str) -> Markup:
        is_own = section.kind is SectionKind.PLAN
        words = _coded(section.heading) if is_own else [section.heading]
        return element(f"h{level}", *words, id=name)

    def _lines(self, section: Section) -> Markup:
        timed = any(line.start for line in section.lines)
        is_own = section.kind is SectionKind.PLAN
        return element(
            "ul",
            *(_line(line, timed=timed, is_own=is_own) for line in section.lines),
            class_="lines" if timed else "lines bare",
            between="\n",
        )

    def _footer(self, sections: Iterable[Section], level: int, name: str) -> Markup | None:
        foot = [section for section in sections if section.kind in _FOOT]
        if not foot:
            return None
        return element(
            "footer",
            *(self._section(section, level, f"{name}-foot") for section in foot),
            between="\n",
        )

    def _figure(self, plan: DailyPlan, hours: Hours, name: str) -> Markup | None:
        if hours.is_empty:
            return None
        figures = counts(day_figures(plan), self._language)
        about = (figures, self._say("page.chart_is_text"))
        caption = Caption(
            name=name,
            title=self._say("page.chart", date=self._language.date_long(plan.date)),
            description=" ".join(part for part in about if part),
        )
        axis = Axis(*hours.bounds(), hours.spans, hours.working)
        return element(
            "figure",
            draw_day(hours, axis, caption, self._language),
            self._legend([hours]),
            between="\n",
        )

    def _legend(self, days: Sequence[Hours]) -> Markup | None:
        """Return what the kinds of boxes are, those that the picture has."""
        kinds = {item.entry.block or _EVENT for hours in days for item in hours.items}
        if not kinds:
            return None
        keys = [kind for kind in (_EVENT, *BlockKind) if kind in kinds]
        if len(days) > 1 or any(hours.has_rest for hours in days):
            keys.append(_REST)
        samples = (element("li", _swatch(kind), self._say(f"page.legend.{kind}")) for kind in keys)
        return element("ul", *samples, class_="legend", aria_label=self._say("page.legend"))


def _swatch(kind: str) -> Markup:
    """Return a sample of what a kind of box looks like."""
    if kind == _REST:
        box = element("rect", width=14, height=14, rx=3, class_="rest", stroke="currentColor")
        return element("svg", box, width=14, height=14, aria_hidden="true", class_="sample")
    hatch = element("rect", width=14, height=14, rx=3, class_="hatch") if kind == "travel" else None
    parts = (
        element("rect", width=14, height=14, rx=3, class_="box"),
        hatch,
        element("rect", width=4, height=14, rx=2, class_="edge"),
    )
    group = element("g", *parts, class_=f"item {kind}")
    return element("svg", group, width=14, height=14, aria_hidden="true")


def _patterns() -> Markup:
    line = element("path", d="M0 0v8", class_="hatch-line")
    pattern = element(
        "pattern",
        line,
        id="hatch",
        width=8,
        height=8,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    return element("svg", element("defs", pattern), class_="defs", aria_hidden="true")


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'"


def _chip(line: Line) -> Markup:
    return element("li", *_said(line))


def _line(line: Line, *, timed: bool, is_own: bool) -> Markup:
    when = element("span", _when(line), class_="time") if timed else None
    flags = ("past",) if line.past else ()
    kind = "now" if line.kind is LineKind.NOW else "free" if line.kind is LineKind.FREE else ""
    classes = " ".join(part for part in ("line", line.tone.value, kind, *flags) if part)
    return element(
        "li", when, element("span", *_said(line, is_own=is_own), class_="what"), class_=classes
    )


def _coded(text: str) -> Iterator[Markup | str]:
    """Yield Iris' own words, what stands between backticks as something to type."""
    for index, part in enumerate(text.split("`")):
        yield element("code", part) if index % 2 else part


def _when(line: Line) -> str:
    return f"{line.start}{_DASH}{line.end}" if line.end else line.start


def _said(line: Line, *, is_own: bool = False) -> Iterator[Markup | str]:
    if line.label:
        yield element("span", line.label, class_="kind")
        yield " "
    title = element("bdi", *(_coded(line.title) if is_own else [line.title]))
    yield element("span", element("s", title) if line.struck else title, class_="title")
    about = [
        *(element("span", mark.text, class_=f"mark {mark.tone.value}") for mark in line.marks),
        *(element("bdi", note, class_="note") for note in line.notes),
        *(element("cite", label, class_="source") for label in line.source_labels),
    ]
    if about:
        yield " "
        yield element("span", *about, class_="about", between=_DOT)
