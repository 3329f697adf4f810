"""The day every newcomer sees first, in every form the program prints it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support import RunIris


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("plan.txt", ("plan", "--demo", "--plain")),
        ("plan.json", ("plan", "--demo", "--json")),
        ("speech.txt", ("plan", "--demo", "--speech")),
        ("plan.md", ("plan", "--demo", "--markdown")),
        ("plan.html", ("plan", "--demo", "--html")),
        ("plan.ics", ("plan", "--demo", "--ical")),
        ("week.speech.txt", ("plan", "--demo", "--week", "--speech")),
        ("week.md", ("plan", "--demo", "--week", "--markdown")),
        ("week.html", ("plan", "--demo", "--week", "--html")),
        ("week.ics", ("plan", "--demo", "--week", "--ical")),
        (
            "clock-change.html",
            ("plan", "--demo", "--from", "2026-03-28", "--to", "2026-03-30", "--full", "--html"),
        ),
        ("why.txt", ("why", "--demo", "--plain", "drill")),
        ("why.json", ("why", "--demo", "--json", "bike trailer")),
        ("why.speech.txt", ("why", "--demo", "--speech", "cellar")),
        ("why-asked.txt", ("ask", "--demo", "--plain", "why is the cellar not in my plan?")),
        ("week.txt", ("plan", "--demo", "--to", "2026-04-18")),
        ("brief.txt", ("ask", "--demo", "--plain", "plan next week")),
        ("agenda.txt", ("ask", "--demo", "what is in my calendar today")),
        ("todos.txt", ("ask", "--demo", "what are my open todos")),
        ("free.txt", ("ask", "--demo", "when do I have a free hour")),
        ("conflicts.txt", ("ask", "--demo", "any conflicts this week")),
        ("birthday.txt", ("ask", "--demo", "whose birthday is next")),
        ("busy.txt", ("ask", "--demo", "how busy am I tomorrow")),
        ("whole-day.txt", ("ask", "--demo", "am I free on saturday")),
        ("one-event.txt", ("ask", "--demo", "where is my next meeting")),
        ("one-todo.txt", ("ask", "--demo", "did I pay the electricity bill")),
        ("unknown.txt", ("ask", "--demo", "flurb the gnarl")),
        ("help.txt", ("--help",)),
    ],
)
def test_the_demonstration_prints_what_it_printed(
    iris: RunIris, golden: Callable[[str, str], None], name: str, arguments: tuple[str, ...]
) -> None:
    result = iris(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    golden(f"demo/{name}", result.stdout.rstrip("\n"))
