"""Say why a due todo has no block, or not enough, and the smallest changes that would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import ProofLevel, Todo, Unplaced
from iris_harness.planner import words
from iris_harness.planner.breaks import find_breaks
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.frame import Phase, Span
from iris_harness.planner.optimise import Placement, Request, place_optimally
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.spans import subtract, union
from iris_harness.planner.wishes import Claims, Wish

_MOST_TRIED = 5
_TRIAL_NODES = 3_000
_PROVED = frozenset({None, ProofLevel.MOVEMENT, ProofLevel.ORDER})
"""Levels that leave no doubt about deadlines and value."""


class _Lack(NamedTuple):
    """A due todo that was not given all its time."""

    number: int
    """Of its wish."""
    ranked: RankedTodo
    missing: int
    """Slots that this day could not give it."""
    later: int = 0
    """Minutes that are left to later days."""


def explain_no_room(
    time: DayTime, claims: Claims, wishes: Sequence[Wish], placement: Placement
) -> tuple[Unplaced, ...]:
    """Return an entry for each due todo that was not placed, or not in full.

    Each change that is named would do by itself, all else that was read staying as it is:

    - shorter: at the length of the longest time that the blocks of due todos leave before its
      deadline, or all blocks at any time, or at the length that it has been given, it is placed in
      every best plan;
    - working on: with hours until the time named the best plan was found, and places it.

    No change is named where the placement was not proved to be the best, nor on a day off: the
    user does not want one. The second change is looked for on behalf of the first few todos only.
    """
    lacking = [
        _Lack(number, wish.ranked, missing, claims.later_minutes(wish.ranked.todo))
        for number, (wish, missing) in enumerate(zip(wishes, placement.partial, strict=True))
        if wish.ranked is not None and wish.is_due
        if missing or claims.later_minutes(wish.ranked.todo)
    ]
    if not lacking:
        return ()
    if not time.working:
        reason = words.day_off_reason(time.dates)
        return tuple(_entry(time, lack, reason) for lack in lacking)
    room = _Room(time, claims, wishes, placement)
    ends = dict(room.overtime([lack for lack in lacking if lack.missing][:_MOST_TRIED]))
    return tuple(_no_room(time, lack, room, ends.get(lack.number)) for lack in lacking)


class _Room:
    """What a placement leaves, and what more hours would."""

    def __init__(
        self, time: DayTime, claims: Claims, wishes: Sequence[Wish], placement: Placement
    ) -> None:
        self.time = time
        self.claims = claims
        self.requests = [wish.request for wish in wishes]
        self.breaks = tuple(wish.wanted_break for wish in wishes if wish.wanted_break)
        self.proved = placement.proof.level in _PROVED
        self.gaps = time.gaps()
        self.longer = time.working_until(time.frame.seconds).gaps()
        self.close = time.working[-1].end // time.grid
        self.given = placement.pieces
        self.blocks = union(piece for pieces in placement.pieces for piece in pieces)
        self.due_blocks = union(
            piece
            for request, pieces in zip(self.requests, placement.pieces, strict=True)
            if request.is_due or request.is_break
            for piece in pieces
        )

    def longest(self, number: int) -> int:
        """Return the slots it could have: of all that is left, or of what due todos leave it."""
        request = self.requests[number]
        in_time = [
            Span(span.start, span.end if request.due_by is None else min(span.end, request.due_by))
            for span in subtract(self.gaps, self.due_blocks)
        ]
        spans = _usable(request, (*in_time, *subtract(self.gaps, self.blocks)))
        return max((span.end - span.start for span in spans), default=0)

    def overtime(self, lacking: Sequence[_Lack]) -> Iterator[tuple[int, int]]:
        """Return for each the slot until which to work so that it is placed, if that helps."""
        open_time = subtract(self.longer, self.blocks)
        together = open_time
        for number, _, missing, _later in lacking:
            request = self.requests[number]._replace(need=missing)
            first, alone, after = (
                _end(request, spans) for spans in (self.longer, open_time, together)
            )
            if after is not None:
                together = subtract(together, (Span(after - missing, after),))
            ends = {end for end in (first, alone, after) if end is not None and end > self.close}
            helpful = (end for end in sorted(ends) if self.proved and self._is_placed(number, end))
            if (end := next(helpful, None)) is not None:
                yield number, end

    def _is_placed(self, number: int, until: int) -> bool:
        """Return whether a day that is longer, and has the same wishes, places it in full."""
        time = self.time.working_until(until * self.time.grid)
        if find_breaks(time, self.claims.events, self.claims.shown.breaks()) != self.breaks:
            return False  # it would ask for a break that this day does not
        placement = place_optimally(self.requests, time.gaps(), most_nodes=_TRIAL_NODES)
        return placement.proof.level is None and not placement.partial[number]


def _usable(request: Request, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield what of `spans` the windows of a request leave."""
    for span in spans:
        for window in (span,) if request.windows is None else request.windows:
            start, end = max(span.start, window.start), min(span.end, window.end)
            if start < end:
                yield Span(start, end)


def _end(request: Request, spans: Sequence[Span]) -> int | None:
    """Return the slot at which it ends where it fits first; None where it does not."""
    usable = _usable(request, spans)
    ends = (span.start + request.need for span in usable if span.start + request.need <= span.end)
    return next(ends, None)


def _no_room(time: DayTime, lack: _Lack, room: _Room, overtime: int | None) -> Unplaced:
    grid = time.preferences.grid_minutes
    todo, request = lack.ranked.todo, room.requests[lack.number]
    if not lack.missing:
        return _entry(time, lack, words.rest_later_reason(lack.later))
    limits = time.limits(todo)
    said = words.when_text(limits.earliest, limits.latest, limits.energy)
    if room.given[lack.number]:
        reason = words.partly_reason(lack.missing * grid, request.need * grid, said)
        shorter = request.need - lack.missing
    else:
        shorter = room.longest(lack.number)
        reason = words.no_room_reason(request.need * grid, shorter * grid, said)
    is_whole = request.need * grid == time.need_minutes(todo)
    changes = _changes(time, shorter if room.proved and is_whole else 0, overtime)
    return _entry(time, lack, reason, " or ".join(changes))


def explain_not_workable(
    time: DayTime, claims: Claims, placement: Placement, todos: Iterable[RankedTodo]
) -> tuple[Unplaced, ...]:
    """Return an entry for each due todo that could not be placed at all, without a change.

    The day is over, the todo may not start yet, or the range has no time for it on this day. One
    that an earlier day has in full is left out, since nothing is missing; so is one that the user
    skips.
    """
    blocks = union(piece for pieces in placement.pieces for piece in pieces)
    free = subtract(time.gaps(), blocks)
    return tuple(
        _entry(
            time,
            _Lack(0, ranked, rest // time.preferences.grid_minutes),
            _not_workable_reason(time, ranked, rest, free),
        )
        for ranked in todos
        if ranked.standing not in {Standing.SKIPPED, Standing.PLANNED_EARLIER}
        and (rest := claims.rest_minutes(time, ranked.todo))
    )


def _entry(time: DayTime, lack: _Lack, reason: str, would_fit_if: str = "") -> Unplaced:
    return Unplaced(
        summary=lack.ranked.todo.summary,
        source=lack.ranked.todo.source,
        reason=reason,
        would_fit_if=would_fit_if,
        missing_minutes=lack.missing * time.preferences.grid_minutes + lack.later,
    )


def _not_workable_reason(time: DayTime, ranked: RankedTodo, rest: int, free: Sequence[Span]) -> str:
    start = ranked.todo.start
    if ranked.standing is Standing.NOT_YET and start is not None:
        return words.not_yet_reason(start, time.dates)
    if time.frame.phase(time.now) is Phase.PAST:
        return words.PAST_DAY
    if ranked.standing is Standing.PLANNED_LATER:
        return words.PLANNED_LATER
    return _left_out_reason(time, ranked.todo, rest, free)


def _left_out_reason(time: DayTime, todo: Todo, rest: int, free: Sequence[Span]) -> str:
    """Return why a todo that the range has no time for has none on this day either."""
    if not time.working:
        return words.day_off_reason(time.dates)
    limits = time.limits(todo)
    usable = _usable(Request(need=1, windows=limits.windows), free)
    longest = max((span.end - span.start for span in usable), default=0)
    when = words.when_text(limits.earliest, limits.latest, limits.energy)
    return words.no_room_reason(rest, longest * time.preferences.grid_minutes, when)


def _changes(time: DayTime, longest: int, overtime: int | None) -> Iterator[str]:
    if longest:
        yield words.fits_if_shorter(longest * time.preferences.grid_minutes)
    if overtime is None:
        return
    end = time.instant(overtime)
    if end > time.frame.instant(time.working[-1].end):
        yield words.fits_if_working_until(end, midnight=end == time.frame.end)
