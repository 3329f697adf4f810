"""Jobs over HTTP: owners submit and steer, daemons on other machines lease workers.

Whoever asks sends a token of `iris jobs token`; it says who they are, and nothing in a request can
say otherwise. A daemon that asks here is on another machine: it is never given a ``file:``
repository.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import functools
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import fields
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

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
    WorkOutdatedError,
    WorkTooLargeError,
)
from iris_harness.jobs.control import JobControl
from iris_harness.jobs.documents import manifest_to_json, plan_from_json
from iris_harness.jobs.leases import Queue
from iris_harness.jobs.leasing import Daemon, Lease, NewStep, Step
from iris_harness.jobs.reading import JobReader
from iris_harness.jobs.strict_json import read_strict_json
from iris_harness.jobs.submit import Submission
from iris_harness.jobs.tokens import Bearer, Role, Tokens
from iris_harness.jobs.validation import check_offer
from iris_harness.jobs.values import PlanRequest, SubmitOptions
from iris_harness.jobs.views import job_to_json, summary_to_json
from iris_harness.jobs.why import explain_job
from iris_harness.surfaces.web.guards import HeaderWriter, SizeGuard

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of a request, besides the work of a worker."""
LONGEST_WAIT_SECONDS: Final = 30.0
_MOST_LISTED: Final = 100
_LIMIT: Final = re.compile(r"[1-9][0-9]{0,2}|1000")
_WORKER: Final = re.compile(r"[A-Za-z0-9_-]{1,97}")
_LARGEST_FENCE: Final = 2**63 - 1
_MOST_WAITING: Final = 256
"""Daemons that wait for work at once; each has a thread. More wait for their turn to wait."""
_HEALTH: Final = "/healthz"
_BEARER: Final = "iris_bearer"

_Body: TypeAlias = Mapping[str, Any]
_Act: TypeAlias = Callable[[Bearer, Request, _Body], Response]

_REQUEST_FIELDS = frozenset(field.name for field in fields(PlanRequest))
_STATUS: Final = (
    (RequestError, HTTPStatus.UNPROCESSABLE_ENTITY, "bad_request"),
    (JobPlanError, HTTPStatus.UNPROCESSABLE_ENTITY, "bad_plan"),
    (IdempotencyError, HTTPStatus.CONFLICT, "key_reused"),
    (LeaseLostError, HTTPStatus.CONFLICT, "lease_lost"),
    (WorkOutdatedError, HTTPStatus.CONFLICT, "work_outdated"),
    (WorkTooLargeError, HTTPStatus.UNPROCESSABLE_ENTITY, "work_too_large"),
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
            Route(_HEALTH, health),
            Route("/api/jobs", api.endpoint(owner, api.list), methods=["GET"]),
            Route("/api/jobs", api.endpoint(owner, api.submit), methods=["POST"]),
            Route(job, api.endpoint(owner, api.show), methods=["GET"]),
            Route(f"{job}/why", api.endpoint(owner, api.why), methods=["GET"]),
            Route(f"{job}/manifest", api.endpoint(owner, api.manifest), methods=["GET"]),
            Route(f"{job}/{{way}}", api.endpoint(owner, api.steer), methods=["POST"]),
            Route("/api/daemon", api.endpoint(daemon, api.greet), methods=["POST"]),
            Route("/api/leases", api.waiting_endpoint(), methods=["POST"]),
            Route(f"{lease}/{{way}}", api.endpoint(daemon, api.use_lease), methods=["POST"]),
        ],
        middleware=[
            Middleware(HeaderWriter),
            Middleware(_TokenGuard, tokens=Tokens(opened.database)),
            # Work comes as base64, four letters for three bytes.
            Middleware(SizeGuard, max_bytes=MOST_BYTES + opened.limits.max_work_bytes * 4 // 3),
        ],
    )


class _TokenGuard:
    """Finds who asks before anything of a body is read."""

    def __init__(self, app: ASGIApp, tokens: Tokens) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] == "http" and scope["path"] != _HEALTH:
            try:
                bearer = await run_in_threadpool(self._bearer, Headers(scope=scope))
            except IrisError as error:
                await _error_answer(error)(scope, receive, send)
                return
            if bearer is None:
                said = "the token is missing or wrong"
                await _refusal(HTTPStatus.UNAUTHORIZED, said, "token")(scope, receive, send)
                return
            scope[_BEARER] = bearer
        await self._app(scope, receive, send)

    def _bearer(self, headers: Headers) -> Bearer | None:
        kind, _, token = headers.get("authorization", "").partition(" ")
        return self._tokens.find(token.strip()) if kind.lower() == "bearer" else None


class _Api:
    """What the routes do; everything that waits for the database does so on a thread."""

    def __init__(self, opened: Jobs) -> None:
        self._opened = opened
        self._clock = SystemClock()
        self._queue = Queue(opened.database, self._clock, opened.limits)
        self._waiting = CapacityLimiter(_MOST_WAITING)

    def endpoint(self, role: Role, act: _Act) -> Callable[[Request], Any]:
        """Return what answers a request of somebody with `role`."""

        async def answer(request: Request) -> Response:
            body = await request.body()
            return await run_in_threadpool(self._answer, role, act, request, body)

        return answer

    def waiting_endpoint(self) -> Callable[[Request], Any]:
        """Return what answers a daemon that may wait; a lease never goes to one that has gone."""

        async def answer(request: Request) -> Response:
            body, gone = await request.body(), threading.Event()
            act = functools.partial(self.acquire, gone)
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, request, gone)
                answered = await to_thread.run_sync(
                    self._answer, Role.DAEMON, act, request, body, limiter=self._waiting
                )
                group.cancel_scope.cancel()
            return answered

        return answer

    def _answer(self, role: Role, act: _Act, request: Request, body: bytes) -> Response:
        bearer: Bearer = request.scope[_BEARER]
        if bearer.role is not role:
            said = f"this is for {role.value}s; the token is a {bearer.role.value}'s"
            return _refusal(HTTPStatus.FORBIDDEN, said, "role")
        try:
            return act(bearer, request, _parsed(body))
        except IrisError as error:
            return _error_answer(error)

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

    def greet(self, bearer: Bearer, _request: Request, _body: _Body) -> Response:
        """Return what a daemon has to know of this queue."""
        limits = self._opened.limits
        return JSONResponse(
            {
                "name": bearer.name,
                "lease_seconds": limits.lease_seconds,
                "max_work_bytes": limits.max_work_bytes,
            }
        )

    def acquire(
        self, gone: threading.Event, bearer: Bearer, _request: Request, body: _Body
    ) -> Response:
        """Lease a worker, waiting for one as long as asked; 204 when there is none."""
        offers = _texts(body, "offers")
        for offer in offers:
            check_offer(offer, "offers")
        elsewhere = frozenset(one for one in offers if not one.startswith("host:"))
        wait = float(max(0, min(_typed(body, "wait_seconds", int, 0), LONGEST_WAIT_SECONDS)))
        lease = self._wait_for(Daemon(name=bearer.name, offers=elsewhere), wait, gone)
        if lease is not None and gone.is_set():
            self._queue.release(lease)
            lease = None
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
                "others_wait": lease.others_wait,
                "lease_seconds": self._opened.limits.lease_seconds,
                "spec": spec,
            }
        )

    def _wait_for(self, daemon: Daemon, seconds: float, gone: threading.Event) -> Lease | None:
        lease = self._queue.lease(daemon)
        if lease is not None or seconds <= 0:
            return lease
        until = self._clock.monotonic() + seconds
        with contextlib.closing(self._queue.open_wakeup(daemon)) as wakeup:
            while not gone.is_set() and (left := until - self._clock.monotonic()) > 0:
                lease = self._queue.lease(daemon)  # something may have come before the wake-up
                if lease is not None:
                    return lease
                wakeup.wait(min(left, self._opened.limits.lease_seconds), gone)
        return None

    def use_lease(self, bearer: Bearer, request: Request, body: _Body) -> Response:
        """Renew or end a lease, add to its worker's log, or ask for the work of its job."""
        worker, fence = request.path_params["worker"], request.path_params["fence"]
        if not (_WORKER.fullmatch(worker) and fence <= _LARGEST_FENCE):
            raise LeaseLostError(worker[:64], fence)  # nothing that was ever given out
        way = request.path_params["way"]
        act = self._ways.get(way)
        if act is None:
            raise UnknownJobError(f"a lease cannot be {way[:32]!r}")
        try:
            lease = self._queue.held_by(bearer.name, worker, fence)
        except LeaseLostError:
            if way == "complete" and self._queue.was_completed_by(bearer.name, worker, fence):
                return Response(
                    status_code=HTTPStatus.NO_CONTENT
                )  # the first answer was lost on its way
            raise
        return act(lease, body) or Response(status_code=HTTPStatus.NO_CONTENT)

    @functools.cached_property
    def _ways(self) -> Mapping[str, Callable[[Lease, _Body], Response | None]]:
        queue = self._queue
        return {
            "renew": self._renew,
            "complete": self._complete,
            "fail": self._fail,
            "give_up": lambda lease, _: queue.give_up(lease),
            "release": lambda lease, _: queue.release(lease),
            "logs": lambda lease, body: queue.log(lease, _typed(body, "text", str, "")),
            "steps": lambda lease, _: _steps_answer(queue.steps(lease)),
            "begin": lambda lease, body: _steps_answer(
                queue.begin(lease, _typed(body, "commit", str, ""))
            ),
            "pack": lambda lease, body: Response(
                queue.pack(lease, _typed(body, "number", int, 0)),
                media_type="application/octet-stream",
            ),
        }

    def _renew(self, lease: Lease, _body: _Body) -> Response:
        renewal = self._queue.renew(lease)
        return JSONResponse(
            {"expires_at": renewal.expires_at, "cancel_requested": renewal.cancel_requested}
        )

    def _complete(self, lease: Lease, body: _Body) -> None:
        self._queue.complete(lease, body.get("result"), _new_step(body))

    def _fail(self, lease: Lease, body: _Body) -> None:
        kind = _typed(body, "kind", str, "failed")[:32]
        reason = _typed(body, "reason", str, "no reason was given")
        self._queue.fail(lease, kind, reason, body.get("result"))


async def _watch(request: Request, gone: threading.Event) -> None:
    """Set `gone` when the client closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _steps_answer(steps: tuple[Step, ...]) -> Response:
    return JSONResponse({"steps": [list(step) for step in steps]})


def _new_step(body: _Body) -> NewStep | None:
    given = _typed(body, "step", dict, None)
    if given is None:
        return None
    try:
        pack = base64.b64decode(_typed(given, "pack", str, ""), validate=True)
    except (binascii.Error, ValueError) as error:
        raise RequestError("pack is no base64", field="pack") from error
    return NewStep(
        number=_typed(given, "number", int, 0), built_on=_typed(given, "built_on", str, ""),
        head=_typed(given, "head", str, ""), pack=pack,
    )  # fmt: skip


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
    if isinstance(error, WorkTooLargeError):
        return {"size_bytes": error.size_bytes, "most_bytes": error.most_bytes}
    return {"job_id": error.job_id} if isinstance(error, IdempotencyError) else {}


def _refusal(
    status: HTTPStatus, message: str, code: str, facts: Mapping[str, Json] | None = None
) -> Response:
    error = {"message": message, "code": code, **(facts or {})}
    headers = {"WWW-Authenticate": "Bearer"} if status is HTTPStatus.UNAUTHORIZED else None
    return JSONResponse({"error": error}, status, headers)
