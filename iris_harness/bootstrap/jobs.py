"""A running control plane of jobs, from the settings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from iris_harness.clock import SystemClock
from iris_harness.config.environment import variables
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of
from iris_harness.contracts.canonical import Json
from iris_harness.errors import ConfigError, IrisError, ModelRefusedError

if TYPE_CHECKING:
    from iris_harness.config.jobs import Jobs as JobsSettings
    from iris_harness.jobs.control import JobControl
    from iris_harness.jobs.database import Database
    from iris_harness.jobs.leases import Limits
    from iris_harness.jobs.reading import JobReader
    from iris_harness.jobs.submit import Submitter
    from iris_harness.jobs.values import PlanOutcome, PlanRequest


class Jobs(NamedTuple):
    """What plans, writes, reads and steers jobs."""

    database: Database
    submitter: Submitter
    reader: JobReader
    control: JobControl
    limits: Limits


@contextlib.contextmanager
def open_jobs(config: Config, folder: Path) -> Iterator[Jobs]:
    """Open the jobs of the configured owner; `folder` holds their file unless a server keeps them.

    Raises:
        IrisError: the extra `jobs` is not installed.
        ConfigError: the database's address cannot be used or fetched.
        StorageError: the database cannot be opened.
    """
    settings = config.jobs
    try:
        from iris_harness.jobs.database import FILE_NAME, open_database
    except ImportError as error:
        raise IrisError(
            f"jobs need {error.name}, which is not installed",
            hint="pip install 'iris-harness[jobs]'",
        ) from error
    url = _database_url(settings)
    with contextlib.closing(open_database(url or folder / FILE_NAME, SystemClock())) as database:
        yield _assembled(database, config)


def _assembled(database: Database, config: Config) -> Jobs:
    from iris_harness.jobs.control import JobControl
    from iris_harness.jobs.host import this_host
    from iris_harness.jobs.reading import JobReader
    from iris_harness.jobs.submit import Submitter

    settings = config.jobs
    return Jobs(
        database=database,
        submitter=Submitter(
            database,
            plans=lambda request: plan_job(request, config),
            host=this_host(),
            max_workers=settings.max_workers,
        ),
        reader=JobReader(database, settings.owner),
        control=JobControl(database, settings.owner),
        limits=queue_limits(settings),
    )


def queue_limits(settings: JobsSettings) -> Limits:
    """Return what bounds the queue, by the settings."""
    from iris_harness.jobs.leases import Limits

    return Limits(
        lease_seconds=settings.lease_seconds,
        max_deliveries=settings.max_deliveries,
        max_running=settings.max_running,
    )


def plan_job(request: PlanRequest, config: Config) -> PlanOutcome:
    """Return a plan of `request`, made by the model it or the settings name, or by rules.

    Raises:
        RequestError: it cannot be planned.
        JobPlanError: its plan cannot be run.
    """
    from iris_harness.jobs.validation import check_plan

    outcome = _planned(request, config)
    check_plan(outcome.plan, max_workers=config.jobs.max_workers)
    return outcome


def _planned(request: PlanRequest, config: Config) -> PlanOutcome:
    from iris_harness.bootstrap.models import ModelOpener
    from iris_harness.jobs.heuristic import HeuristicPlanner
    from iris_harness.jobs.llm_planner import LLMPlanner

    named = request.planner_model or config.jobs.planner_model
    if not named:
        return HeuristicPlanner().plan(request)
    with ModelOpener(settings_of(config), SystemClock(), variables()) as models:
        try:
            model = models.open(named)
        except (ConfigError, ModelRefusedError) as error:
            said = f"the planner model {named} cannot be asked: {error}; planned by rules."
            outcome = HeuristicPlanner().plan(request)
            return replace(outcome, notes=(said, *outcome.notes))
        return LLMPlanner(model, max_workers=config.jobs.max_workers).plan(request)


def _database_url(settings: JobsSettings) -> str | None:
    from iris_harness.config.credentials import resolve_settings

    url = settings.database_url
    if url is None or isinstance(url, str):
        return url
    fetched: dict[str, Json] = {key: list(words) for key, words in url.items()}
    return str(resolve_settings({"database_url": fetched}, "jobs")["database_url"])
