"""Bad input costs a clear line and nothing else: the rest of the answer is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import RunIris

DAY = ("--date", "2026-03-26", "--timezone", "Europe/Berlin", "--now", "08:00")
EVENT = """\
BEGIN:VEVENT
UID:{uid}
DTSTAMP:20260101T000000Z
DTSTART;TZID={zone}:{start}
DTEND;TZID={zone}:20260326T110000
SUMMARY:{summary}
END:VEVENT
"""


def calendar(*events: str) -> str:
    body = "".join(events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//EN\n{body}END:VCALENDAR\n"


def event(summary: str, *, start: str = "20260326T100000", zone: str = "Europe/Berlin") -> str:
    return EVENT.format(uid=summary.replace(" ", "-"), summary=summary, start=start, zone=zone)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.ics"
    path.write_text(calendar(event("Dentist")), encoding="utf-8")
    return path


def _bad_calendars(folder: Path) -> dict[str, Path]:
    loop = folder / "loop.ics"
    loop.symlink_to(loop)
    (folder / "zero.ics").write_bytes(b"")
    (folder / "binary.ics").write_bytes(bytes(range(256)) * 40)
    (folder / "prose.ics").write_text("Dear diary, no calendar here.\n", encoding="utf-8")
    return {
        "missing": folder / "nowhere.ics",
        "loop": loop,
        "below a file": folder / "zero.ics" / "inner.ics",
        "zero bytes": folder / "zero.ics",
        "binary": folder / "binary.ics",
        "prose": folder / "prose.ics",
    }


@pytest.mark.parametrize(
    "kind", ["missing", "loop", "below a file", "zero bytes", "binary", "prose"]
)
def test_a_calendar_that_cannot_be_read_is_named_and_the_rest_is_planned(
    iris: RunIris, tmp_path: Path, good: Path, kind: str
) -> None:
    bad = _bad_calendars(tmp_path)[kind]
    result = iris("plan", "--json", *DAY, "--calendar", good, "--calendar", bad)
    assert result.returncode == 3, result.stderr
    plan = json.loads(result.stdout)
    assert [found["summary"] for found in plan["events"]] == ["Dentist"]
    (failed,) = [source for source in plan["sources"] if source["state"] == "failed"]
    assert failed["name"] == bad.name
    assert failed["detail"]


def test_a_broken_event_costs_itself_and_a_warning(iris: RunIris, tmp_path: Path) -> None:
    path = tmp_path / "mixed.ics"
    text = calendar(event("Broken one", start="never"), event("Lunch with Ida"))
    path.write_text(text, encoding="utf-8")
    result = iris("plan", "--json", *DAY, "--calendar", path)
    plan = json.loads(result.stdout)
    assert [found["summary"] for found in plan["events"]] == ["Lunch with Ida"]
    assert any("Broken" in warning for warning in plan["warnings"])


def test_an_event_in_an_unknown_zone_is_kept_and_warned_of(iris: RunIris, tmp_path: Path) -> None:
    path = tmp_path / "zone.ics"
    path.write_text(calendar(event("Moon call", zone="Moon/Tycho")), encoding="utf-8")
    plan = json.loads(iris("plan", "--json", *DAY, "--calendar", path).stdout)
    assert [found["summary"] for found in plan["events"]] == ["Moon call"]
    assert any("Moon/Tycho" in warning for warning in plan["warnings"])


def test_a_calendar_in_a_western_encoding_is_read(iris: RunIris, tmp_path: Path) -> None:
    path = tmp_path / "latin.ics"
    path.write_bytes(calendar(event("Café")).encode("cp1252"))
    plan = json.loads(iris("plan", "--json", *DAY, "--calendar", path).stdout)
    assert [found["summary"] for found in plan["events"]] == ["Café"]


def test_a_folder_where_a_todo_list_is_expected(iris: RunIris, tmp_path: Path) -> None:
    folder = tmp_path / "todo.txt"
    folder.mkdir()
    result = iris("plan", "--json", *DAY, "--todo", folder)
    assert result.returncode in {0, 3}
    (source,) = json.loads(result.stdout)["sources"]
    assert source["state"] in {"failed", "empty"}
    assert source["detail"]


def test_a_source_that_cannot_be_read_yet_says_so(iris: RunIris, tmp_path: Path) -> None:
    result = iris("plan", "--json", *DAY, "--email", tmp_path, "--finance", tmp_path)
    assert result.returncode == 3
    sources = json.loads(result.stdout)["sources"]
    assert {source["kind"] for source in sources} == {"email", "finance"}
    assert all(source["state"] == "failed" for source in sources)
    assert all("not available" in source["detail"] for source in sources)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--date", "2025-02-30"), "2025-02-30"),
        (("--date", "someday"), "someday"),
        (("--timezone", "Europe/Berlinn"), "Europe/Berlin"),
        (("--now", "25:00"), "25:00"),
        (("--date", "2026-03-26", "--to", "2026-03-20"), "before"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_a_value_that_means_nothing_is_a_usage_error(
    iris: RunIris, arguments: tuple[str, ...], words: str
) -> None:
    result = iris("plan", "--demo", *arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_nonsense_gets_an_honest_answer(iris: RunIris) -> None:
    result = iris("ask", "--demo", "colourless", "green", "ideas", "sleep", "furiously")
    assert result.returncode == 0
    assert "I can" in result.stdout
