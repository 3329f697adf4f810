"""What Iris remembers of a day: the plan it showed last, and what the user said about it since."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from iris_harness.contracts.day import BlockKind, ShownBlock, ShownPlan, SkippedTodo
from iris_harness.contracts.marks import Mark, MarkKind
from iris_harness.contracts.memory import DayMemory
from iris_harness.contracts.sources import SourceRef
from iris_harness.errors import StorageError

if TYPE_CHECKING:
    from iris_harness.storage.records import StoredPlan
    from iris_harness.storage.store import IrisStore


def recall(store: IrisStore, day: dt.date, *, with_plan: bool = True) -> DayMemory:
    """Return what is remembered of a day: only plans of the configured sources count.

    Without the plan there are the user's marks alone.

    Raises:
        StorageError: the database cannot be read, or what it holds of the plan is damaged.
    """
    marks = store.marks.get(day)
    plan = store.find_latest_plan(day) if with_plan else None
    if plan is None:
        marked = _made_with(None, marks)
        return DayMemory(shown=marked, made_with=marked)
    content = _content(plan)
    try:
        return DayMemory(
            shown=_marked(_blocks(content["plan"]), plan.summary.plan_id, marks),
            last_id=plan.summary.plan_id,
            last_now=dt.datetime.fromisoformat(content["snapshot"]["now"]),
            made_with=_made_with(content["snapshot"].get("shown"), marks),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged() from error


def _made_with(before: Any, marks: Sequence[Mark]) -> ShownPlan | None:  # noqa: ANN401 - JSON
    if before is not None:
        return _marked(_read_blocks(before["blocks"]), before["plan_id"], marks)
    return _marked((), "", marks) if marks else None


def _damaged() -> StorageError:
    return StorageError("the plan shown last cannot be read", hint="make it anew")


def _content(plan: StoredPlan) -> Any:  # noqa: ANN401 - JSON of a planned day
    """Return a kept day as plain JSON: reading it whole would cost more than planning it."""
    try:
        return json.loads(plan.payload)["planned_day"]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged() from error


def _blocks(plan: Any) -> tuple[ShownBlock, ...]:  # noqa: ANN401 - JSON of a plan
    return _read_blocks((*plan["blocks"], *plan.get("history", ())))


def _read_blocks(trees: Iterable[Any]) -> tuple[ShownBlock, ...]:
    return tuple(
        ShownBlock(
            kind=BlockKind(tree["kind"]),
            title=tree["title"],
            start=dt.datetime.fromisoformat(tree["start"]),
            end=dt.datetime.fromisoformat(tree["end"]),
            source=SourceRef(**tree["source"]) if tree["source"] else None,
        )
        for tree in trees
    )


def _marked(blocks: Sequence[ShownBlock], plan_id: str, marks: Sequence[Mark]) -> ShownPlan:
    """Return a shown plan with pins and skips as they are now; those it had itself are dropped."""
    pins = [mark for mark in marks if mark.kind is MarkKind.PIN]
    pinned = {(mark.source, mark.title) for mark in pins}
    free = (block for block in blocks if (block.source, block.title) not in pinned)
    return ShownPlan(
        plan_id=plan_id,
        blocks=(*free, *_pinned_blocks(pins)),
        skipped=tuple(
            SkippedTodo(title=mark.title, source=mark.source)
            for mark in marks
            if mark.kind is MarkKind.SKIP
        ),
    )


def _pinned_blocks(pins: Iterable[Mark]) -> Iterator[ShownBlock]:
    for pin in pins:
        for start, end in pin.spans:
            yield ShownBlock(
                kind=BlockKind.TODO,
                title=pin.title,
                start=start,
                end=end,
                pinned=True,
                source=pin.source,
            )
