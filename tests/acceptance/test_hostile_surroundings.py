"""Whatever the surroundings are, the user gets an answer or one clear line, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import RunIris

DAY = ("--date", "2026-03-26", "--timezone", "Europe/Berlin", "--now", "08:00")
EMOJI = "\N{TOOTH}"
CALENDAR = f"""\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:1
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260326T100000
DTEND;TZID=Europe/Berlin:20260326T110000
SUMMARY:Dentist {EMOJI}
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def dentist(tmp_path: Path) -> Path:
    path = tmp_path / "dentist.ics"
    path.write_text(CALENDAR, encoding="utf-8")
    return path


def in_shell(command: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `command` in a shell in which "$@" is iris with the arguments."""
    return subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-m", "iris_harness", *arguments],
        env={"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", [b"caf\xe9.ics", b"two\nlines.ics", b"red\x1b[31m.ics"])
def test_a_calendar_of_any_name_is_planned_and_kept(
    iris: RunIris, tmp_path: Path, dentist: Path, name: bytes
) -> None:
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))  # noqa: PTH118 - bytes
    path.write_bytes(dentist.read_bytes())
    result = iris("plan", "--json", *DAY, "--calendar", path)
    assert (result.returncode, result.stderr) == (0, "")
    plan = json.loads(result.stdout)
    assert [event["summary"] for event in plan["events"]] == [f"Dentist {EMOJI}"]
    assert plan["sources"][0]["name"] == os.fsdecode(name).replace("\udce9", "\\udce9")
    assert iris("plan", "--json", "--replay", plan["plan_id"]).stdout == result.stdout


def test_a_todo_list_of_any_name_is_planned(iris: RunIris, tmp_path: Path) -> None:
    path = tmp_path / "todo\udcff.txt"
    path.write_text("(A) Pay rent due:2026-03-26\n", encoding="utf-8")
    result = iris("plan", "--json", *DAY, "--todo", path)
    assert result.returncode == 0, result.stderr
    assert [todo["summary"] for todo in json.loads(result.stdout)["todos"]] == ["Pay rent"]


def test_an_item_of_a_folder_costs_itself_whatever_its_name(
    iris: RunIris, tmp_path: Path, dentist: Path
) -> None:
    folder = tmp_path / "vdir"
    folder.mkdir()
    (folder / "good\udcff.ics").write_bytes(dentist.read_bytes())
    (folder / "bad\udcfe.ics").write_bytes(b"no calendar")
    os.mkfifo(folder / "pipe.ics")
    result = iris("plan", "--json", *DAY, "--calendar", folder)
    plan = json.loads(result.stdout)
    assert len(plan["events"]) == 1
    assert plan["warnings"] == [
        "vdir/bad\\udcfe.ics: is not a calendar",
        "vdir/pipe.ics: is not a regular file",
    ]


@pytest.mark.parametrize("path", ["a" * 5000, "~nobody-of-that-name/cal.ics", "/dev/zero"])
@pytest.mark.parametrize("flag", ["--calendar", "--todo"])
def test_a_path_that_cannot_be_read_fails_alone(iris: RunIris, flag: str, path: str) -> None:
    result = iris("plan", "--json", *DAY, flag, path)
    assert result.returncode == 3, result.stderr
    (source,) = json.loads(result.stdout)["sources"]
    assert source["state"] == "failed"


def test_words_that_are_no_text_are_answered_and_kept(iris: RunIris) -> None:
    result = iris("ask", "--demo", "plan my day \udcff")
    assert result.returncode == 0, result.stderr
    assert "Timeline" in result.stdout
    assert "plan my day \\udcff" in iris("history").stdout


@pytest.mark.parametrize(
    ("environment", "title"),
    [
        ({"PYTHONIOENCODING": "latin-1"}, "Dentist ?"),
        ({"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, EMOJI),
    ],
    ids=["latin-1", "C"],
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_a_locale_without_emoji_does_not_cost_the_answer(
    iris: RunIris,
    dentist: Path,
    environment: dict[str, str],
    title: str,
    form: tuple[str, ...],
) -> None:
    result = iris("plan", *form, *DAY, "--calendar", dentist, **environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert title in result.stdout


@pytest.mark.parametrize(
    "arguments", [("plan", "--demo"), ("ask", "--demo", "plan my day"), ("config", "show")]
)
@pytest.mark.parametrize(
    ("closing", "code"),
    [(">&-", 0), ("2>&-", 0), ("<&-", 0), (">&- 2>&- <&-", 0), (">/dev/full", 1), ("| :", 0)],
)
def test_closed_and_full_streams_bring_no_traceback(
    home: Path, closing: str, code: int, arguments: tuple[str, ...]
) -> None:
    result = in_shell(f'"$@" {closing}', home, *arguments)
    assert result.returncode == code, result.stderr
    assert result.stderr == ("iris: No space left on device\n" if code else "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--now", "0001-01-01T00:00"), "too far away"),
        (("--now", "9999-12-31T23:59-12:00"), "too far away"),
        (("--date", "0001-01-01", "--now", "08:00"), "too far away"),
        (("--date", "9999-12-31", "--to", "tomorrow"), "too far away"),
        (("--date", "9999-12-31"), "too far away"),
    ],
)
def test_the_ends_of_the_calendar_are_usage_errors(
    iris: RunIris, arguments: tuple[str, ...], words: str
) -> None:
    result = iris("plan", "--timezone", "Australia/Lord_Howe", "--todo", "/dev/null", *arguments)
    assert result.returncode == 2, result.stderr
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_a_title_of_megabytes_is_cut_where_it_is_read(
    iris: RunIris, tmp_path: Path, dentist: Path
) -> None:
    long = tmp_path / "long.ics"
    long.write_text(
        CALENDAR.replace("UID:1", "UID:2").replace("Dentist", "x" * 5_000_000), encoding="utf-8"
    )
    todo = tmp_path / "todo.txt"
    todo.write_text("y" * 5_000_000 + " due:2026-03-26\n", encoding="utf-8")
    result = iris("plan", "--json", *DAY, "--calendar", long, "--calendar", dentist, "--todo", todo)
    plan = json.loads(result.stdout)
    titles = [plan["events"][1]["summary"], plan["todos"][0]["summary"]]
    assert titles == ["x" * 999 + "…", "y" * 999 + "…"]
    assert len(result.stdout) < 100_000


def test_setup_leaves_out_what_settings_cannot_name(
    iris: RunIris, home: Path, dentist: Path
) -> None:
    folder = home / "calendars" / "w\udcffrk"
    folder.mkdir(parents=True)
    (folder / "a.ics").write_bytes(dentist.read_bytes())
    khal = home / ".config" / "khal"
    khal.mkdir(parents=True)
    (khal / "config").write_text("[calendars]\n[[w]]\npath = ~/calendars/*\ntype = discover\n")
    result = iris("setup", "--yes")
    assert result.returncode == 0, result.stderr
    assert "rename it" in result.stdout


@pytest.mark.parametrize("source", ["pipe", "/dev/zero"])
def test_a_pipe_or_a_device_is_no_backup(iris: RunIris, tmp_path: Path, source: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = iris("restore", "--yes", tmp_path / source)
    assert result.returncode == 1
    assert "is no Iris backup" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("forget", "--before", "0001-01-01", "--yes"), 2),
        (("forget", "--session", "\udcff", "--yes"), 0),
        (("history", "--limit", "9" * 30), 2),
        (("plan", "--replay", ""), 2),
        (("--config", "~nobody-of-that-name/c.yaml", "plan"), 2),
    ],
)
def test_values_out_of_range_are_told_from_mistakes_of_iris(
    iris: RunIris, arguments: tuple[str, ...], code: int
) -> None:
    result = iris(*arguments)
    assert result.returncode == code, result.stderr
    assert "mistake in Iris" not in result.stderr
