"""Say why a due todo has no block, and the smallest changes that would give it one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iris_harness.contracts.day import Todo, Unplaced
from iris_harness.planner import words
from iris_harness.planner.daytime import DayTime
from iris_harness.planner.place import Outcome, Request, place_in_order
from iris_harness.planner.ranking import RankedTodo, Standing


def explain_no_room(
    time: DayTime, todos: Sequence[RankedTodo], outcomes: Sequence[Outcome]
) -> tuple[Unplaced, ...]:
    """Return an entry for each of `todos` that was placed nowhere.

    `todos` are all due ones that were to be placed, by rank, with their outcomes. Each change
    that is named would do by itself, all else staying as it is:

    - shorter: at the length of the longest gap it takes that gap when its turn comes;
    - working on: with hours until the time named it is served, and so is every todo ranked
      before it that would be served by then.

    On a day off no change is named: the user does not want one.
    """
    if all(outcome.start is not None for outcome in outcomes):
        return ()
    if not time.working:
        reason = words.day_off_reason(time.dates)
        return tuple(_entry(time, ranked.todo, reason) for ranked in todos)
    requests = [time.request(ranked.todo) for ranked in todos]
    longer = place_in_order(requests, time.gaps(time.overtime))
    rows = zip(todos, outcomes, _ends(requests, longer), strict=True)
    return tuple(
        _entry(
            time,
            ranked.todo,
            _no_room_reason(time, ranked.todo, outcome),
            " or ".join(_changes(time, outcome, overtime)),
        )
        for ranked, outcome, overtime in rows
        if outcome.start is None
    )


def _ends(requests: Sequence[Request], outcomes: Sequence[Outcome]) -> Iterator[int | None]:
    """Return for each request the slot at which it ends; None when it was given none."""
    for request, outcome in zip(requests, outcomes, strict=True):
        yield None if outcome.start is None else outcome.start + request.need


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


def _no_room_reason(time: DayTime, todo: Todo, outcome: Outcome) -> str:
    longest_minutes = outcome.longest * time.preferences.grid_minutes
    return words.no_room_reason(time.need_minutes(todo), longest_minutes, time.earliest(todo))


def _changes(time: DayTime, outcome: Outcome, overtime: int | None) -> Iterator[str]:
    if outcome.longest:
        yield words.fits_if_shorter(outcome.longest * time.preferences.grid_minutes)
    if overtime is None:
        return
    end = time.instant(overtime)
    if end > time.frame.instant(time.working[-1].end):
        yield words.fits_if_working_until(end, midnight=end == time.frame.end)
