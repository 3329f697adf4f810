"""What wants time, and where it got it."""

from __future__ import annotations

from typing import NamedTuple

from iris_harness.contracts.day import PlanProof
from iris_harness.planner.frame import Span

_UNDEFINED_PRIORITY = 6


def worth(priority: int | None) -> int:
    """Return what placing a todo of this priority (1 to 9, None: undefined) is worth."""
    return (10 - (priority or _UNDEFINED_PRIORITY)) ** 2


class Request(NamedTuple):
    """Something that wants time. All lengths and times are slots of the grid."""

    need: int
    """Slots in all, at least 1."""
    windows: tuple[Span, ...] | None = None
    """Each of its pieces lies in one of these, which are by start and apart; None: anywhere."""
    due_by: int | None = None
    """It is in time when it ends by this slot; None: whenever it is placed."""
    is_due: bool = False
    """Whether leaving it out or being late misses a deadline."""
    value: int = 1
    """What placing it is worth, at least 1; of a break this does not count."""
    chunk: int | None = None
    """The least slots of a piece; None: it is placed in one piece."""
    kept: tuple[Span, ...] = ()
    """Where the plan that was shown before has it, by start; () is nowhere."""
    is_break: bool = False
    """Whether it is served before anything else."""

    @property
    def can_split(self) -> bool:
        """Whether it is long enough for two pieces."""
        return self.chunk is not None and 2 * self.chunk <= self.need

    @property
    def least(self) -> int:
        """The least slots of a piece."""
        return self.chunk if self.chunk is not None and self.can_split else self.need


class Placement(NamedTuple):
    """Where everything goes."""

    pieces: tuple[tuple[Span, ...], ...]
    """The pieces of each request, by start; () when it is not placed."""
    proof: PlanProof
    """What is known of how good this is."""
    partial: tuple[int, ...]
    """The slots that each request still lacks: 0 when it is served in full."""
