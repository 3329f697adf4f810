"""Which pieces one gap holds, each in its window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.model import Piece

_MOST_STATES = 3_000
"""How many sets of pieces are looked at for one gap; after that it counts as not holding them."""

Members = tuple[Piece, ...]
"""The pieces in one gap, by rank of their requests and in order."""


class Gaps:
    """Answers, and remembers, whether a gap holds some pieces."""

    def __init__(self, gaps: Sequence[Span]) -> None:
        self.gaps = gaps
        self.is_sure = True
        """Whether every answer so far was exact."""
        self.effort = 0
        """What the answers have cost since this was last taken back to 0, in nodes."""
        self._orders: dict[Members, tuple[int, ...] | None] = {}

    def holds(self, members: Members, room: int) -> bool:
        """Return whether a gap holds its members; `room` is what their needs leave of it."""
        if room < 0:
            return False
        gap = self.gaps[members[0].gap]
        return is_plain(members, gap) or self._order(members, gap) is not None

    def _order(self, members: Members, gap: Span) -> tuple[int, ...] | None:
        """Return starts that keep every member in its window; None when there are none."""
        if members not in self._orders:
            order = _Order(members, gap)
            self._orders[members] = order.find()
            self.effort += order.effort
            self.is_sure = self.is_sure and order.is_sure
        return self._orders[members]

    def fixed(self, members: Members) -> Members:
        """Return members that a gap holds, each at the earliest start that those before allow."""
        gap = self.gaps[members[0].gap]
        if is_plain(members, gap):
            return tuple(map(at, members, self.starts(members)))
        known = self.starts(members)
        for index, member in enumerate(members):
            for start in self._candidates(members, index, known[index]):
                tried = (*members[:index], at(member, start), *members[index + 1 :])
                order = self._order(tried, gap)
                if order is not None:
                    members, known = tried, order
                    break
            else:
                members = (*members[:index], at(member, known[index]), *members[index + 1 :])
        return members

    def _candidates(self, members: Members, index: int, last: int) -> Iterator[int]:
        """Return the starts before `last` that a member could have; those before it are fixed.

        Where nothing can be moved forward by a slot, a piece begins where its window does, or ends
        a row of pieces without a break that begins where a window does or a fixed piece ends.
        """
        fixed = [one.window for one in members[:index]]
        sums = 1
        """Bit n is set when some of the pieces that are not fixed take n slots together."""
        for other in members[index + 1 :]:
            sums |= sums << other.need
        reached = 0
        for base in {one.window.start for one in members} | {span.end for span in fixed}:
            reached |= sums << base
        need = members[index].need
        for start in range(members[index].window.start, last):
            is_clear = all(start + need <= span.start or span.end <= start for span in fixed)
            if is_clear and reached >> start & 1:
                yield start

    def starts(self, members: Members) -> tuple[int, ...]:
        """Return where members can start that a gap holds."""
        gap = self.gaps[members[0].gap]
        if is_plain(members, gap):
            return tuple(accumulate((one.need for one in members), initial=gap.start))[:-1]
        return self._order(members, gap) or ()


def is_plain(members: Members, gap: Span) -> bool:
    """Return whether all members may lie anywhere in the gap, so that any order will do."""
    return all(member.window == gap for member in members)


def at(piece: Piece, start: int) -> Piece:
    """Return a piece that lies where it starts."""
    return piece._replace(window=Span(start, start + piece.need))


class _Order:
    """Looks for an order in which all members lie in their windows."""

    def __init__(self, members: Members, gap: Span) -> None:
        self.members = members
        self.gap = gap
        self.by_end = sorted(
            range(len(members)), key=lambda at: (*members[at].window[::-1], members[at].need, at)
        )
        self.is_sure = True
        self.effort = 0

    def find(self) -> tuple[int, ...] | None:
        """Return the start of each member, or None."""
        starts = self._by_deadline()
        if starts is not None or not self._may_lie():
            return starts
        if all(member.window.start == self.gap.start for member in self.members):
            return None  # where all may start at once, the order of the ends is the best
        return self._go_through()

    def _may_lie(self) -> bool:
        """Return False when some stretch is shorter than what has to lie in it."""
        firsts = {member.window.start for member in self.members}
        lasts = {member.window.end for member in self.members}
        for first in firsts:
            inside = [member for member in self.members if member.window.start >= first]
            for last in lasts:
                needed = sum(member.need for member in inside if member.window.end <= last)
                if needed > max(0, last - first):
                    return False
        return True

    def _by_deadline(self) -> tuple[int, ...] | None:
        """Try: always the next that may start already, the one that has to end first."""
        starts = [0] * len(self.members)
        waiting = list(self.by_end)
        now = self.gap.start
        while waiting:
            now = max(now, min(self.members[at].window.start for at in waiting))
            at = next(at for at in waiting if self.members[at].window.start <= now)
            if now + self.members[at].need > self.members[at].window.end:
                return None
            starts[at] = now
            now += self.members[at].need
            waiting.remove(at)
        return tuple(starts)

    def _go_through(self) -> tuple[int, ...] | None:
        """Go through the sets of members by size, each with the sequence that ends it soonest."""
        layer: dict[int, tuple[int, tuple[int, ...]]] = {0: (self.gap.start, ())}
        for _ in self.members:
            following: dict[int, tuple[int, tuple[int, ...]]] = {}
            for done, (end, path) in layer.items():
                for at, start in self._next(done, end):
                    key, until = done | 1 << at, start + self.members[at].need
                    if key not in following or following[key][0] > until:
                        following[key] = (until, (*path, at, start))
            layer = following
            self.effort += 1 + len(layer) // 4
            if self.effort > _MOST_STATES // 4:
                self.is_sure = False
                return None
        for _, path in layer.values():
            return tuple(start for _, start in sorted(zip(path[::2], path[1::2], strict=True)))
        return None

    def _next(self, done: int, end: int) -> Iterator[tuple[int, int]]:
        """Return which members can come next and when; of equal ones only the first."""
        last: Piece | None = None
        found: list[tuple[int, int]] = []
        soonest = self.gap.end
        for at in self.by_end:
            member = self.members[at]
            if done >> at & 1:
                continue
            start = max(end, member.window.start)
            if start + member.need > member.window.end:
                return  # it can no longer come at all
            soonest = min(soonest, start + member.need)
            if last is None or (last.need, last.window) != (member.need, member.window):
                found.append((at, start))
            last = member
        # one that starts after another could have come and gone leaves that time empty for nothing
        yield from ((at, start) for at, start in found if start < soonest)
