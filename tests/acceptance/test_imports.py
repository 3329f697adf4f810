"""Start-up is a feature: what a command must not load."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

FORBIDDEN_FOR_PLAN = {
    "sqlalchemy", "alembic", "numpy", "starlette", "pydantic", "yaml", "rich", "iris_router",
    "iris_agents", "importlib.metadata", "icalendar", "dateutil.tz",
}  # fmt: skip
FORBIDDEN_ONCE_READ = FORBIDDEN_FOR_PLAN | {
    "iris_harness.sources.ical.events", "iris_harness.sources.todotxt",
    "iris_harness.sources.contacts", "iris_harness.executor.agent_executor",
}  # fmt: skip


def loaded(home: Path, forbidden: set[str], *arguments: str) -> str:
    """Return which of the `forbidden` modules a run of `iris` loads."""
    program = (
        "import sys; from iris_harness.surfaces.cli import main; "
        f"code = main({[*arguments]}); "
        f"print(sorted(set({sorted(forbidden)}) & set(sys.modules)), file=sys.stderr); "
        "sys.exit(code)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stderr.strip()


def test_planning_the_demo_day_loads_no_heavy_part(tmp_path: Path) -> None:
    assert loaded(tmp_path, FORBIDDEN_FOR_PLAN, "plan", "--demo") == "[]"


@pytest.mark.parametrize("place", ["file", "folder"])
def test_planning_again_loads_neither_what_reads_settings_nor_what_reads_calendars(
    tmp_path: Path, place: str
) -> None:
    calendar = tmp_path / "cal.ics"
    if place == "folder":
        calendar = tmp_path / "cal" / "cal.ics"
        calendar.parent.mkdir()
    calendar.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:a\nDTSTART:20250301T090000Z\n"
        "RRULE:FREQ=DAILY\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    path = calendar if place == "file" else calendar.parent
    config = tmp_path / "config.yaml"
    config.write_text(f"timezone: Europe/Berlin\ncalendars: [{path}]\n")
    plan = ("--config", str(config), "plan", "--date", "2025-03-12")
    assert loaded(tmp_path, {"pydantic", "yaml"}, *plan) == "['pydantic', 'yaml']"
    time.sleep(3)  # a file that has just been written is read again until it is old enough
    loaded(tmp_path, set(), *plan)
    assert loaded(tmp_path, FORBIDDEN_ONCE_READ, *plan) == "[]"
