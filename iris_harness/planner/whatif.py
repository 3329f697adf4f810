"""The same day with one thing changed, placed again: what is lost, and whether it helps.

Trials are made of what the planner itself makes of a day (`planner.scene`) and with its optimiser,
a few thousand nodes each. What a trial does not prove is not said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from iris_harness.contracts.day import BlockKind, DailyPlan, ProofLevel
from iris_harness.contracts.sources import SourceRef
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request, place_optimally
from iris_harness.planner.scene import Scene
from iris_harness.planner.spans import subtract
from iris_harness.planner.wishes import Wish

TRIAL_NODES = 3_000
"""Nodes that one trial may search."""

MOST_WISHES = 200
"""With more of them than this nothing is tried: each trial would take too long."""

_PROVED = frozenset({None, ProofLevel.MOVEMENT, ProofLevel.ORDER})


class Loss(NamedTuple):
    """What one placement loses against another, on the first level on which it loses anything."""

    level: ProofLevel
    title: str
    """Of what loses."""

    @property
    def weight(self) -> int:
        """Greater for what matters less."""
        return _LEVELS.index(self.level)


class Served(NamedTuple):
    """A wish with what it has been given."""

    wish: Wish
    pieces: tuple[Span, ...]
    missing: int
    """Slots."""

    @property
    def title(self) -> str:
        """What it is called."""
        if self.wish.wanted_break is not None:
            return self.wish.wanted_break.wish.title
        return self.wish.ranked.todo.summary if self.wish.ranked is not None else ""

    @property
    def is_missed(self) -> bool:
        """Whether it is due and late, or lacks time."""
        request = self.wish.request
        is_late = request.due_by is not None and any(p.end > request.due_by for p in self.pieces)
        return request.is_due and (bool(self.missing) or is_late)

    @property
    def value(self) -> int:
        """What it adds to the value of the day."""
        return 0 if self.missing or self.wish.request.is_break else self.wish.request.value

    @property
    def is_moved(self) -> bool:
        """Whether it is not where the plan shown before had it."""
        kept = self.wish.request.kept
        return bool(kept) and kept != self.pieces


def is_proved(proof: ProofLevel | None) -> bool:
    """Return whether a proof that is open on a level leaves deadlines and value in no doubt."""
    return proof in _PROVED


def read_served(plan: DailyPlan, scene: Scene) -> tuple[Served, ...]:
    """Return what a plan gives to each wish of its day."""
    frame = scene.time.frame
    stays = {one.span for one in scene.claims.shown.fixed}
    given: dict[tuple[SourceRef | None, str], list[Span]] = defaultdict(list)
    for block in plan.blocks:
        span = frame.span(block.start, block.end)
        if block.kind is not BlockKind.TRAVEL and span not in stays:
            given[block.source, block.title] += scene.time.on_grid((span,))
    return tuple(_served(wish, given) for wish in scene.wishes)


def _served(wish: Wish, given: Mapping[tuple[SourceRef | None, str], list[Span]]) -> Served:
    source = wish.ranked.todo.source if wish.ranked is not None else None
    served = Served(wish, (), 0)
    pieces = tuple(given.get((source, served.title), ()))
    missing = wish.request.need - sum(piece.end - piece.start for piece in pieces)
    return Served(wish, pieces, missing)


def force(scene: Scene, number: int, piece: Span) -> tuple[Served, ...] | None:
    """Return the best case with one piece of a wish at a place; None when that is not proved."""
    wish = scene.wishes[number]
    rest = wish.request.need - (piece.end - piece.start)
    requests = [one.request for one in scene.wishes]
    requests[number : number + 1] = [wish.request._replace(need=rest)] if rest else []
    gaps = subtract(scene.time.gaps(), (piece,))
    placement = place_optimally(requests, gaps, most_nodes=TRIAL_NODES)
    if not is_proved(placement.proof.level):
        return None
    pieces, missing = list(placement.pieces), list(placement.partial)
    if rest:
        pieces[number] = tuple(sorted((*pieces[number], piece)))
    else:
        pieces.insert(number, (piece,))
        missing.insert(number, 0)
    return tuple(map(Served, scene.wishes, pieces, missing))


def is_served(requests: Sequence[Request], gaps: Sequence[Span], number: int) -> bool | None:
    """Return whether a request gets all its time in the best case; None when nothing is proved."""
    placement = place_optimally(requests, gaps, most_nodes=TRIAL_NODES)
    if not is_proved(placement.proof.level):
        return None
    return not placement.partial[number]


def find_loss(before: Sequence[Served], after: Sequence[Served], about: int) -> Loss | None:
    """Return what `after` loses against `before`; both serve the same wishes, by rank.

    `about` is the wish whose place is in question: that it is elsewhere is no loss in itself.
    None where nothing is lost, as far as the levels tell.
    """
    for level, find in zip(_LEVELS, _FINDERS, strict=True):
        loser = find(before, after, about)
        if loser is not None:
            return Loss(level, loser.title)
    return None


def _fewer(
    before: Sequence[Served], after: Sequence[Served], is_bad: Callable[[Served], bool]
) -> Served | None:
    """Return the first that turns bad, where more of them are bad after than before."""
    pairs = list(zip(before, after, strict=True))
    if sum(map(is_bad, after)) <= sum(map(is_bad, before)):
        return None
    return next(new for old, new in pairs if is_bad(new) and not is_bad(old))


def _lost_break(before: Sequence[Served], after: Sequence[Served], _about: int) -> Served | None:
    return _fewer(before, after, lambda one: one.wish.request.is_break and bool(one.missing))


def _lost_deadline(before: Sequence[Served], after: Sequence[Served], _about: int) -> Served | None:
    return _fewer(before, after, lambda one: one.is_missed)


def _lost_value(before: Sequence[Served], after: Sequence[Served], _about: int) -> Served | None:
    if sum(one.value for one in after) >= sum(one.value for one in before):
        return None
    pairs = zip(before, after, strict=True)
    return next(new for old, new in pairs if new.value < old.value)


def _lost_place(before: Sequence[Served], after: Sequence[Served], _about: int) -> Served | None:
    return _fewer(before, after, lambda one: one.is_moved)


def _lost_order(before: Sequence[Served], after: Sequence[Served], about: int) -> Served | None:
    """Return the first by rank that is elsewhere, if it is later there and ranks before `about`."""
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if number == about:
            return None
        if old.pieces != new.pieces:
            is_worse = bool(old.pieces) and (not new.pieces or new.pieces > old.pieces)
            return new if is_worse else None
    return None


_LEVELS = (
    ProofLevel.BREAKS,
    ProofLevel.DEADLINES,
    ProofLevel.VALUE,
    ProofLevel.MOVEMENT,
    ProofLevel.ORDER,
)
_FINDERS = (_lost_break, _lost_deadline, _lost_value, _lost_place, _lost_order)
