"""Depth first: the most gain, then the least movement, then the first placement by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iris_harness.contracts.day import PlanProof, ProofLevel
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.bounds import Bound, bounds_of, closed
from iris_harness.planner.optimise.model import Model, Option
from iris_harness.planner.optimise.prices import Prices, Tables
from iris_harness.planner.optimise.request import Request
from iris_harness.planner.optimise.splits import MOST_STEPS
from iris_harness.planner.optimise.state import Found, State

MOST_TODOS = 200
"""Of more than this no search is made: what first fit does is taken, with what is known."""


_EASY = 400
"""After so many nodes it is worth while to find prices."""
_MOST_PRICED = 80
"""For more than this finding prices takes too long."""
_FEW_STEPS = 10
_MOST_FIRST = 100
"""So many options of a request are tried at most when nothing is searched for."""


class _Stop(Exception):  # noqa: N818 - the end of a search is no error
    """The search has used up its nodes."""


class Search:
    """One search for the best placement."""

    def __init__(self, model: Model, most_nodes: int) -> None:
        self.model = model
        self.left = most_nodes
        many = len(model.hopeful) > MOST_TODOS
        self.state = State(model, most_steps=_FEW_STEPS if many else MOST_STEPS)
        self.weight = max(1, len(model.hopeful) // 25)
        """What a node counts: with many requests it takes longer."""
        self.is_first_fit = True
        """Whether nothing was left out before all its options were tried."""
        self.best = self.state.found()
        self.order: Sequence[int] = ()
        self.bounds: list[Bound] = []
        self.prices: Prices | None = None
        self.tables: Tables | None = None
        """The sharper bound, for an order that proved hard."""
        self.easy = 0
        """The order is hard when no more nodes than this are left."""
        self.better: list[int] = []
        """For each place of the order what is better in every way: left out, so is this one."""
        self.watched: list[int] = []
        """For each place of the order what is better than something from there on."""
        self.left_out = 0
        self.plain: list[bool] = []
        """For each place of the order whether one gap is as good as another to all after."""
        self.seen: dict[tuple[object, ...], int] = {}

    def run(self) -> tuple[Found, PlanProof]:
        """Return the best placement and what is known of it."""
        by_rank = self.model.hopeful
        by_worth = sorted(by_rank, key=self._worth)
        self._fill(by_rank)
        first = self.best
        root = Bound(self.model, by_rank)
        most = root.most(self.state.board.rooms, 0)
        if first.gain == most and first.moved == 0 and self.is_first_fit:
            return first, self._proof(None)  # nothing can be better, and first fit is the first
        self._fill(by_worth)
        if len(by_rank) > MOST_TODOS:
            return self.best, self._gain_proof(most)
        return self._search(by_rank, by_worth, most)

    def _search(
        self, by_rank: Sequence[int], by_worth: Sequence[int], most: int
    ) -> tuple[Found, PlanProof]:
        try:
            if self.best.gain < most:
                self._prepare(by_worth, with_stays=False)
                self._improve(0, 0)
        except _Stop:
            return self.best, self._gain_proof(most)
        if not self.state.is_sure():
            return self.best, self._gain_proof(most)
        moved = 0
        try:
            while moved < self.best.moved:
                self._prepare(sorted(by_rank, key=self._stays_last), with_stays=True)
                if self._reach(0, 0, moved):
                    break
                moved += 1
        except _Stop:
            gap = self.best.moved - moved
            return self.best, PlanProof(level=ProofLevel.MOVEMENT, gap=gap)
        if not self.state.is_sure():
            return self.best, PlanProof(level=ProofLevel.MOVEMENT, gap=self.best.moved)
        try:
            self._prepare(by_rank, with_stays=True)
            self._reach(0, 0, self.best.moved)
        except _Stop:
            return self.best, PlanProof(level=ProofLevel.ORDER)
        return self.best, self._proof(None)

    def _proof(self, level: ProofLevel | None) -> PlanProof:
        return PlanProof(level=level if self.state.is_sure() else ProofLevel.ORDER)

    def _gain_proof(self, most: int) -> PlanProof:
        """Return the first level on which `most` is more than what was found."""
        levels = (ProofLevel.BREAKS, ProofLevel.DEADLINES, ProofLevel.VALUE)
        reached, bound = self.model.levels(self.best.gain), self.model.levels(most)
        for level, mine, other in zip(levels, reached, bound, strict=True):
            if other > mine:
                return PlanProof(level=level, gap=other - mine)
        movement = self.best.moved
        return PlanProof(level=ProofLevel.MOVEMENT if movement else ProofLevel.ORDER, gap=movement)

    def _worth(self, job: int) -> tuple[float, int]:
        return (-self.model.gain(job) / self.model.requests[job].need, job)

    def _stays_last(self, job: int) -> bool:
        return self.model.stay[job] is None

    def _fill(self, order: Sequence[int]) -> None:
        """Give each request in turn its first option that is open; keep that if it is better."""
        taken = [job for job in order if self._take_first(job)]
        self._keep()
        for job in reversed(taken):
            self.state.undo(job)

    def _take_first(self, job: int) -> bool:
        for tried, option in enumerate(self.state.ranked(job)):
            if self.state.choose(job, option):
                return True
            if tried == _MOST_FIRST:
                self.is_first_fit = False
                return any(self.state.choose(job, one) for one in self.model.options[job])
        return False

    def _keep(self) -> None:
        found = self.state.found()
        if (found.gain, -found.moved) > (self.best.gain, -self.best.moved):
            self.best = found

    def _prepare(self, order: Sequence[int], *, with_stays: bool) -> None:
        requests = [self.model.requests[job] for job in order]
        self.order = order
        self.bounds = bounds_of(self.model, order)
        self.tables = None
        self.easy = self.left - _EASY
        self.better = [
            sum(1 << order[k] for k in range(at) if _dominates(requests[k], requests[at]))
            for at in range(len(order))
        ]
        self.watched = closed(self.better)
        special = [
            not self.model.is_plain(job) or (with_stays and self.model.stay[job] is not None)
            for job in order
        ]
        cut = any(special[at] and self.model.splits[job] for at, job in enumerate(order))
        self.plain = [not cut and not any(special[at:]) for at in range(len(order) + 1)]
        self.seen = {}

    def _count(self) -> None:
        self.left -= self.weight + self.state.take_effort()
        if self.left < 0:
            raise _Stop
        if self.tables is None and self.left < self.easy and len(self.order) <= _MOST_PRICED:
            self.prices = self.prices or Prices(self.model, self.best.gain)
            self.tables = Tables(self.prices, self.order)

    def _state(self, at: int) -> tuple[object, ...]:
        """Return what decides all that can still happen."""
        board, wholes = self.state.board, self.state.wholes
        is_plain = self.plain[at] and not any(whole.in_all for whole in wholes)
        plain: list[int] = []
        special: list[tuple[int, tuple[tuple[int, Span], ...]]] = []
        for number, (room, members) in enumerate(zip(board.rooms, board.members, strict=True)):
            if is_plain and board.is_plain(number):
                plain.append(room)  # whatever fills it can be moved about freely
            elif members:
                shapes = sorted((one.need, one.window) for one in members)
                special.append((number, tuple(shapes)))
        return (
            at,
            self.left_out & self.watched[at],
            tuple(sorted(plain)),
            tuple(special),
            tuple(wholes),
        )

    def _most(self, at: int, floor: int) -> int:
        """Return an upper bound of what can still be gained."""
        rooms = self.state.board.rooms
        most = self.bounds[at].most(rooms, self.state.promised, floor)
        if self.tables is None or most <= floor:
            return most
        return min(most, self.tables.most(at, rooms, [one.job for one in self.state.wholes]))

    def _improve(self, at: int, gain: int) -> None:
        """Look for more than the best gain below this node."""
        self._count()
        if at == len(self.order):
            self._keep()
            return
        needed = self.best.gain - gain
        if self._most(at, needed) <= needed:
            return
        state = self._state(at)
        if self.seen.get(state, -1) >= gain:
            return
        self.seen[state] = gain
        job = self.order[at]
        for option in self._tightest(at):
            if self.state.choose(job, option):
                self._improve(at + 1, gain + option.gain)
                self.state.undo(job)
        self.left_out |= 1 << job
        self._improve(at + 1, gain)
        self.left_out ^= 1 << job

    def _tightest(self, at: int) -> Sequence[Option]:
        """Return what can be chosen there, the fullest gaps first."""
        if self.left_out & self.better[at]:
            return ()  # something better was left out
        rooms = self.state.board.rooms
        return sorted(
            self.model.options[self.order[at]],
            key=lambda option: (
                -option.gain,
                [(rooms[piece.gap], piece.gap) for piece in option.pieces],
            ),
        )

    def _reach(self, at: int, gain: int, moves: int) -> bool:
        """Look for the first placement with the best gain; return whether there is one.

        At most `moves` of the requests that could stay may move.
        """
        self._count()
        needed = self.best.gain - gain
        if moves < 0 or self._most(at, needed - 1) < needed:
            return False
        if at == len(self.order):
            self.best = self.state.found()
            return True
        state = (gain, moves, *self._state(at))
        if state in self.seen:
            return False
        self.seen[state] = gain
        job = self.order[at]
        left = moves - (self.model.stay[job] is not None)
        for option in self._wanted(at):
            if self.state.choose(job, option):
                if self._reach(at + 1, gain + option.gain, moves if option.stays else left):
                    return True
                self.state.undo(job)
            elif not option.pieces:
                self._count()
        self.left_out |= 1 << job
        is_found = self._reach(at + 1, gain, left)
        self.left_out ^= 1 << job
        return is_found

    def _wanted(self, at: int) -> Iterator[Option]:
        """Return what can be chosen there, in the order of the request's wishes."""
        if not self.left_out & self.better[at]:
            yield from self.state.ranked(self.order[at])


def _dominates(one: Request, other: Request) -> bool:
    """Return whether `one` could always take the place of `other` and gain as much."""
    if one.is_break != other.is_break or one.value < other.value or other.kept:
        return False
    if not _is_smaller(one, other) or not _covers(one.windows, other.windows):
        return False
    if not other.is_due:
        return True
    in_time = one.due_by is None or (other.due_by is not None and one.due_by >= other.due_by)
    return one.is_due and in_time


def _is_smaller(one: Request, other: Request) -> bool:
    """Return whether `one` fits wherever the pieces of `other` lie."""
    if not other.can_split:
        return one.need <= other.need
    return one.can_split and one.need == other.need and one.least <= other.least


def _covers(one: Sequence[Span] | None, other: Sequence[Span] | None) -> bool:
    if one is None or other is None:
        return one is None
    return all(
        any(mine.start <= window.start and window.end <= mine.end for mine in one)
        for window in other
    )
