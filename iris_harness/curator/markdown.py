"""A day as Markdown (CommonMark): for notes, mails and wikis.

Text that others wrote stays text: what could be read as markup is escaped, so a title can neither
make a heading nor load a picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.reply import ReplyBlock, TextBlock
from iris_harness.curator.brief import range_sections
from iris_harness.curator.language import Language
from iris_harness.curator.runs import FULL_DAYS, runs_of_days
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.view import Line, LineKind, Section, SectionKind, Tone

# CommonMark 0.31 §2.4: a backslash takes the meaning from any of these. In the middle of a word
# "_" has none (§6.2), so that names like snake_case stay readable.
_ACTIVE = re.compile(r"[\\`*\[\]<>&~|$]|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"^(?:[#+=:-]|\d{1,9}(?=[.)]))")
_DASH = "\N{EN DASH}"


def day_markdown(
    plan: DailyPlan,
    language: Language = ENGLISH,
    *,
    earlier: Sequence[DailyPlan] = (),
    full: bool = False,
) -> str:
    """Return a plan as Markdown, without a final line break.

    `earlier` are the plans of a range that are shown before it; `full` lists the whole backlog.
    """
    sections = day_sections(plan, language, earlier=earlier, full=full)
    return "\n\n".join(_part(section) for section in sections)


def days_markdown(
    plans: Sequence[DailyPlan],
    language: Language = ENGLISH,
    *,
    brief: bool = False,
    full: bool = False,
) -> str:
    """Return the plans of a range, at least one, in their order, as Markdown.

    `brief` gives each day a few lines and leaves the lists of todos out; `full` lists the whole
    backlog where there is one.
    """
    if brief:
        return "\n\n".join(_part(section) for section in range_sections(plans, language))
    return "\n\n".join(
        day_markdown(plan, language, earlier=plans[:at], full=full) for at, plan in enumerate(plans)
    )


def reply_markdown(blocks: Sequence[ReplyBlock], language: Language = ENGLISH) -> str:
    """Return a reply as Markdown, without a final line break; more than two days in brief."""
    return "\n\n".join(_reply_parts(blocks, language))


def _reply_parts(blocks: Sequence[ReplyBlock], language: Language) -> Iterator[str]:
    earlier: list[DailyPlan] = []
    for run in runs_of_days(blocks):
        if isinstance(run, TextBlock):
            if run.heading:
                yield f"**{escaped(run.heading)}**"
            if run.text:
                yield "\n".join(_text_rows(run.text))
        elif len(run) > FULL_DAYS:
            yield days_markdown([day.plan for day in run], language, brief=True)
        else:
            for day in run:
                yield day_markdown(day.plan, language, earlier=earlier)
                earlier.append(day.plan)


def _text_rows(text: str) -> Iterator[str]:
    """Yield lines of plain text; what is indented there is an item here."""
    before_item = True
    for line in text.splitlines():
        is_item = line.startswith("  ")
        if is_item and not before_item:
            yield ""
        yield f"- {escaped(line.strip())}" if is_item else f"{escaped(line)}  "
        before_item = is_item


def escaped(text: str) -> str:
    """Return `text` (one line) so that CommonMark shows it as it is."""
    quiet = _ACTIVE.sub(r"\\\g<0>", text)
    start = _AT_START.match(quiet)
    if start is None:
        return quiet
    # A number is escaped at the dot behind it, anything else before it.
    at = start.end() if start[0].isdigit() else 0
    return f"{quiet[:at]}\\{quiet[at:]}"


def _part(section: Section) -> str:
    return "\n\n".join(part for part in (_heading(section), "\n".join(_rows(section))) if part)


def _heading(section: Section) -> str:
    if section.kind is SectionKind.HEAD:
        return f"# {escaped(section.heading)}"
    if not section.heading:
        return ""
    # Headings of plans name a command: that one is Iris' own, and code.
    own = section.heading if section.kind is SectionKind.PLAN else escaped(section.heading)
    return f"## {own}" + (f"\n\n{escaped(section.aside)}" if section.aside else "")


def _rows(section: Section) -> Iterator[str]:
    match section.kind:
        case SectionKind.HEAD:
            yield ", ".join(escaped(part) for line in section.lines for part in _parts(line))
        case SectionKind.PLAN if not section.heading:
            yield from (line.title for line in section.lines)
        case SectionKind.SUMMARY:
            yield "\n\n".join(_urgent(line) for line in section.lines)
        case _:
            yield from (f"- {_item(line)}" for line in section.lines)


def _parts(line: Line) -> Iterator[str]:
    yield line.title
    yield from line.notes


def _urgent(line: Line) -> str:
    text = escaped(line.title)
    return f"**{text}**" if line.tone is Tone.ALARM else text


def _item(line: Line) -> str:
    title = escaped(line.title)
    if line.struck:
        title = f"~~{title}~~"
    if line.kind is LineKind.NOW:
        return f"**{line.start} {title}**"
    extras = "; ".join(escaped(text) for text in (*(mark.text for mark in line.marks), *line.notes))
    sources = ", ".join(map(escaped, line.source_labels))
    parts = (
        f"{line.start}{_DASH}{line.end}" if line.end else line.start,
        f"{escaped(line.label)}:" if line.label else "",
        title,
        f"({extras})" if extras else "",
        f"*{sources}*" if sources else "",
    )
    return " ".join(part for part in parts if part)
