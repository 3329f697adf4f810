"""What a source says of itself: its state, and the place of one item in it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from iris_harness.contracts.values import Value


class SourceKind(enum.StrEnum):
    """What a source holds."""

    CALENDAR = "calendar"
    TODO = "todo"
    EMAIL = "email"
    FINANCE = "finance"
    CONTACTS = "contacts"
    WEATHER = "weather"
    JOBS = "jobs"


class SourceState(enum.StrEnum):
    """How a reading went. Only `OK`, `EMPTY` and `STALE` sources were read."""

    OK = "ok"
    EMPTY = "empty"  # read in full, and it holds nothing at all
    STALE = "stale"  # read, but older than its owner allows; `age_seconds` says how old
    FAILED = "failed"  # not read; `detail` says why


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class SourceRef:
    """Where one item was read."""

    source: str
    """The source's name, unique among the sources of its kind."""
    locator: str = ""
    """The item in it: a UID, or ``line 12``; empty means the source as a whole."""

    def __str__(self) -> str:
        return f"{self.source}: {self.locator}" if self.locator else self.source


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class SourceStatus(Value):
    """What happened when a source was read."""

    name: str
    kind: SourceKind
    state: SourceState
    age_seconds: int | None = None
    """Age of the data at the turn's "now"; None when nobody asked how old it may be."""
    detail: str = ""
    """Why it failed or is stale, in a sentence for the user; empty otherwise."""

    @property
    def was_read(self) -> bool:
        """Whether anything may be said about what the source holds."""
        return self.state is not SourceState.FAILED
