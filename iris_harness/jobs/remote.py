"""The queue on another machine, asked over HTTP; the door there is `surfaces.web.jobs_api`.

What can be asked twice is asked again while the server is away, with longer and longer pauses. A
lease is not: the one that an answer was lost with would be nobody's until it ends.
"""

from __future__ import annotations

import base64
import json
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import urlsplit

from iris_harness.config.addresses import host_of, is_loopback
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import (
    ConfigError,
    JobError,
    LeaseLostError,
    ModelError,
    RequestError,
    StorageError,
    TokenRefusedError,
    TurnCancelledError,
    UnknownJobError,
    WorkOutdatedError,
    WorkTooLargeError,
)
from iris_harness.jobs.leasing import Daemon, Lease, Limits, NewStep, Renewal, Step, Wakeup
from iris_harness.jobs.values import WorkerSpec
from iris_harness.llm.attempts import FailedAttemptError
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.wire import Answer, exchange, system_trust

CALL_SECONDS: Final = 30.0
LONGEST_POLL_SECONDS: Final = 25.0
_TRANSFER_SECONDS: Final = 600.0
"""For a call that carries the work of a worker."""
_PAUSES_SECONDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
_AWAY: Final = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
_HINT: Final = "check that `iris jobs serve` runs there, and its address"


class _Answered(NamedTuple):
    """What the server said."""

    status: int
    body: bytes

    def json(self) -> Mapping[str, Any]:
        """Return the object that it said.

        Raises:
            StorageError: it said something else, as no jobs server does.
        """
        try:
            value = json.loads(self.body)
        except ValueError as error:
            raise _no_server(self.status) from error
        if not isinstance(value, dict):
            raise _no_server(self.status)
        return value


class RemoteQueue:
    """Implements `leasing.WorkQueue` with a server. Thread-safe."""

    def __init__(self, url: str, token: str, clock: Clock) -> None:
        """Take the server's address and a daemon's token, and ask who that is.

        Raises:
            ConfigError: the address is none, or a token would be sent to it unencrypted.
            TokenRefusedError: the token is not, or no longer, a daemon's.
            StorageError: the server cannot be reached.
        """
        self._url = checked_server(url)
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self._clock = clock
        self._trust = system_trust()
        self._waiting: deque[Lease] = deque()
        """Leases that came while somebody waited for work, and were not asked for yet."""
        told = self._asked("/api/daemon", {}).json()
        try:
            self._name = str(told["name"])
            self._limits = Limits(
                lease_seconds=float(told["lease_seconds"]),
                max_work_bytes=int(told["max_work_bytes"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _no_server(HTTPStatus.OK) from error

    @property
    def name(self) -> str:
        """What the token calls this daemon."""
        return self._name

    @property
    def limits(self) -> Limits:
        """The bounds that the server has."""
        return self._limits

    def open_wakeup(self, daemon: Daemon) -> Wakeup:
        """Return what waits at the server until there is work for `daemon`."""
        return _Poll(self, daemon)

    def lease(self, daemon: Daemon) -> Lease | None:
        """Give `daemon` the next worker that it can run; None when there is none now.

        Raises:
            TokenRefusedError: the token was revoked.
            StorageError: the server cannot be reached.
        """
        try:
            return self._waiting.popleft()
        except IndexError:
            return self._leased(daemon, 0, Deadline(self._clock, CALL_SECONDS))

    def wait(self, daemon: Daemon, seconds: float, stop: threading.Event) -> bool:
        """Wait for a worker and keep it for `lease`; return whether there is one."""
        if self._waiting:
            return True
        whole = max(1, math.ceil(min(seconds, LONGEST_POLL_SECONDS)))
        deadline = _Stoppable(self._clock, whole + CALL_SECONDS, stop)
        try:
            lease = self._leased(daemon, whole, deadline)
        except TurnCancelledError:
            return False
        if lease is not None:
            self._waiting.append(lease)
        return lease is not None

    def hand_back(self) -> None:
        """Release what was kept for `lease` and will not be asked for."""
        while self._waiting:
            try:
                self.release(self._waiting.popleft())
            except (JobError, StorageError):
                return  # it ends by itself

    def _leased(self, daemon: Daemon, wait_seconds: int, deadline: Deadline) -> Lease | None:
        body: dict[str, Json] = {"offers": [*sorted(daemon.offers)], "wait_seconds": wait_seconds}
        answered = self._answered("/api/leases", body, deadline)
        if answered.status == HTTPStatus.NO_CONTENT:
            return None
        if answered.status != HTTPStatus.OK:
            _raise(answered)
        return _lease(answered.json())

    def renew(self, lease: Lease) -> Renewal:
        """Prolong a lease, from now.

        Raises:
            LeaseLostError: it has ended; its holder must stop.
        """
        told = self._used(lease, "renew", {}).json()
        return Renewal(
            expires_at=int(told["expires_at"]), cancel_requested=bool(told["cancel_requested"])
        )

    def complete(self, lease: Lease, result: Json = None, step: NewStep | None = None) -> None:
        """End a lease with success, and make `step` the head of the job's work.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
            WorkOutdatedError: the work of the job has gone on since; nothing is changed.
            WorkTooLargeError: the step is larger than may be kept.
        """
        body: dict[str, Json] = {"result": result}
        if step is not None:
            pack = base64.b64encode(step.pack).decode("ascii")
            body["step"] = {"number": step.number, "built_on": step.built_on,
                            "head": step.head, "pack": pack}  # fmt: skip
        self._used(lease, "complete", body, step)

    def fail(self, lease: Lease, kind: str, reason: str, result: Json = None) -> None:
        """End a lease with failure; all that waits for this worker fails with it.

        Raises:
            LeaseLostError: it has ended; the result was dropped.
        """
        self._used(lease, "fail", {"kind": kind, "reason": reason, "result": result})

    def give_up(self, lease: Lease, reason: str = "cancelled") -> None:
        """End a lease because the worker was to be cancelled.

        Raises:
            LeaseLostError: it has ended.
        """
        self._used(lease, "give_up", {"reason": reason})

    def release(self, lease: Lease) -> None:
        """Hand a worker back unrun; the delivery is not counted.

        Raises:
            LeaseLostError: it has ended.
        """
        self._used(lease, "release", {})

    def log(self, lease: Lease, text: str) -> None:
        """Add to what the worker says of itself.

        Raises:
            LeaseLostError: it has ended.
        """
        self._used(lease, "logs", {"text": text})

    def begin(self, lease: Lease, commit: str) -> tuple[Step, ...]:
        """Begin the work of the worker's job at a commit, unless it has begun; return its steps.

        Raises:
            LeaseLostError: the lease has ended.
        """
        return _steps(self._used(lease, "begin", {"commit": commit}).json())

    def steps(self, lease: Lease) -> tuple[Step, ...]:
        """Return the steps of the worker's job, in order; none where no worker of it has begun.

        Raises:
            LeaseLostError: the lease has ended.
        """
        return _steps(self._used(lease, "steps", {}).json())

    def pack(self, lease: Lease, number: int) -> bytes:
        """Return what a step of the worker's job added to the one before.

        Raises:
            LeaseLostError: the lease has ended.
            UnknownJobError: there is no such step, or it is the first.
        """
        return self._used(lease, "pack", {"number": number}).body

    def _used(
        self, lease: Lease, way: str, body: Mapping[str, Json], step: NewStep | None = None
    ) -> _Answered:
        return self._asked(f"/api/leases/{lease.spec.id}/{lease.fence}/{way}", body, lease, step)

    def _asked(
        self,
        path: str,
        body: Mapping[str, Json],
        lease: Lease | None = None,
        step: NewStep | None = None,
    ) -> _Answered:
        """Ask until there is an answer, and return it if it is no refusal."""
        for pause in (*_PAUSES_SECONDS, None):
            try:
                deadline = Deadline(self._clock, _TRANSFER_SECONDS if lease else CALL_SECONDS)
                answered = self._answered(path, body, deadline)
            except StorageError:
                if pause is None:
                    raise
                threading.Event().wait(pause)
            else:
                if answered.status in {HTTPStatus.OK, HTTPStatus.NO_CONTENT}:
                    return answered
                _raise(answered, lease, step)
        raise AssertionError("the last attempt returns or raises")

    def _answered(self, path: str, body: Mapping[str, Json], deadline: Deadline) -> _Answered:
        """Ask once.

        Raises:
            StorageError: there is no answer, or the server says that it is away.
            TurnCancelledError: the deadline was told to stop.
        """
        sent = json.dumps(body, ensure_ascii=False).encode()
        try:
            with exchange(self._url + path, self._headers, sent, deadline, self._trust) as answer:
                answered = _read(answer)
        except FailedAttemptError as failed:
            raise StorageError(f"the jobs server {failed.error.message}", hint=_HINT) from failed
        except ModelError as error:  # the deadline's
            raise StorageError(f"the jobs server {error.message}", hint=_HINT) from error
        if answered.status in _AWAY:
            raise StorageError(f"the jobs server is not ready ({answered.status})", hint=_HINT)
        return answered


class _Stoppable(Deadline):
    """A deadline that an event brings forward."""

    def __init__(self, clock: Clock, seconds: float, stop: threading.Event) -> None:
        super().__init__(clock, seconds)
        self._stop = stop

    def remaining(self) -> float:
        if self._stop.is_set():
            raise TurnCancelledError("told to stop")
        return super().remaining()


class _Poll:
    """Waits for work of one daemon; what comes is kept for its next lease."""

    def __init__(self, queue: RemoteQueue, daemon: Daemon) -> None:
        self._queue = queue
        self._daemon = daemon

    def wait(self, timeout_seconds: float, stop: threading.Event) -> bool:
        return self._queue.wait(self._daemon, timeout_seconds, stop)

    def close(self) -> None:
        self._queue.hand_back()


def checked_server(url: str) -> str:
    """Return the address of a jobs server without its last slash.

    Raises:
        ConfigError: it is none, or a token would be sent to it unencrypted.
    """
    scheme = urlsplit(url).scheme.lower()
    if scheme not in {"http", "https"} or not host_of(url) or "@" in urlsplit(url).netloc:
        raise ConfigError(
            "not the address of a jobs server", key="jobs.server.url",
            expected="https://host:7475",
        )  # fmt: skip
    if scheme == "http" and not is_loopback(host_of(url)):
        raise ConfigError(
            "a token is sent to another machine over https only", key="jobs.server.url",
            expected=f"https://{host_of(url)}",
        )  # fmt: skip
    return url.rstrip("/")


def _read(answer: Answer) -> _Answered:
    return _Answered(answer.status, answer.body())


def _lease(told: Mapping[str, Any]) -> Lease:
    try:
        return Lease(
            spec=from_json(WorkerSpec, told["spec"]),
            fence=int(told["fence"]),
            delivery=int(told["delivery"]),
            expires_at=int(told["expires_at"]),
            others_wait=bool(told["others_wait"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _no_server(HTTPStatus.OK) from error


def _steps(told: Mapping[str, Any]) -> tuple[Step, ...]:
    try:
        return tuple(Step(int(number), str(head)) for number, head in told["steps"])
    except (KeyError, TypeError, ValueError) as error:
        raise _no_server(HTTPStatus.OK) from error


def _raise(
    answered: _Answered, lease: Lease | None = None, step: NewStep | None = None
) -> NoReturn:
    """Raise what the server's refusal means.

    Raises:
        JobError: it said which.
        StorageError: it is no jobs server.
    """
    refused = answered.json().get("error")
    if not isinstance(refused, dict):
        raise _no_server(answered.status)
    code, said = str(refused.get("code")), str(refused.get("message"))
    if code in {"token", "role"}:
        raise TokenRefusedError(f"the jobs server refuses: {said}")
    if lease is not None and code == "lease_lost":
        raise LeaseLostError(lease.spec.id, lease.fence)
    if lease is not None and step is not None and code in _ABOUT_WORK:
        raise _ABOUT_WORK[code](lease, step, refused)
    kind = {"not_found": UnknownJobError, "bad_request": RequestError}.get(code, JobError)
    raise kind(said)


_About = Callable[[Lease, NewStep, Mapping[str, Any]], JobError]
_ABOUT_WORK: Final[Mapping[str, _About]] = {
    "work_outdated": lambda lease, step, _: WorkOutdatedError(lease.spec.job_id, step.built_on),
    "work_too_large": lambda _, step, facts: WorkTooLargeError(
        len(step.pack), int(facts.get("most_bytes", 0))
    ),
}


def _no_server(status: int) -> StorageError:
    return StorageError(f"what answers there is no jobs server ({int(status)})", hint=_HINT)
