"""By what name the blocks of a plan go in calendars (RFC 5545 UID)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from iris_harness.contracts.day import Block, DailyPlan

UID_DOMAIN = "blocks.iris"
"""What stands behind the @ of every UID. An event with such a UID is a block of a plan, wherever it
is: it is no meeting, and readers leave it out."""

_UID_DIGITS = 32


def block_uids(plan: DailyPlan) -> Iterator[tuple[str, Block]]:
    """Yield each block with its UID; of several for one thing, the first, the second and so on.

    The UID is made of the day and of what the block is for, so a later plan of the same day moves
    the events that an earlier one made.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for block in plan.blocks:
        key = (plan.date.isoformat(), block.kind.value, *_named(block))
        seen[key] += 1
        digest = hashlib.sha256("\0".join((*key, str(seen[key]))).encode()).hexdigest()
        yield f"{digest[:_UID_DIGITS]}@{UID_DOMAIN}", block


def _named(block: Block) -> tuple[str, str]:
    """Return what a block is for, in words that stay the same while its todo does.

    The line of a todo in a text file does not: it moves with every line above it.
    """
    if block.source is None:
        return "", block.title
    by_line = block.source.locator.startswith("line ")
    return block.source.source, block.title if by_line else block.source.locator
