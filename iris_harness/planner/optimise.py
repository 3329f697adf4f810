"""Place todos into the gaps of a day, as well as it can be done.

The model. Time is counted in slots of the grid. A gap is a span of free slots. A todo takes `need`
slots in one piece in one gap, in one of its windows, or is not placed. A todo that is due may be
placed after `due_by`, then it is late.

The objective, each level deciding only what the levels before leave equal:

1. deadlines: the fewest due todos that are late or not placed;
2. value: the most, summed over the todos that are placed, late ones included;
3. choice: in rank order, each todo takes the first of its choices that keeps the optimum of the
   levels and todos before it. Its choices are the gaps in which it is in time, earliest first,
   then the gaps in which it is late, earliest first, then none;
4. start: in rank order, each todo starts as early in its gap as that still allows.

A todo of priority p is worth (10 - p) squared: one of priority 1 (81) outweighs three of
priority 5 (25 each). One without a priority is worth 16, as priority 6: less than what was marked
as medium, because the user did mark that; more than what was marked as low, for the same reason.

The search is exact: depth first over the todos with a bound from what is left of all gaps
together, first for the optimum of 1 and 2, then in rank order for the first placement that reaches
it. It counts its nodes and stops at a fixed number of them, never by a clock, so it does the same
everywhere. `Placement.proof` says what is known of the result.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import and_, or_
from typing import NamedTuple

from iris_harness.contracts.day import PlanProof, ProofLevel
from iris_harness.planner.frame import Span
from iris_harness.planner.spans import subtract, union

MOST_NODES = 200_000
MOST_TODOS = 200
"""Of more todos than this no search is made: what first fit does is taken, with what is known."""
_MOST_ARRANGEMENTS = 5_000


_UNDEFINED_PRIORITY = 6


def worth(priority: int | None) -> int:
    """Return what placing a todo of this priority (1 to 9, None: undefined) is worth."""
    return (10 - (priority or _UNDEFINED_PRIORITY)) ** 2


class Request(NamedTuple):
    """Something that wants time."""

    need: int
    """Slots in all, at least 1."""
    windows: tuple[Span, ...] | None = None
    """Each of its pieces lies in one of these, which are by start and apart; None: anywhere."""
    due_by: int | None = None
    """It is in time when it ends by this slot; None: whenever it is placed."""
    is_due: bool = False
    """Whether leaving it out or being late misses a deadline."""
    value: int = 1
    """What placing it is worth, at least 1; of a break this does not count."""
    chunk: int | None = None
    """The least slots of a piece; None: it is placed in one piece."""
    kept: tuple[Span, ...] = ()
    """Where the plan that was shown before has it, by start; () is nowhere."""
    is_break: bool = False
    """Whether it is served before anything else."""


class Placement(NamedTuple):
    """Where everything goes."""

    pieces: tuple[tuple[Span, ...], ...]
    """The pieces of each request, by start; () when it is not placed."""
    proof: PlanProof
    """What is known of how good this is."""
    partial: tuple[int, ...]
    """The slots that each request still lacks: 0 when it is served in full."""


class _Choice(NamedTuple):
    gap: int
    window: Span
    """It has to lie in here."""
    gain: int
    job: int
    need: int


_Gap = tuple[_Choice, ...]
"""What was put into a gap, by rank."""


def place_optimally(
    requests: Sequence[Request], gaps: Sequence[Span], *, most_nodes: int = MOST_NODES
) -> Placement:
    """Return the best placement of `requests`, which are by rank.

    `gaps` are free slots, by start and without overlap.
    """
    model = _Model(requests, gaps)
    search = _Search(model, most_nodes)
    chosen, is_best, is_first = search.run()
    pieces = _serve_rest(requests, gaps, model.starts(chosen))
    return Placement(
        pieces=pieces,
        proof=model.proof(chosen, is_best=is_best, is_first=is_first),
        partial=tuple(
            request.need - sum(piece.end - piece.start for piece in placed)
            for request, placed in zip(requests, pieces, strict=True)
        ),
    )


def _serve_rest(
    requests: Sequence[Request], gaps: Sequence[Span], starts: Sequence[int | None]
) -> tuple[tuple[Span, ...], ...]:
    """Give what is left to those that can be split and are not placed, in rank order."""
    pieces: list[tuple[Span, ...]] = [
        () if start is None else (Span(start, start + request.need),)
        for request, start in zip(requests, starts, strict=True)
    ]
    free = subtract(gaps, union(piece for placed in pieces for piece in placed))
    for job, request in enumerate(requests):
        if not pieces[job] and request.chunk is not None:
            pieces[job] = tuple(_parts(request, request.chunk, free))
            free = subtract(free, pieces[job])
    return tuple(pieces)


def _parts(request: Request, chunk: int, free: Sequence[Span]) -> Iterator[Span]:
    missing = request.need
    for span in free:
        for window in request.windows or (span,):
            start = max(span.start, window.start)
            size = min(missing, min(span.end, window.end) - start)
            if 0 < missing - size < chunk:
                size = missing - chunk
            if size >= min(chunk, request.need):
                missing -= size
                yield Span(start, start + size)


class _Model:
    """The choices of each request, and which of them go together."""

    def __init__(self, requests: Sequence[Request], gaps: Sequence[Span]) -> None:
        self.requests = requests
        self.gaps = gaps
        self.deadline = 1 + sum(request.value for request in requests)
        """Gain of a deadline that is met: more than all value together."""
        self.service = self.deadline * (1 + sum(request.is_due for request in requests))
        """Gain of a break that is served: more than all else together."""
        self.choices = [tuple(self._choices(job)) for job in range(len(requests))]
        self.is_sure = True
        """Whether every answer about a gap was exact."""
        self.effort = 0
        """Nodes that answers about gaps have cost since this was last looked at."""
        self._orders: dict[_Gap, tuple[int, ...] | None] = {}

    def _choices(self, job: int) -> Iterator[_Choice]:
        request = self.requests[job]
        late: list[_Choice] = []
        for number, (start, last) in self._places(request):
            end = last if request.due_by is None else min(last, request.due_by)
            if start + request.need <= end:
                yield _Choice(number, Span(start, end), self.gain(request), job, request.need)
            if end < last and start + request.need <= last:
                gain = self.gain(request._replace(is_due=False))
                late.append(_Choice(number, Span(start, last), gain, job, request.need))
        yield from late

    def _places(self, request: Request) -> Iterator[tuple[int, Span]]:
        for number, gap in enumerate(self.gaps):
            for window in request.windows if request.windows is not None else (gap,):
                place = Span(max(gap.start, window.start), min(gap.end, window.end))
                if place.start < place.end:
                    yield number, place

    def gain(self, request: Request) -> int:
        """Return what is gained where a request is placed in time."""
        value = self.service if request.is_break else request.value
        return value + (self.deadline if request.is_due else 0)

    def holds(self, members: _Gap, room: int) -> bool:
        """Return whether a gap holds its members; `room` is what their needs leave of it."""
        if room < 0:
            return False
        gap = self.gaps[members[0].gap]
        return _is_plain(members, gap) or self._order(members, gap) is not None

    def _order(self, members: _Gap, gap: Span) -> tuple[int, ...] | None:
        """Return starts that keep every member in its window; None when there are none."""
        if members not in self._orders:
            self._orders[members], is_sure, effort = _find_order(members, gap)
            self.effort += effort
            self.is_sure = self.is_sure and is_sure
        return self._orders[members]

    def arrange(self, members: _Gap) -> tuple[int, ...]:
        """Return the earliest starts, in rank order, of members that a gap holds."""
        gap = self.gaps[members[0].gap]
        if _is_plain(members, gap):
            return tuple(accumulate((member.need for member in members), initial=gap.start))[:-1]
        earliest = _Arrangement().find(members, (gap,))
        self.is_sure = self.is_sure and earliest is not None
        return earliest or self._order(members, gap) or ()

    def starts(self, chosen: Sequence[_Choice | None]) -> tuple[int | None, ...]:
        """Return the first slot of each request."""
        starts: list[int | None] = [None] * len(chosen)
        for number in range(len(self.gaps)):
            members = tuple(one for one in chosen if one is not None and one.gap == number)
            placed = self.arrange(members) if members else ()
            for member, start in zip(members, placed, strict=True):
                starts[member.job] = start
        return tuple(starts)

    def proof(
        self, chosen: Sequence[_Choice | None], *, is_best: bool, is_first: bool
    ) -> PlanProof:
        """Return what is known of a placement."""
        if is_best:
            return PlanProof(level=None if is_first and self.is_sure else ProofLevel.ORDER)
        served, met, value = self.levels(sum(one.gain for one in chosen if one))
        bound = _Bound(self, self.hopeful())
        most_served, most_met, most_value = self.levels(
            bound.most([gap.end - gap.start for gap in self.gaps])
        )
        if most_served > served:
            return PlanProof(level=ProofLevel.BREAKS, gap=most_served - served)
        if most_met > met:
            return PlanProof(level=ProofLevel.DEADLINES, gap=most_met - met)
        if most_value > value:
            return PlanProof(level=ProofLevel.VALUE, gap=most_value - value)
        return PlanProof(level=ProofLevel.ORDER)

    def levels(self, gain: int) -> tuple[int, int, int]:
        """Return the breaks served, deadlines met and value that a gain is made of."""
        served, rest = divmod(gain, self.service)
        return served, *divmod(rest, self.deadline)

    def is_plain(self, job: int) -> bool:
        """Return whether a request may lie anywhere, and to one gap is as good as to another."""
        request = self.requests[job]
        ends_in_time = request.due_by is None or request.due_by >= self.gaps[-1].end
        return ends_in_time and request.windows is None

    def hopeful(self) -> list[int]:
        """Return the requests that some gap could hold."""
        return [job for job, choices in enumerate(self.choices) if choices]


def _is_plain(members: _Gap, gap: Span) -> bool:
    """Return whether all members may lie anywhere in the gap, so that any order will do."""
    return all(member.window == gap for member in members)


_Answer = tuple["tuple[int, ...] | None", bool, int]
"""Starts that keep every member in its window, or None; whether that is certain; its cost."""


def _find_order(members: _Gap, gap: Span) -> _Answer:
    if not _may_lie(members, (gap,)):
        return None, True, 0
    by_end = sorted(members, key=lambda one: (*one.window[::-1], one.need, one.job))
    if all(member.window.start == gap.start for member in members):
        ends = list(accumulate((one.need for one in by_end), initial=gap.start))
        in_time = all(end <= one.window.end for one, end in zip(by_end, ends[1:], strict=True))
        return (_in_rank_order(by_end, ends) if in_time else None), True, 0
    return _find_sequence(by_end, gap)


def _in_rank_order(sequence: Sequence[_Choice], starts: Sequence[int]) -> tuple[int, ...]:
    pairs = zip(sequence, starts, strict=False)
    return tuple(start for _, start in sorted((one.job, start) for one, start in pairs))


def _find_sequence(members: Sequence[_Choice], gap: Span) -> _Answer:
    """Go through the sets of members by size, each with the sequence that ends it soonest."""
    layer: dict[int, tuple[int, tuple[int, ...]]] = {0: (gap.start, ())}
    cost = 0
    for _ in members:
        following: dict[int, tuple[int, tuple[int, ...]]] = {}
        for done, (end, path) in layer.items():
            for index, start in _next_starts(members, done, end):
                key, until = done | 1 << index, start + members[index].need
                if key not in following or following[key][0] > until:
                    following[key] = (until, (*path, index, start))
        layer = following
        cost += len(layer)
        if cost > _MOST_ARRANGEMENTS:
            return None, False, cost
    for _, path in layer.values():
        sequence = [members[index] for index in path[::2]]
        return _in_rank_order(sequence, path[1::2]), True, cost
    return None, True, cost


def _next_starts(members: Sequence[_Choice], done: int, end: int) -> Iterator[tuple[int, int]]:
    """Return which members can come next and when; of equal ones only the first."""
    last: _Choice | None = None
    for index, member in enumerate(members):
        if done >> index & 1:
            continue
        start = max(end, member.window.start)
        is_new = last is None or (last.need, last.window) != (member.need, member.window)
        if is_new and start + member.need <= member.window.end:
            yield index, start
        last = member


class _Arrangement:
    """Finds where the members of one gap start."""

    def __init__(self) -> None:
        self.left = _MOST_ARRANGEMENTS

    def find(self, members: _Gap, free: tuple[Span, ...]) -> tuple[int, ...] | None:
        """Return the first starts in rank order that let everything lie in its window."""
        if not members:
            return ()
        if not _may_lie(members, free):
            return None
        first, rest = members[0], members[1:]
        for span in free:
            last = min(span.end, first.window.end) - first.need
            for start in range(max(span.start, first.window.start), last + 1):
                self.left -= 1
                if self.left <= 0:
                    return None
                found = self.find(rest, _cut(free, Span(start, start + first.need)))
                if found is not None:
                    return (start, *found)
        return None


def _cut(free: tuple[Span, ...], taken: Span) -> tuple[Span, ...]:
    return tuple(
        part
        for span in free
        for part in (
            Span(span.start, min(span.end, taken.start)),
            Span(max(span.start, taken.end), span.end),
        )
        if part.start < part.end
    )


def _may_lie(members: _Gap, free: tuple[Span, ...]) -> bool:
    """Return False when some stretch holds less time than what has to lie in it needs."""
    starts = {member.window.start for member in members}
    ends = {member.window.end for member in members}
    for start in starts:
        for end in ends:
            needed = sum(
                member.need
                for member in members
                if start <= member.window.start and member.window.end <= end
            )
            if needed > sum(max(0, min(span.end, end) - max(span.start, start)) for span in free):
                return False
    return True


class _Bound:
    """The most that requests can gain, were all that they can fill of the gaps one gap.

    That is a knapsack, solved for every room at once; and deadlines that lie in the day are met by
    Moore's rule: in their order, dropping the longest whenever one is missed.
    """

    def __init__(self, model: _Model, jobs: Sequence[int], after: _Bound | None = None) -> None:
        """Take the bound of all `jobs` but the first as `after`, if there is one."""
        requests = [model.requests[job] for job in jobs]
        self.gaps = model.gaps
        self.deadline = model.deadline
        self.reachable = 1
        """Bit n is set when some of the requests need n slots together."""
        for request in requests:
            self.reachable |= self.reachable << request.need
        size = 1 + sum(gap.end - gap.start for gap in model.gaps)
        self.gains: list[int] = after.gains if after else [0] * size
        self.values: list[int] = after.values if after else [0] * size
        for job in jobs[:1] if after else jobs:
            need = model.requests[job].need
            value = model.gain(model.requests[job]._replace(is_due=False))
            gain = max((choice.gain for choice in model.choices[job]), default=0)
            self.gains = _packed(self.gains, need, gain)
            self.values = _packed(self.values, need, value)
        self.timed = sorted(
            (request.due_by, request.need)
            for request in requests
            if request.is_due and request.due_by is not None
        )
        self.needs = sorted(
            request.need for request in requests if request.is_due and request.due_by is None
        )

    def most(self, rooms: Sequence[int], floor: int = -1) -> int:
        """Return an upper bound of the gain in gaps with `rooms` slots left.

        One that is not above `floor` need not be the lowest that is known.
        """
        usable = [self._usable(room) for room in rooms]
        room = sum(usable)
        if not self.timed or self.gains[room] <= floor:
            return self.gains[room]
        met = self._most_met(usable, room, max(rooms, default=0))
        return min(self.gains[room], met * self.deadline + self.values[room])

    def _most_met(self, usable: Sequence[int], room: int, biggest: int) -> int:
        kept: list[int] = []  # negative lengths: the longest first
        used = 0
        for due_by, need in self.timed:
            if need > biggest:
                continue
            heapq.heappush(kept, -need)
            used += need
            if used > self._before(due_by, usable):
                used += heapq.heappop(kept)
        for need in self.needs:
            if need > biggest:
                break
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


def _dominates(one: Request, other: Request) -> bool:
    """Return whether `one` could always take the place of `other` and gain as much."""
    if one.need > other.need or one.is_break != other.is_break or one.value < other.value:
        return False
    if one.windows is not None and one.windows != other.windows:
        return False
    if not other.is_due:
        return True
    in_time = one.due_by is None or (other.due_by is not None and one.due_by >= other.due_by)
    return one.is_due and in_time


class _Stop(Exception):  # noqa: N818 - the end of a search is no error
    """The search has used up its nodes."""


class _Search:
    """Depth first, in two passes: the best gain, then the first placement in rank order."""

    def __init__(self, model: _Model, most_nodes: int) -> None:
        self.model = model
        self.left = most_nodes
        self.rooms = [gap.end - gap.start for gap in model.gaps]
        self.members: list[_Gap] = [()] * len(model.gaps)
        self.chosen: list[_Choice | None] = [None] * len(model.requests)
        self.best: list[_Choice | None] = list(self.chosen)
        self.best_gain = -1
        self.by_rank = model.hopeful()
        self.by_worth = sorted(self.by_rank, key=self._worth)
        self.order: Sequence[int] = ()
        self.bounds: list[_Bound] = []
        self.better: list[int] = []
        """For each place of the order what is better in every way: left out, so is this one."""
        self.watched: list[int] = []
        """For each place of the order what is better than something from there on."""
        self.left_out = 0
        self.plain: list[bool] = []
        """For each place of the order whether one gap is as good as another to all after."""
        self.seen: dict[tuple[object, ...], int] = {}

    def _worth(self, job: int) -> tuple[float, int]:
        request = self.model.requests[job]
        return (-self.model.gain(request) / request.need, job)

    def run(self) -> tuple[Sequence[_Choice | None], bool, bool]:
        """Return the choices, whether their gain is the best, and whether they are the first."""
        first_gain = self._fill(self.by_rank)
        first = list(self.best)
        self._prepare(self.by_worth)
        if first_gain == self.bounds[0].most(self.rooms):
            return first, True, True  # nothing can be better, and first fit is the first choice
        self._fill(self.by_worth)
        if len(self.by_rank) > MOST_TODOS:
            return self.best, False, False
        try:
            self._improve(0, 0)
        except _Stop:
            return self.best, False, False
        if not self.model.is_sure:
            return self.best, False, False
        try:
            self._prepare(self.by_rank)
            self._reach(0, 0)
        except _Stop:
            return self.best, True, False
        return self.best, True, True

    def _fill(self, order: Sequence[int]) -> int:
        """Give each request in turn its first choice that is open; keep that if it is better."""
        taken: list[_Choice] = []
        for job in order:
            for choice in self.model.choices[job]:
                if self._put(choice):
                    taken.append(choice)
                    break
        gain = sum(choice.gain for choice in taken)
        self._keep(gain)
        for choice in reversed(taken):
            self._take_back(choice)
        return gain

    def _keep(self, gain: int) -> None:
        if gain > self.best_gain:
            self.best, self.best_gain = list(self.chosen), gain

    def _prepare(self, order: Sequence[int]) -> None:
        requests = [self.model.requests[job] for job in order]
        self.order = order
        depths = range(len(order) + 1) if len(order) <= MOST_TODOS else range(1)
        bounds: list[_Bound] = []
        for at in reversed(depths):
            bounds.append(_Bound(self.model, order[at:], bounds[-1] if bounds else None))
        self.bounds = bounds[::-1]
        self.better = [
            sum(1 << order[k] for k in range(at) if _dominates(requests[k], requests[at]))
            for at in depths[:-1]
        ]
        self.watched = list(accumulate(reversed(self.better), or_, initial=0))[::-1]
        plain = map(self.model.is_plain, reversed(order))
        self.plain = list(accumulate(plain, and_, initial=True))[::-1]
        self.seen = {}

    def _put(self, choice: _Choice) -> bool:
        gap = choice.gap
        room = self.rooms[gap] - choice.need
        if room < 0:
            return False
        members = (*self.members[gap], choice)
        if len(members) > 1 and members[-2].job > choice.job:
            members = tuple(sorted(members, key=lambda one: one.job))
        if not self.model.holds(members, room):
            return False
        self.rooms[gap], self.members[gap] = room, members
        self.chosen[choice.job] = choice
        return True

    def _take_back(self, choice: _Choice) -> None:
        gap = choice.gap
        self.rooms[gap] += choice.need
        self.members[gap] = tuple(one for one in self.members[gap] if one.job != choice.job)
        self.chosen[choice.job] = None

    def _count(self) -> None:
        self.left -= 1 + self.model.effort
        self.model.effort = 0
        if self.left < 0:
            raise _Stop

    def _state(self, at: int) -> tuple[object, ...]:
        """Return what decides all that can still happen."""
        plain: list[int] = []
        special: list[tuple[int, tuple[tuple[int, Span], ...]]] = []
        for number, (room, members) in enumerate(zip(self.rooms, self.members, strict=True)):
            if self.plain[at] and _is_plain(members, self.model.gaps[number]):
                plain.append(room)  # whatever fills it can be moved about freely
            elif members:
                shapes = sorted((one.need, one.window) for one in members)
                special.append((number, tuple(shapes)))
        return (at, self.left_out & self.watched[at], tuple(sorted(plain)), tuple(special))

    def _open(self, at: int) -> tuple[_Choice, ...]:
        """Return what can be chosen there: nothing, when something better was left out."""
        return () if self.left_out & self.better[at] else self.model.choices[self.order[at]]

    def _improve(self, at: int, gain: int) -> None:
        """Look for more than the best gain below this node."""
        self._count()
        if at == len(self.order):
            self._keep(gain)
            return
        needed = self.best_gain - gain
        if self.bounds[at].most(self.rooms, needed) <= needed:
            return
        state = self._state(at)
        if self.seen.get(state, -1) >= gain:
            return
        self.seen[state] = gain
        for choice in sorted(
            self._open(at), key=lambda one: (-one.gain, self.rooms[one.gap], one.gap)
        ):
            if self._put(choice):
                self._improve(at + 1, gain + choice.gain)
                self._take_back(choice)
        self.left_out |= 1 << self.order[at]
        self._improve(at + 1, gain)
        self.left_out ^= 1 << self.order[at]

    def _reach(self, at: int, gain: int) -> bool:
        """Look for the first placement with the best gain; return whether there is one."""
        self._count()
        needed = self.best_gain - gain
        if self.bounds[at].most(self.rooms, needed - 1) < needed:
            return False
        if at == len(self.order):
            self.best = list(self.chosen)
            return True
        state = (gain, *self._state(at))
        if state in self.seen:
            return False
        self.seen[state] = gain
        for choice in self._open(at):
            if self._put(choice):
                if self._reach(at + 1, gain + choice.gain):
                    return True
                self._take_back(choice)
        self.left_out |= 1 << self.order[at]
        found = self._reach(at + 1, gain)
        self.left_out ^= 1 << self.order[at]
        return found
