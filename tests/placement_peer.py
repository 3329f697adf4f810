"""The day as a model of OR-tools CP-SAT, written down from the objective's own words."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from ortools.sat.python import cp_model

from iris_harness.planner.frame import Span
from iris_harness.planner.optimise import Request
from tests.placement_days import Day, Score

_ANYTHING = Score(10**9, 0, 0, 0)
"""The bound of a peer that found nothing in its time."""


class _Part(NamedTuple):
    """A piece that a request may have."""

    start: cp_model.IntVar
    size: cp_model.IntVar
    end: cp_model.IntVar
    is_there: cp_model.IntVar


class Peer:
    """What CP-SAT knows of a day."""

    def __init__(self, day: Day) -> None:
        self.day = day
        self.model = cp_model.CpModel()
        self.stays = 1 + len(day.requests)
        self.deadline = 1 + sum(one.value for one in day.requests if not one.is_break)
        self.service = self.deadline * (1 + sum(one.is_due for one in day.requests))
        self.pieces: list[cp_model.IntervalVar] = []
        self.score = sum(self._request(request) for request in day.requests)
        self.model.add_no_overlap(self.pieces)

    def _request(self, request: Request) -> cp_model.LinearExpr | int:
        """Add one request and return what it adds to the score."""
        windows = self.day.gaps if request.windows is None else request.windows
        places = [
            Span(max(gap.start, window.start), min(gap.end, window.end))
            for gap in self.day.gaps
            for window in windows
            if max(gap.start, window.start) < min(gap.end, window.end)
        ]
        if request.chunk is None or 2 * request.chunk > request.need:
            return self._whole(request, places)
        return self._split(request, request.chunk, places)

    def _whole(self, request: Request, places: list[Span]) -> cp_model.LinearExpr | int:
        """Add a request with an interval for each place, in time and late."""
        value = self._value(request)
        score: cp_model.LinearExpr | int = 0
        ways = []
        for place in places:
            by = place.end if request.due_by is None else min(place.end, request.due_by)
            in_time = value + (self.deadline * self.stays if request.is_due else 0)
            for end, gain in ((by, in_time), (place.end, value))[: 1 + (by < place.end)]:
                if place.start + request.need > end:
                    continue
                chosen = self.model.new_bool_var("")
                start = self.model.new_int_var(place.start, end - request.need, "")
                self.pieces.append(
                    self.model.new_optional_fixed_size_interval_var(start, request.need, chosen, "")
                )
                score += gain * chosen
                score += self._stay_whole(request, Span(place.start, end), start, chosen)
                ways.append(chosen)
        self.model.add_at_most_one(ways)
        return score

    def _stay_whole(
        self, request: Request, place: Span, start: cp_model.IntVar, chosen: cp_model.IntVar
    ) -> cp_model.IntVar | int:
        kept = request.kept
        if len(kept) != 1 or kept[0].end - kept[0].start != request.need:
            return 0
        if kept[0].start < place.start or kept[0].end > place.end:
            return 0
        stay = self.model.new_bool_var("")
        self.model.add_implication(stay, chosen)
        self.model.add(start == kept[0].start).only_enforce_if(stay)
        return stay

    def _value(self, request: Request) -> int:
        return (self.service if request.is_break else request.value) * self.stays

    def _split(self, request: Request, least: int, places: list[Span]) -> cp_model.LinearExpr:
        """Add a request with as many pieces as it can have."""
        served = self.model.new_bool_var("")
        parts = [self._part(request.need, least, places) for _ in range(request.need // least)]
        self.model.add(sum(part.size for part in parts) == request.need * served)
        for part, following in itertools.pairwise(parts):
            self.model.add_implication(following.is_there, part.is_there)
            self.model.add(part.end <= following.start).only_enforce_if(following.is_there)
        score = self._value(request) * served
        if request.is_due:
            score += self.deadline * self.stays * self._in_time(request, served, parts)
        if request.kept:
            score += self._stay(request, served, parts)
        return score

    def _part(self, need: int, least: int, places: list[Span]) -> _Part:
        model = self.model
        end = max((place.end for place in places), default=0)
        is_there = model.new_bool_var("")
        part = _Part(
            model.new_int_var(0, end, ""),
            model.new_int_var(0, need, ""),
            model.new_int_var(0, end, ""),
            is_there,
        )
        self.pieces.append(
            model.new_optional_interval_var(part.start, part.size, part.end, is_there, "")
        )
        model.add(part.size >= least).only_enforce_if(is_there)
        model.add(part.size == 0).only_enforce_if(~is_there)
        chosen = []
        for place in places:
            here = model.new_bool_var("")
            model.add(part.start >= place.start).only_enforce_if(here)
            model.add(part.end <= place.end).only_enforce_if(here)
            chosen.append(here)
        model.add(sum(chosen) == is_there)
        return part

    def _in_time(
        self, request: Request, served: cp_model.IntVar, parts: list[_Part]
    ) -> cp_model.IntVar:
        if request.due_by is None:
            return served
        in_time = self.model.new_bool_var("")
        self.model.add_implication(in_time, served)
        for part in parts:
            self.model.add(part.end <= request.due_by).only_enforce_if(in_time, part.is_there)
        return in_time

    def _stay(
        self, request: Request, served: cp_model.IntVar, parts: list[_Part]
    ) -> cp_model.IntVar:
        stay = self.model.new_bool_var("")
        self.model.add_implication(stay, served)
        if len(request.kept) > len(parts):
            self.model.add(stay == 0)
        for number, part in enumerate(parts):
            if number < len(request.kept):
                start, end = request.kept[number]
                self.model.add_implication(stay, part.is_there)
                self.model.add(part.start == start).only_enforce_if(stay)
                self.model.add(part.end == end).only_enforce_if(stay)
            else:
                self.model.add_implication(stay, ~part.is_there)
        return stay

    def best(self, seconds: float) -> tuple[Score, Score]:
        """Return the best score that was found, and what no score can be above."""
        self.model.maximize(self.score)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_time_in_seconds = seconds
        if solver.solve(self.model) == cp_model.UNKNOWN:
            return Score(0, 0, 0, 0), _ANYTHING
        return self._levels(solver.objective_value), self._levels(solver.best_objective_bound)

    def _levels(self, number: float) -> Score:
        rest, stay = divmod(round(number), self.stays)
        served, rest = divmod(rest, self.service)
        return Score(served, *divmod(rest, self.deadline), stay)
