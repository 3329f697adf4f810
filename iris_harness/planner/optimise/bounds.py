"""The most that requests can gain, were all gaps one."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Sequence
from itertools import accumulate

from iris_harness.planner.optimise.model import Model


class Bound:
    """An upper bound for some requests: all that they can fill of the gaps taken as one gap.

    That is a knapsack, solved for every room at once; and deadlines that lie in the day are met by
    Moore's rule: in their order, dropping the longest whenever one is missed.
    """

    def __init__(self, model: Model, jobs: Sequence[int], after: Bound | None = None) -> None:
        """Take the bound of all `jobs` but the first as `after`, if there is one."""
        self.gaps = model.gaps
        self.unit = model.deadline
        self.is_whole = not model.has_splits
        """Whether nothing can be cut to fill what is left of a gap."""
        size = 1 + sum(gap.end - gap.start for gap in model.gaps)
        self.gains: list[int] = after.gains if after else [0] * size
        self.values: list[int] = after.values if after else [0] * size
        self.reachable: int = after.reachable if after else 1
        """Bit n is set when some of the requests need n slots together."""
        self.timed: list[tuple[int, int, int]] = list(after.timed) if after else []
        """Of what is due in the day: by when, its need and its least piece, in order."""
        self.needs: list[tuple[int, int]] = list(after.needs) if after else []
        """Of what is due at any time: its need and its least piece, in order."""
        for job in jobs[:1] if after else jobs:
            request = model.requests[job]
            need = request.need
            if request.is_due and request.due_by is not None:
                bisect.insort(self.timed, (request.due_by, need, request.least))
            elif request.is_due:
                bisect.insort(self.needs, (need, request.least))
            self.reachable |= self.reachable << need & (1 << size) - 1
            gain = max((option.gain for option in model.options[job]), default=0)
            self.gains = _packed(self.gains, need, gain)
            self.values = _packed(self.values, need, model.gain(job, in_time=False))

    def most(self, rooms: Sequence[int], promised: int, floor: int = -1) -> int:
        """Return an upper bound of the gain in gaps with `rooms` slots left.

        `promised` slots of these are spoken for. A bound that is not above `floor` need not be the
        lowest that is known.
        """
        usable = [self._usable(room) for room in rooms] if self.is_whole else rooms
        room = max(0, sum(usable) - promised)
        if not self.timed or self.gains[room] <= floor:
            return self.gains[room]
        met = self._most_met(usable, room, max(rooms, default=0))
        return min(self.gains[room], met * self.unit + self.values[room])

    def _most_met(self, usable: Sequence[int], room: int, biggest: int) -> int:
        kept: list[int] = []  # negative lengths: the longest first
        used = 0
        for due_by, need, least in self.timed:
            if least > biggest:
                continue
            heapq.heappush(kept, -need)
            used += need
            if used > self._before(due_by, usable):
                used += heapq.heappop(kept)
        for need, least in self.needs:
            if least > biggest:
                continue
            heapq.heappush(kept, -need)
            used += need
            if used > room:
                used += heapq.heappop(kept)
        return len(kept)

    def _before(self, due_by: int, usable: Sequence[int]) -> int:
        """Return the slots that can be filled by `due_by`."""
        total = 0
        for gap, room in zip(self.gaps, usable, strict=True):
            if gap.start >= due_by:
                break
            total += min(room, due_by - gap.start)
        return total

    def _usable(self, room: int) -> int:
        """Return the most of `room` slots that any of the requests fill together."""
        return (self.reachable & ((2 << room) - 1)).bit_length() - 1


def _packed(best: Sequence[int], need: int, gain: int) -> list[int]:
    """Return the best of each room when one more thing may be packed."""
    return [*best[:need], *map(max, best[need:], map(gain.__add__, best))]


def bounds_of(model: Model, order: Sequence[int]) -> list[Bound]:
    """Return the bound of the requests from each place of the order on; of none at the end."""
    bounds: list[Bound] = []
    for at in range(len(order), -1, -1):
        bounds.append(Bound(model, order[at:], bounds[-1] if bounds else None))
    return bounds[::-1]


def closed(flags: Sequence[int]) -> list[int]:
    """Return for each place what of `flags` is set there or later; 0 at the end."""
    return list(accumulate(reversed(flags), int.__or__, initial=0))[::-1]
