"""Write a job: manifest, job, workers, edges and idempotency key in one transaction, or nothing."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

from iris_harness.contracts.canonical import digest
from iris_harness.jobs.context import Context, find_context, named_context
from iris_harness.jobs.database import Database
from iris_harness.jobs.embedding import Embedder
from iris_harness.jobs.records import JobRecords, build_records
from iris_harness.jobs.validation import MAX_WORKERS, check_plan, check_request, check_submission
from iris_harness.jobs.values import (
    Plan,
    PlanOutcome,
    PlanRequest,
    SubmitOptions,
    Submitted,
)
from iris_harness.jobs.writing import JobWriter

Plans: TypeAlias = Callable[[PlanRequest, Context], PlanOutcome]


class Submission(NamedTuple):
    """What one submission asks for."""

    request: PlanRequest
    options: SubmitOptions = SubmitOptions()
    plan: Plan | None = None
    """The user's own plan; None: a planner makes one."""
    job_id: str | None = None
    """Of the job, where it was told before; None: a new one."""
    planned: PlanOutcome | None = None
    """What a planner has made of this request already, as it was shown; None: nothing yet."""


class Submitter:
    """Checks, plans and writes jobs. Thread-safe."""

    def __init__(
        self,
        database: Database,
        *,
        plans: Plans,
        host: str,
        max_workers: int = MAX_WORKERS,
        new_id: Callable[[], str] = lambda: secrets.token_hex(6),
        embedder: Embedder | None = None,
    ) -> None:
        """Take what plans where the user gave no plan, and the name of this machine.

        `host` is the one whose daemons may run jobs on ``file:`` repositories. With an `embedder`,
        finished jobs that serve as context are compared by what they mean.
        """
        self._database = database
        self._plans = plans
        self._host = host
        self._max_workers = max_workers
        self._new_id = new_id
        self._embedder = embedder
        self._writer = JobWriter(database)

    def submit(self, submission: Submission) -> Submitted:
        """Write a job, or find the one that its idempotency key made before.

        Raises:
            RequestError: the request or an option cannot be used.
            UnknownJobError: a job of the context is not this owner's.
            JobStateError: a job of the context has not succeeded.
            JobPlanError: the plan cannot be run; `nodes` names its workers at fault.
            IdempotencyError: the key was used for another request.
            StorageError: the database refused; nothing was kept.
        """
        request, options = submission.request, submission.options
        check_request(request)
        check_submission(request, options)
        key, asked = options.idempotency_key, ""
        if key is not None:
            asked = _digest(submission)
            with self._database.single(writes=False) as driver:
                if known := self._writer.find(driver, request, key, asked):
                    return known  # without planning a second time
        return self.write(self.prepare(submission), submission, asked)

    def prepare(self, submission: Submission) -> JobRecords:
        """Return what would be written of a checked submission: its plan made, nothing kept.

        Raises:
            UnknownJobError: a job of the context is not this owner's.
            JobStateError: a job of the context has not succeeded.
            JobPlanError: the plan cannot be run; `nodes` names its workers at fault.
        """
        outcome = self._outcome(submission)
        check_plan(outcome.plan, max_workers=self._max_workers)
        job_id = submission.job_id or self._new_id()
        needs = self._needs(submission)
        return build_records(submission.request, outcome, submission.options, needs, job_id)

    def write(self, records: JobRecords, submission: Submission, asked: str = "") -> Submitted:
        """Write what was prepared, in one transaction; `asked` is the digest where there is a key.

        Raises:
            IdempotencyError: the key was used for another request.
            StorageError: the database refused; nothing was kept.
        """
        request, key = submission.request, submission.options.idempotency_key
        with self._database.driving() as driver:
            if key is not None and not self._writer.claim(
                driver, request.owner, key, asked, records.job_id
            ):
                found = self._writer.find(driver, request, key, asked)
                assert found is not None, "a claimed key has a job"  # noqa: S101 - by the constraint
                return found
            self._writer.insert(driver, records)
            self._database.wake(driver.execute)
        return Submitted(job_id=records.job_id, manifest_id=records.manifest_id, is_new=True)

    def _outcome(self, submission: Submission) -> PlanOutcome:
        if submission.planned is not None:
            return submission.planned
        if submission.plan is not None:
            named_context(self._database, submission.request)  # it is checked all the same
            return PlanOutcome(plan=submission.plan, planner="user")
        context = find_context(self._database, submission.request, self._embedder)
        return self._plans(submission.request, context)

    def _needs(self, submission: Submission) -> tuple[str, ...]:
        """Return what a daemon must offer: what was asked, and this host for a local repository."""
        local = urlsplit(submission.request.repo_url).scheme == "file"
        here = {f"host:{self._host}"} if local else set()
        return tuple(sorted({*submission.options.needs, *here}))


def _digest(submission: Submission) -> str:
    """Return the digest of what is asked; the key itself is no part of it."""
    options = submission.options
    return digest((submission.request, submission.plan, options.priority, sorted(options.needs)))
