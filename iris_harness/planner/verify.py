"""Prove a plan against what it was made of.

The verifier shares no code with the builder: it works the day out again (`planner.evidence`) and
compares. What it proves of a plan without violations:

- it is the plan of this snapshot: its id is the snapshot's digest, its day, zone and "now" are
  the snapshot's;
- nothing read is missing and nothing was added: every event once, every open todo once, in rank
  order and under the right heading, every source, warning and birthday; and every line comes from
  a source that was read;
- every block serves a todo of the day in one piece and in full, inside the working hours, on the
  grid, not before "now" nor before the todo may start, clear of busy events and other blocks;
- every due todo without a block is listed with the minutes it misses, and none would have fitted
  into the free time; a block that ends late says by how much;
- no block could be moved to earlier free time, and of two blocks of one length the todo that ranks
  first is the earlier one, where that is possible;
- conflicts are complete, and free time is exactly what events and blocks leave.
"""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.day import (
    Block,
    BlockKind,
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
from iris_harness.planner.evidence import (
    Demand,
    Evidence,
    Stretch,
    gather_evidence,
    merged,
    utc,
    without,
)
from iris_harness.planner.version import ALGORITHM_VERSION

_MINUTE = dt.timedelta(minutes=1)
_LATE = re.compile(r"ends (?:(\d+) h)? ?(?:(\d+) min)? after it is due")
_MOST_CONFLICTS = 500  # of a fuller day the plan lists no more, and says so


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


class _Match(NamedTuple):
    """A block with the todo that it serves."""

    block: Block
    demand: Demand
    start: dt.datetime
    end: dt.datetime


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
    matches, strays = _match(plan.blocks, day.demands)
    return (
        *_identity(snapshot, preferences, plan),
        *_completeness(snapshot, plan),
        *_sources(plan),
        *_events_in_order(plan),
        *_todos(day, plan),
        *strays,
        *_blocks(day, matches),
        *_overlaps(plan.blocks),
        *_unplaced(day, plan, matches),
        *_rank(matches),
        *_early(day, plan, matches),
        *_idle(day, preferences, plan, matches),
        *_conflicts(plan),
        *_free(day, plan),
    )


def _violation(kind: ViolationKind, message: str, item: str = "") -> Violation:
    return Violation(kind=kind, message=message, item=item)


def _identity(
    snapshot: DaySnapshot, preferences: DayPreferences, plan: DailyPlan
) -> Iterator[Violation]:
    for name in ("date", "timezone", "now"):
        if getattr(plan, name) != getattr(snapshot, name):
            yield _violation(ViolationKind.IDENTITY, f"its {name} is not that of what was read")
    made_of = {"preferences": preferences, "snapshot": snapshot}
    versions = range(ALGORITHM_VERSION, 0, -1)  # a kept plan may be an older program's
    if all(plan.plan_id != digest({"algorithm": one, **made_of}) for one in versions):
        yield _violation(ViolationKind.IDENTITY, "its id is not the digest of what it was made of")


def _completeness(snapshot: DaySnapshot, plan: DailyPlan) -> Iterator[Violation]:
    listed = [item.todo for item in (*plan.todos, *plan.backlog)]
    yield from _compare("event", snapshot.events, plan.events)
    yield from _compare("todo", snapshot.todos, listed)
    yield from _compare("source", snapshot.sources, plan.sources)
    yield from _compare("day of a person", snapshot.birthdays, plan.birthdays)
    for line in snapshot.warnings:
        if line not in plan.warnings:
            yield _violation(ViolationKind.MISSING, "a warning is missing", line)
    if list(plan.warnings) != sorted(set(plan.warnings)):
        yield _violation(ViolationKind.ORDER, "the warnings are not in order, each once")


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
            yield _violation(ViolationKind.MISSING, f"this {noun} is missing", _title(item))
        elif count < 0:
            yield _violation(ViolationKind.UNKNOWN, f"no such {noun} was read", _title(item))


def _title(item: object) -> str:
    names = (getattr(item, name, None) for name in ("summary", "person", "name"))
    return str(next(filter(None, names), item))


def _sources(plan: DailyPlan) -> Iterator[Violation]:
    read = {(status.kind, status.name) for status in plan.sources if status.was_read}
    for kind, title, source in _lines(plan):
        if (kind, source.source) not in read:
            message = f"the {kind} source {source.source!r} was not read"
            yield _violation(ViolationKind.SOURCE, message, title)


def _lines(plan: DailyPlan) -> Iterator[tuple[SourceKind, str, SourceRef]]:
    for event in plan.events:
        yield SourceKind.CALENDAR, event.summary, event.source
    for listed in (*plan.todos, *plan.backlog):
        yield SourceKind.TODO, listed.todo.summary, listed.todo.source
    for birthday in plan.birthdays:
        yield SourceKind.CONTACTS, birthday.person, birthday.source


def _events_in_order(plan: DailyPlan) -> Iterator[Violation]:
    for first, second in pairwise(plan.events):
        if _event_place(first) > _event_place(second):
            message = f"it is listed after {first.summary!r}"
            yield _violation(ViolationKind.ORDER, message, second.summary)


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
        yield _violation(ViolationKind.ORDER, message, strange.summary if strange else "")
        return
    for demand, item in zip(demands, listed, strict=True):
        if demand.overdue != item.overdue:
            message = "it is overdue" if demand.overdue else "it is not overdue"
            yield _violation(ViolationKind.OVERDUE, message, item.todo.summary)


def _match(
    blocks: Sequence[Block], demands: Sequence[Demand]
) -> tuple[list[_Match], list[Violation]]:
    """Return each block with its todo, each todo once; and the blocks that serve none."""
    unserved: dict[tuple[SourceRef, str], list[Demand]] = {}
    for demand in demands:
        unserved.setdefault((demand.todo.source, demand.todo.summary), []).append(demand)
    matches: list[_Match] = []
    strays: list[Violation] = []
    for block in blocks:
        start, end = utc(block.start), utc(block.end)
        waiting = unserved.get((block.source, block.title)) if block.source else None
        if not waiting or block.kind is not BlockKind.TODO or block.pinned:
            message = "this block serves no open todo, or one that has a block already"
            strays.append(_violation(ViolationKind.UNKNOWN, message, block.title))
            continue
        fitting = (n for n, demand in enumerate(waiting) if demand.need == end - start)
        matches.append(_Match(block, waiting.pop(next(fitting, 0)), start, end))
    return matches, strays


def _blocks(day: Evidence, matches: Iterable[_Match]) -> Iterator[Violation]:
    for match in matches:
        title = match.block.title
        for kind, message in (*_place(day, match), *_service(match)):
            yield _violation(kind, message, title)


def _place(day: Evidence, match: _Match) -> Iterator[tuple[ViolationKind, str]]:
    if (match.start - day.start) % day.grid or (match.end - day.start) % day.grid:
        yield ViolationKind.GRID, "it does not start and end on the grid"
    if not any(start <= match.start and match.end <= end for start, end in day.usable):
        yield ViolationKind.OUTSIDE, "it is not wholly in working time that is free and to come"
    if day.is_past:
        yield ViolationKind.OUTSIDE, "the day is over"


def _service(match: _Match) -> Iterator[tuple[ViolationKind, str]]:
    demand = match.demand
    if match.end - match.start != demand.need:
        minutes = demand.need // _MINUTE
        yield ViolationKind.LENGTH, f"it is given another time than the {minutes} min it needs"
    if not demand.workable or match.start < demand.earliest:
        yield ViolationKind.OUTSIDE, "it may not start then"
    if _minutes_late(match) != _said_late(match.block):
        yield ViolationKind.DEADLINE, "how late it ends is not what its reason says"


def _minutes_late(match: _Match) -> int:
    """Return the minutes, rounded up, from when it is late until it ends."""
    late_at = match.demand.late_at
    if late_at is None or not match.demand.is_missed_at(match.end):
        return 0
    return -((late_at - match.end) // _MINUTE)


def _said_late(block: Block) -> int:
    said = _LATE.search(block.reason.rpartition("; ")[2])
    return 60 * int(said[1] or 0) + int(said[2] or 0) if said else 0


def _overlaps(blocks: Sequence[Block]) -> Iterator[Violation]:
    ends = dt.datetime.min.replace(tzinfo=dt.UTC)
    last = dt.datetime.min.replace(tzinfo=dt.UTC)
    for block in blocks:
        start = utc(block.start)
        if start < last:
            yield _violation(ViolationKind.ORDER, "the blocks are not by start", block.title)
        elif start < ends:
            yield _violation(ViolationKind.OVERLAP, "it overlaps a block before it", block.title)
        last, ends = start, max(ends, utc(block.end))


def _unplaced(day: Evidence, plan: DailyPlan, matches: Sequence[_Match]) -> Iterator[Violation]:
    served = {id(match.demand) for match in matches}
    wanted = Counter(
        (demand.todo.source, demand.todo.summary, demand.need // _MINUTE)
        for demand in day.demands
        if demand.is_due and not demand.is_planned_earlier and id(demand) not in served
    )
    found = Counter((item.source, item.summary, item.missing_minutes) for item in plan.unplaced)
    for _, title, minutes in wanted - found:
        message = f"it has no block and is not listed with the {minutes} min it misses"
        yield _violation(ViolationKind.UNPLACED, message, title)
    for _, title, _minutes in found - wanted:
        message = "it is listed as unplaced and is not, or misses another time"
        yield _violation(ViolationKind.UNPLACED, message, title)
    for item in plan.unplaced:
        if not item.reason:
            yield _violation(
                ViolationKind.UNPLACED, "it is unplaced without a reason", item.summary
            )


def _rank(matches: Iterable[_Match]) -> Iterator[Violation]:
    by_length: dict[dt.timedelta, list[_Match]] = {}
    for match in sorted(matches, key=lambda match: match.start):
        by_length.setdefault(match.end - match.start, []).append(match)
    for equals in by_length.values():
        for number, later in enumerate(equals):
            earlier = next((one for one in equals[:number] if _must_swap(one, later)), None)
            if earlier:
                message = f"it ranks before {earlier.block.title!r}, which has the earlier block"
                yield _violation(ViolationKind.RANK, message, later.block.title)


def _early(day: Evidence, plan: DailyPlan, matches: Iterable[_Match]) -> Iterator[Violation]:
    room = [(utc(span.start), utc(span.end)) for span in plan.free]
    for match in matches:
        before = [(start, end) for start, end in room if end <= match.start]
        if any(_could_move(match, day.on_grid(one)) for one in before):
            message = "free time before it would hold it"
            yield _violation(ViolationKind.RANK, message, match.block.title)


def _could_move(match: _Match, room: Stretch) -> bool:
    start, end = max(room[0], match.demand.earliest), room[1]
    return start < end if end == match.start else start + match.demand.need <= end


def _must_swap(earlier: _Match, later: _Match) -> bool:
    """Return whether the later one ranks first and the two could change places for nothing."""
    one, other = earlier.demand, later.demand
    if other.earliest > earlier.start or _turn(other) > _turn(one):
        return False
    missed = one.is_missed_at(earlier.end) + other.is_missed_at(later.end)
    return one.is_missed_at(later.end) + other.is_missed_at(earlier.end) <= missed


def _turn(demand: Demand) -> tuple[object, ...]:
    return (not demand.is_due, *demand.rank())


def _idle(
    day: Evidence, preferences: DayPreferences, plan: DailyPlan, matches: Sequence[_Match]
) -> Iterator[Violation]:
    if day.is_past:
        return
    served = {id(match.demand) for match in matches}
    room = [day.on_grid((utc(span.start), utc(span.end))) for span in plan.free]
    longest = max((end - start for start, end in room), default=dt.timedelta())
    for demand in day.demands:
        wanted = demand.workable and (demand.is_due or preferences.fill_with_backlog)
        if wanted and id(demand) not in served and demand.need <= longest and _fits(demand, room):
            message = "it has no block although free time is left that holds it"
            yield _violation(ViolationKind.IDLE, message, demand.todo.summary)


def _fits(demand: Demand, room: Iterable[Stretch]) -> bool:
    return any(max(start, demand.earliest) + demand.need <= end for start, end in room)


def _conflicts(plan: DailyPlan) -> Iterator[Violation]:
    wanted = list(islice(_overlapping(plan.events), _MOST_CONFLICTS + 1))
    if list(plan.conflicts) != wanted[:_MOST_CONFLICTS]:
        yield _violation(ViolationKind.CONFLICT, "the conflicts are not the pairs that overlap")
    if len(wanted) > _MOST_CONFLICTS and not any("overlap" in line for line in plan.warnings):
        yield _violation(ViolationKind.CONFLICT, "conflicts are left out without a word")


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
        yield _violation(ViolationKind.FREE, "the working hours are not the preferred ones")
    blocks = merged((utc(block.start), utc(block.end)) for block in plan.blocks)
    if _stretches(plan.free) != without(day.usable, blocks):
        yield _violation(ViolationKind.FREE, "the free time is not what events and blocks leave")


def _stretches(spans: Sequence[FreeSpan | WorkingSpan]) -> list[Stretch]:
    return [(utc(span.start), utc(span.end)) for span in spans]
