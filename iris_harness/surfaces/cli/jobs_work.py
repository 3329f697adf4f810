"""`iris jobs diff` and `apply`: what a job made, and how it gets into a checkout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.output import EXIT_OK
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.bootstrap.work import JobWork


@click.command()
@click.argument("job_id", metavar="ID")
@click.pass_obj
def diff(state: CliState, /, job_id: str) -> int:
    """Print what the workers of a job changed, as a patch."""
    sys.stdout.buffer.write(_work(state, job_id).patch())
    return EXIT_OK


@click.command()
@click.argument("job_id", metavar="ID")
@click.option(
    "--into", metavar="FOLDER", default=".", show_default=True, help="Your checkout of it."
)
@click.pass_obj
def apply(state: CliState, /, job_id: str, into: str) -> int:
    """Bring a job's commits into your checkout, if nothing but its branch has to move forward."""
    work = _work(state, job_id)
    if not (Path(into) / ".git").exists():
        raise UsageError(f"{into} is no checkout", hint="name one with --into")
    head = work.fast_forward(Path(into))
    click.echo(f"{into} is at {head[:12]} now; `git reset --hard ORIG_HEAD` takes it back")
    return EXIT_OK


def _work(state: CliState, job_id: str) -> JobWork:
    from iris_harness.bootstrap.jobs import open_jobs
    from iris_harness.bootstrap.work import JobWork

    with open_jobs(state.settings.jobs, state.data_folder()) as opened:
        view = opened.reader.get(job_id)
    return JobWork.of(view.summary.id, view.summary.repo_url, state.data_folder())
