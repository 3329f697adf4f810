"""What has been chosen so far, and whether more can be."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from iris_harness.planner.optimise.board import Board
from iris_harness.planner.optimise.model import Model, Option, Piece
from iris_harness.planner.optimise.splits import MOST_STEPS, Cutter, Whole


class Found(NamedTuple):
    """A way to place everything."""

    chosen: tuple[Option | None, ...]
    """Of each request; None leaves it out."""
    gain: int
    moved: int
    """How many could stay where they were and do not."""


class State:
    """The options chosen so far. Requests to be cut are known to fit; their pieces are open."""

    def __init__(self, model: Model, *, most_steps: int = MOST_STEPS) -> None:
        """Start with nothing chosen; after `most_steps` tries something counts as not to be cut."""
        self.model = model
        self.board = Board(model.gaps)
        self.cutter = Cutter(self.board, model.repeats, most_steps)
        self.chosen: list[Option | None] = [None] * len(model.requests)
        self.wholes: list[Whole] = []
        """What is still to be cut."""
        self.promised = 0
        """Slots for that."""
        self.pieces: tuple[Piece, ...] = ()
        """One way to cut it."""

    def is_sure(self) -> bool:
        """Whether every answer so far was exact."""
        return self.board.gaps.is_sure and self.cutter.is_sure

    def take_effort(self) -> int:
        """Return what the answers have cost since this was last asked, in nodes."""
        effort = self.board.gaps.effort + self.cutter.effort
        self.board.gaps.effort = self.cutter.effort = 0
        return effort

    def choose(self, job: int, option: Option) -> bool:
        """Choose an option if it goes together with what was chosen."""
        is_open = self._put(option) if option.pieces else self._promise(job, option)
        if is_open:
            self.chosen[job] = option
        return is_open

    def _put(self, option: Option) -> bool:
        if not self.board.put(option.pieces):
            return False
        if self.wholes and not self._still_cut(option.pieces):
            self.board.take_back(option.pieces)
            return False
        return True

    def _still_cut(self, pieces: tuple[Piece, ...]) -> bool:
        """Return whether all that is promised can be cut beside new pieces."""
        gaps = {piece.gap for piece in pieces}
        beside = [piece for piece in self.pieces if piece.gap in gaps]
        if self.board.put(beside):
            self.board.take_back(beside)
            return True
        return self._cut({piece.job for piece in beside})

    def _promise(self, job: int, option: Option) -> bool:
        request = self.model.requests[job]
        if self.promised + request.need > sum(self.board.rooms):
            return False
        whole = Whole(job, request.need, request.least, option.places, option.in_all)
        self.wholes.append(whole)
        if not self._cut({job}):
            self.wholes.pop()
            return False
        self.promised += request.need
        return True

    def _cut(self, jobs: Container[int]) -> bool:
        """Cut what is promised anew: `jobs` beside the pieces of the others, or all."""
        rest = tuple(piece for piece in self.pieces if piece.job not in jobs)
        if rest and self.board.put(rest):
            pieces = self.cutter.cut([whole for whole in self.wholes if whole.job in jobs])
            self.board.take_back(rest)
            if pieces is not None:
                self.pieces = (*rest, *pieces)
                return True
        pieces = self.cutter.cut(self.wholes)
        if pieces is not None:
            self.pieces = pieces
        return pieces is not None

    def undo(self, job: int) -> None:
        """Take back the option that was chosen for a request."""
        option = self.chosen[job]
        self.chosen[job] = None
        if option is not None and option.pieces:
            self.board.take_back(option.pieces)
        elif option is not None:
            self.wholes = [whole for whole in self.wholes if whole.job != job]
            self.promised -= self.model.requests[job].need
            self.pieces = tuple(piece for piece in self.pieces if piece.job != job)

    def ranked(self, job: int) -> Iterator[Option]:
        """Return what a request wants, in its order, without what cannot be had anyway."""
        stay = self.model.stay[job]
        if stay is not None:
            yield stay
        if not self.model.splits[job]:
            yield from self.model.options[job]
            return
        for option in self.model.options[job]:
            if self.choose(job, option):
                self.undo(job)
                yield from self.model.cuts(job, option)

    def found(self) -> Found:
        """Return what has been chosen."""
        chosen = [option for option in self.chosen if option is not None]
        movable = sum(stay is not None for stay in self.model.stay)
        return Found(
            tuple(self.chosen),
            sum(option.gain for option in chosen),
            movable - sum(option.stays for option in chosen),
        )
