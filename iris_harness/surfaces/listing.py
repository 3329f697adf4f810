"""The list of todos, as several surfaces give it."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.bootstrap.actions.listing import TodoListing, TodoRow
from iris_harness.contracts.canonical import Json


def nothing_listed(listing: TodoListing) -> str:
    """Return what is said where there is nothing to list."""
    if not listing.sources:
        return "No todo list is set up; `iris setup` finds yours."
    if not any(status.was_read for status in listing.sources):
        return "None of your lists could be read."
    return "Nothing else is open." if listing.rows else "Nothing is open."


def listing_json(rows: Sequence[TodoRow], listing: TodoListing) -> dict[str, Json]:
    """Return the rows that are shown of a listing as ``iris todo list --json`` prints them."""
    return {
        "todos": [_row_json(row) for row in rows],
        "sources": [
            {"name": status.name, "state": status.state.value, "detail": status.detail}
            for status in listing.sources
        ],
        "warnings": list(listing.warnings),
    }


def _row_json(row: TodoRow) -> dict[str, Json]:
    todo = row.todo
    return {
        "number": row.number,
        "uid": todo.uid,
        "summary": todo.summary,
        "due": todo.due.isoformat() if todo.due else None,
        "priority": todo.priority,
        "estimate_minutes": todo.estimate_minutes,
        "overdue": row.overdue,
        "waiting": row.is_waiting,
        "list": todo.source.source,
        "source": str(todo.source),
        "reason": row.reason,
    }
