"""Facts: one checked statement each, with where it came from."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import PlannedDay
from iris_harness.contracts.explain import Explanation
from iris_harness.contracts.sources import SourceRef


class FactKind(enum.StrEnum):
    """What a fact is about; a curator may render a kind it knows in its own way."""

    DAY = "day"  # value: PlannedDay
    EXPLANATION = "explanation"  # value: Explanation
    EVENT = "event"
    TODO = "todo"
    TIME = "time"
    SOURCE = "source"
    STATEMENT = "statement"


FactValue: TypeAlias = "PlannedDay | Explanation | Json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One checked statement."""

    kind: FactKind
    text: str
    """One plain sentence, complete without its value."""
    value: FactValue = None
    """The statement as data; None when the sentence is all there is."""
    sources: tuple[SourceRef, ...] = ()
    """Where it was read; empty for what needs no source (the time)."""
