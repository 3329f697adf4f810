"""Days to place requests in, drawn from a seed, and what the objective says of a placement.

The families differ in what makes them hard: nothing special, splitting, travel (gaps cut by it),
pins (gaps cut by them), energy windows with a lunch, replans, and everything together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Placement, Request, place_optimally, worth

SLOTS = 96  # eight hours of five minutes
FAMILIES = ("plain", "splits", "travel", "pins", "energy", "replans", "everything")
_LENGTHS = (1, 2, 3, 3, 4, 6, 6, 6, 6, 9, 12, 18)
_LONG = (6, 9, 12, 12, 18, 24, 36)
_PRIORITIES = (None, None, None, None, 1, 2, 3, 5, 5, 9)
_SMALL = (
    (Span(0, 7), Span(9, 13)),
    (Span(0, 12),),
    (Span(1, 4), Span(5, 9), Span(10, 13)),
    (Span(0, 9), Span(9, 12)),
)
_ENERGY = ((Span(0, 36),), (Span(48, 72),), (Span(0, 24), Span(60, 96)))


class Day(NamedTuple):
    """Requests by rank, and the gaps of a day."""

    requests: tuple[Request, ...]
    gaps: tuple[Span, ...]


def draw_day(seed: int, family: str = "plain", *, todos: int | None = None) -> Day:
    """Return a day of up to 25 todos (or as many as given) and up to 12 meetings."""
    chance = random.Random(f"{family} {seed}" if family != "plain" else seed)  # noqa: S311 - a test's own dice
    has = {part: family in {part, "everything"} for part in FAMILIES}
    busy = _meetings(chance, 12, around=chance.randrange(1, 7) if has["travel"] else 0)
    if has["pins"]:
        busy |= _meetings(chance, 4)
    number = todos if todos is not None else chance.randrange(1, 26)
    requests = [_request(chance, has) for _ in range(number)]
    if has["energy"]:
        lunch = Request(need=chance.choice((6, 9, 12)), windows=(Span(30, 60),), is_break=True)
        pause = Request(need=3, windows=(Span(72, 90),), is_break=True)
        requests += [lunch, pause][: chance.randrange(1, 3)]
    day = Day(tuple(sorted(requests, key=_rank)), _gaps(busy))
    return _replanned(chance, day) if has["replans"] else day


def draw_days(count: int, *, todos: int | None = None) -> Iterator[tuple[str, int, Day]]:
    """Return days spread evenly over the families, each with its family and seed."""
    for number in range(count):
        seed, family = divmod(number, len(FAMILIES))
        yield FAMILIES[family], seed, draw_day(seed, FAMILIES[family], todos=todos)


def _meetings(chance: random.Random, most: int, *, around: int = 0) -> set[int]:
    busy: set[int] = set()
    for _ in range(chance.randrange(most + 1)):
        start, length = chance.randrange(SLOTS), chance.choice((3, 6, 6, 9, 12))
        busy.update(range(start - around, start + length + around))
    return busy


def _gaps(busy: set[int], first: int = 0) -> tuple[Span, ...]:
    gaps: list[Span] = []
    for slot in sorted(set(range(first, SLOTS)) - busy):
        if gaps and gaps[-1].end == slot:
            gaps[-1] = Span(gaps[-1].start, slot + 1)
        else:
            gaps.append(Span(slot, slot + 1))
    return tuple(gaps)


def _request(chance: random.Random, has: dict[str, bool]) -> Request:
    is_due = chance.random() < 0.5
    request = Request(
        need=chance.choice(_LENGTHS),
        windows=(Span(chance.randrange(80), SLOTS),) if chance.random() < 0.05 else None,
        due_by=chance.randrange(6, 100) if is_due and chance.random() < 0.25 else None,
        is_due=is_due,
        value=worth(chance.choice(_PRIORITIES)),
    )
    if has["splits"] and chance.random() < 0.35:
        request = request._replace(need=chance.choice(_LONG), chunk=chance.choice((3, 6, 6)))
    if has["energy"] and chance.random() < 0.4:
        request = request._replace(windows=_window(chance))
    return request


def _window(chance: random.Random) -> tuple[Span, ...]:
    if chance.random() < 0.6:
        return chance.choice(_ENERGY)
    start = chance.randrange(72)
    return (Span(start, start + chance.randrange(12, 60)),)


def _rank(request: Request) -> tuple[bool, bool, int, int]:
    due_by = SLOTS if request.due_by is None else request.due_by
    return (not request.is_break, not request.is_due, due_by, -request.value)


def _replanned(chance: random.Random, day: Day) -> Day:
    """Return the day some time later: some todos done, some new, and one meeting more."""
    shown = place_optimally(day.requests, day.gaps, most_nodes=2_000)
    now = chance.choice((0, 12, 30, 48))
    start = chance.randrange(now, SLOTS)
    free = {slot for gap in day.gaps for slot in range(*gap)}
    if chance.random() < 0.8:
        free -= set(range(start, start + chance.choice((3, 6, 12))))
    kept = [
        request._replace(kept=pieces)
        for request, pieces in zip(day.requests, shown.pieces, strict=True)
        if not (pieces and pieces[0].start < now) and chance.random() < 0.9
    ]
    new = [_request(chance, dict.fromkeys(FAMILIES, False)) for _ in range(chance.randrange(4))]
    gaps = _gaps(set(range(SLOTS)) - free, now)
    return Day(tuple(sorted([*kept, *new], key=_rank)), gaps)


class Score(NamedTuple):
    """The levels of the objective that add up; more is better."""

    served: int
    """Breaks."""
    met: int
    """Deadlines."""
    value: int
    stay: int
    """Those that lie where they were."""


def score(day: Day, placement: Placement) -> Score:
    """Return what a placement achieves."""
    served = [
        (request, pieces)
        for request, pieces in zip(day.requests, placement.pieces, strict=True)
        if _length(pieces) == request.need
    ]
    return Score(
        sum(request.is_break for request, _ in served),
        sum(request.is_due and _ends_in_time(request, pieces) for request, pieces in served),
        sum(request.value for request, _ in served if not request.is_break),
        sum(bool(request.kept) and request.kept == pieces for request, pieces in served),
    )


def _length(pieces: Sequence[Span]) -> int:
    return sum(piece.end - piece.start for piece in pieces)


def _ends_in_time(request: Request, pieces: Sequence[Span]) -> bool:
    return request.due_by is None or pieces[-1].end <= request.due_by


def faults(day: Day, placement: Placement) -> list[str]:
    """Return what is wrong with a placement; nothing is when it keeps all rules."""
    found: list[str] = []
    taken: list[int] = []
    parts = zip(day.requests, placement.pieces, placement.partial, strict=True)
    for number, (request, pieces, missing) in enumerate(parts):
        taken += [slot for piece in pieces for slot in range(*piece)]
        least = request.chunk or request.need
        if missing != request.need - _length(pieces) or missing < 0:
            found.append(f"{number} lacks {missing}")
        if any(piece.end - piece.start < min(least, request.need) for piece in pieces):
            found.append(f"{number} has a piece that is too short")
        if list(pieces) != sorted(pieces) or not all(_lies(day, request, one) for one in pieces):
            found.append(f"{number} lies where it must not")
    if len(taken) != len(set(taken)):
        found.append("two overlap")
    return found


def _lies(day: Day, request: Request, piece: Span) -> bool:
    windows = day.gaps if request.windows is None else request.windows
    return all(
        any(one.start <= piece.start and piece.end <= one.end for one in spans)
        for spans in (day.gaps, windows)
    )


def draw_small_day(seed: int) -> Day:
    """Return a day of a few slots with everything that a request can ask for."""
    chance = random.Random(seed)  # noqa: S311 - a test's own dice
    gaps = chance.choice(_SMALL)
    requests = tuple(_small_request(chance) for _ in range(chance.randrange(1, 5)))
    if chance.random() < 0.5:
        return Day(requests, gaps)
    shown = place_optimally(requests[::-1], (Span(0, 6), Span(7, 13))).pieces[::-1]
    kept = zip(requests, shown, strict=True)
    return Day(
        tuple(
            one._replace(
                kept=pieces if chance.random() < 0.8 else (),
                need=one.need + (chance.random() < 0.1),
            )
            for one, pieces in kept
        ),
        gaps,
    )


def _small_request(chance: random.Random) -> Request:
    is_due = chance.random() < 0.5
    start = chance.randrange(9)
    end = start + chance.randrange(2, 9)
    windows = (Span(start, end), Span(end + 1, end + 5))[: chance.randrange(1, 3)]
    return Request(
        need=chance.randrange(1, 7),
        windows=windows if chance.random() < 0.4 else None,
        due_by=chance.randrange(2, 14) if is_due and chance.random() < 0.6 else None,
        is_due=is_due,
        value=chance.choice((1, 1, 2, 5)),
        chunk=chance.choice((1, 2, 2, 3)) if chance.random() < 0.4 else None,
        is_break=chance.random() < 0.15,
    )
