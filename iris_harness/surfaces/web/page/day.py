"""The day beside the conversation: its hours and lists, and what can be done with each line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from iris_harness.bootstrap.shown import ShownDay
from iris_harness.contracts.explain import Explanation
from iris_harness.contracts.sources import SourceState, SourceStatus
from iris_harness.curator.clean import clean
from iris_harness.curator.explanation import explanation_sections
from iris_harness.curator.language import Language
from iris_harness.curator.moves import move_lines
from iris_harness.curator.page.hours import read_hours
from iris_harness.curator.page.markup import Markup, element
from iris_harness.curator.page.parts import Parts
from iris_harness.curator.sections import ID_DIGITS, day_sections
from iris_harness.curator.view import Line, Section, SectionKind
from iris_harness.surfaces.web.page.forms import hidden
from iris_harness.surfaces.web.page.items import DayIndex, Pointed

_ABOVE = (SectionKind.ALL_DAY, SectionKind.BIRTHDAYS)
_LISTS = (
    SectionKind.CONFLICTS,
    SectionKind.UNPLACED,
    SectionKind.DUE,
    SectionKind.SKIPPED,
    SectionKind.JOBS,
    SectionKind.BACKLOG,
)
_LEVEL = 2
_NAME = "day"
_LONGEST_LABEL = 80


class DayWriter:
    """Writes a day as HTML."""

    def __init__(self, shown: ShownDay, index: DayIndex, language: Language, form_key: str) -> None:
        """Take a day that was planned, its things by number, and the key of the visitor's forms."""
        self._shown = shown
        self._plan = shown.plan
        self._index = index
        self._language = language
        self._say = language.say
        self._key = form_key
        self._parts = Parts(language, self._tools)

    def day(self, today: dt.date, told: Explanation | None, news: Markup | None) -> Markup:
        """Return the whole section; `told` is what was asked why, None when nothing was.

        `news` is what was said unasked.
        """
        plan = self._plan
        sections = day_sections(plan, self._language)
        by_kind = {section.kind: section for section in sections}
        return element(
            "section",
            self._head(by_kind[SectionKind.HEAD], today),
            *self._notes(),
            self._why(told) if told else None,
            news,
            self._moves(),
            *self._parts.summaries(sections),
            element(
                "div",
                element(
                    "div",
                    element("div", *self._picture(by_kind), class_="card"),
                    self._hours(by_kind),
                    class_="hours",
                ),
                element("div", *self._lists(sections), class_="side"),
                class_="day",
            ),
            self._footer(by_kind),
            id=_NAME,
            aria_labelledby=f"{_NAME}-head",
            between="\n",
        )

    # Above the hours

    def _head(self, head: Section, today: dt.date) -> Markup:
        said = (part for line in head.lines for part in (line.title, *line.notes))
        return element(
            "header",
            element(
                "div",
                element("h2", head.heading, id=f"{_NAME}-head", tabindex="-1"),
                element("p", ", ".join(said), class_="when"),
            ),
            self._ways(today),
            class_="day-head",
        )

    def _ways(self, today: dt.date) -> Markup:
        """Return the ways to other days."""
        day = self._plan.date
        steps = (
            ("web.day.before", -1, "\N{LEFTWARDS ARROW}"),
            ("web.day.after", 1, "\N{RIGHTWARDS ARROW}"),
        )
        before, after = (
            element(
                "a",
                element("span", arrow, aria_hidden="true"),
                element("span", self._say(key), class_="hushed"),
                href=f"/?day={day + dt.timedelta(days=step)}",
                class_="button",
            )
            for key, step, arrow in steps
        )
        return element(
            "nav",
            before,
            element(
                "a",
                self._say("web.day.today"),
                href="/",
                class_="button",
                aria_current="date" if day == today else None,
            ),
            after,
            element(
                "form",
                element("label", self._say("web.day.other"), for_="date", class_="hushed"),
                element(
                    "input", type="date", id="date", name="day", value=day.isoformat(), required=""
                ),
                element("button", self._say("web.day.go")),
                method="get",
                action="/",
                class_="go",
            ),
            aria_label=self._say("page.days"),
            class_="days",
        )

    def _notes(self) -> Iterator[Markup]:
        for note in self._shown.notes:
            yield element("p", clean(note), class_="note-box caution", role="alert")

    def _why(self, told: Explanation) -> Markup:
        plain = Parts(self._language)
        body = (
            part
            for section in explanation_sections(told, self._language)
            for part in (
                element("h4", section.heading) if section.heading else None,
                plain.lines(section),
            )
        )
        title = _short(clean(told.item.title) or self._say("untitled"))
        return element(
            "section",
            element("h3", self._say("web.why.head", title=title), id="why-head", tabindex="-1"),
            *body,
            element("a", self._say("web.close"), href=f"/?day={self._plan.date}", class_="button"),
            id="why",
            class_="card panel",
            aria_labelledby="why-head",
            between="\n",
        )

    def _moves(self) -> Markup | None:
        lines = move_lines(self._shown.moves, self._language)
        if not lines:
            return None
        heading, *moves = lines
        items = (element("li", element("bdi", clean(line))) for line in moves)
        return element(
            "section",
            element("h3", heading, id="moves-head"),
            element("ul", *items),
            id="moves",
            class_="card panel",
            aria_labelledby="moves-head",
        )

    # The hours and the lists

    def _picture(self, by_kind: dict[SectionKind, Section]) -> Iterator[Markup | None]:
        chips = [
            self._parts.chips(by_kind[kind], _LEVEL + 1, _NAME)
            for kind in _ABOVE
            if kind in by_kind
        ]
        if chips:
            yield element("div", *chips, class_="above")
        hours = read_hours(self._plan, self._language)
        figure = self._parts.figure(self._plan, hours, _NAME)
        yield figure or element("p", self._say("web.day.nothing"), class_="when")

    def _lists(self, sections: Sequence[Section]) -> Iterator[Markup]:
        for section in sections:
            if section.kind in _LISTS:
                yield self._parts.section(section, _LEVEL + 1, _NAME)

    def _hours(self, by_kind: dict[SectionKind, Section]) -> Markup | None:
        hours = by_kind.get(SectionKind.TIMELINE)
        if hours is None:
            return None
        heading = element("summary", element("h3", self._say("web.day.hours")))
        return element("details", heading, self._parts.lines(hours), class_="card")

    def _tools(self, line: Line) -> Markup | None:
        pointed = self._index.find(line)
        if pointed is None:
            return None
        title = _short(line.title)
        why = element(
            "a",
            self._say("web.do.why"),
            href=self._why_address(pointed),
            aria_label=self._say("web.label.why", title=title),
            class_="small",
        )
        if not pointed.deeds:
            return element("div", why, class_="tools")
        return element(
            "form",
            hidden(key=self._key, item=pointed.number, **self._place()),
            *(self._button(deed, title) for deed in pointed.deeds),
            why,
            method="post",
            action="/do",
            class_="tools",
        )

    def _button(self, deed: str, title: str) -> Markup:
        return element(
            "button",
            self._say(f"web.do.{deed}"),
            name="do",
            value=deed,
            aria_label=self._say(f"web.label.{deed}", title=title),
            class_="small",
        )

    def _why_address(self, pointed: Pointed) -> str:
        place = "&".join(f"{name}={value}" for name, value in self._place().items())
        return f"/?{place}&why={pointed.number}#why"

    def _place(self) -> dict[str, str]:
        return {"day": self._plan.date.isoformat(), "plan": self._shown.kept_id}

    # Below

    def _footer(self, by_kind: dict[SectionKind, Section]) -> Markup:
        warnings = by_kind.get(SectionKind.WARNINGS)
        return element(
            "footer",
            self._sources(),
            self._parts.section(warnings, _LEVEL + 1, _NAME) if warnings else None,
            element(
                "p",
                self._say("web.plan.id", id=self._shown.kept_id[:ID_DIGITS]),
            ),
            between="\n",
        )

    def _sources(self) -> Markup:
        states = [self._source(status) for status in self._plan.sources]
        none = element("p", self._say("source.nothing_read"))
        return element(
            "section",
            element("h3", self._say("heading.sources"), id="sources-head"),
            element("ul", *states, class_="sources") if states else none,
            aria_labelledby="sources-head",
        )

    def _source(self, status: SourceStatus) -> Markup:
        detail = clean(status.detail)
        return element(
            "li",
            element("span", self._state(status), class_=f"state {status.state.value}"),
            element("bdi", clean(status.name), class_="title"),
            element("span", self._say(f"source.kind.{status.kind.value}", count=1), class_="note"),
            element("bdi", detail, class_="note") if detail else None,
            between=" ",
        )

    def _state(self, status: SourceStatus) -> str:
        if status.state is SourceState.STALE and status.age_seconds is not None:
            return self._say("web.state.old", age=self._language.age(status.age_seconds))
        return self._say(f"web.state.{status.state.value}")


def _short(title: str) -> str:
    """Return a title short enough for the name of a button."""
    return title if len(title) <= _LONGEST_LABEL else f"{title[: _LONGEST_LABEL - 1]}…"
