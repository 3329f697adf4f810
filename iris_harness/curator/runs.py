"""Days of a reply that follow one another, so that many can be shown in brief."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iris_harness.contracts.reply import DayBlock, ReplyBlock, TextBlock

FULL_DAYS = 2
"""The most days in a row that an answer shows in full; more are shown in brief."""


def runs_of_days(blocks: Iterable[ReplyBlock]) -> Iterator[TextBlock | tuple[DayBlock, ...]]:
    """Yield the texts of a reply, and the days that follow one another together."""
    run: list[DayBlock] = []
    for block in blocks:
        if isinstance(block, DayBlock):
            run.append(block)
            continue
        if run:
            yield tuple(run)
            run = []
        yield block
    if run:
        yield tuple(run)
