"""`iris jobs diff`, `apply`, `open` and `dismiss`: what a job made, and how it leaves Iris."""

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
@click.option(
    "--patch", is_flag=True, help="Change the files only, and commit nothing."
)  # fmt: skip
@click.pass_obj
def apply(state: CliState, /, job_id: str, into: str, patch: bool) -> int:  # noqa: FBT001 - click's keywords
    """Bring a job's commits into your checkout, if nothing but its branch has to move forward."""
    work = _work(state, job_id)
    if not (Path(into) / ".git").exists():
        raise UsageError(f"{into} is no checkout", hint="name one with --into")
    if patch:
        work.patch_into(Path(into))
        click.echo(f"the files in {into} are changed; nothing is committed")
    else:
        head = work.fast_forward(Path(into))
        click.echo(f"{into} is at {head[:12]} now; `git reset --hard ORIG_HEAD` takes it back")
    _keep_reviewed(state, work)
    return EXIT_OK


@click.command()
@click.argument("job_id", metavar="ID")
@click.pass_obj
def dismiss(state: CliState, /, job_id: str) -> int:
    """Say that you are done with a job that has ended: your plans no longer remind you of it.

    Nothing is deleted: `iris jobs apply` still brings its changes in.
    """
    from iris_harness.bootstrap.jobs import open_jobs

    with open_jobs(state.settings.jobs, state.data_folder()) as opened:
        told = opened.control.mark_reviewed(job_id)
    click.echo(f"job {told} waits for you no more")
    return EXIT_OK


@click.command(name="open")
@click.argument("job_id", metavar="ID")
@click.option(
    "--in", "folder", metavar="FOLDER", default=".", show_default=True,
    help="Where jobs.publish.then runs: your checkout.",
)  # fmt: skip
@click.pass_obj
def open_job(state: CliState, /, job_id: str, folder: str) -> int:
    """Push a job's branch, and open a pull request, as jobs.publish in your settings says.

    Nothing is pushed unless jobs.publish.push is true. Its `then` is a command of your own, such as
    [gh, pr, create, --head, "{branch}", --title, "{title}", --body, "Job {job}"].
    """
    from iris_harness.bootstrap.work import run_after

    settings = state.settings.jobs
    if not settings.publish:
        raise UsageError(
            "pushing is not allowed", hint="set jobs.publish.push to true, or use `iris jobs apply`"
        )
    work = _work(state, job_id)
    branch = work.publish()
    click.echo(f"{branch} is pushed to {work.branch.clone.url}")
    _keep_reviewed(state, work)
    if not settings.publish_then:
        return EXIT_OK
    known = {"branch": branch, "title": work.title, "job": work.branch.job_id}
    return run_after(settings.publish_then, Path(folder), known)


def _keep_reviewed(state: CliState, work: JobWork) -> None:
    """Keep that a job no longer waits for its owner; one that still runs will have more to show."""
    from iris_harness.bootstrap.jobs import open_jobs

    with open_jobs(state.settings.jobs, state.data_folder()) as opened:
        if opened.reader.get(work.branch.job_id).summary.state.is_final:
            opened.control.mark_reviewed(work.branch.job_id)


def _work(state: CliState, job_id: str) -> JobWork:
    from iris_harness.bootstrap.jobs import open_jobs
    from iris_harness.bootstrap.work import JobWork

    with open_jobs(state.settings.jobs, state.data_folder()) as opened:
        summary = opened.reader.get(job_id).summary
        return JobWork.of(summary, opened, state.data_folder())
