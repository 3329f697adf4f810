from __future__ import annotations

import datetime as dt
import io
import re
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.reply import DayBlock, Reply, TextBlock
from iris_harness.curator.sections import day_sections
from iris_harness.curator.text import day_text, days_text
from iris_harness.surfaces.terminal import (
    WIDEST,
    build_console,
    print_day,
    print_days,
    print_reply,
    render_svg,
)
from tests.day_plans import DAYS, DayBuilder, busy_day, day_off, empty_day, overcommitted_day

COLOUR = re.compile(r"\x1b\[[0-9;]*\b(?:3[0-7]|4[0-7]|9[0-7])[0-9;]*m")
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def shown(plan: DailyPlan, width: int = 80) -> str:
    file = io.StringIO()
    print_day(plan, console=Console(file=file, width=width, color_system=None))
    return file.getvalue()


def titled(*titles: str) -> DailyPlan:
    day = DayBuilder()
    return day.plan(events=tuple(day.event(title, "09:00", "10:00") for title in titles))


def test_square_brackets_in_a_title_are_not_markup() -> None:
    assert "[red]sale[/red] [link=x]" in shown(titled("[red]sale[/red] [link=x]"))


def test_an_emoji_name_in_a_title_stays_text() -> None:
    assert "ship :rocket: now" in shown(titled("ship :rocket: now"))


def test_sources_stand_in_one_column_whatever_the_titles_width() -> None:
    rows = shown(titled("会議 with 東京", "🎉 Party", "Plain", "e\u0301te\u0301")).splitlines()
    with_source = [row for row in rows if row.endswith("work")]
    assert [cell_len(row) for row in with_source] == [80] * 4


@pytest.mark.parametrize("name", sorted(DAYS))
@pytest.mark.parametrize("width", [20, 40, 63, 64, 80, 100, 200])
def test_no_row_is_wider_than_the_terminal(name: str, width: int) -> None:
    rows = shown(DAYS[name](), width).splitlines()
    assert max(map(cell_len, rows)) <= min(width, WIDEST)
    assert all(row == row.rstrip() for row in rows)


@given(st.text(st.sampled_from("\x1b[31m\x9b\x07\u202e\r\n\t{}[]🎉会 abcdefghij"), max_size=80))
def test_any_title_is_harmless_and_fits_a_narrow_terminal(title: str) -> None:
    rows = shown(titled(title, "Next"), 40).split("\n")
    assert all(cell_len(row) <= 40 for row in rows)
    assert not {c for row in rows for c in row if unicodedata.category(c) == "Cc"}
    assert "\u202e" not in "".join(rows)
    assert any("Next" in row for row in rows)


@pytest.mark.parametrize("name", sorted(DAYS))
def test_the_terminal_says_every_word_of_the_plain_text(name: str) -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text))

    plain, terminal = words(day_text(DAYS[name]())), words(shown(DAYS[name](), 100))
    # The label "todo" is drawn as a box.
    assert plain - terminal <= {"todo"}


def test_marks_are_words_and_not_only_colours() -> None:
    text = shown(busy_day())
    for word in ("conflict", "tentative", "declined", "not busy", "pinned", "overdue"):
        assert word in text


def test_without_colour_no_colour_is_sent_and_the_words_are_the_same() -> None:
    with_colour, without = io.StringIO(), io.StringIO()
    print_day(busy_day(), console=build_console(with_colour, width=80))
    print_day(busy_day(), console=build_console(without, width=80, color=False))
    assert COLOUR.search(with_colour.getvalue())
    assert not COLOUR.search(without.getvalue())
    assert STYLE.sub("", with_colour.getvalue()) == STYLE.sub("", without.getvalue())


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def output() -> str:
        file = io.StringIO()
        print_day(busy_day(), console=build_console(file, width=72))
        return file.getvalue()

    before = output()
    for name, value in {
        "NO_COLOR": "1",
        "COLUMNS": "20",
        "TERM": "dumb",
        "COLORTERM": "truecolor",
        "TTY_COMPATIBLE": "0",
    }.items():
        monkeypatch.setenv(name, value)
    assert output() == before


def test_a_reply_shows_its_blocks_in_order() -> None:
    plan = empty_day()
    reply = Reply(
        text="",
        speech="",
        blocks=(
            TextBlock(text="", heading='"plan my day"'),
            DayBlock(plan=plan),
            TextBlock(text="one [x]\n  two", heading="Warnings"),
        ),
    )
    file = io.StringIO()
    print_reply(reply, console=Console(file=file, width=80, color_system=None))
    assert file.getvalue() == ('"plan my day"\n\n' + shown(plan) + "\nWarnings\none [x]\n  two\n")


def test_days_of_a_range_do_not_repeat_their_sources() -> None:
    today = empty_day()
    tomorrow = replace(today, date=dt.date(2026, 3, 13))
    file = io.StringIO()
    print_days((today, tomorrow), console=Console(file=file, width=80, color_system=None))
    assert file.getvalue().startswith(shown(today))
    assert "Friday 13 March 2026" in file.getvalue()
    assert file.getvalue().count("Read: calendars") == 1


@pytest.mark.parametrize("width", [60, 80, 88])
@pytest.mark.parametrize("name", sorted(DAYS))
def test_what_is_said_of_a_title_is_broken_only_where_no_row_could_hold_it(
    name: str, width: int
) -> None:
    text = shown(DAYS[name](), width)
    lines = [line for section in day_sections(DAYS[name]()) for line in section.lines]
    # Beside a time the text has 43 columns at the narrowest.
    notes = [note for line in lines for note in line.notes if len(note) <= 43]
    assert notes
    assert not [note for note in notes if note not in text]


def test_a_source_leaves_its_width_to_the_rows_below_it() -> None:
    day = DayBuilder()
    reason = "overdue since Tue 10 March, priority 1, and it waits for you"
    plan = day.plan(todos=(day.todo("Pay", 1, reason, overdue=True, due=day.date),))
    assert [
        row.rstrip() for row in shown(plan, 70).splitlines() if "Pay" in row or reason in row
    ] == [
        "  Pay" + " " * 49 + "todo.txt: line 1",
        "    " + reason,
    ]


def test_a_range_in_brief_says_the_words_of_its_plain_text() -> None:
    plans = (busy_day(), overcommitted_day(), day_off())
    file = io.StringIO()
    print_days(plans, console=Console(file=file, width=100, color_system=None), brief=True)
    plain = set(re.findall(r"\w+", days_text(plans, brief=True)))
    assert plain - set(re.findall(r"\w+", file.getvalue())) <= {"todo"}
    reply = Reply(text="", speech="", blocks=tuple(DayBlock(plan=plan) for plan in plans))
    again = io.StringIO()
    print_reply(reply, console=Console(file=again, width=100, color_system=None))
    assert again.getvalue() == file.getvalue()


def test_a_range_in_full_shows_the_whole_backlog_when_asked_to() -> None:
    file = io.StringIO()
    print_days((busy_day(),), console=Console(file=file, width=80, color_system=None), full=True)
    assert "Idea number 7" in file.getvalue()


def test_a_reply_made_by_anyone_is_neutralised() -> None:
    reply = Reply(text="", speech="", blocks=(TextBlock(text="a\x1b[2Jb\n\x07c", heading="\x9bm"),))
    file = io.StringIO()
    print_reply(reply, console=Console(file=file, width=80, color_system=None))
    assert file.getvalue() == "ab\nc\n"


def test_long_text_is_wrapped_at_words() -> None:
    reply = Reply(text="", speech="", blocks=(TextBlock(text="word " * 30),))
    file = io.StringIO()
    print_reply(reply, console=Console(file=file, width=40, color_system=None))
    assert {len(row) for row in file.getvalue().splitlines()} <= {39, 34, 29, 24, 19, 14, 9, 4}


@pytest.mark.parametrize("name", sorted(DAYS))
def test_a_picture_is_well_formed_and_loads_nothing(name: str) -> None:
    svg = render_svg(DAYS[name]())
    ET.fromstring(svg)  # noqa: S314 - reads what this program wrote
    assert "@font-face" not in svg
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", svg)
    assert re.findall(r"https?://[^\s\"<]+", svg) == [
        "http://www.w3.org/2000/svg",
        "https://www.textualize.io",
    ]


def test_a_picture_is_the_same_every_time_and_follows_the_width() -> None:
    assert render_svg(busy_day()) == render_svg(busy_day())
    assert render_svg(busy_day(), width=60) != render_svg(busy_day())


def test_texts_of_a_picture_start_at_a_letter_and_are_as_wide_as_their_cells() -> None:
    svg = render_svg(titled("会議 & 東京"))
    picture = ET.fromstring(svg)  # noqa: S314 - reads what this program wrote
    texts = [e for e in picture.iter() if e.get("clip-path", "").startswith("url(#iris-line")]
    said = {e.text: (e.get("x"), e.get("textLength")) for e in texts}
    assert all(text == text.strip("\u00a0\n") and text for text in said if text is not None)
    assert None not in said
    # Ten cells after two of indent, eleven of time and two of space; 12.2 units each.
    assert said["09:00"] == ("24.4", "61.0")
    assert said["会議\u00a0&\u00a0東京"] == ("183.0", "134.2")


def test_a_picture_of_a_reply_is_a_picture_of_its_day() -> None:
    plan = busy_day()
    assert render_svg(Reply(text="", speech="", blocks=(DayBlock(plan=plan),))) == render_svg(plan)


def test_a_title_that_looks_like_style_stays_in_the_picture() -> None:
    title = "@font-face { } font-family: x; <script>"
    svg = render_svg(titled(title))
    text = "".join(ET.fromstring(svg).itertext())  # noqa: S314 - reads what this program wrote
    assert title.replace(" ", "\u00a0") in text


def test_a_very_long_word_is_folded_and_kept() -> None:
    word = "q" * 300
    assert shown(titled(word), 40).count("q") == len(word)


def test_rich_is_not_imported_by_the_plain_views() -> None:
    program = (
        "import sys, iris_harness.curator, iris_harness.curator.text;"
        "print([m for m in ('rich', 'pydantic', 'click', 'asyncio', 'sqlite3')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_what_is_over_today_is_dimmed_only() -> None:
    day = DayBuilder()
    events = (day.event("Early", "08:00", "09:00"),)
    today = day.plan(now="10:00", events=events)
    assert STYLE.sub("", shown(today)) == shown(today)
    file = io.StringIO()
    print_day(replace(today), console=build_console(file, width=80))
    assert "\x1b[2mEarly\x1b[0m" in file.getvalue()
