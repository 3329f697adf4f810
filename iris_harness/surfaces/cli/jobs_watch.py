"""`iris jobs watch`: a job as it goes, redrawn on a terminal, line by line elsewhere."""

from __future__ import annotations

import datetime as dt
import json
import select
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import click

from iris_harness.bootstrap.jobs import Jobs
from iris_harness.clock import SystemClock
from iris_harness.curator.clean import clean
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.views import JobState, JobView, job_to_json
from iris_harness.surfaces.cli.jobs_words import graph_lines, progress, state_text
from iris_harness.surfaces.cli.output import OutputOptions

_INTERVAL_SECONDS = 0.5
_STYLES = {
    WorkerState.BLOCKED: "dim",
    WorkerState.READY: "",
    WorkerState.LEASED: "bold",
    WorkerState.SUCCEEDED: "green",
    WorkerState.FAILED: "bold red",
    WorkerState.CANCELLED: "yellow",
}
_TELLING = (
    WorkerState.LEASED, WorkerState.FAILED, WorkerState.READY, WorkerState.CANCELLED,
    WorkerState.BLOCKED, WorkerState.SUCCEEDED,
)  # fmt: skip
"""The states of workers, those first that are seen where there is no room for all."""

_OF_MANY = {
    WorkerState.SUCCEEDED: "done",
    WorkerState.CANCELLED: "cancelled",
    WorkerState.FAILED: "failed",
    WorkerState.LEASED: "running",
    WorkerState.READY: "waiting for a daemon",
    WorkerState.BLOCKED: "waiting for others",
}
_AROUND = 2
"""Lines of a terminal beside those of workers: the job's own, and the one that is left empty."""


def watch_job(opened: Jobs, job_id: str, *, as_json: bool, plain: bool) -> bool:
    """Show a job until it has ended; return whether all of it succeeded."""
    if as_json:
        last = _follow(opened, job_id, _JsonLines().show)
    elif OutputOptions(plain=plain).rich:
        last = _draw(opened, job_id)
    else:
        last = _follow(opened, job_id, _Changes().show)
        click.echo(f"Job {last.summary.id}: {progress(last.summary)}")
    return last.summary.state is JobState.SUCCEEDED


def _follow(opened: Jobs, job_id: str, show: Callable[[JobView], None]) -> JobView:
    """Show the job now and then; return it as it ended."""
    pause = threading.Event()
    while True:
        view = opened.reader.get(job_id)
        show(view)
        if view.summary.state.is_final:
            return view
        pause.wait(_INTERVAL_SECONDS)
        _check_reader()


def _check_reader() -> None:
    """Do nothing while somebody reads the output: a job may go on for hours without a new line.

    Raises:
        BrokenPipeError: whoever read it, as `head`, has left.
    """
    if sys.stdout.isatty() or not hasattr(select, "poll"):
        return
    watching = select.poll()
    watching.register(sys.stdout.fileno(), 0)
    if any(event & select.POLLERR for _, event in watching.poll(0)):
        raise BrokenPipeError


class _JsonLines:
    """Prints the job as a line of JSON, each time that it has changed."""

    def __init__(self) -> None:
        self._before: JobView | None = None

    def show(self, view: JobView) -> None:
        if view != self._before:
            click.echo(json.dumps(job_to_json(view), ensure_ascii=False))
        self._before = view


class _Changes:
    """Prints a line for each worker whose state has changed."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def show(self, view: JobView) -> None:
        for worker in view.workers:
            text = state_text(worker)
            if self._said.get(worker.name) != text:
                reason = f" ({clean(worker.reason)})" if worker.reason else ""
                click.echo(f"{worker.name}: {text}{reason}")
            self._said[worker.name] = text


def _draw(opened: Jobs, job_id: str) -> JobView:
    """Draw the graph on the terminal, again and again in one place."""
    from rich.live import Live
    from rich.text import Text

    from iris_harness.config.environment import read_terminal
    from iris_harness.surfaces.terminal import build_console

    console = build_console(sys.stdout, color=read_terminal(sys.stdout).color)
    clock = SystemClock()
    with Live(console=console, auto_refresh=False) as live:

        def show(view: JobView) -> None:
            picture = Text(no_wrap=True, overflow="ellipsis")
            picture.append(f"Job {view.summary.id}: {progress(view.summary)}", style="bold")
            for line, style in _picture(view, clock.now(), console.height - _AROUND):
                picture.append(f"\n{line}", style=style)
            live.update(picture, refresh=True)

        return _follow(opened, job_id, show)


def _picture(view: JobView, now: dt.datetime, room: int) -> Iterator[tuple[str, str]]:
    """Yield lines and their styles; while it goes on, no more than there is room for.

    A job that has ended is shown whole: it is drawn no more, and a terminal scrolls.
    """
    lines = list(graph_lines(view, now))
    shown: Sequence[int] = range(len(lines))
    if not view.summary.state.is_final and len(lines) > room:
        shown = _most_telling([state for state, _ in lines], max(0, room - 1))
    for at in shown:
        state, line = lines[at]
        yield line, _STYLES[state]
    if len(shown) < len(lines):
        left_out = Counter(lines[at][0] for at in set(range(len(lines))).difference(shown))
        counts = (f"{left_out[one]} {word}" for one, word in _OF_MANY.items() if left_out[one])
        yield f"  and {', '.join(counts)}", "dim"


def _most_telling(states: Sequence[WorkerState], room: int) -> Sequence[int]:
    """Return the places of what is worth seeing, in their order: what runs, failed, or is next."""
    ranked = sorted(range(len(states)), key=lambda at: (_TELLING.index(states[at]), at))
    return sorted(ranked[:room])
