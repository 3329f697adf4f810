"""What is said of jobs, line by line, for people."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Iterator, Sequence

from iris_harness.curator.clean import clean
from iris_harness.jobs.logs import LogPiece
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.values import Manifest, PlannedWorker, PlanOutcome
from iris_harness.jobs.views import JobState, JobSummary, JobView, WorkerView
from iris_harness.jobs.why import Reason

STATE_WORDS = {
    WorkerState.BLOCKED: "waits for others",
    WorkerState.READY: "waits for a daemon",
    WorkerState.LEASED: "running",
    WorkerState.SUCCEEDED: "done",
    WorkerState.FAILED: "failed",
    WorkerState.CANCELLED: "cancelled",
}
_TASK_WIDTH = 64
_SHORT_ID = 12


def count(number: int, noun: str) -> str:
    """Return "1 worker", "2 workers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def plan_lines(outcome: PlanOutcome) -> Iterator[str]:
    """Yield a plan and why it is so."""
    plan = outcome.plan
    by = {"heuristic": "planned by rules", "user": "your own plan"}
    said = by.get(outcome.planner, f"planned by {clean(outcome.planner)}")
    yield f"{count(len(plan.workers), 'worker')}, {said}"
    for worker in plan.workers:
        yield from _planned_lines(worker)
    if outcome.notes:
        yield ""
        yield from (f"- {clean(note)}" for note in outcome.notes)


def _planned_lines(worker: PlannedWorker) -> Iterator[str]:
    after = f"  after {', '.join(worker.depends_on)}" if worker.depends_on else ""
    yield f"  {worker.id:<6} {clean(worker.task)}{after}"
    files = worker.named_files()
    shown = ", ".join(map(clean, files)) or "no file named: the daemon looks"
    yield f"  {'':<6} {shown}"
    if worker.test_cmd is not None:
        yield f"  {'':<6} proved by: {clean(worker.test_cmd)}"


def submitted_lines(view: JobView, *, is_new: bool) -> Iterator[str]:
    """Yield what became of a submission."""
    summary = view.summary
    workers = count(len(view.workers), "worker")
    if is_new:
        yield f"Job {summary.id} is queued with {workers}."
    else:
        yield f"This was asked before, with the same key: job {summary.id}, {summary.state.value}."
    yield f"Its manifest is {summary.manifest_id[:_SHORT_ID]}."
    yield f"`iris jobs show {summary.id}` shows how it goes."


def list_lines(found: Sequence[JobSummary], zone: str) -> Iterator[str]:
    """Yield a line for each job."""
    if not found:
        yield 'There are no jobs yet. `iris jobs submit "TASK" --repo PLACE` makes one.'
    for summary in found:
        moment = local(summary.created_at, zone)
        yield f"{summary.id}  {moment}  {progress(summary):<24}  {_short(summary.task)}"


def progress(summary: JobSummary) -> str:
    """Return a job's state, with how far it is."""
    total = sum(summary.counts.values())
    done = summary.counts.get(WorkerState.SUCCEEDED, 0)
    if summary.state is JobState.SUCCEEDED:
        return f"done ({total})"
    return f"{summary.state.value} ({done} of {total} done)"


def job_lines(view: JobView, zone: str) -> Iterator[str]:
    """Yield a job and each of its workers."""
    summary, request = view.summary, view.request
    yield f"Job {summary.id}: {progress(summary)}"
    yield f"  {'task':<10} {clean(summary.task)}"
    at = f" at {request.ref}" if request.ref else ""
    yield f"  {'repository':<10} {clean(summary.repo_url)}{at}"
    yield f"  {'submitted':<10} {local(summary.created_at, zone)}, priority {summary.priority}"
    if summary.reviewed_at is not None:
        yield f"  {'seen to':<10} {local(summary.reviewed_at, zone)}"
    elif summary.state is JobState.SUCCEEDED:
        yield f"  {'waits for':<10} you: `iris jobs apply {summary.id}`, or `dismiss`"
    yield f"  {'manifest':<10} {summary.manifest_id}"
    if view.needs:
        yield f"  {'needs':<10} {', '.join(view.needs)}"
    yield ""
    for worker in view.workers:
        yield from worker_lines(worker)
    if view.notes:
        yield ""
        yield from (f"- {clean(note)}" for note in view.notes)


def worker_lines(worker: WorkerView) -> Iterator[str]:
    """Yield a worker's state, and what is worth knowing of it."""
    yield f"  {worker.name:<6} {state_text(worker):<20} {_short(worker.spec.task)}"
    after = [one.removeprefix(f"{worker.spec.job_id}-") for one in worker.spec.depends_on]
    if after and not worker.state.is_final:
        yield f"  {'':<6} {'':<20} after {', '.join(after)}"
    if worker.reason:
        yield f"  {'':<6} {'':<20} {clean(worker.reason)}"
    if worker.deliveries > 1:
        yield f"  {'':<6} {'':<20} given out {worker.deliveries} times"


def state_text(worker: WorkerView) -> str:
    """Return a worker's state in words."""
    if worker.state is WorkerState.LEASED and worker.cancel_requested:
        return "being cancelled"
    return STATE_WORDS[worker.state]


def why_lines(view: JobView, reasons: Sequence[Reason]) -> Iterator[str]:
    """Yield what holds each worker that is not done."""
    yield f"Job {view.summary.id}: {progress(view.summary)}"
    if not reasons:
        yield "  Nothing holds it: all of it is done."
    for reason in reasons:
        yield f"  {reason.worker:<6} {clean(reason.text)}"


def graph_lines(view: JobView, now: dt.datetime) -> Iterator[tuple[WorkerState, str]]:
    """Yield a line for each worker, indented by how much comes before it, with its state."""
    depths: dict[str, int] = {}
    width = max(len(worker.name) + 2 * _depth(worker, depths) for worker in view.workers)
    for worker in view.workers:
        indent = "  " * depths[worker.spec.id]
        name = f"{indent}{worker.name}"
        after = [one.removeprefix(f"{worker.spec.job_id}-") for one in worker.spec.depends_on]
        what = worker.reason if worker.reason and worker.state.is_final else worker.spec.task
        said = _short(what) + (f"  (after {', '.join(after)})" if after else "")
        took = _took(worker, now)
        yield (
            worker.state,
            f"{_MARKS[worker.state]} {name:<{width}}  {state_text(worker):<18} {took:>7}  {said}",
        )


_MARKS = {
    WorkerState.BLOCKED: "\N{MIDDLE DOT}",
    WorkerState.READY: "\N{WHITE CIRCLE}",
    WorkerState.LEASED: "\N{BLACK CIRCLE}",
    WorkerState.SUCCEEDED: "\N{CHECK MARK}",
    WorkerState.FAILED: "\N{BALLOT X}",
    WorkerState.CANCELLED: "\N{EN DASH}",
}


def _depth(worker: WorkerView, depths: dict[str, int]) -> int:
    """Return how many workers one after another come before it, and write it down."""
    before = [depths[key] for key in worker.spec.depends_on]
    depths[worker.spec.id] = max(before) + 1 if before else 0
    return depths[worker.spec.id]


def _took(worker: WorkerView, now: dt.datetime) -> str:
    if worker.started_at is None:
        return ""
    seconds = int(((worker.finished_at or now) - worker.started_at).total_seconds())
    minutes, seconds = divmod(max(0, seconds), 60)
    return f"{minutes} m {seconds:02}" if minutes else f"{seconds} s"


def log_lines(worker: WorkerView, pieces: Sequence[LogPiece]) -> Iterator[str]:
    """Yield a worker's log, each line made safe to print."""
    yield f"{worker.name}: {state_text(worker)}"
    for line in "".join(piece.text for piece in pieces).splitlines():
        yield f"  {clean(line)}"


def manifest_lines(named: str, found: Manifest) -> Iterator[str]:
    """Yield a manifest for people."""
    yield f"Manifest {named}: sound"
    yield f"  {'task':<10} {clean(found.task)}"
    yield f"  {'repository':<10} {clean(found.repo_url)}{f' at {found.ref}' if found.ref else ''}"
    for worker in found.workers:
        yield from _planned_lines(worker)


def local(instant: dt.datetime, zone: str) -> str:
    """Return an instant on the user's clock."""
    return instant.astimezone(zoneinfo.ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


def _short(text: str) -> str:
    line = clean(text)
    return line if len(line) <= _TASK_WIDTH else f"{line[: _TASK_WIDTH - 2].rstrip()} …"
