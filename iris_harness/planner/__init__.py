"""The day, pure: read into a snapshot, build, explain; as JSON."""

from __future__ import annotations

from iris_harness.planner.build import build_daily_plan, build_range
from iris_harness.planner.handler import build_planner_handler
from iris_harness.planner.snapshot import read_snapshots

__all__ = ["build_daily_plan", "build_planner_handler", "build_range", "read_snapshots"]
