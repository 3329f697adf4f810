"""A job that is asked for in a conversation: planned, shown, and submitted after a yes."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from iris_harness.bootstrap.actions.arguments import Arguments
from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.jobs import open_jobs, plan_job
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.config.settings import JobsSettings
from iris_harness.contracts.actions import ActionKind
from iris_harness.curator.actions import Wording
from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.errors import ActionError, JobError
from iris_harness.files import user_path
from iris_harness.jobs.heuristic import NAME as HEURISTIC
from iris_harness.jobs.submit import Submission
from iris_harness.jobs.validation import check_request
from iris_harness.jobs.values import Plan, PlanOutcome, PlanRequest, SubmitOptions

_REPOSITORY = r"(?:(?:the |my )?(?:repo(?:sitory)?|project):? )?"


def prepare_job(arguments: Arguments, setting: DaySetting, language: Language) -> Prepared:
    """Return a job ready to be submitted; its plan is the question that the user is asked.

    Raises:
        ActionError: it cannot be planned, or the repository is not named.
    """
    settings = setting.jobs or JobsSettings()
    try:
        request = _request(arguments, settings)
        outcome = plan_job(request, settings, setting.models.open if setting.models else None)
    except JobError as error:
        raise ActionError(error.message, hint=error.hint) from error
    job_id = secrets.token_hex(6)

    def send() -> None:
        submission = Submission(request, SubmitOptions(), job_id=job_id, planned=outcome)
        try:
            with open_jobs(settings, setting.data_folder) as opened:
                opened.submitter.submit(submission)
        except JobError as error:
            raise ActionError(error.message, hint=error.hint) from error

    wording = _wording(outcome, request, job_id, language)
    kind = ActionKind.JOB_SUBMIT
    return Prepared(kind=kind, wording=wording, undoable=False, send=send)


def prepare_cancel(arguments: Arguments, setting: DaySetting, language: Language) -> Prepared:
    """Return the end of a job ready to be told; the user is asked first.

    Raises:
        ActionError: there is no such job, or it has ended.
    """
    settings, some_id = setting.jobs or JobsSettings(), arguments.text("job")
    try:
        with open_jobs(settings, setting.data_folder) as opened:
            summary = opened.reader.get(some_id).summary
    except JobError as error:
        raise ActionError(error.message, hint=error.hint) from error
    if summary.state.is_final:
        raise ActionError(f"job {summary.id} has ended already")

    def send() -> None:
        try:
            with open_jobs(settings, setting.data_folder) as opened:
                opened.control.cancel(summary.id)
        except JobError as error:
            raise ActionError(error.message, hint=error.hint) from error

    told = {"job": summary.id, "task": clean(summary.task)}
    wording = Wording(
        preview=language.say("action.job.cancel.preview", **told),
        outcome=language.say("action.job.cancel.outcome", **told),
    )
    return Prepared(kind=ActionKind.JOB_CANCEL, wording=wording, undoable=False, send=send)


def _request(arguments: Arguments, settings: JobsSettings) -> PlanRequest:
    said, repo = arguments.text("task"), arguments.text("repo")
    request = PlanRequest(
        task=_without_repository(said, repo),
        repo_url=_repository(repo),
        file=arguments.maybe_text("file"),
        worker_model=settings.worker_model,
        planner_model=settings.planner_model,
        owner=settings.owner,
    )
    check_request(request)
    return request


def _without_repository(task: str, repo: str) -> str:
    """Return a task without the words that say where: a worker stands in the repository."""
    place = rf"[, ]*(?:\b(?:in|on|of|for|at|to)\b )?{_REPOSITORY}{re.escape(repo)}(?=$|[\s,.;?!])"
    rest = re.sub(place, "", task, count=1, flags=re.IGNORECASE).strip(" ,;")
    return rest or task


def _repository(said: str) -> str:
    """Return the address of a repository; a name alone is not enough to find one.

    Raises:
        ActionError: it is neither an address nor a folder.
    """
    if "://" in said or said.startswith("git@"):
        return said
    folder = user_path(said)
    if said.startswith(("~", "/", ".")) and folder.is_dir():
        return folder.resolve().as_uri()
    raise ActionError(
        f"it is not clear where the repository {said!r} is",
        hint="say its folder, as in ~/code/site, or its address",
    )


def _wording(
    outcome: PlanOutcome, request: PlanRequest, job_id: str, language: Language
) -> Wording:
    plan = outcome.plan
    repo = clean(request.repo_url).removeprefix(Path.home().as_uri() + "/")
    count = language.say("action.job.workers", count=len(plan.workers))
    workers = "; ".join(_workers(plan, language))
    preview = language.say("action.job.submit.preview", count=count, repo=repo, workers=workers)
    return Wording(
        preview=" ".join((preview, *_why_by_rules(outcome, request))),
        outcome=language.say("action.job.submit.outcome", job=job_id),
    )


def _why_by_rules(outcome: PlanOutcome, request: PlanRequest) -> tuple[str, ...]:
    """Return why the model that was to plan did not; () where it did, or none was to."""
    if not request.planner_model or outcome.planner != HEURISTIC:
        return ()
    return tuple(f"({clean(note)})" for note in outcome.notes[:1])


def _workers(plan: Plan, language: Language) -> Iterator[str]:
    numbers = {worker.id: number for number, worker in enumerate(plan.workers, start=1)}
    for worker in plan.workers:
        parts = [language.say("action.job.worker", number=numbers[worker.id], task=worker.task)]
        if files := worker.named_files():
            parts.append(language.say("action.job.files", files=", ".join(files)))
        if before := [str(numbers[one]) for one in worker.depends_on]:
            parts.append(language.say("action.job.after", numbers=", ".join(before)))
        yield " ".join(parts)
