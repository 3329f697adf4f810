"""How busy a day is: what events take of the working hours, and what todos need by then."""

from __future__ import annotations

import datetime as dt

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.facts import Fact
from iris_harness.planner import words
from iris_harness.planner.questions.free import titles
from iris_harness.planner.questions.look import taking_the_day, taking_time
from iris_harness.planner.questions.telling import capital, day_text, refs, statement

_MINUTE = dt.timedelta(minutes=1)
_DEGREES = ((25, "quiet"), (60, "half full"), (90, "busy"), (100, "full"))
"""Up to which per cent of the working time is taken, and what such a day is called."""
_TOO_MUCH = "fuller than it can be"


def load_fact(plan: DailyPlan) -> Fact:
    """Return how busy the day of a plan is, from its "now" on."""
    day = day_text(plan.date, plan.now)
    unread = [status.name for status in plan.sources if not status.was_read]
    without = f" (without {', '.join(unread)}, not read)" if unread else ""
    contents = f": {_contents(plan)}" if plan.workload is not None else ""
    return statement(
        f"{capital(day)} {_degree(plan)}{contents}{without}.",
        refs(dict.fromkeys(status.name for status in plan.sources if status.was_read)),
        {"day": plan.date.isoformat(), "taken_percent": _percent(plan)},
    )


def _degree(plan: DailyPlan) -> str:
    filling = taking_the_day(plan.events)
    if filling:
        return f"is taken by {titles(filling)}"
    percent = _percent(plan)
    if percent is None:
        return "is a day off" if plan.is_day_off else "is over"
    return f"is {next((name for most, name in _DEGREES if percent <= most), _TOO_MUCH)}"


def _percent(plan: DailyPlan) -> int | None:
    """Return how much of the working time is taken or needed; None where there is none."""
    ahead = (span for span in plan.working_hours if span.end > plan.now)
    working = sum((span.end - max(span.start, plan.now)) // _MINUTE for span in ahead)
    if plan.workload is None or not working:
        return None
    taken = working - min(plan.workload.free_minutes, working)
    return (taken + plan.workload.work_minutes) * 100 // working


def _contents(plan: DailyPlan) -> str:
    timed = [event for event in taking_time(plan.events) if _is_ahead(event.end, plan.now)]
    events = _count(len(timed), "event", "events") if timed else "no events"
    pairs = _count(len(plan.conflicts), "pair overlaps", "pairs overlap")
    overlap = f" ({pairs})" if plan.conflicts else ""
    return f"{events}{overlap}{_work_text(plan)}"


def _is_ahead(end: dt.date | dt.datetime, now: dt.datetime) -> bool:
    return isinstance(end, dt.datetime) and end > now


def _work_text(plan: DailyPlan) -> str:
    if plan.workload is None:
        return ""
    work, free = plan.workload.work_minutes, plan.workload.free_minutes
    need = f"{words.duration_text(work)} of todos due by then" if work else "no todos due by then"
    room = f"{words.duration_text(free)} of working time" if free else "no working time"
    return f", {need}, and {room} for them" if work else f", {need}, and {room} left"


def _count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
