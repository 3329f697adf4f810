"""The open todos as they are listed: by rank, with the numbers that commands accept."""

from __future__ import annotations

from typing import NamedTuple

from iris_harness.bootstrap.actions.world import World
from iris_harness.contracts.day import Todo
from iris_harness.contracts.sources import SourceStatus
from iris_harness.planner.ranking import Standing
from iris_harness.planner.words import DateWords, rank_reason


class TodoRow(NamedTuple):
    """One open todo in the list."""

    number: int
    """From 1 on, among all open todos, by rank."""
    todo: Todo
    reason: str
    """Why it stands where it stands."""
    overdue: bool
    is_waiting: bool
    """Whether it may not start yet."""


class TodoListing(NamedTuple):
    """All open todos, and how reading the lists went."""

    rows: tuple[TodoRow, ...]
    sources: tuple[SourceStatus, ...]
    warnings: tuple[str, ...]


def read_listing(world: World) -> TodoListing:
    """Return every open todo by today's rank."""
    dates = DateWords(day=world.now.date(), now=world.now)
    rows = tuple(
        TodoRow(
            number=number,
            todo=item.todo,
            reason=rank_reason(item.ranked, dates),
            overdue=item.ranked.overdue,
            is_waiting=item.ranked.standing is Standing.NOT_YET,
        )
        for number, item in enumerate(world.todos, start=1)
    )
    return TodoListing(rows=rows, sources=world.lists, warnings=world.list_warnings)
