"""The optimiser is as good as OR-tools CP-SAT on the same model, and it always ends."""

from __future__ import annotations

import itertools

import pytest

from iris_harness.contracts.day import ProofLevel
from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request, place_optimally
from tests.placement_days import Day, Peer, Score, draw_day, score, starts_of
from tests.support import SOAK

DAYS = 1000 if SOAK else 200
SECONDS = 5.0


@pytest.mark.parametrize("part", range(10))
def test_the_objective_equals_that_of_cp_sat(part: int) -> None:
    for seed in range(part, DAYS, 10):
        day = draw_day(seed)
        placement = place_optimally(day.requests, day.gaps)
        mine = score(day, starts_of(placement))
        found, bound = Peer(day).best(SECONDS)

        assert mine <= bound, seed
        if placement.proof.level in {None, ProofLevel.ORDER}:
            assert mine >= found, seed
        elif placement.proof.level is ProofLevel.VALUE:
            assert mine.met >= found.met, seed
            assert mine.value + placement.proof.gap >= found.value or mine.met > found.met, seed
        else:
            assert mine.met + placement.proof.gap >= found.met, seed


@pytest.mark.parametrize("part", range(10))
def test_no_todo_has_an_earlier_choice_that_keeps_the_optimum(part: int) -> None:
    for seed in range(part, DAYS // 5, 10):
        day = draw_day(seed)
        placement = place_optimally(day.requests, day.gaps)

        if placement.proof.level is None:
            assert Peer(day).has_better_choice(starts_of(placement), SECONDS) is not True, seed


@pytest.mark.parametrize("seed", range(100))
def test_a_small_day_is_the_best_of_all_that_there_are(seed: int) -> None:
    drawn = draw_day(seed, todos=4)
    day = Day(
        tuple(
            one._replace(
                need=min(one.need, 6),
                windows=one.windows and (Span(one.windows[0].start % 8, 96),),
            )
            for one in drawn.requests
        ),
        (Span(0, 7), Span(9, 13)),
    )
    placement = place_optimally(day.requests, day.gaps)

    assert placement.proof.level is None
    assert place_optimally(day.requests, day.gaps) == placement
    best = max(_all(day), key=lambda starts: _objective(day, starts))
    assert _objective(day, starts_of(placement)) == _objective(day, best)


def _all(day: Day) -> list[tuple[int | None, ...]]:
    """Every placement there is, slot by slot."""
    options = [
        [None, *(
            start
            for gap in day.gaps
            for start in range(max(gap.start, _opens(one)), gap.end - one.need + 1)
        )]
        for one in day.requests
    ]  # fmt: skip
    return [starts for starts in itertools.product(*options) if _is_clear(day, starts)]


def _opens(one: Request) -> int:
    return one.windows[0].start if one.windows else 0


def _is_clear(day: Day, starts: tuple[int | None, ...]) -> bool:
    taken = [
        slot
        for one, start in zip(day.requests, starts, strict=True)
        if start is not None
        for slot in range(start, start + one.need)
    ]
    return len(taken) == len(set(taken))


def _objective(
    day: Day, starts: tuple[int | None, ...]
) -> tuple[Score, tuple[tuple[int, int], ...], tuple[int, ...]]:
    """The levels in order; more is better."""
    choices = []
    for one, start in zip(day.requests, starts, strict=True):
        if start is None:
            choices.append((-2, 0))
            continue
        late = one.due_by is not None and start + one.need > one.due_by
        gap = next(number for number, gap in enumerate(day.gaps) if start < gap.end)
        choices.append((-late, -gap))
    firsts = tuple(-99 if start is None else -start for start in starts)
    return score(day, starts), tuple(choices), firsts


def test_a_bound_on_the_nodes_ends_the_search_and_is_told() -> None:
    day = next(
        day
        for day in map(draw_day, range(100))
        if place_optimally(day.requests, day.gaps, most_nodes=0).proof.level
    )

    rough = place_optimally(day.requests, day.gaps, most_nodes=0)
    exact = place_optimally(day.requests, day.gaps)

    assert rough.proof.gap > 0 or rough.proof.level is ProofLevel.ORDER
    assert score(day, starts_of(rough)) <= score(day, starts_of(exact))


def test_what_fits_in_rank_order_is_first_fit() -> None:
    requests = [Request(need=3), Request(need=5), Request(need=2)]

    placement = place_optimally(requests, [Span(0, 4), Span(6, 20)])

    assert starts_of(placement) == (0, 6, 11)


@pytest.mark.parametrize("number", [201, 5000])
def test_a_great_many_todos_are_placed_without_a_search(number: int) -> None:
    requests = [
        Request(need=slot % 7 + 1, is_due=slot % 3 == 0, value=slot % 90 + 1)
        for slot in range(number)
    ]

    placement = place_optimally(requests, [Span(0, 40), Span(50, 96)])

    assert placement.proof.level is not None
    assert sum(start is not None for start in starts_of(placement)) > 10
