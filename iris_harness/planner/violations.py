"""What a plan can have wrong."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ViolationKind(enum.StrEnum):
    """What a plan can have wrong."""

    IDENTITY = "identity"  # not the plan of this snapshot
    MISSING = "missing"  # something that was read is not in the plan
    UNKNOWN = "unknown"  # something in the plan was not read
    SOURCE = "source"  # a line from a source that was not read
    ORDER = "order"
    OVERDUE = "overdue"
    OUTSIDE = "outside"  # a block outside the time that can be used
    OVERLAP = "overlap"
    GRID = "grid"
    LENGTH = "length"
    DEADLINE = "deadline"  # a late end that is not said
    UNPLACED = "unplaced"
    RANK = "rank"  # a block later than it could be, or after one that ranks behind it
    IDLE = "idle"  # room for a todo that has no block
    MOVED = "moved"  # a block that could have stayed where the plan shown before has it
    PINNED = "pinned"  # a block that was to stay where it is, and does not
    TRAVEL = "travel"
    BREAK = "break"
    PIECE = "piece"  # a piece that is too short, or one too many
    SAID = "said"  # something odd that is not said, or said and not so
    WORKLOAD = "workload"
    CONFLICT = "conflict"
    FREE = "free"


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """One thing that is wrong with a plan."""

    kind: ViolationKind
    message: str
    """What is wrong, in a sentence without a full stop."""
    item: str
    """Title of what it is about; empty when it is the plan as a whole."""

    def __str__(self) -> str:
        return f"{self.item}: {self.message}" if self.item else self.message


def violation(kind: ViolationKind, message: str, item: str = "") -> Violation:
    """Return a violation."""
    return Violation(kind=kind, message=message, item=item)
