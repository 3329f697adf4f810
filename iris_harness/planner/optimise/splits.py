"""Cut requests into pieces that fit beside what lies in the gaps already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.board import Board
from iris_harness.planner.optimise.model import Piece, Place

MOST_STEPS = 400
"""After so many pieces tried, requests count as not to be cut."""


class Whole(NamedTuple):
    """Something that is to be cut."""

    job: int
    need: int
    chunk: int
    places: tuple[Place, ...]
    in_all: bool
    """Whether each of `places` gets a piece; otherwise any of them may."""


class Cutter:
    """Finds pieces for several requests at once."""

    def __init__(self, board: Board, repeats: Sequence[int], most_steps: int) -> None:
        """Cut pieces beside what lies on `board`, at most `repeats` for one request in a gap."""
        self.board = board
        self.repeats = repeats
        self.is_sure = True
        """Whether every answer so far was exact."""
        self.effort = 0
        """What the answers have cost since this was last taken back to 0, in nodes."""
        self.most_steps = most_steps
        self._steps = 0
        self._wholes: Sequence[Whole] = ()
        self._pieces: list[Piece] = []
        self._found: tuple[Piece, ...] = ()

    def cut(self, wholes: Sequence[Whole]) -> tuple[Piece, ...] | None:
        """Return pieces for all of them, by request and place; None when there are none.

        The board is left as it was.
        """
        self._wholes, self._pieces = wholes, []
        self._steps = self.most_steps
        self.effort += 1
        if not self._has_room() or not self._may_lie():
            return None
        is_found = self._serve(0)
        self.effort += (self.most_steps - self._steps) // 4
        if is_found:
            return self._found
        if self._steps <= 0:
            self.is_sure = False
        return None

    def _has_room(self) -> bool:
        """Return False when what pieces can fill of the gaps is too little for all together."""
        least = min((whole.chunk for whole in self._wholes), default=0)
        gaps = {place.gap for whole in self._wholes for place in whole.places}
        rooms = (self.board.rooms[gap] for gap in gaps)
        return sum(room for room in rooms if room >= least) >= sum(
            whole.need for whole in self._wholes
        )

    def _may_lie(self) -> bool:
        """Return False when some stretch is shorter than what has to lie in it."""
        hulls = [
            Span(whole.places[0].window.start, max(place.window.end for place in whole.places))
            for whole in self._wholes
        ]
        members = [one for members in self.board.members for one in members]
        for start in {hull.start for hull in hulls}:
            for end in {hull.end for hull in hulls}:
                needed = sum(
                    whole.need
                    for whole, hull in zip(self._wholes, hulls, strict=True)
                    if start <= hull.start and hull.end <= end
                ) + sum(
                    one.need
                    for one in members
                    if start <= one.window.start and one.window.end <= end
                )
                if needed > self._free(start, end):
                    return False
        return True

    def _free(self, start: int, end: int) -> int:
        """Return the slots of all gaps from `start` to `end`."""
        return sum(max(0, min(gap.end, end) - max(gap.start, start)) for gap in self.board.spans)

    def _serve(self, number: int) -> bool:
        """Cut all from this one on."""
        if number == len(self._wholes):
            self._found = tuple(self._pieces)
            return True
        if not all(self._may_do(one.places, one.need, one.chunk) for one in self._wholes[number:]):
            return False
        whole = self._wholes[number]
        if whole.in_all:
            return self._each(number, whole.places, whole.need)
        places = sorted(whole.places, key=lambda place: (-self._usable(place), place))
        return self._some(
            number,
            [
                place
                for place in places
                for _ in range(min(self.repeats[place.gap], whole.need // whole.chunk))
            ],
            whole.need,
        )

    def _each(self, number: int, places: Sequence[Place], missing: int) -> bool:
        """Give every one of `places` a piece."""
        if not places:
            return missing == 0 and self._serve(number + 1)
        whole = self._wholes[number]
        others = len(places) - 1
        top = missing - others * whole.chunk
        for size in range(min(top, self._usable(places[0])), whole.chunk - 1, -1):
            if self._steps <= 0 or missing - size > self._together(places[1:]):
                return False
            if self._put(whole, places[0], size):
                is_found = self._each(number, places[1:], missing - size)
                self._take_back()
                if is_found:
                    return True
        return False

    def _some(self, number: int, places: Sequence[Place], missing: int) -> bool:
        """Give some of `places` a piece."""
        if missing == 0:
            return self._serve(number + 1)
        whole = self._wholes[number]
        for index, place in enumerate(places):
            if self._steps <= 0 or not self._may_do(places[index:], missing, whole.chunk):
                return False
            for size in range(min(missing, self._usable(place)), whole.chunk - 1, -1):
                if 0 < missing - size < whole.chunk or not self._put(whole, place, size):
                    continue
                is_found = self._some(number, places[index + 1 :], missing - size)
                self._take_back()
                if is_found:
                    return True
        return False

    def _may_do(self, places: Sequence[Place], missing: int, chunk: int) -> bool:
        """Return False when even alone it could not be cut: too short, or too many pieces."""
        rooms = sorted((self._usable(place) for place in dict.fromkeys(places)), reverse=True)
        for count, room in enumerate(rooms, start=1):
            missing -= room
            if room < chunk or missing + sum(rooms[:count]) < count * chunk:
                return False
            if missing <= 0:
                return True
        return False

    def _usable(self, place: Place) -> int:
        return min(self.board.rooms[place.gap], place.window.end - place.window.start)

    def _together(self, places: Sequence[Place]) -> int:
        return sum(map(self._usable, dict.fromkeys(places)))

    def _put(self, whole: Whole, place: Place, size: int) -> bool:
        self._steps -= 1
        if self._steps <= 0:
            return False
        piece = Piece(place.gap, place.window, size, whole.job)
        if not self.board.put((piece,)):
            return False
        self._pieces.append(piece)
        return True

    def _take_back(self) -> None:
        self.board.take_back((self._pieces.pop(),))
