"""What must be said of sources: the ones that were not read, or are older than they may be."""

from __future__ import annotations

from collections.abc import Iterable

from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.sources import SourceRef, SourceState, SourceStatus

_TOLD = frozenset({SourceState.FAILED, SourceState.STALE})


def state_facts(statuses: Iterable[SourceStatus], noun: str) -> tuple[Fact, ...]:
    """Return a fact for each source without which an answer is incomplete, in the order given.

    `noun` is what a person calls such a source ("calendar").
    """
    return tuple(_state_fact(status, noun) for status in statuses if status.state in _TOLD)


def _state_fact(status: SourceStatus, noun: str) -> Fact:
    verb = "was read, but is old" if status.was_read else "could not be read"
    reason = f": {status.detail}" if status.detail else ""
    return Fact(
        kind=FactKind.SOURCE,
        text=f"The {noun} {status.name} {verb}{reason}".rstrip(".") + ".",
        value={
            "name": status.name,
            "kind": status.kind.value,
            "state": status.state.value,
            "age_seconds": status.age_seconds,
            "detail": status.detail,
        },
        sources=(SourceRef(source=status.name),),
    )
