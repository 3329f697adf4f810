"""A plan, or the plans of a range, as one HTML page.

The page is complete in itself and strict: its policy lets it load nothing and run nothing but its
own style sheet, which is named by its digest. All text stands in headings and lists; the pictures
repeat it for the eye.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.birthdays import birthday_notes
from iris_harness.curator.brief import range_sections
from iris_harness.curator.frame import frame_of
from iris_harness.curator.language import Language
from iris_harness.curator.page.chart import Caption
from iris_harness.curator.page.hours import Hours, read_hours
from iris_harness.curator.page.markup import Markup, element, verbatim
from iris_harness.curator.page.parts import Parts, patterns
from iris_harness.curator.page.style import style_sheet
from iris_harness.curator.page.week import draw_week, fits_side_by_side
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.timeline import DayLines
from iris_harness.curator.view import Section, SectionKind

_ABOVE = (SectionKind.ALL_DAY, SectionKind.BIRTHDAYS)
_SIDE = (
    SectionKind.CONFLICTS,
    SectionKind.UNPLACED,
    SectionKind.DUE,
    SectionKind.SKIPPED,
    SectionKind.JOBS,
    SectionKind.BACKLOG,
)


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
        self._parts = Parts(language)

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
            self._parts.header(head, 1, "page"),
            *self._parts.summaries(rest),
            element(
                "div",
                self._ways(plans, is_wide=week is not None),
                week,
                class_="week" if week else None,
            ),
            *articles,
            self._parts.footer(rest, 2, "page"),
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
            element("body", patterns(), element("main", *body, between="\n"), between="\n"),
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
        chips = [self._parts.chips(section, level + 1, name) for section in above]
        picture = [
            element("div", *chips, class_="above") if chips else None,
            self._parts.figure(plan, read_hours(plan, self._language), name),
        ]
        return element(
            "article",
            self._parts.header(by_kind[SectionKind.HEAD], level, name),
            *self._parts.summaries(sections),
            element(
                "div",
                element("div", *picture, class_="card") if any(picture) else None,
                element(
                    "div",
                    *(self._parts.section(section, level + 1, name) for section in side),
                    class_="side",
                )
                if side
                else None,
                class_="day",
            ),
            self._parts.section(hours, level + 1, name, wide=True) if hours else None,
            self._parts.footer(sections, level + 1, name),
            id=name,
            aria_labelledby=f"{name}-head",
            between="\n",
        )

    def _brief_day(self, plan: DailyPlan, day: Section, hours: Hours) -> Markup:
        name = f"day-{plan.date.isoformat()}"
        figure = self._parts.figure(plan, hours, name) if hours.items else None
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
                element("div", self._parts.lines(day), class_="card") if day.lines else None,
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
            self._parts.legend(days),
            class_="card",
        )

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


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'"
