"""A running control plane of jobs, from the settings."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from iris_harness.clock import SystemClock
from iris_harness.config.addresses import host_of, is_loopback
from iris_harness.config.settings import JobsSettings
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import ChatModel
from iris_harness.errors import ConfigError, IrisError

if TYPE_CHECKING:
    from iris_harness.jobs.context import Context
    from iris_harness.jobs.control import JobControl
    from iris_harness.jobs.database import Database
    from iris_harness.jobs.embedding import Embedder
    from iris_harness.jobs.leasing import Limits
    from iris_harness.jobs.planners import Planner
    from iris_harness.jobs.reading import JobReader
    from iris_harness.jobs.steps import JobSteps
    from iris_harness.jobs.submit import Submitter
    from iris_harness.jobs.values import PlanOutcome, PlanRequest


OpenModel: TypeAlias = "Callable[[str], ChatModel]"


class Jobs(NamedTuple):
    """What plans, writes, reads and steers jobs."""

    database: Database
    submitter: Submitter
    reader: JobReader
    control: JobControl
    steps: JobSteps
    limits: Limits
    embedder: Embedder | None
    """What compares finished jobs by meaning; None: its extra is not installed."""


@contextlib.contextmanager
def open_jobs(
    settings: JobsSettings, folder: Path, open_model: OpenModel | None = None
) -> Iterator[Jobs]:
    """Open the jobs of the configured owner; `folder` holds their file unless a server keeps them.

    For `open_model` see `plan_job`.

    Raises:
        IrisError: the extra `jobs` is not installed.
        ConfigError: the database's address cannot be used or fetched.
        StorageError: the database cannot be opened.
    """
    try:
        from iris_harness.jobs.database import FILE_NAME, open_database
    except ImportError as error:
        raise IrisError(
            f"jobs need {error.name}, which is not installed",
            hint="pip install 'iris-harness[jobs]'",
        ) from error
    url = _database_url(settings)
    with contextlib.closing(open_database(url or folder / FILE_NAME, SystemClock())) as database:
        yield _assembled(database, settings, open_model)


def _assembled(database: Database, settings: JobsSettings, open_model: OpenModel | None) -> Jobs:
    from iris_harness.jobs.control import JobControl
    from iris_harness.jobs.embedding import build_embedder
    from iris_harness.jobs.host import this_host
    from iris_harness.jobs.reading import JobReader
    from iris_harness.jobs.steps import JobSteps
    from iris_harness.jobs.submit import Submitter

    embedder = build_embedder()
    limits = queue_limits(settings)
    return Jobs(
        database=database,
        submitter=Submitter(
            database,
            plans=lambda request, context: plan_job(request, settings, open_model, context),
            host=this_host(),
            max_workers=settings.max_workers,
            embedder=embedder,
        ),
        reader=JobReader(database, settings.owner),
        control=JobControl(database, settings.owner),
        steps=JobSteps(database, limits.max_work_bytes),
        limits=limits,
        embedder=embedder,
    )


def queue_limits(settings: JobsSettings) -> Limits:
    """Return what bounds the queue, by the settings."""
    from iris_harness.jobs.leasing import Limits

    return Limits(
        lease_seconds=settings.lease_seconds,
        max_deliveries=settings.max_deliveries,
        max_running=settings.max_running,
        max_work_bytes=settings.max_work_megabytes * 2**20,
    )


def plan_job(
    request: PlanRequest,
    settings: JobsSettings,
    open_model: OpenModel | None = None,
    context: Context | None = None,
) -> PlanOutcome:
    """Return a plan of `request`, made by the model it or the settings name, or by rules.

    `open_model` opens a model by its name; None: there are none. A model that cannot be reached
    is no reason to have no plan: the rules make one, and its notes say why.

    Raises:
        RequestError: it cannot be planned.
        JobPlanError: its plan cannot be run.
    """
    from iris_harness.jobs.context import NO_CONTEXT
    from iris_harness.jobs.heuristic import HeuristicPlanner
    from iris_harness.jobs.llm_planner import LLMPlanner
    from iris_harness.jobs.validation import check_plan

    planner: Planner = HeuristicPlanner()
    notes: tuple[str, ...] = ()
    if named := request.planner_model or settings.planner_model:
        try:
            if open_model is None:
                raise ConfigError("no language model is set up")
            planner = LLMPlanner(open_model(named), max_workers=settings.max_workers)
        except IrisError as error:
            notes = (
                f"the planner model {named} cannot be asked: {error.message}; planned by rules.",
            )
    outcome = planner.plan(request, context or NO_CONTEXT)
    check_plan(outcome.plan, max_workers=settings.max_workers)
    return replace(outcome, notes=(*notes, *outcome.notes))


def where_jobs_go(settings: JobsSettings) -> tuple[str, ...]:
    """Return a line on where jobs are kept, where that may be another machine; () otherwise."""
    url = settings.database_url
    if url is None:
        return ()
    if "text" not in url:
        return ("jobs: to the database whose address jobs.database_url fetches",)
    host = host_of(str(url["text"]))
    return () if not host or is_loopback(host) else (f"jobs: to the database at {host}",)


def _database_url(settings: JobsSettings) -> str | None:
    from iris_harness.config.credentials import resolve_settings

    url = settings.database_url
    if url is None or "text" in url:
        return None if url is None else str(url["text"])
    fetched: dict[str, Json] = {key: list(words) for key, words in url.items()}
    return str(resolve_settings({"database_url": fetched}, "jobs")["database_url"])
