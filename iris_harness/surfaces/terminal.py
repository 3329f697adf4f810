"""Replies and days on a colour terminal, laid out with rich.

Only this module imports rich, and whoever wants plain text must not import this module: rich
costs as much start-up time as the rest of a plan. Nothing here reads the environment; width
and colours are arguments. Colour is never the only carrier: a mark is a word, a todo has a box.
"""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.reply import DayBlock, Reply, TextBlock
from iris_harness.curator.brief import range_sections
from iris_harness.curator.clean import clean_lines
from iris_harness.curator.language import Language
from iris_harness.curator.runs import FULL_DAYS, runs_of_days
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.view import Line, LineKind, Section, SectionKind, Tone

WIDEST = 100
"""Columns a view fills at most: a source far off to the right is hard to match to its line."""

NARROW = 64
"""Below this many columns a line's source follows its text instead of standing at the right."""

_DASH = "\N{EN DASH}"
_DOT = " \N{MIDDLE DOT} "
_BOX = "\N{BALLOT BOX}"
_INDENT = "  "
_MIN_BODY = 8
_SOURCE_SHARE = 3  # the sources' column takes at most a third of the width

_TONES = {Tone.PLAIN: "", Tone.QUIET: "dim", Tone.CAUTION: "yellow", Tone.ALARM: "bold red"}
_CELL = 12.2  # width of a cell in a picture, whose letters are 20 high
_TEXT = re.compile(
    r'<text class="(?P<style>iris-r\d+)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"'
    r' textLength="[\d.]+" clip-path="(?P<clip>[^"]+)">(?P<words>[^<]*)</text>'
)
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def build_console(file: TextIO, *, width: int | None = None, color: bool = True) -> Console:
    """Return a console that writes to `file` and knows only what it is told.

    `width` None lets rich measure the terminal. Without `color` (``NO_COLOR``) bold and dim
    stay: they carry no colour. Whoever wants no escape sequences at all wants plain text.
    """
    return Console(
        file=file,
        width=width,
        color_system="standard",
        no_color=not color,
        force_terminal=True,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )


def print_reply(
    reply: Reply,
    *,
    color: bool = True,
    console: Console | None = None,
    language: Language = ENGLISH,
) -> None:
    """Print a reply's blocks on `console`; None means standard output."""
    console = console or build_console(sys.stdout, color=color)
    _print_rows(reply_rows(reply, console, language), console)


def print_day(
    plan: DailyPlan,
    *,
    color: bool = True,
    console: Console | None = None,
    language: Language = ENGLISH,
    full: bool = False,
) -> None:
    """Print a day's plan on `console`; None means standard output.

    `full` lists the whole backlog.
    """
    console = console or build_console(sys.stdout, color=color)
    _print_rows(plan_rows(plan, console, language, full=full), console)


def render_svg(shown: Reply | DailyPlan, *, width: int = 88, title: str = "iris") -> str:
    """Return a picture of what the terminal shows, with fonts of the viewer's own machine.

    The same value gives the same bytes; nothing in it is loaded from the network.
    """
    console = build_console(io.StringIO(), width=width)
    console.record = True
    if isinstance(shown, Reply):
        print_reply(shown, console=console)
    else:
        print_day(shown, console=console)
    svg = console.export_svg(title=title, unique_id="iris", font_aspect_ratio=_CELL / 20)
    return _TEXT.sub(_in_its_cells, _with_local_fonts(svg))


def _with_local_fonts(svg: str) -> str:
    """Take the web fonts out of a picture's style; its text is left alone."""
    style, mark, rest = svg.partition("</style>")
    style = re.sub(r"@font-face \{.*?\}\s*", "", style, flags=re.DOTALL)
    return re.sub(r"font-family: [^;]+;", f"font-family: {_FONTS};", style) + mark + rest


def _in_its_cells(match: re.Match[str]) -> str:
    """Put one text of a picture where its first letter stands, as wide as its cells.

    rich counts letters where a wide one takes two cells, and leaves leading spaces in, which
    some programs draw and others do not.
    """
    words = html.unescape(match["words"]).rstrip("\xa0\n")
    bare = words.lstrip("\xa0")
    if not bare:
        return ""
    x = float(match["x"]) + _CELL * (len(words) - len(bare))
    text = html.escape(bare, quote=False).replace("\xa0", "&#160;")
    return (
        f'<text class="{match["style"]}" x="{x:.1f}" y="{match["y"]}"'
        f' textLength="{_CELL * cell_len(bare):.1f}" clip-path="{match["clip"]}">{text}</text>'
    )


def print_days(
    plans: Sequence[DailyPlan],
    *,
    color: bool = True,
    console: Console | None = None,
    language: Language = ENGLISH,
    brief: bool = False,
    full: bool = False,
) -> None:
    """Print the plans of a range, in their order, on `console`; None means standard output.

    `brief` gives each day a few lines; `full` lists the whole backlog where there is one.
    """
    console = console or build_console(sys.stdout, color=color)
    if brief:
        _print_rows(_section_rows(range_sections(plans, language), console), console)
        return
    for index, plan in enumerate(plans):
        if index:
            _print_rows([Text()], console)
        rows = plan_rows(plan, console, language, earlier=plans[:index], full=full)
        _print_rows(rows, console)


def print_sections(
    sections: Sequence[Section], *, color: bool = True, console: Console | None = None
) -> None:
    """Print sections of lines on `console`; None means standard output."""
    console = console or build_console(sys.stdout, color=color)
    _print_rows(_section_rows(sections, console), console)


def _print_rows(rows: Iterable[Text], console: Console) -> None:
    """Print rows as they are: they are laid out already, rich must not wrap them again."""
    for row in rows:
        console.print(row, no_wrap=True, overflow="ignore", crop=False)


def reply_rows(reply: Reply, console: Console, language: Language = ENGLISH) -> Iterator[Text]:
    """Yield the rows of a reply, an empty one between two blocks."""
    earlier: list[DailyPlan] = []
    for index, run in enumerate(runs_of_days(reply.blocks)):
        if index:
            yield Text()
        if isinstance(run, TextBlock):
            yield from _text_rows(run, console)
        elif len(run) > FULL_DAYS:
            yield from _section_rows(range_sections([day.plan for day in run], language), console)
        else:
            yield from _days_rows(run, console, language, earlier)
            earlier.extend(day.plan for day in run)


def _days_rows(
    days: Sequence[DayBlock], console: Console, language: Language, earlier: Sequence[DailyPlan]
) -> Iterator[Text]:
    before = list(earlier)
    for index, day in enumerate(days):
        if index:
            yield Text()
        sections = day_sections(day.plan, language, earlier=before, focus=day.focus)
        yield from _section_rows(sections, console)
        before.append(day.plan)


def _text_rows(block: TextBlock, console: Console) -> Iterator[Text]:
    width = min(console.width, WIDEST)
    heading = clean_lines(block.heading)
    if heading:
        yield from _wrap(Text(heading, style="bold"), console, width)
    for line in clean_lines(block.text).splitlines():
        yield from _wrap(Text(line), console, width)


def _wrap(text: Text, console: Console, width: int) -> list[Text]:
    """Return at least one row; none ends in a space."""
    rows = list(text.wrap(console, max(width, _MIN_BODY))) or [Text()]
    for row in rows:
        row.rstrip()
    return rows


def plan_rows(
    plan: DailyPlan,
    console: Console,
    language: Language = ENGLISH,
    *,
    earlier: Sequence[DailyPlan] = (),
    full: bool = False,
) -> Iterator[Text]:
    """Yield the rows of a day's plan; `earlier` are those of its range that are shown before."""
    yield from _section_rows(day_sections(plan, language, earlier=earlier, full=full), console)


def _section_rows(sections: Sequence[Section], console: Console) -> Iterator[Text]:
    layout = _layout(sections, console)
    for index, section in enumerate(sections):
        if index:
            yield Text()
        yield from layout.section(section)


@dataclass(frozen=True, kw_only=True)
class _Layout:
    """Columns of one view: indent, time, text, sources (none when narrow)."""

    console: Console
    width: int
    when: int
    sources: int

    @property
    def stacked(self) -> bool:
        """Whether it is too narrow for two columns, so that a time takes a row of its own."""
        return self.width - self.when - 2 * len(_INDENT) < _MIN_BODY

    def section(self, section: Section) -> Iterator[Text]:
        if section.kind is SectionKind.HEAD:
            parts = (part for line in section.lines for part in (line.title, *line.notes))
            yield from self._title(section.heading, _DOT.join(parts))
            return
        if section.aside:
            yield from self._title(section.heading, section.aside)
        elif section.heading:
            yield Text(section.heading, style="bold cyan")
        timed = any(line.start for line in section.lines)
        for line in section.lines:
            yield from self._line(line, self._margin(section, line, timed=timed))

    def _title(self, heading: str, aside: str) -> Iterator[Text]:
        title, rest = Text(heading, style="bold"), Text(aside, style="dim")
        gap = self.width - title.cell_len - rest.cell_len
        if gap >= len(_INDENT):
            yield Text.assemble(title, " " * gap, rest)
        else:
            yield from _wrap(title, self.console, self.width)
            yield from _wrap(rest, self.console, self.width)

    def _margin(self, section: Section, line: Line, *, timed: bool) -> Text:
        if not section.heading:
            return Text()
        if not timed or self.stacked:
            return Text(_INDENT * 2 if timed else _INDENT)
        when = _when(line)
        return Text.assemble(_INDENT, when, " " * (self.when - when.cell_len), _INDENT)

    def _line(self, line: Line, margin: Text) -> Iterator[Text]:
        labels = ", ".join(line.source_labels)
        if self.stacked and line.start:
            yield Text.assemble(_INDENT, _when(line))
        aside = self._aside(labels)
        extras = _extras(line)
        if labels and not aside:
            extras.append((_INDENT, Text(f"[{labels}]", style="dim")))
        for index, row in enumerate(self._rows(_title(line), extras, margin, aside)):
            left = Text.assemble(" " * margin.cell_len if index else margin, row)
            yield left if index else self._with_aside(left, aside)

    def _rows(
        self, title: Text, extras: Sequence[tuple[str, Text]], margin: Text, aside: Text
    ) -> list[Text]:
        """Fill rows with a title and what is said of it, each part of that in one piece.

        A part that the row cannot hold goes to the next one, which has no source beside it and
        is set in a little; only a part that no row can hold is broken.
        """
        room = self.width - margin.cell_len
        first = room - aside.cell_len - len(_INDENT) if aside else room
        rows = _wrap(title, self.console, first)
        for gap, extra in extras:
            limit = first if len(rows) == 1 else room
            if rows[-1].cell_len + len(gap) + extra.cell_len <= limit:
                rows[-1] = Text.assemble(rows[-1], (gap, "dim"), extra)
                continue
            rest = _wrap(extra, self.console, room - len(_INDENT))
            rows.extend(Text.assemble(_INDENT, row) for row in rest)
        return rows

    def _aside(self, labels: str) -> Text:
        if not self.sources or not labels:
            return Text()
        aside = Text(labels, style="dim")
        aside.truncate(self.sources, overflow="ellipsis")
        return aside

    def _with_aside(self, left: Text, aside: Text) -> Text:
        if not aside:
            return left
        return Text.assemble(left, " " * (self.width - left.cell_len - aside.cell_len), aside)


def _layout(sections: Iterable[Section], console: Console) -> _Layout:
    width = min(console.width, WIDEST)
    lines = [line for section in sections for line in section.lines]
    widest = max((cell_len(", ".join(line.source_labels)) for line in lines), default=0)
    return _Layout(
        console=console,
        width=width,
        when=max((_when(line).cell_len for line in lines), default=0),
        sources=min(widest, width // _SOURCE_SHARE) if width >= NARROW else 0,
    )


def _when(line: Line) -> Text:
    now = "bold green" if line.kind is LineKind.NOW else ""
    if not line.end:
        return Text(line.start, style=now or _fade(line))
    return Text.assemble((line.start, _fade(line)), (f"{_DASH}{line.end}", "dim"))


def _fade(line: Line) -> str:
    return "dim" if line.past or line.tone is Tone.QUIET else ""


def _title(line: Line) -> Text:
    if line.kind is LineKind.NOW:
        return Text(f"{_DASH}{_DASH} {line.title} {_DASH}{_DASH}", style="bold green")
    box = (f"{_BOX} ", "green") if line.kind is LineKind.TODO_BLOCK else ""
    return Text.assemble(box, (line.title, _title_style(line)))


def _extras(line: Line) -> list[tuple[str, Text]]:
    """Return what is said of a line's title, each with what stands before it on its row."""
    parts = [Text(mark.text, style=_TONES[mark.tone]) for mark in line.marks]
    parts += [Text(note, style="dim") for note in line.notes]
    return [(_DOT if index else _INDENT, part) for index, part in enumerate(parts)]


def _title_style(line: Line) -> str:
    parts = [_TONES[line.tone], "strike" if line.struck else "", _fade(line)]
    if line.kind is LineKind.TODO_BLOCK and not line.past:
        parts.append("green")
    return " ".join(dict.fromkeys(part for part in parts if part))
