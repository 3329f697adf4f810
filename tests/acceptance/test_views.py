"""Forms of a plan for other programs, and the question why, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import icalendar
import jsonschema
import pytest

from tests.support import RunIris

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "explanation.schema.json"


def test_a_time_at_which_there_is_nothing_is_said_to_be_free_or_empty(iris: RunIris) -> None:
    empty, free = (iris("why", "--demo", time) for time in ("23:30", "12:12"))
    assert (empty.returncode, empty.stdout, free.returncode) == (1, "", 1)
    assert "nothing is planned at 23:30 on 2026-04-16 (" in empty.stderr
    assert "nothing is planned at 12:12 on 2026-04-16: that is free time (" in free.stderr


@pytest.mark.parametrize(
    ("option", "begins"),
    [
        ("--html", "<!DOCTYPE html>"),
        ("--markdown", "# Thursday 16 April 2026"),
        ("--ical", "BEGIN:VCALENDAR\r\n"),
    ],
)
def test_a_form_is_printed_or_written(
    iris: RunIris, tmp_path: Path, option: str, begins: str
) -> None:
    printed = iris("plan", "--demo", option)
    assert (printed.returncode, printed.stderr) == (0, "")
    file = tmp_path / "plan.out"
    written = iris("plan", "--demo", option, str(file))
    assert (written.returncode, written.stdout) == (0, "")
    assert str(file) in written.stderr
    content = file.read_bytes().decode()
    assert content.startswith(begins)
    assert content.replace("\r\n", "\n") == printed.stdout.replace("\r\n", "\n")


def test_a_kept_plan_has_all_forms(iris: RunIris) -> None:
    plan_id = json.loads(iris("plan", "--demo", "--json").stdout)["plan_id"]
    for option in ("--html", "--markdown", "--ical"):
        again = iris("plan", "--replay", plan_id, option)
        assert again.returncode == 0
        assert again.stdout == iris("plan", "--demo", option).stdout


def test_a_week_is_one_calendar(iris: RunIris) -> None:
    calendar = icalendar.Calendar.from_ical(iris("plan", "--demo", "--week", "--ical").stdout)
    days = {str(event["dtstart"].to_ical())[2:10] for event in calendar.walk("VEVENT")}
    assert len(days) > 1


def test_mistakes_are_said(iris: RunIris, tmp_path: Path) -> None:
    both = iris("plan", "--demo", "--html", "--ical")
    assert both.returncode == 2
    assert "two forms of one plan" in both.stderr
    nowhere = iris("plan", "--demo", "--html", str(tmp_path / "no" / "such.html"))
    assert nowhere.returncode == 1
    assert "the file was not written" in nowhere.stderr


def test_a_source_that_failed_still_degrades_the_exit_code(iris: RunIris, tmp_path: Path) -> None:
    missing = tmp_path / "missing.ics"
    for option in ("--html", "--markdown", "--ical"):
        assert iris("plan", "--calendar", str(missing), option).returncode == 3


def test_why_is_answered_with_what_the_schema_says(iris: RunIris) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for item in ("drill", "cellar", "choir", "way to lunch", "the"):
        result = iris("why", "--demo", "--json", item)
        if result.stdout:
            jsonschema.validate(json.loads(result.stdout), schema)
    told = json.loads(iris("why", "--demo", "--json", "cellar").stdout)
    assert told["outcome"] == "unplaced"
    assert told["changes"]


def test_a_name_that_fits_several_things_is_asked_back(iris: RunIris) -> None:
    several = iris("why", "--demo", "for")
    assert several.returncode == 1
    assert "Finish the slides for tomorrow's workshop" in several.stdout
    assert "Look for a second-hand bike trailer" in several.stdout
    nothing = iris("why", "--demo", "no such thing")
    assert nothing.returncode == 1
    assert "nothing in the plan of 2026-04-16 is called 'no such thing'" in nothing.stderr
    assert iris("why", "--demo", " ").returncode == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("why is the cellar not in my plan?", "Clear out the cellar"),
        ("why not the cellar today?", "Clear out the cellar"),
        ("why isn't the cellar planned", "Clear out the cellar"),
        ("what would make the cellar fit", "It would fit if"),
        ("why is choir at 19:30?", "Choir rehearsal is at 19:30 to 21:30"),
        ("why is oma so early?", "Call Oma before she goes to dinner"),
        ("why is lunch at 12:30", "Lunch with Jonas is at 12:30"),
        ("why is lunch there", "Lunch with Jonas is at 12:30"),
        ("why is for there", "Several things on Thursday 16 April 2026"),
        ("why is the unicorn in my plan", "Nothing in the plan of Thursday 16 April 2026"),
    ],
)
def test_why_can_be_asked_in_words(iris: RunIris, question: str, answer: str) -> None:
    result = iris("ask", "--demo", "--plain", question)
    assert result.returncode == 0
    assert answer in result.stdout
