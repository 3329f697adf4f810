"""`iris plan --verify`: prove a plan, and say what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iris_harness.bootstrap.day import get_stored_plan
from iris_harness.contracts.day import PlannedDay
from iris_harness.errors import UsageError
from iris_harness.planner.verify import verify_plan
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK

if TYPE_CHECKING:
    from iris_harness.storage.records import StoredPlan


def verify_days(planned: Sequence[PlannedDay], code: int = EXIT_OK) -> int:
    """Say beside the printed plans whether they verify; return 1 if not, else `code`."""
    return _say((line for day in planned for line in _violations(day)), code, beside=True)


def verify_kept(kept: StoredPlan) -> int:
    """Say beside a printed kept plan whether it verifies; return the exit code."""
    return _say(_kept_violations(kept), EXIT_OK, beside=True)


def verify_named(what: str, folders: Sequence[Path]) -> int:
    """Verify a kept plan by its id, or a file of `iris plan --json`; return the exit code.

    A file is held against the kept plan whose id it carries: it has to say the same, and the
    kept plan has to verify.

    Raises:
        UsageError: it is neither an id nor a file with a plan.
        RecordNotFoundError: no plan with that id was kept.
        StorageError: the kept plan cannot be read.
    """
    path = Path(what)
    if not path.is_file():
        return _say(_kept_violations(get_stored_plan(folders, what)), EXIT_OK, beside=False)
    lines: list[str] = []
    for plan in _plans_in(path):
        kept = get_stored_plan(folders, str(plan["plan_id"]))
        lines += _differences(plan, json.loads(kept.public_json))
        lines += _kept_violations(kept)
    return _say(lines, EXIT_OK, beside=False)


def _plans_in(path: Path) -> list[dict[str, object]]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # the last: nested too deep
        content = None
    days = content.get("days", [content]) if isinstance(content, dict) else []
    if isinstance(days, list) and days and all(map(_is_plan, days)):
        return days
    raise UsageError(f"{path} holds no plan", hint="give a file that `iris plan --json` wrote")


def _is_plan(day: object) -> bool:
    return isinstance(day, dict) and isinstance(day.get("plan_id"), str)


def _differences(plan: dict[str, object], kept: dict[str, object]) -> Iterator[str]:
    for key in dict.fromkeys((*kept, *plan)):
        if plan.get(key) != kept.get(key) or (key in plan) != (key in kept):
            yield f"{kept['date']}: {key} is not what was kept"


def _kept_violations(kept: StoredPlan) -> Iterator[str]:
    from iris_harness.planner.archive import load_planned_day

    return _violations(load_planned_day(kept.payload))


def _violations(day: PlannedDay) -> Iterator[str]:
    for violation in verify_plan(day.snapshot, day.preferences, day.plan):
        yield f"{day.plan.date.isoformat()}: {violation}"


def _say(violations: Iterable[str], code: int, *, beside: bool) -> int:
    lines = list(violations)
    for line in lines or ("Verified: the plan holds.",):
        click.echo(line, err=beside)
    return EXIT_ERROR if lines else code
