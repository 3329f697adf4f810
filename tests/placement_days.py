"""Days to place todos in, drawn from a seed; and the same model for OR-tools CP-SAT."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from ortools.sat.python import cp_model

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Placement, Request, worth

SLOTS = 96  # eight hours of five minutes
_LENGTHS = (1, 2, 3, 3, 4, 6, 6, 6, 6, 9, 12, 18)
_PRIORITIES = (None, None, None, None, 1, 2, 3, 5, 5, 9)


class Day(NamedTuple):
    """Requests by rank, and the gaps of a day."""

    requests: tuple[Request, ...]
    gaps: tuple[Span, ...]


def draw_day(seed: int, *, todos: int | None = None) -> Day:
    """Return a day of up to 25 todos (or as many as given) and up to 12 meetings."""
    chance = random.Random(seed)  # noqa: S311 - a test's own dice
    busy: set[int] = set()
    for _ in range(chance.randrange(13)):
        start, length = chance.randrange(SLOTS), chance.choice((3, 6, 6, 9, 12))
        busy.update(range(start, start + length))
    gaps: list[Span] = []
    for slot in sorted(set(range(SLOTS)) - busy):
        if gaps and gaps[-1].end == slot:
            gaps[-1] = Span(gaps[-1].start, slot + 1)
        else:
            gaps.append(Span(slot, slot + 1))
    number = todos if todos is not None else chance.randrange(1, 26)
    requests = sorted((_request(chance) for _ in range(number)), key=_rank)
    return Day(tuple(requests), tuple(gaps))


def _request(chance: random.Random) -> Request:
    is_due = chance.random() < 0.5
    return Request(
        need=chance.choice(_LENGTHS),
        windows=(Span(chance.randrange(80), SLOTS),) if chance.random() < 0.05 else None,
        due_by=chance.randrange(6, 100) if is_due and chance.random() < 0.25 else None,
        is_due=is_due,
        value=worth(chance.choice(_PRIORITIES)),
    )


def _rank(request: Request) -> tuple[bool, int, int]:
    due_by = SLOTS if request.due_by is None else request.due_by
    return (not request.is_due, due_by, -request.value)


class Score(NamedTuple):
    """The first two levels of the objective; more is better."""

    met: int
    value: int


def starts_of(placement: Placement) -> tuple[int | None, ...]:
    """Return where each request starts; None for one that is not placed."""
    return tuple(pieces[0].start if pieces else None for pieces in placement.pieces)


def score(day: Day, starts: Sequence[int | None]) -> Score:
    """Return what a placement achieves."""
    placed = [
        (request, start)
        for request, start in zip(day.requests, starts, strict=True)
        if start is not None
    ]
    met = sum(
        request.is_due and (request.due_by is None or start + request.need <= request.due_by)
        for request, start in placed
    )
    return Score(met, sum(request.value for request, _ in placed))


class Peer:
    """CP-SAT's model of a day, written down from the objective's own words."""

    def __init__(self, day: Day) -> None:
        self.day = day
        self.model = cp_model.CpModel()
        self.deadline = 1 + sum(request.value for request in day.requests)
        self.choices = [self._choices(request) for request in day.requests]
        pieces = [piece for choices in self.choices for _, _, _, piece in choices]
        self.model.add_no_overlap(pieces)
        self.gain = sum(gain * chosen for row in self.choices for chosen, _, gain, _ in row)

    def _choices(
        self, request: Request
    ) -> list[tuple[cp_model.IntVar, cp_model.IntVar, int, cp_model.IntervalVar]]:
        in_time, late = [], []
        for gap in self.day.gaps:
            first = max(gap.start, request.windows[0].start if request.windows else 0)
            by = gap.end if request.due_by is None else min(gap.end, request.due_by)
            if first + request.need <= by:
                gain = request.value + (self.deadline if request.is_due else 0)
                in_time.append((first, by - request.need, gain))
            if by < gap.end and first + request.need <= gap.end:
                late.append((first, gap.end - request.need, request.value))
        row = []
        for first, last, gain in (*in_time, *late):
            chosen, start = self.model.new_bool_var(""), self.model.new_int_var(first, last, "")
            piece = self.model.new_optional_fixed_size_interval_var(start, request.need, chosen, "")
            row.append((chosen, start, gain, piece))
        self.model.add_at_most_one(chosen for chosen, _, _, _ in row)
        return row

    def best(self, seconds: float) -> tuple[Score, Score]:
        """Return the best score that was found, and what no score can be above."""
        self.model.maximize(self.gain)
        solver = self._solver(seconds)
        solver.solve(self.model)
        found, bound = round(solver.objective_value), round(solver.best_objective_bound)
        return Score(*divmod(found, self.deadline)), Score(*divmod(bound, self.deadline))

    def has_better_choice(self, starts: Sequence[int | None], seconds: float) -> bool | None:
        """Return whether an equal score has an earlier choice in rank order; None: unknown.

        Of the levels of the objective this is the third: choices compared todo by todo.
        """
        reached = score(self.day, starts)
        self.model.add(self.gain == reached.met * self.deadline + reached.value)
        firsts = []
        equal: list[cp_model.IntVar] = []
        for number, row in enumerate(self.choices):
            mine = self._index(number, starts[number])
            index = self.model.new_int_var(0, len(row), "")
            left_out = self.model.new_bool_var("")
            self.model.add_exactly_one([*(chosen for chosen, _, _, _ in row), left_out])
            parts = [place * chosen for place, (chosen, _, _, _) in enumerate(row)]
            self.model.add(index == sum(parts) + len(row) * left_out)
            first = self.model.new_bool_var("")
            self.model.add(index < mine).only_enforce_if(first)
            for same in equal:
                self.model.add_implication(first, same)
            same = self.model.new_bool_var("")
            self.model.add(index == mine).only_enforce_if(same)
            equal.append(same)
            firsts.append(first)
        self.model.add_at_least_one(firsts)
        status = self._solver(seconds).solve(self.model)
        if status == cp_model.INFEASIBLE:
            return False
        return None if status == cp_model.UNKNOWN else True

    def _index(self, number: int, start: int | None) -> int:
        request, row = self.day.requests[number], self.choices[number]
        if start is None:
            return len(row)
        late = request.due_by is not None and start + request.need > request.due_by
        gap = next(gap for gap in self.day.gaps if gap.start <= start < gap.end)
        gains = request.value + (self.deadline if request.is_due and not late else 0)
        for place, (_, variable, gain, _) in enumerate(row):
            bounds = list(variable.proto.domain)
            if gain == gains and bounds[0] <= start <= bounds[-1] and bounds[-1] < gap.end:
                return place
        raise AssertionError(f"no choice of todo {number} starts at {start}")

    @staticmethod
    def _solver(seconds: float) -> cp_model.CpSolver:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = seconds
        return solver
