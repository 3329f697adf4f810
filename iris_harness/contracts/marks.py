"""Marks: what the user decided about one day's plan, kept by Iris itself."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.sources import SourceRef


class MarkKind(enum.StrEnum):
    """What was decided."""

    PIN = "pin"  # this todo stays at this time
    SKIP = "skip"  # this todo has no place in the day


class Mark(NamedTuple):
    """One decision about one todo on one day; a todo has one mark a day at most."""

    day: dt.date
    kind: MarkKind
    source: SourceRef
    """The todo as it was read then; a line of a todo.txt may have moved since."""
    title: str
    """The todo's title then: with `source` it tells whether the todo is still the same."""
    spans: tuple[tuple[dt.datetime, dt.datetime], ...] = ()
    """Where a pinned todo stands, by start: aware, ends exclusive; () exactly for a skip."""

    def to_json(self) -> dict[str, Json]:
        """Return it as plain JSON."""
        return {
            "day": self.day.isoformat(),
            "kind": self.kind.value,
            "source": {"source": self.source.source, "locator": self.source.locator},
            "title": self.title,
            "spans": self.spans_json(),
        }

    def spans_json(self) -> list[Json]:
        """Return the spans as plain JSON, for `read_spans`."""
        return [[start.isoformat(), end.isoformat()] for start, end in self.spans]


class MarkChange(NamedTuple):
    """What happens to the mark of one todo on one day."""

    before: Mark | None
    """None: it has none."""
    after: Mark | None
    """None: it will have none. One of the two is there, and both are of the same todo and day."""

    def inverse(self) -> MarkChange:
        """Return the change that takes this one back."""
        return MarkChange(before=self.after, after=self.before)

    def to_json(self) -> Json:
        """Return it as plain JSON, for `from_json`."""
        return {
            "before": self.before.to_json() if self.before else None,
            "after": self.after.to_json() if self.after else None,
        }

    @classmethod
    def from_json(cls, tree: Json) -> MarkChange:
        """Read what `to_json` gave.

        Raises:
            ValueError: it is something else.
        """
        try:
            fields: dict[str, Any] = dict(tree)  # type: ignore[arg-type] # JSON of anything
            return cls(before=_read_mark(fields["before"]), after=_read_mark(fields["after"]))
        except (TypeError, KeyError) as error:
            raise ValueError(f"this is no change of a mark ({error})") from error


def _read_mark(tree: Mapping[str, Any] | None) -> Mark | None:
    if tree is None:
        return None
    return Mark(
        day=dt.date.fromisoformat(tree["day"]),
        kind=MarkKind(tree["kind"]),
        source=SourceRef(**tree["source"]),
        title=tree["title"],
        spans=read_spans(tree["spans"]),
    )


def read_spans(pairs: Iterable[Iterable[str]]) -> tuple[tuple[dt.datetime, dt.datetime], ...]:
    """Return spans from their JSON form: pairs of ISO 8601 text."""
    instants = ([dt.datetime.fromisoformat(text) for text in pair] for pair in pairs)
    return tuple((start, end) for start, end in instants)
