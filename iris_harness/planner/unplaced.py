"""Say why a due todo has no block, and the smallest changes that would give it one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import ProofLevel, Todo, Unplaced
from iris_harness.planner import words
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Placement, Request, place_optimally
from iris_harness.planner.ranking import RankedTodo, Standing
from iris_harness.planner.spans import subtract, union

_MOST_TRIED = 5
_TRIAL_NODES = 3_000


def explain_no_room(
    time: DayTime, todos: Sequence[RankedTodo], placement: Placement
) -> tuple[Unplaced, ...]:
    """Return an entry for each due todo that was placed nowhere.

    `todos` are all that were to be placed, by rank, with where they are. Each change that is named
    would do by itself, all else that was read staying as it is:

    - shorter: at the length of the longest time that the blocks of due todos leave before its
      deadline, or all blocks at any time, it is placed in every best plan;
    - working on: with hours until the time named the best plan was found, and places it.

    No change is named where the placement was not proved to be the best, nor on a day off: the
    user does not want one. The second change is looked for on behalf of the first few todos only.
    """
    waiting = [
        number
        for number, pieces in enumerate(placement.pieces)
        if not pieces and todos[number].is_due
    ]
    if not waiting:
        return ()
    if not time.working:
        reason = words.day_off_reason(time.dates)
        return tuple(_entry(time, todos[number].todo, reason) for number in waiting)
    room = _Room(time, [time.request(ranked) for ranked in todos], placement)
    rest = waiting[_MOST_TRIED:]
    return tuple(
        _no_room(time, todos[number].todo, room, number, end)
        for number, end in (
            *room.overtime(waiting[:_MOST_TRIED]),
            *((number, None) for number in rest),
        )
    )


class _Room:
    """What a placement leaves, and what more hours would."""

    def __init__(self, time: DayTime, requests: Sequence[Request], placement: Placement) -> None:
        self.requests = requests
        self.proved = placement.proof.level in {None, ProofLevel.ORDER}
        self.gaps = time.gaps(time.working)
        self.longer = time.gaps(time.overtime)
        self.close = time.working[-1].end // time.grid
        taken = [
            (request, piece)
            for request, pieces in zip(requests, placement.pieces, strict=True)
            for piece in pieces
        ]
        self.blocks = union(span for _, span in taken)
        self.due_blocks = union(span for request, span in taken if request.is_due)

    def longest(self, number: int) -> int:
        """Return the slots it could have: of all that is left, or of what due todos leave it."""
        request = self.requests[number]
        in_time = [
            Span(span.start, span.end if request.due_by is None else min(span.end, request.due_by))
            for span in subtract(self.gaps, self.due_blocks)
        ]
        spans = (*in_time, *subtract(self.gaps, self.blocks))
        return max(0, 0, *(span.end - max(span.start, _earliest(request)) for span in spans))

    def overtime(self, numbers: Sequence[int]) -> Iterator[tuple[int, int | None]]:
        """Return for each the slot until which to work so that it is placed, if that helps."""
        open_time = subtract(self.longer, self.blocks)
        together = open_time
        for number in numbers:
            request = self.requests[number]
            first, alone, after = (
                _end(request, spans) for spans in (self.longer, open_time, together)
            )
            if after is not None:
                together = subtract(together, (Span(after - request.need, after),))
            ends = {end for end in (first, alone, after) if end is not None and end > self.close}
            tried = (end for end in sorted(ends) if self.proved and self._is_placed(number, end))
            yield number, next(tried, None)

    def _is_placed(self, number: int, until: int) -> bool:
        gaps = [Span(gap.start, min(gap.end, until)) for gap in self.longer if gap.start < until]
        placement = place_optimally(self.requests, gaps, most_nodes=_TRIAL_NODES)
        return placement.proof.level is None and bool(placement.pieces[number])


def _end(request: Request, spans: Sequence[Span]) -> int | None:
    """Return the slot at which it ends where it fits first; None where it does not."""
    starts = ((max(span.start, _earliest(request)), span.end) for span in spans)
    ends = (start + request.need for start, end in starts if start + request.need <= end)
    return next(ends, None)


def _earliest(request: Request) -> int:
    return request.windows[0].start if request.windows else 0


def _no_room(time: DayTime, todo: Todo, room: _Room, number: int, overtime: int | None) -> Unplaced:
    longest = room.longest(number)
    minutes = longest * time.preferences.grid_minutes
    return _entry(
        time,
        todo,
        words.no_room_reason(time.need_minutes(todo), minutes, time.earliest(todo)),
        " or ".join(_changes(time, longest if room.proved else 0, overtime)),
    )


def explain_not_workable(time: DayTime, todos: Iterable[RankedTodo]) -> tuple[Unplaced, ...]:
    """Return an entry for each due todo that could not be placed at all: no change would help.

    The day is over, or the todo may not start yet; one that an earlier day of the range has in
    full is left out, since nothing is missing.
    """
    return tuple(
        _entry(time, ranked.todo, _not_workable_reason(time, ranked))
        for ranked in todos
        if ranked.standing is not Standing.PLANNED_EARLIER
    )


def _entry(time: DayTime, todo: Todo, reason: str, would_fit_if: str = "") -> Unplaced:
    return Unplaced(
        summary=todo.summary,
        source=todo.source,
        reason=reason,
        would_fit_if=would_fit_if,
        missing_minutes=time.need_minutes(todo),
    )


def _not_workable_reason(time: DayTime, ranked: RankedTodo) -> str:
    start = ranked.todo.start
    if ranked.standing is Standing.NOT_YET and start is not None:
        return words.not_yet_reason(start, time.dates)
    return words.PAST_DAY


def _changes(time: DayTime, longest: int, overtime: int | None) -> Iterator[str]:
    if longest:
        yield words.fits_if_shorter(longest * time.preferences.grid_minutes)
    if overtime is None:
        return
    end = time.instant(overtime)
    if end > time.frame.instant(time.working[-1].end):
        yield words.fits_if_working_until(end, midnight=end == time.frame.end)
