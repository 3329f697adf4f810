"""Jobs over HTTP: owners submit and steer, daemons on other machines lease workers.

Whoever asks sends a token of `iris jobs token`; it says who they are, and nothing in a request can
say otherwise. A daemon that asks here is on another machine: it is never given a ``file:``
repository.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import fields
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from iris_harness.bootstrap.jobs import Jobs
from iris_harness.clock import SystemClock
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import (
    AmbiguousIdError,
    IdempotencyError,
    IrisError,
    JobPlanError,
    JobStateError,
    LeaseLostError,
    ManifestError,
    RequestError,
    StorageError,
    UnknownJobError,
)
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.documents import manifest_to_json, plan_from_json
from iris_harness.jobs.leases import Daemon, Lease, Queue
from iris_harness.jobs.logs import WorkerLogs
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.strict_json import read_strict_json
from iris_harness.jobs.submit import Submission
from iris_harness.jobs.tokens import Bearer, Role, Tokens
from iris_harness.jobs.validation import check_offer
from iris_harness.jobs.values import PlanRequest, SubmitOptions
from iris_harness.jobs.views import job_to_json, summary_to_json
from iris_harness.jobs.wakeup import open_wakeup
from iris_harness.jobs.why import explain_job
from iris_harness.surfaces.web.guards import HeaderWriter, SizeGuard

MOST_BYTES: Final = 4 * 1024 * 1024
LONGEST_WAIT_SECONDS: Final = 30.0
_MOST_LISTED: Final = 100
_LIMIT: Final = re.compile(r"[1-9][0-9]{0,2}|1000")
_WORKER: Final = re.compile(r"[A-Za-z0-9_-]{1,97}")
_LARGEST_FENCE: Final = 2**63 - 1

_Body: TypeAlias = Mapping[str, Any]
_Act: TypeAlias = Callable[[Bearer, Request, _Body], Response]

_REQUEST_FIELDS = frozenset(field.name for field in fields(PlanRequest))
_STATUS: Final = (
    (RequestError, HTTPStatus.UNPROCESSABLE_ENTITY, "bad_request"),
    (JobPlanError, HTTPStatus.UNPROCESSABLE_ENTITY, "bad_plan"),
    (IdempotencyError, HTTPStatus.CONFLICT, "key_reused"),
    (LeaseLostError, HTTPStatus.CONFLICT, "lease_lost"),
    (JobStateError, HTTPStatus.CONFLICT, "wrong_state"),
    (UnknownJobError, HTTPStatus.NOT_FOUND, "not_found"),
    (AmbiguousIdError, HTTPStatus.NOT_FOUND, "ambiguous_id"),
    (ManifestError, HTTPStatus.INTERNAL_SERVER_ERROR, "damaged"),
    (StorageError, HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
)


def build_jobs_app(opened: Jobs) -> Starlette:
    """Return the application; the caller closes the database after it."""
    api = _Api(opened)
    owner, daemon = Role.OWNER, Role.DAEMON

    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    job = "/api/jobs/{job}"
    lease = "/api/leases/{worker}/{fence:int}"
    return Starlette(
        routes=[
            Route("/healthz", health),
            Route("/api/jobs", api.endpoint(owner, api.list), methods=["GET"]),
            Route("/api/jobs", api.endpoint(owner, api.submit), methods=["POST"]),
            Route(job, api.endpoint(owner, api.show), methods=["GET"]),
            Route(f"{job}/why", api.endpoint(owner, api.why), methods=["GET"]),
            Route(f"{job}/manifest", api.endpoint(owner, api.manifest), methods=["GET"]),
            Route(f"{job}/{{way}}", api.endpoint(owner, api.steer), methods=["POST"]),
            Route("/api/leases", api.endpoint(daemon, api.acquire), methods=["POST"]),
            Route(f"{lease}/{{way}}", api.endpoint(daemon, api.use_lease), methods=["POST"]),
        ],
        middleware=[Middleware(HeaderWriter), Middleware(SizeGuard, max_bytes=MOST_BYTES)],
    )


class _Api:
    """What the routes do; everything that waits for the database does so on a thread."""

    def __init__(self, opened: Jobs) -> None:
        self._opened = opened
        self._clock = SystemClock()
        self._tokens = Tokens(opened.database)
        self._queue = Queue(opened.database, self._clock, opened.limits)
        self._logs = WorkerLogs(opened.database)

    def endpoint(self, role: Role, act: _Act) -> Callable[[Request], Any]:
        """Return what answers a request of somebody with `role`."""

        async def answer(request: Request) -> Response:
            body = await request.body()
            return await run_in_threadpool(self._answer, role, act, request, body)

        return answer

    def _answer(self, role: Role, act: _Act, request: Request, body: bytes) -> Response:
        try:
            bearer = self._bearer(request)
            if bearer is None:
                return _refusal(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong", "token")
            if bearer.role is not role:
                said = f"this is for {role.value}s; the token is a {bearer.role.value}'s"
                return _refusal(HTTPStatus.FORBIDDEN, said, "role")
            return act(bearer, request, _parsed(body))
        except IrisError as error:
            return _error_answer(error)

    def _bearer(self, request: Request) -> Bearer | None:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        return self._tokens.find(token.strip()) if kind.lower() == "bearer" else None

    # Owners

    def submit(self, bearer: Bearer, request: Request, body: _Body) -> Response:
        """Submit a job; 201 when it is new, 200 when its key had made it before."""
        asked = _plan_request(bearer, body)
        options = SubmitOptions(
            idempotency_key=request.headers.get("idempotency-key"),
            priority=_typed(body, "priority", int, 0),
            needs=_texts(body, "needs"),
        )
        plan = plan_from_json(body["plan"], "plan") if body.get("plan") is not None else None
        done = self._opened.submitter.submit(Submission(asked, options, plan))
        view = self._reader(bearer).get(done.job_id)
        status = HTTPStatus.CREATED if done.is_new else HTTPStatus.OK
        return JSONResponse({"is_new": done.is_new, **job_to_json(view)}, status)

    def list(self, bearer: Bearer, request: Request, _body: _Body) -> Response:
        """Return the owner's newest jobs."""
        asked = request.query_params.get("limit", "20")
        if not _LIMIT.fullmatch(asked):
            raise RequestError("limit is not a number from 1 to 1000", field="limit")
        found = self._reader(bearer).list(limit=int(asked))
        return JSONResponse({"jobs": [summary_to_json(one) for one in found]})

    def show(self, bearer: Bearer, request: Request, _body: _Body) -> Response:
        """Return one job."""
        view = self._reader(bearer).get(request.path_params["job"])
        return JSONResponse(job_to_json(view))

    def why(self, bearer: Bearer, request: Request, _body: _Body) -> Response:
        """Return what holds each worker of a job."""
        reader, job = self._reader(bearer), request.path_params["job"]
        view, reasons = explain_job(self._opened.database, reader, job, self._opened.limits)
        workers: list[Json] = [
            {"id": one.worker, "state": one.state.value, "reason": one.text} for one in reasons
        ]
        return JSONResponse({"id": view.summary.id, "workers": workers})

    def manifest(self, bearer: Bearer, request: Request, _body: _Body) -> Response:
        """Return a job's manifest, verified."""
        named, manifest = self._reader(bearer).manifest(request.path_params["job"])
        return JSONResponse({"id": named, "manifest": manifest_to_json(manifest)})

    def steer(self, bearer: Bearer, request: Request, body: _Body) -> Response:
        """Cancel, pause, resume or retry a job; return it."""
        job, way = request.path_params["job"], request.path_params["way"]
        control = JobControl(self._opened.database, bearer.owner)
        if way == "retry":
            job, _ = control.retry(job, _typed(body, "worker", str, None))
        elif way in {"cancel", "pause", "resume"}:
            job = getattr(control, way)(job)
        else:
            raise UnknownJobError(f"a job cannot be {way[:32]!r}")
        return JSONResponse(job_to_json(self._reader(bearer).get(job)))

    def _reader(self, bearer: Bearer) -> JobReader:
        return JobReader(self._opened.database, bearer.owner)

    # Daemons

    def acquire(self, bearer: Bearer, _request: Request, body: _Body) -> Response:
        """Lease a worker, waiting for one as long as asked; 204 when there is none."""
        offers = _texts(body, "offers")
        for offer in offers:
            check_offer(offer, "offers")
        elsewhere = frozenset(one for one in offers if not one.startswith("host:"))
        wait = float(max(0, min(_typed(body, "wait_seconds", int, 0), LONGEST_WAIT_SECONDS)))
        lease = self._wait_for(Daemon(name=bearer.name, offers=elsewhere), wait)
        if lease is None:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        spec: dict[str, Any] = {
            field.name: getattr(lease.spec, field.name) for field in fields(lease.spec)
        }
        return JSONResponse(
            {
                "worker": lease.spec.id,
                "fence": lease.fence,
                "delivery": lease.delivery,
                "expires_at": lease.expires_at,
                "lease_seconds": self._opened.limits.lease_seconds,
                "spec": spec,
            }
        )

    def _wait_for(self, daemon: Daemon, seconds: float) -> Lease | None:
        lease = self._queue.lease(daemon)
        if lease is not None or seconds <= 0:
            return lease
        until = self._clock.monotonic() + seconds
        wakeup = open_wakeup(self._opened.database, self._clock)
        try:
            while lease is None and (left := until - self._clock.monotonic()) > 0:
                lease = self._queue.lease(daemon)  # something may have come before the wake-up
                if lease is None:
                    wakeup.wait(min(left, self._opened.limits.lease_seconds), threading.Event())
        finally:
            wakeup.close()
        return lease

    def use_lease(self, bearer: Bearer, request: Request, body: _Body) -> Response:
        """Renew or end a lease, or add to its worker's log."""
        worker, fence = request.path_params["worker"], request.path_params["fence"]
        if not (_WORKER.fullmatch(worker) and fence <= _LARGEST_FENCE):
            raise LeaseLostError(worker[:64], fence)  # nothing that was ever given out
        lease = self._queue.held_by(bearer.name, worker, fence)
        way = request.path_params["way"]
        if way == "renew":
            renewal = self._queue.renew(lease)
            return JSONResponse(
                {"expires_at": renewal.expires_at, "cancel_requested": renewal.cancel_requested}
            )
        if way == "complete":
            self._queue.complete(lease, body.get("result"))
        elif way == "fail":
            kind = _typed(body, "kind", str, "failed")
            reason = _typed(body, "reason", str, "no reason was given")
            self._queue.fail(lease, kind, reason, body.get("result"))
        elif way == "give_up":
            self._queue.give_up(lease)
        elif way == "release":
            self._queue.release(lease)
        elif way == "logs":
            self._logs.append(lease, _typed(body, "text", str, ""))
        else:
            raise UnknownJobError(f"a lease cannot be {way[:32]!r}")
        return Response(status_code=HTTPStatus.NO_CONTENT)


def _parsed(body: bytes) -> _Body:
    if not body:
        return {}
    try:
        value = read_strict_json(body)
    except ValueError as error:
        raise RequestError(f"the body is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise RequestError("the body is no JSON object")
    return value


def _plan_request(bearer: Bearer, body: _Body) -> PlanRequest:
    known = _REQUEST_FIELDS | {"plan", "priority", "needs"}
    if strange := sorted(set(body) - known):
        raise RequestError(f"there is no field {strange[0][:64]!r}", field=strange[0])
    if body.get("owner", bearer.owner) != bearer.owner:
        raise RequestError("the token is another owner's", field="owner")
    given = {key: value for key, value in body.items() if key in _REQUEST_FIELDS}
    try:
        asked = from_json(PlanRequest, {**given, "owner": bearer.owner})
    except (TypeError, ValueError) as error:
        raise RequestError(f"this is no request for a job: {error}") from error
    if asked.repo_url.lower().startswith("file:"):
        raise RequestError(
            "a file: address is for the command line of the machine that has it", field="repo_url"
        )
    return asked


def _typed(body: _Body, key: str, kind: type[Any], default: Any) -> Any:  # noqa: ANN401 - the caller names the type
    value = body.get(key, default)
    if value is default or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise RequestError(f"{key} is no {kind.__name__}", field=key)


def _texts(body: _Body, key: str) -> tuple[str, ...]:
    """Return a list of texts."""
    listed: list[object] = _typed(body, key, list, [])
    if len(listed) > _MOST_LISTED or not all(isinstance(one, str) for one in listed):
        raise RequestError(f"{key} is no list of at most {_MOST_LISTED} texts", field=key)
    return tuple(map(str, listed))


def _error_answer(error: IrisError) -> Response:
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            return _refusal(status, str(error), code, _facts(error))
    return _refusal(HTTPStatus.BAD_REQUEST, str(error), "refused")


def _facts(error: IrisError) -> dict[str, Json]:
    if isinstance(error, JobPlanError):
        return {"problem": error.problem, "nodes": list(error.nodes)}
    if isinstance(error, RequestError):
        return {"field": error.field}
    return {"job_id": error.job_id} if isinstance(error, IdempotencyError) else {}


def _refusal(
    status: HTTPStatus, message: str, code: str, facts: Mapping[str, Json] | None = None
) -> Response:
    error = {"message": message, "code": code, **(facts or {})}
    headers = {"WWW-Authenticate": "Bearer"} if status is HTTPStatus.UNAUTHORIZED else None
    return JSONResponse({"error": error}, status, headers)
