"""`iris jobs`: larger work as a graph of workers, kept as a manifest and run from a queue."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from iris_harness.contracts.canonical import Json
from iris_harness.errors import IrisError, UsageError
from iris_harness.surfaces.cli.jobs_work import apply, diff, dismiss, open_job
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.bootstrap.jobs import Jobs, OpenModel
    from iris_harness.jobs.context import Context
    from iris_harness.jobs.values import Plan, PlanOutcome, PlanRequest, SubmitOptions

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_LARGEST_PLAN = 1024 * 1024
_PORT = 7475


@click.group()
def jobs() -> None:
    """Give larger work on a repository to workers, and follow it.

    A task becomes a plan of workers, the plan an unchangeable manifest, and the workers wait in a
    queue for daemons that have the repository. `iris jobs plan TASK` shows a plan and keeps
    nothing.
    """


jobs.add_command(diff)
jobs.add_command(apply)
jobs.add_command(open_job)
jobs.add_command(dismiss)


class _Asked(NamedTuple):
    """The options that make a request, as typed."""

    task: str
    repo: str | None
    ref: str
    files: tuple[str, ...]
    worker_model: str
    planner_model: str
    test_cmd: str | None
    context: str
    context_jobs: tuple[str, ...]


def _request_options(command: CommandT) -> CommandT:
    for option in reversed(_REQUEST_OPTIONS):
        command = option(command)
    return command


_REQUEST_OPTIONS = (
    click.argument("task", metavar="[TASK]", default=""),
    click.option("--repo", metavar="PLACE", help="The repository: its address or its folder."),
    click.option("--ref", metavar="NAME", default="", help="Branch, tag or commit to start from."),
    click.option("--file", "files", metavar="FILE", multiple=True, help="A file that is meant."),
    click.option("--worker-model", metavar="NAME", default="", help="Model of the workers."),
    click.option("--planner-model", metavar="NAME", default="", help="Model that plans."),
    click.option(
        "--test-cmd", metavar="COMMAND", help="How the work is proved; else the daemon finds out."
    ),
    click.option(
        "--context",
        type=click.Choice(["off", "auto", "manual"]),
        default="off",
        show_default=True,
        help="Let a planner model see finished jobs of yours: the most alike, or those named.",
    ),
    click.option(
        "--context-job", "context_jobs", metavar="ID", multiple=True, help="One of those named."
    ),
)
_JOB = click.argument("job_id", metavar="ID")
_WORKER = click.argument("worker", metavar="[WORKER]", required=False)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_PLAN = click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=click.Path(),
    help="Your own plan, JSON or YAML, instead of one made from TASK.",
)


@jobs.command()
@_request_options
@_PLAN
@click.option("--edit", is_flag=True, help="Change the plan in your editor; print the result.")
@_JSON
@click.pass_obj
def plan(state: CliState, /, plan_file: str | None, edit: bool, as_json: bool, **typed: Any) -> int:  # noqa: FBT001, ANN401 - click's keywords
    """Split TASK into workers and show them. Nothing is kept."""
    with _explained_missing_part():
        given = _read_plan(plan_file)
        outcome = _outcome(state, _request(state, _Asked(**typed), given), given)
        if edit:
            outcome = _edited(state, outcome)
    from iris_harness.jobs.documents import outcome_to_json
    from iris_harness.surfaces.cli.jobs_words import plan_lines

    return _tell(outcome_to_json(outcome) if as_json else plan_lines(outcome))


@jobs.command()
@_request_options
@_PLAN
@click.option("--edit", is_flag=True, help="Change the plan in your editor before it is kept.")
@click.option(
    "--key", metavar="KEY", help="Idempotency key: the same key never makes a second job."
)
@click.option("--priority", default=0, show_default=True, help="Higher goes first, -100 to 100.")
@click.option(
    "--needs",
    metavar="WHAT",
    multiple=True,
    help="What a daemon must offer, as label:gpu or language:rust.",
)
@_JSON
@click.pass_obj
def submit(state: CliState, /, **typed: Any) -> int:  # noqa: ANN401 - click's keywords
    """Put TASK into the queue, split into workers, or as your own --plan has it."""
    as_json, edit = typed.pop("as_json"), typed.pop("edit")
    with _opened(state) as opened:
        from iris_harness.jobs.submit import Submission

        given = _read_plan(typed.pop("plan_file"))
        options = _submit_options(typed)
        request = _request(state, _Asked(**typed), given)
        if edit:
            given = _edited(state, _outcome(state, request, given)).plan
        done = opened.submitter.submit(Submission(request, options, given))
        view = opened.reader.get(done.job_id)
    from iris_harness.jobs.views import job_to_json
    from iris_harness.surfaces.cli.jobs_words import submitted_lines

    if as_json:
        return _tell({"is_new": done.is_new, **job_to_json(view)})
    return _tell(submitted_lines(view, is_new=done.is_new))


@jobs.command(name="list")
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 100_000), help="How many."
)
@_JSON
@click.pass_obj
def list_jobs(state: CliState, /, limit: int, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """List your jobs, newest first."""
    with _opened(state) as opened:
        found = opened.reader.list(limit=limit)
    from iris_harness.jobs.views import summary_to_json
    from iris_harness.surfaces.cli.jobs_words import list_lines

    if as_json:
        return _tell({"jobs": [summary_to_json(one) for one in found]})
    return _tell(list_lines(found, state.timezone()))


@jobs.command()
@_JOB
@_JSON
@click.pass_obj
def show(state: CliState, /, job_id: str, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Show a job and each of its workers. The start of an ID is enough."""
    with _opened(state) as opened:
        view = opened.reader.get(job_id)
    from iris_harness.jobs.views import job_to_json
    from iris_harness.surfaces.cli.jobs_words import job_lines

    return _tell(job_to_json(view) if as_json else job_lines(view, state.timezone()))


@jobs.command()
@click.argument("some_id", metavar="ID")
@_JSON
@click.pass_obj
def manifest(state: CliState, /, some_id: str, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Print the manifest of a job, verified; ID is the job's or the manifest's own.

    With --json the canonical bytes are printed: their SHA-256 is the id.
    """
    with _opened(state) as opened:
        named, found = opened.reader.manifest(some_id)
    if as_json:
        from iris_harness.jobs.manifest import manifest_text

        click.echo(manifest_text(found), nl=False)
        return EXIT_OK
    from iris_harness.surfaces.cli.jobs_words import manifest_lines

    return _tell(manifest_lines(named, found))


@jobs.command()
@click.argument("some_id", metavar="[ID]", required=False)
@click.pass_obj
def verify(state: CliState, /, some_id: str | None) -> int:
    """Check that manifests are what their ids say: one, or all of yours."""
    from iris_harness.errors import ManifestError

    broken = 0
    with _opened(state) as opened:
        wanted = (some_id,) if some_id else opened.reader.manifest_ids()
        for one in wanted:
            try:
                named, _ = opened.reader.manifest(one)
                if some_id:
                    click.echo(f"{named}: sound")
            except ManifestError as error:
                broken += 1
                click.echo(f"{error.manifest_id}: {error}")
    if not some_id:
        click.echo(f"{len(wanted) - broken} of {len(wanted)} manifests are sound.")
    return EXIT_ERROR if broken else EXIT_OK


@jobs.command()
@_JOB
@_JSON
@click.pass_obj
def why(state: CliState, /, job_id: str, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Say what holds each worker of a job that is not done."""
    with _opened(state) as opened:
        from iris_harness.jobs.why import explain_job

        view, reasons = explain_job(opened.database, opened.reader, job_id, opened.limits)
    from iris_harness.surfaces.cli.jobs_words import why_lines

    if not as_json:
        return _tell(why_lines(view, reasons))
    workers: list[Json] = [
        {"id": one.worker, "state": one.state.value, "reason": one.text} for one in reasons
    ]
    head = {"id": view.summary.id, "state": view.summary.state.value}
    return _tell({**head, "workers": workers})


@jobs.command()
@_JOB
@click.option("--json", "as_json", is_flag=True, help="Print the job as a line of JSON each time.")
@click.option("--plain", is_flag=True, help="A line for each change, even on a terminal.")
@click.pass_obj
def watch(state: CliState, /, job_id: str, as_json: bool, plain: bool) -> int:  # noqa: FBT001 - click's keywords
    """Follow a job until it ends.

    Ends with 0 when all of it succeeded, otherwise with 1. Stopping the watching stops nothing
    else.
    """
    from iris_harness.surfaces.cli.jobs_watch import watch_job

    with _opened(state) as opened:
        done = watch_job(opened, job_id, as_json=as_json, plain=plain)
    return EXIT_OK if done else EXIT_ERROR


@jobs.command()
@_JOB
@click.pass_obj
def cancel(state: CliState, /, job_id: str) -> int:
    """Cancel a job. What runs is told to stop."""
    with _opened(state) as opened:
        view = opened.reader.get(opened.control.cancel(job_id))
    running = sum(worker.cancel_requested for worker in view.workers)
    click.echo(f"Job {view.summary.id} is cancelled.")
    if running:
        click.echo("What runs is told to stop when its daemon next gives a sign of life.")
    return EXIT_OK


@jobs.command()
@_JOB
@_WORKER
@click.pass_obj
def retry(state: CliState, /, job_id: str, worker: str | None) -> int:
    """Run again what failed or was cancelled: all of a job, or one WORKER of it.

    With a WORKER, what failed because of it runs again too.
    """
    with _opened(state) as opened:
        named, again = opened.control.retry(job_id, worker)
    click.echo(f"Job {named}: {', '.join(again)} will run again.")
    return EXIT_OK


@jobs.command()
@_JOB
@click.pass_obj
def pause(state: CliState, /, job_id: str) -> int:
    """Let nothing more of a job start. What runs goes on."""
    with _opened(state) as opened:
        named = opened.control.pause(job_id)
    click.echo(f"Job {named} is paused; `iris jobs resume {named}` lets it go on.")
    return EXIT_OK


@jobs.command()
@_JOB
@click.pass_obj
def resume(state: CliState, /, job_id: str) -> int:
    """Let a paused job go on."""
    with _opened(state) as opened:
        named = opened.control.resume(job_id)
    click.echo(f"Job {named} goes on.")
    return EXIT_OK


@jobs.command()
@_JOB
@_WORKER
@click.pass_obj
def logs(state: CliState, /, job_id: str, worker: str | None) -> int:
    """Print what the workers of a job have printed: all of them, or one."""
    with _opened(state) as opened:
        from iris_harness.jobs.logs import WorkerLogs
        from iris_harness.surfaces.cli.jobs_words import log_lines

        view = opened.reader.get(job_id)
        kept = WorkerLogs(opened.database)
        chosen = [one for one in view.workers if worker in {None, one.name}]
        if not chosen:
            raise UsageError(f"job {view.summary.id} has no worker {worker!r}")
        for one in chosen:
            for line in log_lines(one, kept.read(one.spec.id)):
                click.echo(line)
    return EXIT_OK


@jobs.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes one that is free.",
)
@click.pass_obj
def serve(state: CliState, /, host: str, port: int) -> int:
    """Let owners and daemons on other machines reach your jobs over HTTP.

    Each needs a token of `iris jobs token new`. An address that other machines reach needs TLS:
    server.tls_certificate and server.tls_key in the settings, or a reverse proxy.
    """
    try:
        from iris_harness.surfaces.web import serving
        from iris_harness.surfaces.web.jobs_api import build_jobs_app
    except ImportError as error:
        raise UsageError(
            f"the server needs the package {error.name}",
            hint="pip install 'iris-harness[jobs,serve]'",
        ) from error
    from iris_harness.surfaces.cli.serve_parts import listening_address

    server = state.config.server.model_copy(update={"host": host, "port": port})
    serving.check_exposure(server)
    with _opened(state) as opened:
        listener = serving.open_socket(host, port)
        address = listening_address(server, listener.getsockname()[1])
        app = build_jobs_app(opened)

        def tell() -> None:
            click.echo(f"Jobs are served on {address}")

        serving.serve(app, listener, server, started=tell)
    return EXIT_OK


@jobs.group()
def token() -> None:
    """Make, list and revoke tokens of `iris jobs serve`."""


@token.command()
@click.argument("name")
@click.option("--owner", is_flag=True, help="For submitting and steering your jobs from elsewhere.")
@click.pass_obj
def new(state: CliState, /, name: str, owner: bool) -> int:  # noqa: FBT001 - click's keywords
    """Make a token for a daemon called NAME, and print it. It is shown only once."""
    whose = state.settings.jobs.owner if owner else ""
    with _opened(state) as opened:
        from iris_harness.jobs.tokens import Role, Tokens

        role = Role.OWNER if owner else Role.DAEMON
        click.echo(Tokens(opened.database).create(name, role, whose))
    return EXIT_OK


@token.command(name="list")
@click.pass_obj
def list_tokens(state: CliState, /) -> int:
    """List the tokens in force."""
    with _opened(state) as opened:
        from iris_harness.jobs.tokens import Tokens

        found = Tokens(opened.database).list()
    for one in found:
        click.echo(f"{one.name}  {one.role.value}{f' {one.owner}' if one.owner else ''}")
    if not found:
        click.echo("There are no tokens. `iris jobs token new NAME` makes one.")
    return EXIT_OK


@token.command()
@click.argument("name")
@click.pass_obj
def revoke(state: CliState, /, name: str) -> int:
    """Let the token called NAME open nothing from now on."""
    with _opened(state) as opened:
        from iris_harness.jobs.tokens import Tokens

        Tokens(opened.database).revoke(name)
    click.echo(f"The token {name} opens nothing any more.")
    return EXIT_OK


# From words to values


@contextlib.contextmanager
def _opened(state: CliState) -> Iterator[Jobs]:
    from iris_harness.bootstrap.jobs import open_jobs

    with (
        _models(state) as open_model,
        open_jobs(state.settings.jobs, state.data_folder(), open_model) as opened,
    ):
        yield opened


@contextlib.contextmanager
def _models(state: CliState) -> Iterator[OpenModel]:
    """Hold what opens the models of the settings; none is opened yet."""
    from iris_harness.bootstrap.models import ModelOpener
    from iris_harness.clock import SystemClock
    from iris_harness.config.environment import variables

    with ModelOpener(state.settings, SystemClock(), variables()) as opener:
        yield opener.open


@contextlib.contextmanager
def _explained_missing_part() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise IrisError(
            f"jobs need {error.name}, which is not installed",
            hint="pip install 'iris-harness[jobs]'",
        ) from error


def _request(state: CliState, asked: _Asked, given: Plan | None) -> PlanRequest:
    from iris_harness.jobs.values import ContextMode, PlanRequest

    settings = state.settings.jobs
    return PlanRequest(
        task=asked.task or (given.summary if given else ""),
        repo_url=_repository(asked.repo),
        ref=asked.ref,
        file=asked.files[0] if len(asked.files) == 1 else None,
        files=asked.files if len(asked.files) > 1 else (),
        worker_model=asked.worker_model or settings.worker_model,
        planner_model=asked.planner_model or settings.planner_model,
        test_cmd=asked.test_cmd,
        context=ContextMode(asked.context),
        context_jobs=asked.context_jobs,
        owner=settings.owner,
    )


def _submit_options(typed: dict[str, Any]) -> SubmitOptions:
    """Take the options that say how a job is queued out of a command's keywords."""
    from iris_harness.jobs.values import SubmitOptions

    return SubmitOptions(
        idempotency_key=typed.pop("key"),
        priority=typed.pop("priority"),
        needs=typed.pop("needs"),
    )


def _repository(place: str | None) -> str:
    """Return the address of a repository; a folder of this machine gets a ``file:`` address."""
    if place is None:
        return ""
    from iris_harness.files import user_path

    folder = user_path(place)
    if "://" not in place and folder.is_dir():
        return folder.resolve().as_uri()
    if place.startswith((".", "/", "~")):
        raise UsageError(f"there is no folder {place}", hint="give a folder, or an address")
    return place


def _read_plan(plan_file: str | None) -> Plan | None:
    if plan_file is None:
        return None
    from iris_harness.files import read_regular_file
    from iris_harness.jobs.documents import parse_plan

    try:
        data = read_regular_file(Path(plan_file), _LARGEST_PLAN).data
        return parse_plan(data.decode(), plan_file)
    except (OSError, ValueError) as error:
        raise UsageError(f"the plan {plan_file} cannot be read: {error}") from error


def _outcome(state: CliState, request: PlanRequest, given: Plan | None) -> PlanOutcome:
    from iris_harness.bootstrap.jobs import plan_job
    from iris_harness.jobs.validation import check_plan, check_request
    from iris_harness.jobs.values import PlanOutcome

    if given is None:
        with _models(state) as open_model:
            return plan_job(request, state.settings.jobs, open_model, _context(state, request))
    check_request(request)
    check_plan(given, max_workers=state.settings.jobs.max_workers)
    return PlanOutcome(plan=given, planner="user")


def _context(state: CliState, request: PlanRequest) -> Context | None:
    """Return the finished jobs that a plan is made with; None, and nothing opened, without any."""
    from iris_harness.jobs.values import ContextMode

    if request.context is ContextMode.OFF and not request.context_jobs:
        return None
    with _opened(state) as opened:
        from iris_harness.jobs.context import find_context

        return find_context(opened.database, request, opened.embedder)


def _edited(state: CliState, outcome: PlanOutcome) -> PlanOutcome:
    """Return the plan as the user leaves it in their editor."""
    from iris_harness.jobs.documents import parse_plan, plan_to_yaml
    from iris_harness.jobs.validation import check_plan
    from iris_harness.jobs.values import PlanOutcome

    text = click.edit(plan_to_yaml(outcome.plan), extension=".yaml")
    if text is None:
        return outcome  # closed without saving
    edited = parse_plan(text, "the edited plan")
    check_plan(edited, max_workers=state.settings.jobs.max_workers)
    return PlanOutcome(plan=edited, planner="user")


def _tell(found: Mapping[str, Json] | Iterable[str]) -> int:
    """Print what was found, as JSON where it is that, else as lines; return that all went well."""
    if isinstance(found, Mapping):
        print_json(dict(found))
    else:
        click.echo("\n".join(found))
    return EXIT_OK
