"""Place requests into the gaps of a day, as well as it can be done."""

from __future__ import annotations

from iris_harness.planner.optimise.place import MOST_NODES, place_optimally
from iris_harness.planner.optimise.request import Placement, Request, worth

__all__ = ["MOST_NODES", "Placement", "Request", "place_optimally", "worth"]
