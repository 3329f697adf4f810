"""What lies in which gap while a search goes on."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.gaps import Gaps, Members
from iris_harness.planner.optimise.model import Piece


class Board:
    """The gaps with the pieces that were put into them."""

    def __init__(self, gaps: Sequence[Span]) -> None:
        self.spans = gaps
        self.gaps = Gaps(gaps)
        self.rooms = [gap.end - gap.start for gap in gaps]
        """Of each gap the slots that are left."""
        self.members: list[Members] = [()] * len(gaps)

    def put(self, pieces: Sequence[Piece]) -> bool:
        """Put all pieces where they belong, or none of them; return whether they hold."""
        for number, piece in enumerate(pieces):
            if not self._put(piece):
                self.take_back(pieces[:number])
                return False
        return True

    def _put(self, piece: Piece) -> bool:
        gap = piece.gap
        room = self.rooms[gap] - piece.need
        if room < 0:
            return False
        members = (*self.members[gap], piece)
        if len(members) > 1 and members[-2].job >= piece.job:
            members = tuple(sorted(members, key=_by_rank))
        if not self.gaps.holds(members, room):
            return False
        self.rooms[gap], self.members[gap] = room, members
        return True

    def take_back(self, pieces: Sequence[Piece]) -> None:
        """Take pieces away again that were put."""
        for piece in pieces:
            members = self.members[piece.gap]
            index = members.index(piece)
            self.rooms[piece.gap] += piece.need
            self.members[piece.gap] = members[:index] + members[index + 1 :]

    def is_plain(self, gap: int) -> bool:
        """Return whether all that lies in a gap may lie anywhere in it."""
        span = self.spans[gap]
        return all(member.window == span for member in self.members[gap])


def _by_rank(piece: Piece) -> tuple[int, Span]:
    return piece.job, piece.window
