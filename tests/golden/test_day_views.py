from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from iris_harness.curator.ical import days_calendar
from iris_harness.curator.markdown import day_markdown
from iris_harness.curator.page.document import day_page
from iris_harness.curator.speech import day_speech
from iris_harness.curator.strings import AMERICAN_ENGLISH
from iris_harness.curator.text import day_text
from iris_harness.surfaces.terminal import build_console, print_day
from tests.day_plans import DAYS, ODD_DAYS

Golden = Callable[[str, str], None]

ALL_DAYS = {**DAYS, **ODD_DAYS}
every_day = pytest.mark.parametrize("name", sorted(ALL_DAYS))


@every_day
def test_text_is_what_was_agreed(name: str, golden: Golden) -> None:
    golden(f"day/{name}.text.txt", day_text(ALL_DAYS[name]()))


@every_day
def test_american_text_is_what_was_agreed(name: str, golden: Golden) -> None:
    golden(f"day/{name}.text.en-US.txt", day_text(ALL_DAYS[name](), AMERICAN_ENGLISH))


@every_day
def test_speech_is_what_was_agreed(name: str, golden: Golden) -> None:
    golden(f"day/{name}.speech.txt", day_speech(ALL_DAYS[name]()))


@every_day
@pytest.mark.parametrize("width", [80, 40])
def test_terminal_layout_is_what_was_agreed(name: str, width: int, golden: Golden) -> None:
    file = io.StringIO()
    print_day(ALL_DAYS[name](), console=Console(file=file, width=width, color_system=None))
    golden(f"day/{name}.terminal-{width}.txt", file.getvalue().removesuffix("\n"))


@every_day
def test_terminal_colours_are_what_was_agreed(name: str, golden: Golden) -> None:
    file = io.StringIO()
    print_day(ALL_DAYS[name](), console=build_console(file, width=80))
    golden(f"day/{name}.colour.txt", file.getvalue().removesuffix("\n").replace("\x1b", "␛"))


@every_day
def test_markdown_is_what_was_agreed(name: str, golden: Golden) -> None:
    golden(f"day/{name}.markdown.md", day_markdown(ALL_DAYS[name]()))


@every_day
def test_page_is_what_was_agreed(name: str, golden: Golden) -> None:
    _, body, rest = day_page(ALL_DAYS[name]()).partition("<body>")
    golden(f"day/{name}.page.html", (body + rest).removesuffix("\n"))


@every_day
def test_calendar_is_what_was_agreed(name: str, golden: Golden) -> None:
    text = days_calendar([ALL_DAYS[name]()])
    golden(f"day/{name}.blocks.ics", text.replace("\r\n", "\n").removesuffix("\n"))


def test_every_golden_file_belongs_to_a_day_that_is_tested() -> None:
    files = (Path(__file__).parent / "day").iterdir()
    assert {file.name.partition(".")[0] for file in files} == set(ALL_DAYS)
