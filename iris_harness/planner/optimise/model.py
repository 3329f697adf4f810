"""What can be chosen for each request, and what each choice gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise.request import Request


class Piece(NamedTuple):
    """Some slots of one gap for one request."""

    gap: int
    window: Span
    """It has to lie in here; a piece that fills its window lies where it is."""
    need: int
    job: int


class Place(NamedTuple):
    """Where a piece may lie."""

    gap: int
    window: Span


class Option(NamedTuple):
    """One way to serve a request."""

    gain: int
    pieces: tuple[Piece, ...] = ()
    """Pieces of a known length; () for one whose pieces are found by `splits`."""
    places: tuple[Place, ...] = ()
    """Where pieces yet to be cut may lie."""
    in_all: bool = False
    """Whether each of `places` has to get a piece."""
    stays: bool = False
    """Whether it lies where the plan that was shown before has it."""


class Levels(NamedTuple):
    """What a gain is made of."""

    served: int
    """Breaks."""
    met: int
    """Deadlines."""
    value: int


class Model:
    """The options of each request, as numbers.

    A gain is one number: a break is worth more than all deadlines together, a deadline more than
    all value together.
    """

    def __init__(self, requests: Sequence[Request], gaps: Sequence[Span]) -> None:
        self.requests = requests
        self.gaps = gaps
        self.deadline = 1 + sum(request.value for request in requests)
        self.service = self.deadline * (1 + sum(request.is_due for request in requests))
        self.splits = tuple(request.can_split for request in requests)
        self.has_splits = any(self.splits)
        places = [self._places(request) for request in requests]
        self.in_time = [
            tuple(_until(spots, request)) for spots, request in zip(places, requests, strict=True)
        ]
        self.late = [
            tuple(_beyond(spots, request)) for spots, request in zip(places, requests, strict=True)
        ]
        self.options = [tuple(self._options(job)) for job in range(len(requests))]
        """Of each request, for the levels of gain: in time, earliest first, then late."""
        self.stay = [self._stay(job) for job in range(len(requests))]
        """Of each request the option to stay where it was, if it can."""
        self.hopeful = [job for job, options in enumerate(self.options) if options]
        """The requests that can be served at all, by rank."""
        self.repeats = self._repeats()
        """Of each gap how many pieces of one request can be of use in it."""

    def _places(self, request: Request) -> list[Place]:
        found, least = [], request.least
        for number, gap in enumerate(self.gaps):
            for window in (gap,) if request.windows is None else request.windows:
                place = Span(max(gap.start, window.start), min(gap.end, window.end))
                if place.start + least <= place.end:
                    found.append(Place(number, place))
        return found

    def _repeats(self) -> list[int]:
        """Return one more than the pieces that may have to lie between two others."""
        repeats = [1] * len(self.gaps)
        for job, request in enumerate(self.requests):
            for gap in {place.gap for place in (*self.in_time[job], *self.late[job])}:
                whole = Place(gap, self.gaps[gap])
                is_plain = whole in self.in_time[job] and not request.kept
                repeats[gap] += not is_plain
        return repeats

    def gain(self, job: int, *, in_time: bool = True) -> int:
        """Return what serving a request gains."""
        request = self.requests[job]
        value = self.service if request.is_break else request.value
        return value + (self.deadline if request.is_due and in_time else 0)

    def levels(self, gain: int) -> Levels:
        """Return what a gain is made of."""
        served, rest = divmod(gain, self.service)
        return Levels(served, *divmod(rest, self.deadline))

    def _options(self, job: int) -> Iterator[Option]:
        in_time, late = self.gain(job), self.gain(job, in_time=False)
        if self.splits[job]:
            for gain, places in ((in_time, self.in_time[job]), (late, self.late[job])):
                if _length(places) >= self.requests[job].need:
                    yield Option(gain, places=places)
            return
        yield from self._whole(job, self.in_time[job], in_time)
        yield from self._whole(job, self.late[job], late)

    def _whole(self, job: int, places: Sequence[Place], gain: int) -> Iterator[Option]:
        need = self.requests[job].need
        for gap, window in places:
            if window.start + need <= window.end:
                yield Option(gain, pieces=(Piece(gap, window, need, job),))

    def cuts(self, job: int, option: Option) -> Iterator[Option]:
        """Return the ways to serve a request that can be split: fewest pieces, earliest gaps."""
        yield from self._whole(job, option.places, option.gain)
        yield from self._cut(job, option)

    def _cut(self, job: int, option: Option) -> Iterator[Option]:
        """Return the ways to serve a request in two pieces and more."""
        request = self.requests[job]
        longest = sorted(option.places, key=lambda place: place.window.start - place.window.end)
        for count in range(2, request.need // request.least + 1):
            if _length(longest[:count]) >= request.need:
                for places in _combinations(option.places, count, self.repeats):
                    yield Option(option.gain, places=places, in_all=True)

    def _stay(self, job: int) -> Option | None:
        request = self.requests[job]
        pieces = []
        for span in request.kept:
            gap = self._gap_of(job, span)
            if gap is None or span.end - span.start < request.least:
                return None
            pieces.append(Piece(gap, span, span.end - span.start, job))
        if not pieces or sum(piece.need for piece in pieces) != request.need:
            return None
        in_time = request.due_by is None or request.kept[-1].end <= request.due_by
        return Option(self.gain(job, in_time=in_time), pieces=tuple(pieces), stays=True)

    def _gap_of(self, job: int, span: Span) -> int | None:
        for place in (*self.in_time[job], *self.late[job]):
            if place.window.start <= span.start and span.end <= place.window.end:
                return place.gap
        return None

    def is_plain(self, job: int) -> bool:
        """Return whether a request may lie anywhere, and to one gap is as good as to another."""
        request = self.requests[job]
        ends_in_time = request.due_by is None or request.due_by >= self.gaps[-1].end
        return ends_in_time and request.windows is None


def _until(places: Sequence[Place], request: Request) -> Iterator[Place]:
    """Return the places, cut where the request is due."""
    for gap, window in places:
        end = window.end if request.due_by is None else min(window.end, request.due_by)
        if window.start + request.least <= end:
            yield Place(gap, Span(window.start, end))


def _beyond(places: Sequence[Place], request: Request) -> Iterator[Place]:
    """Return the places in which the request may be late; for the pieces of one: all places."""
    due_by = request.due_by
    if due_by is None or not places or places[-1].window.end <= due_by:
        return
    for place in places:
        if request.can_split or place.window.end > due_by:
            yield place


def _combinations(
    places: Sequence[Place], count: int, repeats: Sequence[int]
) -> Iterator[tuple[Place, ...]]:
    """Return `count` places each, earliest first, one no oftener than its gap is of use."""
    if count == 0:
        yield ()
        return
    for number, place in enumerate(places):
        for times in range(min(count, repeats[place.gap]), 0, -1):
            for rest in _combinations(places[number + 1 :], count - times, repeats):
                yield (*(place,) * times, *rest)


def _length(places: Sequence[Place]) -> int:
    return sum(window.end - window.start for _, window in places)
