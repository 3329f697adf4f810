"""What changed between two plans."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping

from iris_harness.contracts.canonical import Json, to_json
from iris_harness.contracts.day import (
    Birthday,
    Block,
    Conflict,
    DailyPlan,
    Event,
    FreeSpan,
    JobNews,
    PlannedTodo,
    Unplaced,
    WorkingSpan,
)
from iris_harness.contracts.sources import SourceStatus


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PlanChange:
    """One difference between an old and a new plan."""

    part: str
    """Field of `DailyPlan` that it is in."""
    item: str
    """Title of the entry that differs; empty when the whole field is one value."""
    before: str
    """What the old plan says, only what differs; empty when the entry is new."""
    after: str
    """What the new plan says, only what differs; empty when the entry is gone."""

    def __str__(self) -> str:
        name = f"{self.part}: {self.item}" if self.item else self.part
        if not self.before:
            return f"{name}: new, {self.after}"
        if not self.after:
            return f"{name}: gone, was {self.before}"
        return f"{name}: {self.before} -> {self.after}"


def diff_plans(old: DailyPlan, new: DailyPlan) -> tuple[PlanChange, ...]:
    """Return every difference, by field in `DailyPlan`'s order; empty exactly for equal plans.

    Within a field: what changed or is gone in the old plan's order, then what is new in the
    new plan's, then a changed order of entries that both have.
    """
    return tuple(
        change
        for field in dataclasses.fields(DailyPlan)
        for change in _changes(field.name, getattr(old, field.name), getattr(new, field.name))
    )


def _changes(part: str, old: object, new: object) -> Iterator[PlanChange]:
    if isinstance(old, tuple) and isinstance(new, tuple):
        yield from _entry_changes(part, _entries(old), _entries(new))
        return
    before, after = to_json(old), to_json(new)
    if before != after:
        yield PlanChange(part=part, item="", before=str(before), after=str(after))


_Key = tuple[str, ...]
_Row = tuple[str, dict[str, Json]]


def _entries(items: tuple[object, ...]) -> dict[_Key, _Row]:
    """Return ``identity -> (title, flat content)``; equal identities are numbered."""
    seen: Counter[_Key] = Counter()
    result: dict[_Key, _Row] = {}
    for item in items:
        title, *rest = _identity(item)
        key = (title, *rest)
        seen[key] += 1
        result[*key, str(seen[key])] = (title, dict(_flatten("", to_json(item))))
    return result


def _identity(item: object) -> _Key:
    """Return what makes an entry the same one in both plans, its title first."""
    match item:
        case Event():
            identity = (item.summary, item.uid, item.recurrence_id)
        case PlannedTodo():
            identity = (item.todo.summary, str(item.todo.source), item.todo.uid)
        case Block():
            identity = (item.title, item.kind.value, str(item.source))
        case Unplaced():
            identity = (item.summary, str(item.source), "")
        case FreeSpan() | WorkingSpan():
            identity = (item.start.isoformat(), "", "")
        case Conflict():
            first, second = _identity(item.first), _identity(item.second)
            identity = (f"{first[0]} / {second[0]}", " ".join(first[1:]), " ".join(second[1:]))
        case Birthday():
            identity = (item.person, item.kind.value, str(item.source))
        case JobNews():
            identity = (item.task, str(item.source), "")
        case SourceStatus():
            identity = (item.name, item.kind.value, "")
        case _:
            identity = (str(item), "", "")
    return identity


def _flatten(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _flatten(f"{path}.{name}" if path else name, item)
    else:
        yield path, value


def _entry_changes(
    part: str, old: Mapping[_Key, _Row], new: Mapping[_Key, _Row]
) -> Iterator[PlanChange]:
    for key, (title, row) in old.items():
        after = new[key][1] if key in new else {}
        if row != after:
            yield PlanChange(
                part=part, item=title, before=_only(row, after), after=_only(after, row)
            )
    for key, (title, row) in new.items():
        if key not in old:
            yield PlanChange(part=part, item=title, before="", after=_only(row, {}))
    before = [row[0] for key, row in old.items() if key in new]
    after_order = [row[0] for key, row in new.items() if key in old]
    if [key for key in old if key in new] != [key for key in new if key in old]:
        yield PlanChange(
            part=part, item="order", before=", ".join(before), after=", ".join(after_order)
        )


def _only(row: Mapping[str, Json], other: Mapping[str, Json]) -> str:
    """Return the fields of `row` that `other` does not have the same, as text."""
    fields = (
        f"{name} {value}".strip()
        for name, value in row.items()
        if name not in other or other[name] != value
    )
    return ", ".join(fields)
