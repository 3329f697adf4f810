"""A sharper bound: each gap is filled by itself, and requests have a price that all gaps pay.

What makes placing hard is that a request goes into one gap only. Without that rule each gap could
be filled by itself, which is quick. So each request gets a price (Lagrange's multiplier): a gap
that takes it gains what it gains less its price, and the prices are gained once for all. Whatever
the prices are, this is never below what can be reached; the best of them are found by raising the
price of what several gaps take and lowering that of what no gap takes. Of a request that can be
split each slot has a price.

Numbers are whole, in parts of 1/32 of a gain, so that no rounding can spoil the bound.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from iris_harness.planner.optimise.model import Model

_SCALE = 32
_ROUNDS = 60
_PATIENCE = 3
"""After so many rounds that were no better the prices change half as much."""


class _Item(NamedTuple):
    """What a gap can take whole."""

    job: int
    need: int
    gain: int
    by: int
    """It gains this when it ends in the first `by` slots of the gap."""


class _Fill(NamedTuple):
    """Filling a gap with something whole."""

    job: int
    need: int
    gain: int
    by: int

    def on(self, best: list[int]) -> list[int]:
        """Return the most that can be gained in so many slots, when this may be added."""
        need, gain = self.need, self.gain
        added = [one + gain for one in best[: self.by + 1 - need]]
        first = [*best[:need], *map(max, best[need : self.by + 1], added)]
        if len(first) == len(best):
            return first
        return [*first, *(max(one, first[-1]) for one in best[self.by + 1 :])]

    def trace(self, _after: list[int], _before: list[int], left: int) -> tuple[int, int]:
        """Return how often this was added in `left` slots, and what slots it leaves."""
        return 1, min(left, self.by) - self.need


class _Cut(NamedTuple):
    """Filling a gap with a piece of any length."""

    job: int
    least: int
    rate: int

    def on(self, best: list[int]) -> list[int]:
        """Return the most that can be gained in so many slots, when a piece may be added."""
        least, rate = self.least, self.rate
        filled = list(best)
        longer = 0
        for size in range(least, len(best)):
            longer = max(longer + rate, best[size - least] + least * rate)
            filled[size] = max(filled[size], longer)
        return filled

    def trace(self, after: list[int], before: list[int], left: int) -> tuple[int, int]:
        """Return the slots that were added in `left` slots, and what slots they leave."""
        slots = self.least
        while after[left] != before[left - slots] + slots * self.rate:
            slots += 1
        return slots, left - slots


class Prices:
    """The prices of requests, and the bounds that they make."""

    def __init__(self, model: Model, floor: int) -> None:
        """Find prices that prove, if any do, that nothing is better than a gain of `floor`."""
        self.model = model
        self.sizes = [gap.end - gap.start for gap in model.gaps]
        self.splits = [job for job in model.hopeful if model.splits[job]]
        self.gains = {
            job: _SCALE * max(option.gain for option in model.options[job]) for job in model.hopeful
        }
        self.items = [self._items(gap) for gap in range(len(model.gaps))]
        self.cut = [self._cut(gap) for gap in range(len(model.gaps))]
        self.price = self._first_prices()
        """Of each request; of one that can be split: of a slot of it."""
        self._find(floor * _SCALE)

    def _items(self, gap: int) -> list[_Item]:
        """Return what a gap can take whole: in time, what is due first; then late."""
        start, size = self.model.gaps[gap].start, self.sizes[gap]
        best: dict[tuple[int, int], _Item] = {}
        for job in self.model.hopeful:
            for option in self.model.options[job] if not self.model.splits[job] else ():
                piece = option.pieces[0]
                if piece.gap == gap:
                    by = piece.window.end - start if option.gain == self.model.gain(job) else size
                    best[job, option.gain] = _Item(job, piece.need, option.gain * _SCALE, by)
        # those with the most gain are the ones in time
        return sorted(
            best.values(), key=lambda one: (one.gain < self.gains[one.job], one.by, one.job)
        )

    def _cut(self, gap: int) -> list[int]:
        """Return what can be split to fill a gap."""
        return [
            job
            for job in self.splits
            if any(
                place.gap == gap for option in self.model.options[job] for place in option.places
            )
        ]

    def _first_prices(self) -> dict[int, int]:
        """Return prices as if all gaps were one that can be filled to the last slot."""
        needs = {job: self.model.requests[job].need for job in self.gains}
        room, rate = sum(self.sizes), 0
        for job in sorted(needs, key=lambda job: (-self.gains[job] / needs[job], job)):
            room -= needs[job]
            if room < 0:
                rate = self.gains[job] // needs[job]
                break
        return {
            job: rate if self.model.splits[job] else max(0, self.gains[job] - rate * needs[job])
            for job in needs
        }

    def _find(self, floor: int) -> None:
        """Change the prices while that lowers the bound."""
        best, price, share, waited = self._whole_bound(), dict(self.price), 1, 0
        for _ in range(_ROUNDS):
            bound, used = self._filled()
            if bound < best:
                best, price, waited = bound, dict(self.price), 0
            else:
                waited += 1
            if best < floor + _SCALE:
                break
            if waited > _PATIENCE:
                share, waited = share * 2, 0
            if not self._change(used, max(bound - floor, _SCALE), share):
                break
        self.price, self.best = price, best // _SCALE

    def _whole_bound(self) -> int:
        return sum(self.gains.values()) + 1

    def _change(self, used: dict[int, int], excess: int, share: int) -> bool:
        """Make dearer what is used too much and cheaper what is used too little."""
        wrong = {job: used.get(job, 0) - self._wanted(job) for job in self.gains}
        wrong = {job: by for job, by in wrong.items() if by > 0 or (by < 0 < self.price[job])}
        norm = sum(by * by for by in wrong.values())
        for job, by in wrong.items():
            self.price[job] = max(0, self.price[job] + excess * by // (norm * share))
        return bool(wrong)

    def _wanted(self, job: int) -> int:
        """Return how often a request is to be used: as often as its price is gained."""
        if not self.model.splits[job]:
            return 1
        need = self.model.requests[job].need
        return need if self.gains[job] > self.price[job] * need else 0

    def _filled(self) -> tuple[int, dict[int, int]]:
        """Return the bound, and how often the gaps use each request (or slots of it)."""
        used: dict[int, int] = {}
        bound = sum(self.own(job) for job in self.gains)
        for gap, size in enumerate(self.sizes):
            fills: list[_Fill | _Cut] = [
                *self.fills(gap, self.gains),
                *self.cuts(gap, self.gains),
            ]
            stages = [[0] * (size + 1)]
            for fill in fills:
                stages.append(fill.on(stages[-1]))
            bound += stages[-1][size]
            left = size
            for fill, stage, before in zip(fills[::-1], stages[:0:-1], stages[-2::-1], strict=True):
                if stage[left] > before[left]:
                    slots, left = fill.trace(stage, before, left)
                    used[fill.job] = used.get(fill.job, 0) + slots
        return bound, used

    def fills(self, gap: int, jobs: Container[int]) -> list[_Fill]:
        """Return what of `jobs` is worth to fill a gap with, in the order in which it has to be."""
        return [
            _Fill(job, need, gain - self.price[job], by)
            for job, need, gain, by in self.items[gap]
            if job in jobs and gain > self.price[job]
        ]

    def cuts(self, gap: int, jobs: Container[int]) -> list[_Cut]:
        """Return what of `jobs` can be cut to fill what is left of a gap."""
        return [
            _Cut(job, self.model.requests[job].least, self.price[job])
            for job in self.cut[gap]
            if job in jobs
        ]

    def own(self, job: int) -> int:
        """Return what is gained for a request besides what the gaps gain."""
        if not self.model.splits[job]:
            return self.price[job]
        return max(0, self.gains[job] - self.price[job] * self.model.requests[job].need)


class Tables:
    """The bound that prices make for each place of an order."""

    def __init__(self, prices: Prices, order: Sequence[int]) -> None:
        self.prices = prices
        self.order = order
        self.tables: dict[frozenset[int], list[list[list[int]]]] = {}
        own = [prices.own(job) for job in order]
        self.owns = [sum(own[at:]) for at in range(len(order) + 1)]
        """What the requests from each place on gain besides what the gaps gain."""
        splits = prices.splits
        self.decided = [[job for job in order[:at] if job in splits] for at in range(len(own) + 1)]

    def most(self, at: int, rooms: Sequence[int], promised: Sequence[int]) -> int:
        """Return an upper bound of the gain of the requests from place `at` on.

        `rooms` are the slots left in each gap, `promised` the requests before that are to be cut.
        """
        total = self.owns[at]
        shut: frozenset[int] = frozenset()
        if self.prices.splits:
            shut = frozenset(self.decided[at]).difference(promised)
            total -= sum(
                self.prices.price[job] * self.prices.model.requests[job].need for job in promised
            )
        if shut not in self.tables:
            self.tables[shut] = self._tables(shut)
        for table, room in zip(self.tables[shut][at], rooms, strict=True):
            total += table[room]
        return total // _SCALE

    def _tables(self, shut: frozenset[int]) -> list[list[list[int]]]:
        """Return for each place the most that each gap gains in so many slots."""
        gaps = [self._gap(gap, shut) for gap in range(len(self.prices.sizes))]
        return [[gap[at] for gap in gaps] for at in range(len(self.order) + 1)]

    def _gap(self, gap: int, shut: frozenset[int]) -> list[list[int]]:
        prices, size = self.prices, self.prices.sizes[gap]
        open_splits = [job for job in prices.splits if job not in shut]
        cuts = prices.cuts(gap, open_splits)
        fills = prices.fills(gap, self.order)
        if all(fill.by == size for fill in fills):
            return self._one_by_one(_all_on([0] * (size + 1), cuts), fills)
        tables = []
        for at in range(len(self.order) + 1):
            rest = set(self.order[at:])
            tables.append(
                _all_on([0] * (size + 1), [*(one for one in fills if one.job in rest), *cuts])
            )
        return tables

    def _one_by_one(self, table: list[int], fills: Sequence[_Fill]) -> list[list[int]]:
        """Add the requests from the last on, where the order does not matter."""
        by_job: dict[int, list[_Fill]] = {}
        for fill in fills:
            by_job.setdefault(fill.job, []).append(fill)
        tables = [table]
        for job in reversed(self.order):
            tables.append(_all_on(tables[-1], by_job.get(job, ())))
        return tables[::-1]


def _all_on(table: list[int], fills: Sequence[_Fill | _Cut]) -> list[int]:
    for fill in fills:
        table = fill.on(table)
    return table
