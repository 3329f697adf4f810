"""The last level: where exactly everything lies that was chosen."""

from __future__ import annotations

from collections.abc import Iterator

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.gaps import at
from iris_harness.planner.optimise.model import Piece, Place
from iris_harness.planner.optimise.splits import Whole
from iris_harness.planner.optimise.state import Found, State


def settle(state: State, found: Found) -> tuple[tuple[Span, ...], ...]:
    """Return the pieces of each request, by start; () for what is left out.

    `state` is one in which nothing is chosen yet.
    """
    for job, option in enumerate(found.chosen):
        if option is not None and option.pieces:
            state.choose(job, option)
    for job, option in enumerate(found.chosen):
        if option is not None and not option.pieces:
            state.choose(job, option)
    if state.wholes:
        _Settling(state).run()
    pieces: list[list[Span]] = [[] for _ in found.chosen]
    for members in state.board.members:
        for member in state.board.gaps.fixed(members) if members else ():
            pieces[member.job].append(member.window)
    return tuple(tuple(sorted(placed)) for placed in pieces)


class _Settling:
    """Fixes what shares a gap with something that is cut: by rank, as early as all others allow.

    Pieces of one request are fixed in their order, each as long as it can be where it starts.
    """

    def __init__(self, state: State) -> None:
        self.board = state.board
        self.cutter = state.cutter
        self.wholes = [_in_all(whole, state.pieces) for whole in state.wholes]
        self.known: tuple[Piece, ...] = ()
        """One way to place everything, each piece where it lies."""
        self._is_known()

    def run(self) -> None:
        """Leave on the board pieces that lie where they are."""
        touched = {place.gap for whole in self.wholes for place in whole.places}
        cut = {whole.job for whole in self.wholes}
        beside = {one.job for gap in touched for one in self.board.members[gap]}
        for job in sorted(beside | cut):
            if not (self._fix_cut(job) if job in cut else self._fix_beside(job, touched)):
                self.cutter.is_sure = False  # an answer was not exact: keep to what is known
                break
        for gap in touched:
            self.board.members[gap] = tuple(one for one in self.known if one.gap == gap)

    def _fix_beside(self, job: int, touched: set[int]) -> bool:
        """Fix a request that is not cut and lies beside one that is."""
        pieces = [one for gap in touched for one in self.board.members[gap] if one.job == job]
        for piece in sorted(pieces):
            self.board.take_back((piece,))
            last = next(one.window.start for one in self.known if _is_same(one, piece))
            if not any(
                self._try(at(piece, start)) for start in range(piece.window.start, last + 1)
            ):
                return False
        return True

    def _fix_cut(self, job: int) -> bool:
        """Fix a request that is cut, one piece after the other."""
        while True:
            numbers = [n for n, whole in enumerate(self.wholes) if whole.job == job]
            if not numbers:
                return True
            if not any(
                self._try_first(numbers[0], piece)
                for piece in self._first_pieces(self.wholes[numbers[0]])
            ):
                return False

    def _try_first(self, number: int, piece: Piece) -> bool:
        """Fix the first piece of something that is cut, if all else can still be placed."""
        before = self.wholes
        whole = before[number]
        rest = whole._replace(need=whole.need - piece.need, places=whole.places[1:])
        self.wholes = [*before[:number], *([rest] if rest.places else []), *before[number + 1 :]]
        if self._try(piece):
            return True
        self.wholes = before
        return False

    def _first_pieces(self, whole: Whole) -> Iterator[Piece]:
        """Return what the first piece may be, in the order of wishes, until what is known."""
        gap, window = whole.places[0]
        others = len(whole.places) - 1
        known = sorted(one.window for one in self.known if one.job == whole.job)[-others - 1]
        top = whole.need - others * whole.chunk
        for start in range(window.start, known.start + 1):
            least = whole.chunk if others else whole.need
            for size in range(min(top, window.end - start), least - 1, -1):
                if (start, start + size) == known:
                    break
                yield Piece(gap, Span(start, start + size), size, whole.job)
        yield Piece(gap, known, known.end - known.start, whole.job)

    def _try(self, piece: Piece) -> bool:
        """Put a piece if all else can still be placed."""
        if not self.board.put((piece,)):
            return False
        if self._is_known():
            return True
        self.board.take_back((piece,))
        return False

    def _is_known(self) -> bool:
        """Look for a way to place everything."""
        pieces = self.cutter.cut(self.wholes)
        if pieces is None or not self.board.put(pieces):
            return False
        self.known = tuple(
            at(member, start)
            for members in self.board.members
            if members
            for member, start in zip(members, self.board.gaps.starts(members), strict=True)
        )
        self.board.take_back(pieces)
        return True


def _is_same(known: Piece, piece: Piece) -> bool:
    """Return whether `known` is where a piece of the board is known to fit."""
    return (known.job, known.gap, known.need) == (piece.job, piece.gap, piece.need) and (
        piece.window.start <= known.window.start and known.window.end <= piece.window.end
    )


def _in_all(whole: Whole, pieces: tuple[Piece, ...]) -> Whole:
    """Return what is to be cut with the places that its pieces are known to have."""
    if whole.in_all:
        return whole
    places = sorted(Place(one.gap, one.window) for one in pieces if one.job == whole.job)
    return whole._replace(places=tuple(places), in_all=True)
