"""The JSON view: golden files, and the published schema against real output.

The golden files are written again with ``IRIS_UPDATE_GOLDEN=1 pytest tests/unit/planner``; read
the difference before committing it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import DayPreferences, DaySnapshot, JobNews, JobStage
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.planner import build_daily_plan, build_range
from iris_harness.planner.public_json import plan_to_json, range_to_json
from tests.unit.planner.samples import (
    DAY,
    VIENNA,
    at,
    event,
    rich_snapshot,
    snapshot,
    status,
    todo,
)

PROJECT = Path(__file__).resolve().parents[3]
GOLDEN = PROJECT / "tests" / "golden" / "planner"
SCHEMA = json.loads((PROJECT / "docs" / "schema" / "plan.schema.json").read_text("utf-8"))


def day_json() -> dict[str, Json]:
    return plan_to_json(build_daily_plan(rich_snapshot(), DayPreferences()))


def with_jobs(given: DaySnapshot) -> DaySnapshot:
    job = JobNews(
        task="add dark mode",
        stage=JobStage.REVIEW,
        done=2,
        workers=2,
        since=at("06:00"),
        source=SourceRef(source="jobs", locator="4f21"),
    )
    sources = (*given.sources, status("jobs", SourceKind.JOBS))
    return dataclasses.replace(given, jobs=(job,), sources=sources)


def jobs_json() -> dict[str, Json]:
    return plan_to_json(build_daily_plan(with_jobs(snapshot()), DayPreferences()))


def range_json() -> dict[str, Json]:
    report = todo("Report", DAY.replace(day=13), minutes=600)
    call = todo("Call", at("12:00", zone="UTC"), minutes=15)
    days = [
        snapshot(
            [event("Stand-up", at("09:00", day, "UTC"), at("09:15", day, "UTC"))],
            [report, call],
            day=day,
            now=at("07:00", zone="UTC"),
            zone="UTC",
        )
        for day in (DAY, DAY.replace(day=13))
    ]
    return range_to_json([day.plan for day in build_range(days, DayPreferences())])


@pytest.mark.parametrize(("name", "make"), [("day", day_json), ("range", range_json)])
def test_the_json_of_a_plan_is_the_golden_file(name: str, make: object) -> None:
    assert callable(make)
    text = json.dumps(make(), indent=1, ensure_ascii=False) + "\n"
    file = GOLDEN / f"{name}.json"
    if os.environ.get("IRIS_UPDATE_GOLDEN"):
        file.write_text(text, "utf-8")

    assert text == file.read_text("utf-8")


@pytest.mark.parametrize("make", [day_json, jobs_json, range_json])
def test_output_is_valid_by_the_published_schema(make: object) -> None:
    assert callable(make)
    Draft202012Validator.check_schema(SCHEMA)

    assert list(map(str, Draft202012Validator(SCHEMA).iter_errors(make()))) == []


def test_the_schema_refuses_what_is_no_plan() -> None:
    plan = day_json()
    plan["now"] = "2025-03-12T07:00:00Z"

    assert not Draft202012Validator(SCHEMA).is_valid(plan)
    assert not Draft202012Validator(SCHEMA).is_valid({"from": "2025-03-12", "to": "2025-03-12"})


def test_every_key_of_the_output_is_described_in_the_schema_and_the_other_way_round() -> None:
    plan = plan_to_json(build_daily_plan(with_jobs(rich_snapshot()), DayPreferences()))
    entries = {
        "event": "events",
        "todo": "todos",
        "block": "blocks",
        "span": "free",
        "unplaced": "unplaced",
        "birthday": "birthdays",
        "job": "jobs",
        "source": "sources",
    }

    assert list(plan) == list(SCHEMA["$defs"]["day"]["properties"])
    assert list(range_json()) == list(SCHEMA["$defs"]["range"]["properties"])
    for definition, key in entries.items():
        rows = plan[key]
        assert isinstance(rows, list)
        assert rows
        for row in rows:
            assert isinstance(row, dict)
            assert list(row) == list(SCHEMA["$defs"][definition]["properties"])


def test_times_carry_the_users_offset_and_all_day_values_are_plain_dates() -> None:
    march = DAY.replace
    plan = plan_to_json(
        build_daily_plan(
            snapshot(
                [
                    event("Fair", march(day=11), march(day=13)),
                    event("Call", at("08:00", zone="UTC"), at("09:00", zone="UTC")),
                ],
                [todo("a", at("12:00", zone="UTC")), todo("b", DAY)],
                zone=VIENNA,
            ),
            DayPreferences(),
        )
    )

    events, todos = plan["events"], plan["todos"]
    assert isinstance(events, list)
    assert isinstance(todos, list)
    assert [(row["start"], row["end"]) for row in events if isinstance(row, dict)] == [
        ("2025-03-11", "2025-03-13"),
        ("2025-03-12T09:00:00+01:00", "2025-03-12T10:00:00+01:00"),
    ]
    assert [row["due"] for row in todos if isinstance(row, dict)] == [
        "2025-03-12T13:00:00+01:00",
        "2025-03-12",
    ]


_PROGRAM = """
import sys
from iris_harness.contracts.day import DayPreferences
from iris_harness.planner.archive import dump_planned_day
from iris_harness.planner.build import build_planned_day
from tests.unit.planner.samples import rich_snapshot
sys.stdout.buffer.write(dump_planned_day(build_planned_day(rich_snapshot(), DayPreferences())))
"""


def test_neither_hash_seed_nor_the_machines_zone_nor_its_locale_change_a_byte() -> None:
    settings = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "de_DE.UTF-8"},
    ]

    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, **setting},
            cwd=PROJECT,
            capture_output=True,
            check=True,
        ).stdout
        for setting in settings
    ]

    assert outputs[0].startswith(b'{"format":1,')
    assert set(outputs) == {outputs[0]}


def test_importing_the_planner_loads_nothing_heavy() -> None:
    heavy = {"pydantic", "rich", "yaml", "sqlite3", "icalendar", "importlib.metadata", "click"}
    program = (
        "import sys; import iris_harness.planner, iris_harness.planner.public_json, "
        "iris_harness.planner.archive; print(*sys.modules)"
    )

    output = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, check=True, text=True
    ).stdout

    assert heavy & set(output.split()) == set()
