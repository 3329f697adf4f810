"""What a button or a link of the day points at: a number in one kept plan, and what it stands for.

A plan never changes once it is kept, so a plan's id with a number names one thing for ever,
however long a page has been open; whether it is still there is for the runner to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.explain import DayItem, ItemKind
from iris_harness.contracts.sources import SourceRef
from iris_harness.curator.clean import clean
from iris_harness.curator.figures import days_from_now
from iris_harness.curator.view import Line, LineKind
from iris_harness.planner.items import list_items

_KINDS = {
    LineKind.TODO_BLOCK: (ItemKind.TODO,),
    LineKind.TODO: (ItemKind.TODO,),
    LineKind.EVENT: (ItemKind.EVENT,),
    LineKind.OTHER_BLOCK: (ItemKind.BREAK, ItemKind.TRAVEL),
}


class Pointed(NamedTuple):
    """Something of a day that can be pointed at."""

    number: int
    item: DayItem
    deeds: tuple[str, ...]
    """What can be done with it: of "done", "pin", "unpin", "skip", "unskip", in this order."""


class DayIndex:
    """Everything in a plan by its number, and by the line that shows it."""

    def __init__(self, plan: DailyPlan, *, may_act: bool) -> None:
        """Take a plan; `may_act` is whether the user's own lists stand behind it."""
        self._plan = plan
        self._may_act = may_act
        skipped = tuple(
            DayItem(kind=ItemKind.TODO, title=one.title, source=one.source) for one in plan.skipped
        )
        listed = tuple(item for item in list_items(plan) if item.source not in _places(skipped))
        self._pinned = {block.source for block in plan.blocks if block.pinned}
        self._skipped = _places(skipped)
        self._all = tuple(
            Pointed(number, item, self._deeds(item))
            for number, item in enumerate((*listed, *skipped))
        )

    def get(self, number: int) -> Pointed | None:
        """Return what a number stands for; None: for nothing."""
        return self._all[number] if 0 <= number < len(self._all) else None

    def find(self, line: Line) -> Pointed | None:
        """Return what a line is about; None for one that says something else."""
        kinds = _KINDS.get(line.kind, ())
        found = [one for one in self._all if one.item.kind in kinds and _is_about(line, one.item)]
        return found[0] if found else None

    def _deeds(self, item: DayItem) -> tuple[str, ...]:
        if not self._may_act or item.kind is not ItemKind.TODO:
            return ()
        if days_from_now(self._plan) < 0:
            return ("done",)
        if item.source in self._skipped:
            return ("done", "unskip")
        if item.source in self._pinned:
            return ("done", "unpin", "skip")
        return ("done", "pin", "skip") if item.times else ("done", "skip")


def _places(items: Sequence[DayItem]) -> frozenset[SourceRef | None]:
    return frozenset(item.source for item in items)


def _is_about(line: Line, item: DayItem) -> bool:
    place = line.sources[0] if line.sources else None
    return item.source == place and clean(item.title) == line.title
