"""Prove a plan against what it was made of.

The verifier shares no code with the builder: it works the day out again (`planner.evidence`) and
compares. What it proves of a plan without violations:

- it is the plan of this snapshot: its id is the snapshot's digest, its day, zone and "now" are
  the snapshot's;
- nothing read is missing and nothing was added: every event once, every open todo once, in rank
  order and under the right heading, every source, warning and birthday, every job that is news;
  and every line comes from a source that was read;
- every way to and from an event is there, and so is everything that was to stay where it is, and
  what is over;
- every other block serves a todo or a break of the day, inside the working hours, on the grid, not
  before "now" nor outside the hours that it asks for, clear of busy events, their buffers and
  ways, and of other blocks; in one piece, or in pieces that are long enough;
- every break is served, or said to have no room where it has none; every due todo is served in
  full, or listed with the minutes it misses; nothing that is missing would have fitted into the
  free time; a block that ends late says by how much;
- no block could be moved to earlier free time, or back to where the plan shown before has it; and
  of two blocks of one length the todo that ranks first is the earlier one, where that is possible
  (as far as the plan claims to be proved the best);
- what is odd is said, and nothing else; the work and the time for it are as they are stated;
- conflicts are complete, and free time is exactly what events and blocks leave.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice, pairwise

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.day import (
    Conflict,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    FreeSpan,
    PlannedTodo,
    WorkingSpan,
)
from iris_harness.contracts.sources import SourceKind, SourceRef
from iris_harness.planner.evidence import Demand, Evidence, gather_evidence
from iris_harness.planner.evidence_time import (
    Stretch,
    merged,
    utc,
    without,
)
from iris_harness.planner.verify_blocks import Sorted, sort_blocks
from iris_harness.planner.verify_choices import check_choices
from iris_harness.planner.verify_jobs import check_jobs
from iris_harness.planner.verify_notices import find_unsaid
from iris_harness.planner.verify_placing import check_placing
from iris_harness.planner.verify_workload import check_workload
from iris_harness.planner.version import ALGORITHM_VERSION
from iris_harness.planner.violations import Violation, ViolationKind, violation

__all__ = ["Violation", "ViolationKind", "verify_plan"]

_MOST_CONFLICTS = 500  # of a fuller day the plan lists no more, and says so
_FIRST_THAT_SAYS = 4
"""The version of the algorithm since which plans say what is odd."""


def verify_plan(
    snapshot: DaySnapshot, preferences: DayPreferences, plan: DailyPlan
) -> tuple[Violation, ...]:
    """Return everything that is wrong with `plan`; empty for a plan that is proved.

    `snapshot` is the one that is kept with the plan, in its normal form. Violations come in the
    order of the module's description.

    Raises:
        CanonicalError: the snapshot has no canonical form, so no plan can have been made of it.
    """
    day = gather_evidence(snapshot, preferences)
    blocks = sort_blocks(day, plan.blocks)
    version = _made_by(snapshot, preferences, plan)
    return (
        *_identity(snapshot, plan, version),
        *_completeness(snapshot, plan),
        *_sources(plan),
        *check_jobs(snapshot, plan),
        *_events_in_order(plan),
        *_todos(day, plan),
        *_apart(day, plan),
        *blocks.strays,
        *check_placing(day, preferences, plan, blocks),
        *check_choices(day, plan, blocks),
        *(_said(day, snapshot, preferences, plan, blocks) if version >= _FIRST_THAT_SAYS else ()),
        *_conflicts(plan),
        *_free(day, plan),
    )


def _made_by(snapshot: DaySnapshot, preferences: DayPreferences, plan: DailyPlan) -> int:
    """Return the version of the algorithm whose id the plan has: it may be kept from before."""
    made_of = {"preferences": preferences, "snapshot": snapshot}
    versions = range(ALGORITHM_VERSION, 0, -1)
    matching = (one for one in versions if plan.plan_id == digest({"algorithm": one, **made_of}))
    return next(matching, 0)


def _identity(snapshot: DaySnapshot, plan: DailyPlan, version: int) -> Iterator[Violation]:
    for name in ("date", "timezone", "now"):
        if getattr(plan, name) != getattr(snapshot, name):
            yield violation(ViolationKind.IDENTITY, f"its {name} is not that of what was read")
    if not version:
        yield violation(ViolationKind.IDENTITY, "its id is not the digest of what it was made of")


def _completeness(snapshot: DaySnapshot, plan: DailyPlan) -> Iterator[Violation]:
    listed = [item.todo for item in (*plan.todos, *plan.backlog)]
    yield from _compare("event", snapshot.events, plan.events)
    yield from _compare("todo", snapshot.todos, listed)
    yield from _compare("source", snapshot.sources, plan.sources)
    yield from _compare("day of a person", snapshot.birthdays, plan.birthdays)
    for line in snapshot.warnings:
        if line not in plan.warnings:
            yield violation(ViolationKind.MISSING, "a warning is missing", line)
    if list(plan.warnings) != sorted(set(plan.warnings)):
        yield violation(ViolationKind.ORDER, "the warnings are not in order, each once")


def _compare(
    noun: str, read: Sequence[Hashable], planned: Sequence[Hashable]
) -> Iterator[Violation]:
    """Say what was read and not planned, or planned (more often than) read."""
    if read == planned:
        return
    counts = Counter(read)
    counts.subtract(Counter(planned))
    for item, count in counts.items():
        if count > 0:
            yield violation(ViolationKind.MISSING, f"this {noun} is missing", _title(item))
        elif count < 0:
            yield violation(ViolationKind.UNKNOWN, f"no such {noun} was read", _title(item))


def _title(item: object) -> str:
    names = (getattr(item, name, None) for name in ("summary", "person", "name"))
    return str(next(filter(None, names), item))


def _sources(plan: DailyPlan) -> Iterator[Violation]:
    read = {(status.kind, status.name) for status in plan.sources if status.was_read}
    for kind, title, source in _lines(plan):
        if (kind, source.source) not in read:
            message = f"the {kind} source {source.source!r} was not read"
            yield violation(ViolationKind.SOURCE, message, title)


def _lines(plan: DailyPlan) -> Iterator[tuple[SourceKind, str, SourceRef]]:
    for event in plan.events:
        yield SourceKind.CALENDAR, event.summary, event.source
    for listed in (*plan.todos, *plan.backlog):
        yield SourceKind.TODO, listed.todo.summary, listed.todo.source
    for birthday in plan.birthdays:
        yield SourceKind.CONTACTS, birthday.person, birthday.source
    for job in plan.jobs:
        yield SourceKind.JOBS, job.task, job.source


def _events_in_order(plan: DailyPlan) -> Iterator[Violation]:
    for first, second in pairwise(plan.events):
        if _event_place(first) > _event_place(second):
            message = f"it is listed after {first.summary!r}"
            yield violation(ViolationKind.ORDER, message, second.summary)


def _event_place(event: Event) -> tuple[object, ...]:
    if event.all_day:
        return (0, event.start, event.summary)
    return (1, event.start, event.end, event.summary, event.source)


def _todos(day: Evidence, plan: DailyPlan) -> Iterator[Violation]:
    yield from _listing([one for one in day.demands if one.is_due], plan.todos)
    yield from _listing([one for one in day.demands if not one.is_due], plan.backlog)


def _listing(demands: Sequence[Demand], listed: Sequence[PlannedTodo]) -> Iterator[Violation]:
    wanted = [demand.todo for demand in demands]
    found = [item.todo for item in listed]
    if wanted != found:
        strange = next((b for a, b in zip(wanted, found, strict=False) if a != b), None)
        message = "the todos are not those of this list, by rank"
        yield violation(ViolationKind.ORDER, message, strange.summary if strange else "")
        return
    for demand, item in zip(demands, listed, strict=True):
        if demand.overdue != item.overdue:
            message = "it is overdue" if demand.overdue else "it is not overdue"
            yield violation(ViolationKind.OVERDUE, message, item.todo.summary)


def _apart(day: Evidence, plan: DailyPlan) -> Iterator[Violation]:
    if plan.history != day.before.history:
        yield violation(ViolationKind.PINNED, "what is over is not what the plan shown before had")
    skipped = [
        (one.todo.summary, one.todo.source) for one in day.demands if one.todo in day.before.skipped
    ]
    if [(one.title, one.source) for one in plan.skipped] != skipped:
        yield violation(ViolationKind.MISSING, "what is skipped is not what was to be skipped")


def _said(
    day: Evidence,
    snapshot: DaySnapshot,
    preferences: DayPreferences,
    plan: DailyPlan,
    blocks: Sorted,
) -> Iterator[Violation]:
    yield from find_unsaid(day, snapshot, preferences, plan, blocks)
    yield from check_workload(day, plan)


def _conflicts(plan: DailyPlan) -> Iterator[Violation]:
    wanted = list(islice(_overlapping(plan.events), _MOST_CONFLICTS + 1))
    if list(plan.conflicts) != wanted[:_MOST_CONFLICTS]:
        yield violation(ViolationKind.CONFLICT, "the conflicts are not the pairs that overlap")
    if len(wanted) > _MOST_CONFLICTS and not any("overlap" in line for line in plan.warnings):
        yield violation(ViolationKind.CONFLICT, "conflicts are left out without a word")


def _overlapping(events: Sequence[Event]) -> Iterator[Conflict]:
    timed = [
        (event, event.start, event.end)
        for event in events
        if event.busy
        and isinstance(event.start, dt.datetime)
        and isinstance(event.end, dt.datetime)
    ]
    for number, (first, first_start, first_end) in enumerate(timed):
        for second, second_start, second_end in timed[number + 1 :]:
            if second_start >= first_end:
                break  # by start: the rest begins later still
            start, end = max(first_start, second_start), min(first_end, second_end)
            if start < end:
                yield Conflict(first=first, second=second, start=start, end=end)


def _free(day: Evidence, plan: DailyPlan) -> Iterator[Violation]:
    if _stretches(plan.working_hours) != list(day.working):
        yield violation(ViolationKind.FREE, "the working hours are not the preferred ones")
    blocks = merged((utc(block.start), utc(block.end)) for block in plan.blocks)
    if _stretches(plan.free) != without(day.usable, blocks):
        yield violation(ViolationKind.FREE, "the free time is not what events and blocks leave")


def _stretches(spans: Sequence[FreeSpan | WorkingSpan]) -> list[Stretch]:
    return [(utc(span.start), utc(span.end)) for span in spans]
