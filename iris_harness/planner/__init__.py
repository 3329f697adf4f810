"""The day, pure: read into a snapshot, build, explain; as JSON.

The names below are resolved when they are first used: whoever only plans a day does not load
what an agent needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_harness.planner.build import build_daily_plan
    from iris_harness.planner.free_time import find_first_free
    from iris_harness.planner.handler import (
        build_planner_handler,
        refuse_impossible,
        refuse_to_write,
    )
    from iris_harness.planner.marking import build_mark_proposer
    from iris_harness.planner.persons import build_person_finder, which_person
    from iris_harness.planner.proposals import build_change_proposer
    from iris_harness.planner.questions.handler import build_answerer, build_events_handler
    from iris_harness.planner.ranges import build_range
    from iris_harness.planner.snapshot import read_snapshots
    from iris_harness.planner.why import build_explain_handler

__all__ = [
    "build_answerer",
    "build_change_proposer",
    "build_daily_plan",
    "build_events_handler",
    "build_explain_handler",
    "build_mark_proposer",
    "build_person_finder",
    "build_planner_handler",
    "build_range",
    "find_first_free",
    "read_snapshots",
    "refuse_impossible",
    "refuse_to_write",
    "which_person",
]

_HOMES = {
    "build_change_proposer": "proposals",
    "build_mark_proposer": "marking",
    "build_person_finder": "persons",
    "which_person": "persons",
    "build_answerer": "questions.handler",
    "build_events_handler": "questions.handler",
    "find_first_free": "free_time",
    "build_daily_plan": "build",
    "build_range": "ranges",
    "build_explain_handler": "why",
    "build_planner_handler": "handler",
    "read_snapshots": "snapshot",
    "refuse_impossible": "handler",
    "refuse_to_write": "handler",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
