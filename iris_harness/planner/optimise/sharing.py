"""Put more todos than a search could take into a long line of gaps, well and in little time.

Several orders are tried, each request taking the first option that is open: by rank; by gain for
time; and those that are due by Moore's rule, in the order in which they are due, where one that no
longer fits may drive out the longest before it. The best by gain stands. It is then improved until
nothing changes: what has no place takes one where it can, alone or for something of less gain; and
in rank order each moves to the earliest gap that is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.leftover import Pieces, sized
from iris_harness.planner.optimise.model import Model, Option, Piece
from iris_harness.planner.optimise.request import Request
from iris_harness.planner.optimise.settle import settle
from iris_harness.planner.optimise.state import State

_ROUNDS = 3
_MOST_STEPS = 10


class Sharing:
    """Looks for the best way to put everything into one line."""

    def __init__(self, requests: Sequence[Request], gaps: Sequence[Span]) -> None:
        self.model = Model(requests, gaps)
        self.state = State(self.model, most_steps=_MOST_STEPS)
        self.best = self.state.found()

    def run(self) -> tuple[Pieces, ...]:
        """Return the pieces of each request."""
        by_rank = self.model.hopeful
        by_worth = sorted(by_rank, key=self._worth)
        for fill in (self._fill, self._fill_by_moore):
            for order in (by_rank, by_worth):
                fill(order)
                self._keep()
                self._clear()
        self._restore()
        for _ in range(_ROUNDS):
            before = self.state.found()
            self._insert(by_worth)
            self._advance(by_rank)
            self._keep()
            if self.state.found() == before:
                break
        self._clear()
        self._restore()
        self._cut_early(by_rank)
        return settle(State(self.model), self.state.found())

    def _worth(self, job: int) -> tuple[float, int]:
        return (-self.model.gain(job) / self.model.requests[job].need, job)

    def _keep(self) -> None:
        found = self.state.found()
        if found.gain >= self.best.gain:
            self.best = found

    def _clear(self) -> None:
        for job, option in enumerate(self.state.chosen):
            if option is not None:
                self.state.undo(job)

    def _restore(self) -> None:
        for job, option in enumerate(self.best.chosen):
            if option is not None:
                self.state.choose(job, option)

    def _fill(self, order: Iterable[int]) -> None:
        for job in order:
            self._take(job, self.model.options[job])

    def _take(self, job: int, options: Iterable[Option]) -> bool:
        """Choose the first option that is open."""
        return any(self.state.choose(job, option) for option in options)

    def _fill_by_moore(self, order: Sequence[int]) -> None:
        """Fill with what is due first, then with the rest in order."""
        due = [job for job in order if self.model.requests[job].is_due]
        kept: list[int] = []
        for job in sorted(due, key=self._deadline):
            if self._take(job, self._in_time(job)):
                kept.append(job)
                continue
            longest = max(kept, key=self._need, default=job)
            if self._need(longest) > self._need(job):
                self._swap(longest, job)
                kept = [one for one in (*kept, job) if self.state.chosen[one] is not None]
        self._fill(job for job in order if self.state.chosen[job] is None)

    def _deadline(self, job: int) -> tuple[int, int, int]:
        due_by = self.model.requests[job].due_by
        return (self.model.gaps[-1].end if due_by is None else due_by, self._need(job), job)

    def _need(self, job: int) -> int:
        return self.model.requests[job].need

    def _in_time(self, job: int) -> list[Option]:
        gain = self.model.gain(job)
        return [option for option in self.model.options[job] if option.gain == gain]

    def _insert(self, order: Sequence[int]) -> None:
        """Place what has no place or is late, alone or for something of less gain."""
        for job in order:
            if self._gain(job) < self.model.gain(job) and not self._improve(job):
                others = [one for one in reversed(order) if self._gain(one) and one != job]
                any(self._swap(other, job) for other in others)

    def _gain(self, job: int) -> int:
        option = self.state.chosen[job]
        return 0 if option is None else option.gain

    def _improve(self, job: int) -> bool:
        """Move a request to where it gains more."""
        current = self.state.chosen[job]
        if current is None:
            return self._take(job, self.model.options[job])
        self.state.undo(job)
        return self._take(job, self._in_time(job)) or not self.state.choose(job, current)

    def _swap(self, other: int, job: int) -> bool:
        """Let `job` take the place of `other`, which goes elsewhere, if that gains something."""
        before = self._gain(job) + self._gain(other)
        theirs, mine = self.state.chosen[other], self.state.chosen[job]
        if theirs is None or theirs.gain + self.model.gain(job) <= before - theirs.gain:
            return False
        self.state.undo(other)
        if mine is not None:
            self.state.undo(job)
        gaps = _gaps(theirs)
        if self._take(job, (one for one in self.model.options[job] if gaps & _gaps(one))):
            self._take(other, self.model.options[other])
        if self._gain(job) + self._gain(other) > before:
            return True
        for one in (other, job):
            if self.state.chosen[one] is not None:
                self.state.undo(one)
        for one, option in ((other, theirs), (job, mine)):
            if option is not None:
                self.state.choose(one, option)
        return False

    def _advance(self, order: Sequence[int]) -> None:
        """Move each request in turn to its earliest gap that is open."""
        for job in order:
            current = self.state.chosen[job]
            if current is not None and current.pieces:
                self.state.undo(job)
                self._take(job, self.model.options[job])

    def _cut_early(self, order: Sequence[int]) -> None:
        """Cut what is to be cut so that as much of it as can be is done as early as can be."""
        for job in order:
            current = self.state.chosen[job]
            if current is None or current.pieces:
                continue
            self.state.undo(job)
            pieces = tuple(self._early(job, current))
            if sum(piece.need for piece in pieces) != self._need(job) or not self.state.choose(
                job, Option(current.gain, pieces)
            ):
                self.state.choose(job, current)

    def _early(self, job: int, option: Option) -> Iterable[Piece]:
        request = self.model.requests[job]
        rooms = list(self.state.board.rooms)
        sizes = (
            (place, min(rooms[place.gap], place.window.end - place.window.start))
            for place in option.places
        )
        for place, size in sized(request, sizes):
            rooms[place.gap] -= size
            yield Piece(place.gap, place.window, size, job)


def _gaps(option: Option) -> set[int]:
    """Return the gaps in which an option has or may get a piece."""
    return {piece.gap for piece in option.pieces} | {place.gap for place in option.places}
