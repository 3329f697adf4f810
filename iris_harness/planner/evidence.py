"""What a day demands of its plan, worked out from the snapshot a second time.

For the verifier only. Nothing here comes from the modules that build plans: where both say the
same, they have come to it separately. Everything is a UTC instant.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import (
    BreakWish,
    DayPreferences,
    DaySnapshot,
    Event,
    TimeSpan,
    Todo,
)
from iris_harness.planner.evidence_shown import (
    Before,
    gather_before,
    minutes_over,
    minutes_staying,
    moves_for_free,
)
from iris_harness.planner.evidence_time import (
    MINUTE,
    Stretch,
    common,
    merged,
    reached,
    share,
    taken_by,
    takes_time,
    utc,
    without,
)
from iris_harness.planner.evidence_ways import Journey, gather_journeys

_MIDNIGHT = dt.time(0)
_DAY = dt.timedelta(days=1)
_NOTHING = dt.timedelta()
_FOREVER = dt.datetime.max.replace(tzinfo=dt.UTC)
_LAST_PRIORITY = 10  # undefined ranks after 1 to 9
_WORKABLE, _LEFT_OUT, _SKIPPED, _EARLIER, _LATER, _NOT_YET = range(6)


class Demand(NamedTuple):
    """What one todo asks of the day."""

    todo: Todo
    need: dt.timedelta
    """What the day is to give it, besides what stays where it is; rounded up to the grid."""
    chunk: dt.timedelta | None
    """The least piece; None: it is given time in one piece."""
    windows: tuple[Stretch, ...]
    """A piece lies in one of these; on the grid."""
    late_at: dt.datetime | None
    """It is late when it ends after this; None: never."""
    is_due: bool
    """Due by the end of the day, overdue included."""
    overdue: bool
    standing: int
    """0: it may be given time on this day. Else why not, in the order in which such todos rank."""
    staying: tuple[Stretch, ...]
    """Blocks that stay where they are."""
    kept: tuple[Stretch, ...]
    """Where else the plan shown before has it."""
    later: dt.timedelta
    """What of it is left to later days of a range."""
    is_again: bool
    """Whether all its time is over and it is still open."""
    has_no_hours: bool
    """Whether its own times leave it no time of the day."""

    @property
    def workable(self) -> bool:
        """Whether it may be given time on this day."""
        return self.standing == _WORKABLE

    @property
    def may_be_placed(self) -> bool:
        """Whether free time is its, even where a range did not count on any."""
        return self.standing in {_WORKABLE, _LEFT_OUT}

    @property
    def is_work(self) -> bool:
        """Whether it is work of this day, even where a range does it on another one."""
        return self.standing in {_WORKABLE, _LEFT_OUT, _LATER}

    @property
    def is_missing_nothing(self) -> bool:
        """Whether nobody has to say that it has no block: it is skipped, or had in full before."""
        return self.standing in {_SKIPPED, _EARLIER} or self.need <= _NOTHING

    def rank(self) -> tuple[object, ...]:
        """Return its place among all todos of the day, as the ranking rule states it."""
        return (
            self.standing,
            not self.overdue,
            self.late_at or _FOREVER,
            self.todo.priority or _LAST_PRIORITY,
            self.todo.created_on or dt.date.max,
            self.todo.summary,
            self.todo.source,
        )

    def is_missed_at(self, end: dt.datetime) -> bool:
        """Return whether ending then is late, for a todo that was not late already."""
        return self.late_at is not None and not self.overdue and end > self.late_at

    def could_lie_in(self, stretch: Stretch) -> bool:
        """Return whether one of its windows holds a stretch."""
        return any(start <= stretch[0] and stretch[1] <= end for start, end in self.windows)


class Pause(NamedTuple):
    """A break that the day is to have."""

    wish: BreakWish
    window: Stretch
    """As it is said."""
    fits_in: Stretch
    """The part of it on the grid; may be empty."""
    need: dt.timedelta
    kept: tuple[Stretch, ...]


class Evidence(NamedTuple):
    """One day, seen without its plan."""

    start: dt.datetime
    end: dt.datetime
    begin: dt.datetime
    """The first moment that counts: "now" when it lies in the day, else the day's start."""
    is_past: bool
    grid: dt.timedelta
    working: tuple[Stretch, ...]
    """The working hours, whole."""
    usable: tuple[Stretch, ...]
    """Working time that counts and that no busy timed event takes, with its buffers and ways."""
    demands: tuple[Demand, ...]
    """One per todo of the snapshot, by rank."""
    journeys: tuple[Journey, ...]
    before: Before
    pauses: tuple[Pause, ...]
    odd_hours: tuple[str, ...]
    """Hours that end before they start, as they are written."""

    def on_grid(self, stretch: Stretch) -> Stretch:
        """Return the part of a stretch between its first and its last mark of the grid."""
        start, end = (moment - self.start for moment in stretch)
        return (
            self.start - -start // self.grid * self.grid,
            end // self.grid * self.grid + self.start,
        )


def gather_evidence(snapshot: DaySnapshot, preferences: DayPreferences) -> Evidence:
    """Return what the snapshot and the preferences say of the day."""
    zone = ZoneInfo(snapshot.timezone)
    clock = _Clock(zone, snapshot.date)
    day = clock.day
    now = utc(snapshot.now)
    begin = now if day[0] <= now < day[1] else day[0]
    hours = preferences.working_hours[snapshot.date.weekday()]
    working = clock.hours(hours)
    before = gather_before(snapshot, preferences, day)
    journeys = gather_journeys(snapshot.events, preferences, day)
    closed = merged(
        (*_kept_clear(snapshot.events, preferences, day), *(one.stretch for one in journeys))
    )
    counting = ((max(one, begin), other) for one, other in working)
    asking = _Asking(snapshot, preferences, clock, before, begin)
    return Evidence(
        start=day[0],
        end=day[1],
        begin=begin,
        is_past=now >= day[1],
        grid=preferences.grid_minutes * MINUTE,
        working=tuple(working),
        usable=tuple(without(merged(counting), closed)),
        demands=tuple(sorted(map(asking.demand, snapshot.todos), key=Demand.rank)),
        journeys=journeys,
        before=before,
        pauses=() if now >= day[1] else tuple(asking.pauses(working)),
        odd_hours=tuple(_odd_hours(preferences, hours)),
    )


class _Clock:
    """The clock of one day, to turn times of day into instants with."""

    def __init__(self, zone: ZoneInfo, date: dt.date) -> None:
        self.zone = zone
        self.date = date
        self.day = reached(zone, date, _MIDNIGHT), reached(zone, date + _DAY, _MIDNIGHT)

    def at(self, time: dt.time) -> dt.datetime:
        return reached(self.zone, self.date, time)

    def until(self, time: dt.time) -> dt.datetime:
        """Return the end that a time of day stands for: 00:00 is the end of the day."""
        return self.day[1] if time == _MIDNIGHT else self.at(time)

    def hours(self, spans: Sequence[TimeSpan]) -> list[Stretch]:
        return merged((self.at(span.start), self.until(span.end)) for span in spans)

    def is_after(self, time: dt.date | dt.datetime) -> bool:
        return utc(time) >= self.day[1] if isinstance(time, dt.datetime) else time > self.date

    def late_at(self, due: dt.date | dt.datetime | None) -> dt.datetime | None:
        if isinstance(due, dt.datetime):
            return utc(due)
        if due is None or due == dt.date.max:
            return None
        return self.day[1] if due == self.date else reached(self.zone, due + _DAY, _MIDNIGHT)

    def is_late(self, due: dt.date | dt.datetime | None, as_of: dt.datetime) -> bool:
        late_at = self.late_at(due)
        if late_at is None:
            return False
        return as_of > late_at if isinstance(due, dt.datetime) else as_of >= late_at


def _kept_clear(
    events: Sequence[Event], preferences: DayPreferences, day: Stretch
) -> Iterator[Stretch]:
    for event in filter(takes_time, events):
        if event.start == event.end:
            continue
        start, end = taken_by(event)
        yield (
            day[0] if start <= day[0] else start - preferences.buffer_before_minutes * MINUTE,
            day[1] if end >= day[1] else end + preferences.buffer_after_minutes * MINUTE,
        )


def _odd_hours(preferences: DayPreferences, hours: Sequence[TimeSpan]) -> Iterator[str]:
    named = [("the working hours", span) for span in hours]
    named += [(f"the hours of {wish.title}", wish.window) for wish in preferences.breaks]
    for one in preferences.energy_windows:
        named += [(f"the hours for {one.energy} energy", span) for span in one.spans]
    for name, span in named:
        if span.end != _MIDNIGHT and span.end <= span.start:
            clock = (span.start.isoformat("minutes"), span.end.isoformat("minutes"))
            yield f"{name} {'-'.join(clock)}"


class _Asking:
    """Works out what todos and breaks ask of a day."""

    def __init__(
        self,
        snapshot: DaySnapshot,
        preferences: DayPreferences,
        clock: _Clock,
        before: Before,
        begin: dt.datetime,
    ) -> None:
        self._snapshot = snapshot
        self._preferences = preferences
        self._clock = clock
        self._before = before
        self._begin = begin
        self._as_of = max(utc(snapshot.now), clock.day[0])
        self._in_full = frozenset(snapshot.placed_elsewhere)
        self._partly = {
            one.source: (one.minutes, one.later_minutes) for one in snapshot.partly_elsewhere
        }
        self._later = frozenset(snapshot.planned_later)
        self._left_out = frozenset(snapshot.left_out)
        self._energies = {one.energy: clock.hours(one.spans) for one in preferences.energy_windows}

    def demand(self, todo: Todo) -> Demand:
        """Return what one todo asks."""
        due = todo.due
        earlier = self._before.of(todo) if self._before.blocks else []
        had, later = self._partly.get(todo.source, (0, 0))
        whole = max(self._grid, self._length(todo) - had - later)
        over = minutes_over(earlier)
        need = self._up(whole - over % whole - minutes_staying(earlier))
        chunk = self._chunk(todo)
        return Demand(
            todo=todo,
            need=need * MINUTE,
            chunk=chunk * MINUTE if chunk and need >= 2 * chunk else None,
            windows=self._windows(todo),
            late_at=self._clock.late_at(due),
            is_due=due is not None and not self._clock.is_after(due),
            overdue=self._clock.is_late(due, self._as_of),
            standing=self._standing(todo),
            staying=tuple(one.stretch for one in earlier if one.stays),
            kept=tuple(moves_for_free(earlier)),
            later=later * MINUTE,
            is_again=over >= whole,
            has_no_hours=self._has_no_hours(todo),
        )

    @property
    def _grid(self) -> int:
        return self._preferences.grid_minutes

    def _up(self, minutes: int) -> int:
        return max(0, (minutes + self._grid - 1) // self._grid * self._grid)

    def _length(self, todo: Todo) -> int:
        known = todo.estimate_minutes if (todo.estimate_minutes or 0) > 0 else None
        return self._up(max(1, known or self._preferences.default_estimate_minutes))

    def _chunk(self, todo: Todo) -> int:
        said = todo.chunk_minutes
        return self._up((self._preferences.chunk_minutes if said is None else said) or 0)

    def _standing(self, todo: Todo) -> int:
        if todo.source in self._in_full:
            return _EARLIER
        if todo in self._before.skipped:
            return _SKIPPED
        if todo.source in self._later:
            return _LATER
        if todo.start is not None and self._clock.is_after(todo.start):
            return _NOT_YET
        return _LEFT_OUT if todo.source in self._left_out else _WORKABLE

    def _windows(self, todo: Todo) -> tuple[Stretch, ...]:
        start, end = self._clock.day
        if isinstance(todo.start, dt.datetime):
            start = max(start, utc(todo.start))
        return tuple(self._on_grid(common(self._own_hours(todo), (start, end))))

    def _own_hours(self, todo: Todo) -> list[Stretch]:
        start, end = self._clock.day
        if todo.earliest is not None:
            start = self._clock.at(todo.earliest)
        if todo.latest is not None:
            end = self._clock.until(todo.latest)
        return common(self._energies.get(todo.energy, [self._clock.day]), (start, end))

    def _on_grid(self, stretches: Sequence[Stretch]) -> Iterator[Stretch]:
        zero, grid = self._clock.day[0], self._grid * MINUTE
        for start, end in stretches:
            first = zero - (zero - start) // grid * grid
            last = zero + (end - zero) // grid * grid
            if first < last:
                yield first, last

    def _has_no_hours(self, todo: Todo) -> bool:
        is_free = todo.earliest is None and todo.latest in {None, _MIDNIGHT}
        if is_free and todo.energy not in self._energies:
            return False
        return not list(self._on_grid(self._own_hours(todo)))

    def pauses(self, working: Sequence[Stretch]) -> Iterator[Pause]:
        """Yield the breaks that the day is to have."""
        for wish in self._preferences.breaks:
            start, end = self._clock.at(wish.window.start), self._clock.until(wish.window.end)
            long = wish.minutes * MINUTE
            had = any(one.is_over or one.stays for one in self._before.of(wish.title))
            off = any(b - a >= long for a, b in without([(start, end)], working))
            late = start < self._begin and end - self._begin < long
            if had or off or late or start >= end or self._is_event(wish, (start, end)):
                continue
            kept = tuple(moves_for_free(self._before.of(wish.title)))
            fits_in = next(self._on_grid([(start, end)]), (start, start))
            need = max(self._grid, self._up(wish.minutes)) * MINUTE
            yield Pause(wish, (start, end), fits_in, need, kept)

    def _is_event(self, wish: BreakWish, window: Stretch) -> bool:
        name = re.compile(r"(?<!\w)" + re.escape(wish.title) + r"(?!\w)", re.IGNORECASE)
        return any(
            name.search(event.summary) and share(taken_by(event), window)
            for event in self._snapshot.events
            if takes_time(event)
        )
