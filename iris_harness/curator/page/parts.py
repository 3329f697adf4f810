"""What pages of days are made of: headings, summaries, pictures, and lists of lines.

Whoever shows a page may give lines tools of their own (`Tools`): buttons, links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from iris_harness.contracts.day import BlockKind, DailyPlan
from iris_harness.curator.figures import day_figures
from iris_harness.curator.language import Language
from iris_harness.curator.page.axis import Axis
from iris_harness.curator.page.chart import Caption, draw_day
from iris_harness.curator.page.hours import Hours
from iris_harness.curator.page.markup import Markup, element
from iris_harness.curator.summary import counts
from iris_harness.curator.view import Line, LineKind, Section, SectionKind

Tools: TypeAlias = Callable[[Line], Markup | None]
"""Returns what can be done with what a line is about; None for nothing."""

_FOOT = (SectionKind.SOURCES, SectionKind.WARNINGS, SectionKind.PLAN)
"""Sections that stand below everything else."""

_EVENT = "event"
_REST = "rest"
_DASH = "\N{EN DASH}"
_DOT = " \N{MIDDLE DOT} "


def no_tools(_line: Line) -> None:
    """Return that nothing can be done: a page that is only read."""


class Parts:
    """Writes the parts of pages in one language."""

    def __init__(self, language: Language, tools: Tools = no_tools) -> None:
        """Take the language, and what can be done with a line."""
        self._language = language
        self._say = language.say
        self._tools = tools

    def header(self, head: Section, level: int, name: str) -> Markup:
        """Return a day's heading, with how far off it is below."""
        said = (part for line in head.lines for part in (line.title, *line.notes))
        return element(
            "header",
            element(f"h{level}", head.heading, id=f"{name}-head"),
            element("p", ", ".join(said), class_="when"),
        )

    def summaries(self, sections: Iterable[Section]) -> Iterator[Markup]:
        """Yield the sentences that sum the day up, worst news first."""
        for section in sections:
            if section.kind is SectionKind.SUMMARY:
                said = (element("p", line.title, class_=line.tone.value) for line in section.lines)
                yield element("div", *said, class_="summary")

    def chips(self, section: Section, level: int, name: str) -> Markup:
        """Return a section whose lines are short, side by side."""
        head = f"{name}-{section.kind.value}"
        return element(
            "section",
            element(f"h{level}", section.heading, id=head, class_="small"),
            element("ul", *map(_chip, section.lines), class_="chips"),
            aria_labelledby=head,
        )

    def section(self, section: Section, level: int, name: str, *, wide: bool = False) -> Markup:
        """Return a section as a card with its lines; `name` begins the id of its heading."""
        head = f"{name}-{section.kind.value}"
        return element(
            "section",
            self._heading(section, level, head) if section.heading else None,
            self.lines(section),
            class_="card wide" if wide else "card",
            aria_labelledby=head if section.heading else None,
            between="\n",
        )

    def _heading(self, section: Section, level: int, name: str) -> Markup:
        is_own = section.kind is SectionKind.PLAN
        words = _coded(section.heading) if is_own else [section.heading]
        return element(f"h{level}", *words, id=name)

    def lines(self, section: Section) -> Markup:
        """Return a section's lines as a list."""
        timed = any(line.start for line in section.lines)
        is_own = section.kind is SectionKind.PLAN
        return element(
            "ul",
            *(_line(line, self._tools(line), timed=timed, is_own=is_own) for line in section.lines),
            class_="lines" if timed else "lines bare",
            between="\n",
        )

    def footer(self, sections: Iterable[Section], level: int, name: str) -> Markup | None:
        """Return what is said of sources, warnings and the plan itself; None where nothing is."""
        foot = [section for section in sections if section.kind in _FOOT]
        if not foot:
            return None
        return element(
            "footer",
            *(self.section(section, level, f"{name}-foot") for section in foot),
            between="\n",
        )

    def figure(self, plan: DailyPlan, hours: Hours, name: str) -> Markup | None:
        """Return the picture of a day with its legend; None where there is nothing to draw."""
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
            self.legend([hours]),
            between="\n",
        )

    def legend(self, days: Sequence[Hours]) -> Markup | None:
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


def patterns() -> Markup:
    """Return what pictures fill boxes with; it stands once in a page."""
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


def _chip(line: Line) -> Markup:
    return element("li", *_said(line))


def _line(line: Line, tools: Markup | None, *, timed: bool, is_own: bool) -> Markup:
    when = element("span", _when(line), class_="time") if timed else None
    flags = ("past",) if line.past else ()
    kind = "now" if line.kind is LineKind.NOW else "free" if line.kind is LineKind.FREE else ""
    classes = " ".join(part for part in ("line", line.tone.value, kind, *flags) if part)
    what = element("span", *_said(line, is_own=is_own), class_="what")
    return element("li", when, what, tools, class_=classes)


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
