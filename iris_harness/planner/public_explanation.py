"""An explanation as public JSON: the keys that `docs/schema/explanation.schema.json` describes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.explain import Change, DayItem, Explanation, Reason
from iris_harness.contracts.sources import SourceRef


def explanation_to_json(told: Explanation) -> dict[str, Json]:
    """Return an explanation as JSON values; instants are ISO 8601 with the user's offset."""
    return {
        "date": told.date.isoformat(),
        "timezone": told.timezone,
        "plan_id": told.plan_id,
        "item": _item(told.item),
        "outcome": told.outcome.value,
        "reasons": [_reason(reason) for reason in told.reasons],
        "changes": [_change(change) for change in told.changes],
        "candidates": [],
    }


def candidates_to_json(items: Sequence[DayItem]) -> dict[str, Json]:
    """Return what a name may mean, where that is not one thing."""
    return {"item": None, "candidates": [_item(item) for item in items]}


def _item(item: DayItem) -> dict[str, Json]:
    return {
        "kind": item.kind.value,
        "title": item.title,
        "source": str(item.source) if item.source else None,
        "times": [{"start": _time(one.start), "end": _time(one.end)} for one in item.times],
    }


def _reason(reason: Reason) -> dict[str, Json]:
    return {
        "cause": reason.cause.value,
        "start": _time(reason.start),
        "end": _time(reason.end),
        "minutes": reason.minutes,
        "level": reason.level.value if reason.level else None,
        "other": reason.other,
        "detail": reason.detail,
        "sources": _sources(reason.sources),
    }


def _change(change: Change) -> dict[str, Json]:
    return {
        "kind": change.kind.value,
        "cost_minutes": change.cost_minutes,
        "minutes": change.minutes,
        "other": change.other,
        "until": _time(change.until),
        "sources": _sources(change.sources),
    }


def _time(moment: dt.datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _sources(sources: Iterable[SourceRef]) -> list[Json]:
    return [str(source) for source in sources]
