"""What a new plan of a day changes for the user, compared with the plan that was shown before."""

from __future__ import annotations

from collections.abc import Iterable

from iris_harness.contracts.day import Block, BlockKind, PlannedDay, ShownBlock
from iris_harness.contracts.memory import BlockMove, Spans


def block_moves(day: PlannedDay) -> tuple[BlockMove, ...]:
    """Return what moved, is gone or is new: by the time it has now, what is gone by its old time.

    Time that is over is no part of it. () where no plan was shown before.
    """
    shown = day.snapshot.shown
    if shown is None or not shown.plan_id:
        return ()
    now = day.plan.now
    before = _by_item(block for block in shown.blocks if block.end > now)
    after = _by_item(block for block in day.plan.blocks if block.end > now)
    moves = (
        BlockMove(title=item[-1], before=before.get(item, ()), after=after.get(item, ()))
        for item in dict.fromkeys((*before, *after))
        if before.get(item) != after.get(item)
    )
    return tuple(sorted(moves, key=lambda move: ((move.after or move.before)[0], move.title)))


def _by_item(blocks: Iterable[Block | ShownBlock]) -> dict[tuple[str, str, str], Spans]:
    """Return the spans of each todo and break; a line that moved in its file is the same todo."""
    found: dict[tuple[str, str, str], Spans] = {}
    for block in blocks:
        if block.kind is BlockKind.TRAVEL:
            continue
        source = block.source.source if block.source else ""
        item = (block.kind.value, source, block.title)
        found[item] = tuple(sorted((*found.get(item, ()), (block.start, block.end))))
    return found
