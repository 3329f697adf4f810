"""What the tools that only read say: as text, and as JSON."""

from __future__ import annotations

import datetime as dt

from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.day import plan_days, recall_days
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.canonical import Json
from iris_harness.curator.clean import clean
from iris_harness.curator.explanation import candidate_sections, explanation_text
from iris_harness.curator.strings import find_language
from iris_harness.curator.text import sections_text
from iris_harness.errors import UsageError
from iris_harness.planner.explain import explain
from iris_harness.planner.items import find_items
from iris_harness.planner.public_explanation import candidates_to_json, explanation_to_json
from iris_harness.surfaces.listing import listing_json, nothing_listed


def list_todos(setting: DaySetting, *, waiting: bool) -> tuple[str, dict[str, Json]]:
    """Return the open todos by rank; with `waiting` those too that may not start yet.

    Raises:
        StorageError: the database cannot be used.
    """
    runner = ActionRunner(setting)
    listing = runner.list_todos(runner.now())
    rows = [row for row in listing.rows if waiting or not row.is_waiting]
    lines = [
        f"- {clean(row.todo.summary)}: {row.reason} [{clean(row.todo.source.source)}]"
        for row in rows
    ]
    unread = [
        f"{clean(source.name)} was not read: {source.detail}"
        for source in listing.sources
        if not source.was_read
    ]
    return "\n".join([*(lines or [nothing_listed(listing)]), *unread]), listing_json(rows, listing)


def explain_item(setting: DaySetting, name: str, date: dt.date) -> tuple[str, dict[str, Json]]:
    """Return why an item is where it is in the plan of `date`; of several, which are meant.

    Raises:
        UsageError: nothing in the plan is called so.
    """
    (day,) = plan_days(setting, (date,), recall_days(setting, (date,)).days)
    found = find_items(day.plan, name) if name.strip() else ()
    language = find_language(setting.locale)
    if not found:
        raise UsageError(f"nothing in the plan of {date.isoformat()} is called {name!r}")
    if len(found) > 1:
        sections = candidate_sections(found, day.plan, language)
        return sections_text(sections, language), candidates_to_json(found)
    told = explain(day, found[0])
    return explanation_text(told, language), explanation_to_json(told)
