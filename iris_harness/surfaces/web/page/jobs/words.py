"""What is said of jobs and workers on the page."""

from __future__ import annotations

import datetime as dt

from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.views import JobState, JobSummary, WorkerView

_MINUTE = 60
_HOUR = 60 * _MINUTE


def progress(summary: JobSummary, language: Language) -> str:
    """Return a job's state, with how far it is where that says more."""
    state = language.say(f"jobs.state.{summary.state.value}")
    total = sum(summary.counts.values())
    if summary.state is JobState.SUCCEEDED:
        return state
    done = summary.counts.get(WorkerState.SUCCEEDED, 0)
    return language.say("jobs.progress", state=state, done=done, count=total)


def state_word(worker: WorkerView, language: Language) -> str:
    """Return a worker's state in words."""
    if worker.state is WorkerState.LEASED and worker.cancel_requested:
        return language.say("jobs.worker.stopping")
    return language.say(f"jobs.worker.{worker.state.value}")


def length(worker: WorkerView, now: dt.datetime, language: Language) -> str:
    """Return how long a worker has run, or ran; empty where it has not begun."""
    if worker.started_at is None:
        return ""
    seconds = max(0, int(((worker.finished_at or now) - worker.started_at).total_seconds()))
    if seconds < _MINUTE:
        return language.say("duration.seconds", count=seconds)
    minutes, rest = divmod(seconds, _MINUTE)
    if seconds < _HOUR:
        return language.say("jobs.minutes", minutes=minutes, seconds=rest)
    return language.duration(minutes)


def names_before(worker: WorkerView) -> tuple[str, ...]:
    """Return the names of the workers that it waits for."""
    start = f"{worker.spec.job_id}-"
    return tuple(one.removeprefix(start) for one in worker.spec.depends_on)


def label(worker: WorkerView, language: Language) -> str:
    """Return everything that a box of the graph says, as one sentence."""
    said = {
        "worker": worker.name,
        "state": state_word(worker, language),
        "task": clean(worker.spec.task),
    }
    before = names_before(worker)
    if not before:
        return language.say("jobs.label", **said)
    return language.say("jobs.label.after", **said, others=language.listing(before))


def when(at: dt.datetime, now: dt.datetime, language: Language) -> str:
    """Return an instant on the user's clock, of which `now` is; the day where it is another."""
    local = at.astimezone(now.tzinfo)
    is_today = local.date() == now.date()
    return language.time(local) if is_today else language.day_and_time(local, now.date())
