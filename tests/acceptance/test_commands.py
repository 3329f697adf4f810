"""The commands around a plan: setting up, looking after, and having a say over what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.support import RunIris

CALENDAR = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
DTSTART:20260326T090000Z
DTEND:20260326T091500Z
RRULE:FREQ=DAILY
SUMMARY:Stand-up
END:VEVENT
END:VCALENDAR
"""
KHAL = """\
[calendars]
[[home]]
path = ~/calendars/home
"""


CONTACTS = """\
BEGIN:VCARD
VERSION:4.0
FN:Ada King
BDAY:--0326
END:VCARD
"""
KHARD = """\
[addressbooks]
[[friends]]
path = ~/people
"""


@pytest.fixture
def furnished(home: Path) -> Path:
    """A home with a khal calendar and a todo.txt, as people have them."""
    vdir = home / "calendars" / "home"
    vdir.mkdir(parents=True)
    (vdir / "standup.ics").write_text(CALENDAR)
    (home / ".config" / "khal").mkdir(parents=True)
    (home / ".config" / "khal" / "config").write_text(KHAL)
    (home / "todo.txt").write_text("(A) Call mum due:2026-03-26\n")
    (home / "people").mkdir()
    (home / "people" / "ada.vcf").write_text(CONTACTS)
    (home / ".config" / "khard").mkdir(parents=True)
    (home / ".config" / "khard" / "khard.conf").write_text(KHARD)
    return home


def settings_file(home: Path) -> Path:
    return home / ".config" / "iris" / "config.yaml"


@pytest.mark.usefixtures("furnished")
def test_setup_takes_what_it_finds_and_shows_the_first_plan(iris: RunIris, home: Path) -> None:
    result = iris("setup", "--yes")
    assert result.returncode == 0, result.stderr
    assert "Stand-up" in result.stdout
    assert "Call mum" in result.stdout
    assert settings_file(home).stat().st_mode & 0o777 == 0o600
    assert iris("config", "check").returncode == 0
    plan = iris("plan", "--date", "2026-03-26", "--now", "08:00").stdout
    assert "Call mum" in plan
    assert "Ada King [friends]" in plan


@pytest.mark.usefixtures("furnished")
def test_setup_asks_and_asks_again_where_an_answer_means_nothing(iris: RunIris, home: Path) -> None:
    answers = ["Europe/Berlinn", "Europe/Vienna", "nine to five", "10-18", "y", "y", "n"]
    more = [str(home / "nowhere.ics"), "n", "", "", "", "mara@example.org"]
    result = iris("setup", stdin="\n".join([*answers, *more]) + "\n")
    assert result.returncode == 0, result.stderr
    assert "Europe/Berlin" in result.stdout
    shown = iris("config", "show").stdout
    assert "Europe/Vienna" in shown
    assert "10:00-18:00" in shown
    assert "mara@example.org" in shown
    assert "todo.txt" not in shown


@pytest.mark.usefixtures("furnished")
def test_setup_keeps_the_settings_that_were_there(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    first = "timezone: Asia/Tokyo\nme: [mara@example.org]\nplanning: {grid_minutes: 15}\n"
    settings_file(home).write_text(first)
    for _ in range(2):
        assert iris("setup", "--yes").returncode == 0
    shown = iris("config", "show").stdout
    for kept in ("timezone: Asia/Tokyo", "mara@example.org", "grid_minutes: 15", "~/todo.txt"):
        assert kept.replace("~", str(home)) in shown
    copies = sorted(settings_file(home).parent.glob("config.yaml.*"))
    assert len(copies) == 2
    assert copies[0].read_text() == first


def test_setup_that_is_declined_changes_nothing(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("timezone: Asia/Tokyo\n")
    iris("setup", stdin="n\n")
    assert settings_file(home).read_text() == "timezone: Asia/Tokyo\n"


@pytest.mark.usefixtures("furnished")
def test_discovery_names_the_program_and_the_place(iris: RunIris) -> None:
    found = json.loads(iris("sources", "discover", "--json").stdout)
    assert [(source["kind"], source["program"]) for source in found] == [
        ("calendar", "khal"),
        ("contacts", "khard"),
        ("todo", "todo.txt"),
    ]
    assert found[0]["found_in"].startswith("~/.config/khal/config:")


def test_address_books_are_planned_from_without_a_configuration(iris: RunIris, home: Path) -> None:
    (home / "people.vcf").write_text(CONTACTS + "BEGIN:VCARD\nFN:Bea\nBDAY:soon\nEND:VCARD\n")
    day = ("--date", "2026-03-26", "--now", "08:00")
    result = iris("plan", "--contacts", home / "people.vcf", "--json", *day)
    assert result.returncode == 0, result.stderr
    plan = json.loads(result.stdout)
    assert [(one["person"], one["date"]) for one in plan["birthdays"]] == [("Ada King", "--03-26")]
    assert [(one["name"], one["kind"]) for one in plan["sources"]] == [("people.vcf", "contacts")]
    (warning,) = plan["warnings"]
    assert warning.startswith("people.vcf:6: \"Bea\": the birthday 'soon'")
    assert iris("plan", "--replay", plan["plan_id"], "--json").stdout == result.stdout
    again = iris("plan", "--recompute", plan["plan_id"]).stdout
    assert again.rstrip().endswith("No difference: the same inputs gave the same plan.")


def test_an_address_book_that_is_missing_is_said_and_makes_the_exit_code_3(
    iris: RunIris, home: Path
) -> None:
    result = iris("plan", "--contacts", home / "gone.vcf", "--date", "2026-03-26")
    assert result.returncode == 3
    assert "address book gone.vcf: not read (gone.vcf: does not exist)" in result.stdout


def test_a_mistake_in_the_settings_is_named_with_its_line(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("timezone: Europe/Berlin\nplaning:\n  grid_minutes: 5\n")
    result = iris("plan")
    assert result.returncode == 2
    assert result.stdout == ""
    assert "config.yaml:3" in result.stderr
    assert "'planning.grid_minutes'" in result.stderr


def test_flags_beat_the_environment_and_the_environment_the_file(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("planning: {grid_minutes: 10}\n")
    key = "planning.grid_minutes"
    assert "grid_minutes: 10" in iris("config", "show").stdout
    changed = iris("config", "show", IRIS_PLANNING__GRID_MINUTES="15").stdout
    assert "grid_minutes: 15" in changed
    both = iris("--set", f"{key}=20", "config", "show", IRIS_PLANNING__GRID_MINUTES="15").stdout
    assert "grid_minutes: 20" in both


def test_a_secret_is_never_shown(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("agents: {settings: {clock: {api_key: hunter2}}}\n")
    for command in (("config", "show"), ("doctor",), ("doctor", "--json"), ("agents",)):
        result = iris(*command)
        assert "hunter2" not in result.stdout + result.stderr


def test_doctor_names_each_problem_with_its_fix(iris: RunIris, home: Path) -> None:
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("calendars: [/nowhere/cal]\n")
    result = iris("doctor", "--json")
    assert result.returncode == 1
    (problem,) = json.loads(result.stdout)["problems"]
    assert "/nowhere/cal" in problem["detail"]
    assert problem["fix"]


def test_doctor_finds_nothing_wrong_with_a_fresh_installation(iris: RunIris) -> None:
    result = iris("doctor")
    assert result.returncode == 0, result.stdout
    assert "in order" in result.stdout


def test_sources_without_any_say_what_to_do(iris: RunIris) -> None:
    result = iris("sources")
    assert result.returncode == 0
    assert "iris setup" in result.stdout


def test_what_was_kept_can_be_exported_backed_up_restored_and_forgotten(
    iris: RunIris, tmp_path: Path
) -> None:
    asked = json.loads(iris("ask", "plan my day", "--demo", "--json").stdout)
    kept = [json.loads(line) for line in iris("export").stdout.splitlines()]
    assert {line["kind"] for line in kept} == {"plan", "turn"}
    saved = tmp_path / "iris.zip"
    assert iris("backup", saved).returncode == 0
    assert saved.stat().st_mode & 0o777 == 0o600

    assert iris("forget", "--all", "--yes").returncode == 0
    assert iris("export").stdout == ""
    assert iris("plan", "--replay", asked["plan_id"]).returncode == 1

    assert iris("restore", saved, "--yes").returncode == 0
    assert iris("plan", "--replay", asked["plan_id"]).returncode == 0
    assert asked["trace_id"] in iris("history", "--json").stdout


def test_forgetting_needs_to_know_what(iris: RunIris) -> None:
    result = iris("forget")
    assert result.returncode == 2
    assert "--all" in result.stderr


def test_a_damaged_backup_is_refused_and_nothing_changes(iris: RunIris, tmp_path: Path) -> None:
    iris("plan", "--demo")
    before = iris("export").stdout
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 not really")
    result = iris("restore", broken, "--yes")
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert iris("export").stdout == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(iris: RunIris, shell: str) -> None:
    result = iris("completion", shell)
    assert result.returncode == 0, result.stderr
    assert "_IRIS_COMPLETE" in result.stdout


def test_a_commands_name_is_completed(iris: RunIris) -> None:
    asked = {"COMP_WORDS": "iris fo", "COMP_CWORD": "1"}
    result = iris(_IRIS_COMPLETE="bash_complete", **asked)
    assert "forget" in result.stdout


def test_the_trace_shows_route_task_and_steps(iris: RunIris) -> None:
    result = iris("ask", "--demo", "--trace", "what", "time", "is", "it")
    assert "time.query (clock)" in result.stdout
    assert "compose" in result.stdout


SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schema"


def validator(name: str) -> Draft202012Validator:
    resources = [
        (path.name, Resource.from_contents(json.loads(path.read_text())))
        for path in SCHEMAS.glob("*.json")
    ]
    schema = json.loads((SCHEMAS / name).read_text())
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(schema, registry=registry)


@pytest.mark.parametrize("words", ["plan my day", "plan this week", "what time is it", "flurb"])
def test_an_answer_has_the_published_form(iris: RunIris, words: str) -> None:
    reply = json.loads(iris("ask", "--demo", "--json", "--trace", words).stdout)
    validator("reply.schema.json").validate(reply)


@pytest.mark.parametrize("more", [(), ("--to", "2026-04-18")])
def test_a_plan_has_the_published_form(iris: RunIris, more: tuple[str, ...]) -> None:
    printed = json.loads(iris("plan", "--demo", "--json", *more).stdout)
    validator("plan.schema.json").validate(printed)


def test_a_question_is_answered_as_json(iris: RunIris) -> None:
    reply = json.loads(iris("ask", "--demo", "--json", "plan my day").stdout)
    assert reply["plans"][0]["plan_id"] == reply["plan_id"]
    assert reply["text"].startswith("Thursday 16 April 2026")
    assert reply["degraded"] is False


def test_a_picture_of_the_plan_is_written(iris: RunIris, tmp_path: Path) -> None:
    picture = tmp_path / "day.svg"
    assert iris("plan", "--demo", "--svg", picture).returncode == 0
    drawn = picture.read_text()
    assert drawn.startswith("<svg")
    assert not [mark for mark in ("url(http", "href=", "@import", "@font-face") if mark in drawn]


@pytest.mark.usefixtures("furnished")
def test_setup_that_is_gone_through_again_keeps_the_address_books(
    iris: RunIris, home: Path
) -> None:
    (home / "club.vcf").write_text(CONTACTS)
    settings_file(home).parent.mkdir(parents=True)
    settings_file(home).write_text("contacts: [~/club.vcf]\n")
    assert iris("setup", "--yes").returncode == 0
    shown = iris("config", "show").stdout
    assert "club.vcf" in shown
    assert "people" in shown


@pytest.mark.usefixtures("furnished")
def test_forgetting_everything_leaves_nothing_of_the_calendars_in_the_cache(
    iris: RunIris, home: Path
) -> None:
    assert iris("setup", "--yes").returncode == 0
    assert b"Stand-up" in b"".join(p.read_bytes() for p in home.rglob("cache.db*"))
    assert iris("forget", "--all", "--yes").returncode == 0
    assert not list(home.rglob("cache.db*"))


def test_doctor_says_what_becomes_of_the_index(iris: RunIris, home: Path) -> None:
    calendar = home / "cal.ics"
    calendar.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20250301\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"timezone: Europe/Berlin\ncalendars: [{calendar}]\n")
    said = [_cache_fact(iris)]
    iris("plan")
    said.append(_cache_fact(iris))
    index = home / ".cache" / "iris" / "cache.db"
    index.write_bytes(b"no database" * 1000)
    said.append(_cache_fact(iris))
    iris("plan")
    iris("plan")
    said.append(_cache_fact(iris))
    assert [text.partition("cache.db ")[2] for text in said] == [
        "(not there yet)",
        "(0.1 MB, in order, of 1 calendar; it may be deleted at any time)",
        "(0.0 MB, damaged, and thrown away by the next plan; it may be deleted at any time)",
        "(0.1 MB, in order, of 1 calendar; it may be deleted at any time)",
    ]


def _cache_fact(iris: RunIris) -> str:
    return str(json.loads(iris("doctor", "--json").stdout)["facts"]["cache"])


def test_forgetting_everything_forgets_what_was_kept_of_the_settings(
    iris: RunIris, home: Path
) -> None:
    file = home / ".config" / "iris" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("locale: de\n")
    kept = home / ".cache" / "iris" / "settings.json"
    iris("plan")
    assert kept.exists()
    assert iris("forget", "--all", "--yes").returncode == 0
    assert not kept.exists()
