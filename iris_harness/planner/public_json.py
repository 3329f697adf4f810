"""A plan as public JSON: the keys that `docs/schema/plan.schema.json` describes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.day import (
    Birthday,
    Block,
    Conflict,
    DailyPlan,
    Event,
    FreeSpan,
    JobNews,
    Notice,
    PlannedTodo,
    PlanProof,
    ShownBlock,
    Unplaced,
    WorkingSpan,
    Workload,
)
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceStatus


def plan_to_json(plan: DailyPlan) -> dict[str, Json]:
    """Return the plan of one day as JSON values, everything in the plan's order.

    Instants are ISO 8601 with the user's offset (UTC as ``+00:00``), all-day values plain
    dates, sources ``name: locator``. The date of a birthday whose year is unknown is
    ``--03-26``. ``jobs`` is there only where jobs were asked for: a plan without them reads as it
    did before there were any.
    """
    are_jobs_asked = any(status.kind is SourceKind.JOBS for status in plan.sources)
    return {
        "date": plan.date.isoformat(),
        "timezone": plan.timezone,
        "plan_id": plan.plan_id,
        "now": plan.now.isoformat(),
        "events": [_event(event) for event in plan.events],
        "todos": [_todo(todo) for todo in plan.todos],
        "backlog": [_todo(todo) for todo in plan.backlog],
        "blocks": [_block(block) for block in plan.blocks],
        "free": [_span(free) for free in plan.free],
        "working_hours": [_span(hours) for hours in plan.working_hours],
        "proof": _proof(plan.proof),
        "workload": _workload(plan.workload) if plan.workload else None,
        "unplaced": [_unplaced(item) for item in plan.unplaced],
        "skipped": [{"summary": one.title, "source": _source(one.source)} for one in plan.skipped],
        "history": [_shown(block) for block in plan.history],
        "conflicts": [[pair.first.summary, pair.second.summary] for pair in plan.conflicts],
        "overlaps": [_span(pair) for pair in plan.conflicts],
        "email": [],
        "finance": [],
        "birthdays": [_birthday(birthday) for birthday in plan.birthdays],
        **({"jobs": [_job(job) for job in plan.jobs]} if are_jobs_asked else {}),
        "sources": [_status(status) for status in plan.sources],
        "notices": [_notice(notice) for notice in plan.notices],
        "warnings": list(plan.warnings),
    }


def range_to_json(plans: Sequence[DailyPlan]) -> dict[str, Json]:
    """Return plans of several days, at least one, by date: first day, last day, and each day."""
    return {
        "from": plans[0].date.isoformat(),
        "to": plans[-1].date.isoformat(),
        "days": [plan_to_json(plan) for plan in plans],
    }


def _time(value: dt.date | dt.datetime | None) -> str | None:
    return value.isoformat() if value is not None else None


def _source(source: SourceRef | None) -> str | None:
    return str(source) if source is not None else None


def _span(span: FreeSpan | WorkingSpan | Conflict) -> dict[str, Json]:
    return {"start": _time(span.start), "end": _time(span.end)}


def _event(event: Event) -> dict[str, Json]:
    return {
        "summary": event.summary,
        "start": _time(event.start),
        "end": _time(event.end),
        "all_day": event.all_day,
        "busy": event.busy,
        "status": event.status.value,
        "location": event.location,
        "travel_minutes": event.travel_minutes,
        "calendar": event.calendar,
        "source": _source(event.source),
    }


def _todo(planned: PlannedTodo) -> dict[str, Json]:
    todo = planned.todo
    return {
        "summary": todo.summary,
        "due": _time(todo.due),
        "start": _time(todo.start),
        "priority": todo.priority,
        "overdue": planned.overdue,
        "estimate_minutes": todo.estimate_minutes,
        "earliest": _clock(todo.earliest),
        "latest": _clock(todo.latest),
        "energy": todo.energy,
        "split_minutes": todo.chunk_minutes,
        "list": todo.list_name,
        "source": _source(todo.source),
        "reason": planned.reason,
    }


def _birthday(birthday: Birthday) -> dict[str, Json]:
    year = "-" if birthday.year is None else f"{birthday.year:04}"
    return {
        "person": birthday.person,
        "kind": birthday.kind.value,
        "label": birthday.label,
        "date": f"{year}-{birthday.month:02}-{birthday.day:02}",
        "years": birthday.years,
        "deceased": birthday.is_deceased,
        "source": _source(birthday.source),
    }


def _job(job: JobNews) -> dict[str, Json]:
    return {
        "job": job.source.locator,
        "task": job.task,
        "stage": job.stage.value,
        "done": job.done,
        "workers": job.workers,
        "since": _time(job.since),
        "why": job.why,
        "source": _source(job.source),
    }


def _block(block: Block) -> dict[str, Json]:
    return {
        "kind": block.kind.value,
        "title": block.title,
        "start": _time(block.start),
        "end": _time(block.end),
        "pinned": block.pinned,
        "source": _source(block.source),
        "reason": block.reason,
    }


def _clock(time: dt.time | None) -> str | None:
    return None if time is None else f"{time:%H:%M}"


def _shown(block: ShownBlock) -> dict[str, Json]:
    return {
        "kind": block.kind.value,
        "title": block.title,
        "start": _time(block.start),
        "end": _time(block.end),
        "source": _source(block.source),
    }


def _workload(workload: Workload) -> dict[str, Json]:
    return {
        "work_minutes": workload.work_minutes,
        "free_minutes": workload.free_minutes,
        "overcommitted": workload.is_overcommitted,
    }


def _notice(notice: Notice) -> dict[str, Json]:
    return {
        "kind": notice.kind.value,
        "item": notice.item,
        "start": _time(notice.start),
        "end": _time(notice.end),
        "text": notice.text,
    }


def _unplaced(item: Unplaced) -> dict[str, Json]:
    return {
        "summary": item.summary,
        "source": _source(item.source),
        "reason": item.reason,
        "would_fit_if": item.would_fit_if,
        "missing_minutes": item.missing_minutes,
    }


def _proof(proof: PlanProof) -> dict[str, Json]:
    return {"level": proof.level.value if proof.level else None, "gap": proof.gap}


def _status(status: SourceStatus) -> dict[str, Json]:
    return {
        "name": status.name,
        "kind": status.kind.value,
        "state": status.state.value,
        "age_seconds": status.age_seconds,
        "detail": status.detail,
    }
