"""Share todos out to the days of a range, then solve each day exactly.

All days are put into one line of gaps, in which a todo has its windows on every day that it may be
worked on, and is in time until the end of its own due day, or the time at which it is due there.
What can be split may go on the next day.

First `sharing` finds a good way to put everything into that line, then `polish` solves each day,
and each two days in a row, with what has no place yet. Neither can prove that nothing is better,
but every step keeps what is met and gained, and each day can serve all that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.leftover import Pieces, serve_in_part
from iris_harness.planner.optimise.polish import polish
from iris_harness.planner.optimise.request import Request
from iris_harness.planner.optimise.sharing import Sharing


class DayRoom(NamedTuple):
    """One day of a range, in its own slots."""

    gaps: tuple[Span, ...]
    """By start and without overlap."""
    breaks: tuple[Request, ...] = ()
    """What is served before any todo of that day."""


class RangeTodo(NamedTuple):
    """A todo that wants time on one of several days."""

    asks: tuple[Request | None, ...]
    """What it asks of each day, were all of it done there; None: it may not be done that day."""
    due_on: int | None = None
    """The day by whose end, or `due_by` on it, it is in time; None: on whichever day it is done."""


class DayShare(NamedTuple):
    """What one day is to serve."""

    numbers: tuple[int, ...]
    """The todos that have a share of it, by rank."""
    requests: tuple[Request, ...]
    """The breaks of the day, then what each of these todos asks of it: its share, all at once."""


def share_out(days: Sequence[DayRoom], todos: Sequence[RangeTodo]) -> tuple[DayShare, ...]:
    """Return for each day the todos that it serves, and how much of each.

    `todos` are by rank. Fewest deadlines missed, then most value, then earlier days by rank, as
    well as can be found; a todo that cannot be served in full and can be split takes what is left.
    """
    line = _Line(days, todos)
    pieces = Sharing(line.requests, line.gaps).run()
    pieces = polish(line.requests, [line.gaps_of(day) for day in range(len(days))], pieces)
    pieces = serve_in_part(line.requests, line.gaps, pieces)
    return tuple(line.share(day, pieces) for day in range(len(days)))


class _Line:
    """All days one after the other, so far apart that no piece lies in two."""

    def __init__(self, days: Sequence[DayRoom], todos: Sequence[RangeTodo]) -> None:
        self.days = days
        self.todos = todos
        self.stride = 1 + max((gap.end for day in days for gap in day.gaps), default=0)
        self.gaps = tuple(gap for day in range(len(days)) for gap in self.gaps_of(day))
        self.breaks = tuple(
            one._replace(windows=self._windows(one, number), kept=())
            for number, day in enumerate(days)
            for one in day.breaks
        )
        self.requests = (*self.breaks, *map(self._request, todos))

    def gaps_of(self, day: int) -> tuple[Span, ...]:
        """Return the gaps of a day as parts of the line."""
        return tuple(self._shift(gap, day) for gap in self.days[day].gaps)

    def _shift(self, span: Span, day: int) -> Span:
        return Span(span.start + day * self.stride, span.end + day * self.stride)

    def _windows(self, ask: Request, day: int) -> tuple[Span, ...]:
        windows = (Span(0, self.stride - 1),) if ask.windows is None else ask.windows
        last = self.stride - 1
        return tuple(
            self._shift(Span(window.start, min(window.end, last)), day)
            for window in windows
            if window.start < last
        )

    def _request(self, todo: RangeTodo) -> Request:
        asks = [(day, ask) for day, ask in enumerate(todo.asks) if ask is not None]
        if not asks:
            return Request(need=self.stride)  # more than any day has
        due_by, is_due = None, any(ask.is_due for _, ask in asks)
        if todo.due_on is not None:
            last = todo.asks[todo.due_on]
            slot = last.due_by if last is not None and last.due_by is not None else self.stride - 1
            due_by, is_due = min(slot, self.stride - 1) + todo.due_on * self.stride, True
        return asks[0][1]._replace(
            windows=tuple(span for day, ask in asks for span in self._windows(ask, day)),
            due_by=due_by,
            is_due=is_due,
            kept=(),
        )

    def share(self, day: int, pieces: Sequence[Pieces]) -> DayShare:
        """Return what one day serves."""
        numbers, requests = [], list(self.days[day].breaks)
        for number, todo in enumerate(self.todos):
            ask = todo.asks[day]
            slots = sum(
                piece.end - piece.start
                for piece in pieces[len(self.breaks) + number]
                if piece.start // self.stride == day
            )
            if ask is not None and slots:
                numbers.append(number)
                requests.append(ask if slots == ask.need else ask._replace(need=slots, kept=()))
        return DayShare(tuple(numbers), tuple(requests))
