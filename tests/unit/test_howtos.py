"""What the pages about providers tell people to type is what the program takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from iris_harness.config.document import parse_document
from iris_harness.config.schema import Config
from iris_harness.surfaces.cli.add_source import NewSource, _entries
from iris_harness.surfaces.cli.sources import add

HOWTOS = Path(__file__).resolve().parents[2] / "docs" / "howto"
PAGES = [
    "briefing.md", "google.md", "outlook.md", "icloud.md", "nextcloud.md", "calendars-and-lists.md",
    "models.md",
]  # fmt: skip


def blocks(page: str, language: str) -> list[str]:
    text = (HOWTOS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_settings_on_a_page_are_accepted(page: str) -> None:
    found = blocks(page, "yaml")
    assert found
    for block in found:
        document = parse_document(block, page)
        assert not document.problems
        Config.model_validate(document.value)


COMMANDS = [
    pytest.param(line, id=f"{page} {number}")
    for page in PAGES
    for block in blocks(page, "sh")
    for number, line in enumerate(block.splitlines())
    if line.startswith("iris sources add ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_on_a_page_describes_a_source(line: str) -> None:
    arguments = shlex.split(line)[3:]
    with click.Context(add) as context:
        add.parse_args(context, arguments)
    new = NewSource(**context.params)
    (entry,) = _entries(new)  # one: the address tells what is there
    config = Config.model_validate({new.section: [entry]})
    (source,) = config.todos if new.todo else config.calendars
    assert source.kind == ("caldav" if new.username else "ics")


def test_there_are_commands_on_the_pages() -> None:
    assert len(COMMANDS) >= 6
