"""A day as plain text: for pipes, mails, screen readers and dumb terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.scopes import Scope
from iris_harness.curator.brief import range_sections
from iris_harness.curator.cells import cell_width, pad, wrap
from iris_harness.curator.language import Language
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.view import Line, LineKind, Section, SectionKind

PLAIN_WIDTH = 80
"""Columns of plain text; only a token that is wider itself is cut."""

_INDENT = "  "
_GAP = re.compile(r" (?!(?:h|min)\b)")
"""A space at which a row may end: not one between a number and its unit."""


def day_text(
    plan: DailyPlan,
    language: Language = ENGLISH,
    *,
    earlier: Sequence[DailyPlan] = (),
    full: bool = False,
    focus: Scope | None = None,
) -> str:
    """Return a plan as plain text, `PLAIN_WIDTH` columns, without a final line break.

    The layout itself uses ASCII only; titles keep their own letters. `earlier` are the plans
    of a range that are shown before it; `full` lists the whole backlog; `focus` is the part of
    the day whose hours are shown, None for all of them.
    """
    sections = day_sections(plan, language, earlier=earlier, full=full, focus=focus)
    return sections_text(sections, language)


def days_text(
    plans: Sequence[DailyPlan],
    language: Language = ENGLISH,
    *,
    brief: bool = False,
    full: bool = False,
) -> str:
    """Return the plans of a range, at least one, in their order, as plain text.

    `brief` gives each day a few lines and leaves the lists of todos out; `full` lists the
    whole backlog where there is one.
    """
    if brief:
        return sections_text(range_sections(plans, language), language)
    return "\n\n".join(
        day_text(plan, language, earlier=plans[:index], full=full)
        for index, plan in enumerate(plans)
    )


def sections_text(sections: Sequence[Section], language: Language = ENGLISH) -> str:
    """Return sections as plain text, `PLAIN_WIDTH` columns, without a final line break."""
    column = when_width(line for section in sections for line in section.lines)
    return "\n\n".join("\n".join(_section_rows(section, column, language)) for section in sections)


def when_width(lines: Iterable[Line]) -> int:
    """Return the cells that the widest time of `lines` takes; 0 without times."""
    return max((cell_width(_when(line)) for line in lines), default=0)


def _section_rows(section: Section, column: int, language: Language) -> Iterator[str]:
    if section.aside:
        row = language.say("brief.heading", date=section.heading, figures=section.aside)
        yield from wrap(_words(row), PLAIN_WIDTH)
    elif section.heading:
        yield section.heading
    if section.kind is SectionKind.HEAD:
        for line in section.lines:
            yield ", ".join((line.title, *line.notes))
        return
    timed = any(line.start for line in section.lines)
    indent = _INDENT if section.heading else ""
    for line in section.lines:
        yield from _line_rows(line, indent, column if timed else 0)


def _line_rows(line: Line, indent: str, column: int) -> Iterator[str]:
    when = pad(_when(line), column) + _INDENT if column else ""
    margin = indent + when
    for row in wrap(_tokens(line), PLAIN_WIDTH - cell_width(margin)):
        yield margin + row
        margin = " " * cell_width(margin)


def _when(line: Line) -> str:
    return f"{line.start}-{line.end}" if line.end else line.start


def _tokens(line: Line) -> Iterator[str]:
    """Yield what a line says in pieces that are kept whole where possible."""
    title = f"-- {line.title} --" if line.kind is LineKind.NOW else line.title
    if line.label:
        title = f"{line.label}: {title}"
    yield from _words(title)
    extras = "; ".join((*(mark.text for mark in line.marks), *line.notes))
    if extras:
        yield from _words(f"({extras})")
    if line.source_labels:
        yield f"[{', '.join(line.source_labels)}]"


def _words(text: str) -> list[str]:
    """Return the words of a text; a number and its unit ("15 min") are one of them."""
    return _GAP.split(text)
