"""What every planner of jobs is."""

from __future__ import annotations

from typing import Protocol

from iris_harness.jobs.context import NO_CONTEXT, Context
from iris_harness.jobs.values import PlanOutcome, PlanRequest


class Planner(Protocol):
    """Makes a plan from a request; sees no repository and holds no worker's key."""

    @property
    def name(self) -> str:
        """Who plans: ``heuristic``, or the model's name."""
        ...

    def plan(self, request: PlanRequest, context: Context = NO_CONTEXT) -> PlanOutcome:
        """Return a plan that `validation.check_plan` accepts, and how it came about.

        `context` holds finished jobs of the same owner that may serve as examples.

        Raises:
            RequestError: the request cannot be planned.
            JobPlanError: it only comes to a plan that cannot be run.
        """
        ...
