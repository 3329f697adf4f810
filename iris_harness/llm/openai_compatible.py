"""Any server of OpenAI's kind: api.openai.com, llama-server, vLLM, Ollama, and many more.

What is sent goes to one address, over one connection per call. A key is fetched when a server is
first asked, travels in a header, and stands in no message, log or argument.
"""

from __future__ import annotations

import functools
import json
import ssl
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import Ability, ChatRequest, ChatResponse
from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import (
    ModelAnswerError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from iris_harness.llm import wire
from iris_harness.llm.abilities import refuse_what_is_missing
from iris_harness.llm.attempts import FailedAttemptError, RetryPolicy
from iris_harness.llm.calls import Call
from iris_harness.llm.chat_answer import (
    DONE,
    MalformedError,
    StreamedAnswer,
    StreamedComplaintError,
    events,
    parse_completion,
    parse_model_names,
)
from iris_harness.llm.chat_request import Quirk, build_body
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.server_errors import OK, failure, find_quirk, quoted

_MASK = "********"


def _no_key() -> str:
    return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings:
    """One model on one server."""

    name: str
    """What the model is called here, in traces and messages."""
    base_url: str
    """http or https; ``/chat/completions`` is put after it."""
    model: str
    """What the server calls it."""
    key: Callable[[], str] = field(default=_no_key, repr=False)
    """Fetches the key when the server is first asked; empty: none is sent. Raises `IrisError`."""
    abilities: frozenset[Ability] = frozenset({Ability.JSON_SCHEMA, Ability.TOOLS})
    timeout_seconds: float = 60.0
    """Bound of one call as a whole, retries included, for requests that name none."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)


class OpenAICompatibleModel:
    """Implements `ChatModel` over a server. Thread-safe; calls run side by side."""

    def __init__(
        self, settings: ServerSettings, clock: Clock, *, trust: ssl.SSLContext | None = None
    ) -> None:
        """Take what is asked and where; nothing is sent yet.

        Args:
            settings: the server and the model on it.
            clock: bounds each call.
            trust: which certificates are believed; None: those the system believes.
        """
        self._settings = settings
        self._clock = clock
        self._trust = trust
        self._quirks: frozenset[Quirk] = frozenset()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name the user gave the model."""
        return self._settings.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """What the settings say that the server can do."""
        return self._settings.abilities

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer; for what it raises see `ChatModel.complete`."""
        call = self._begin(request)
        while True:
            try:
                return call.finished(self._complete_once(call))
            except FailedAttemptError as failed:
                call.prepare_next(failed)
            except ModelTimeoutError as error:
                raise call.timed_out(error) from error

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield one answer in pieces; for what it raises see `ChatModel.stream`.

        After the first piece nothing is tried again: what was said cannot be taken back.
        """
        call = self._begin(request)
        while True:
            try:
                return call.finished((yield from self._stream_once(call)))
            except FailedAttemptError as failed:
                call.prepare_next(failed)
            except ModelTimeoutError as error:
                raise call.timed_out(error) from error

    def served_models(self, timeout_seconds: float) -> tuple[str, ...]:
        """Return the names of the models that the server offers, in its own order.

        Raises:
            ModelError: it does not tell.
        """
        request = ChatRequest(messages=(), max_tokens=1, timeout_seconds=timeout_seconds)
        call = self._begin(request, RetryPolicy(retries=0))
        try:
            with self._exchange("/models", None, call.deadline) as answer:
                return parse_model_names(answer.body())
        except FailedAttemptError as failed:
            call.prepare_next(failed)
            raise AssertionError from failed  # without retries the failure itself was raised
        except MalformedError as error:
            raise ModelAnswerError(f"{self.name} lists no models", model=self.name) from error

    def _begin(self, request: ChatRequest, policy: RetryPolicy | None = None) -> Call:
        refuse_what_is_missing(request, self)
        seconds = request.timeout_seconds or self._settings.timeout_seconds
        deadline = Deadline(self._clock, seconds)
        return Call(self.name, request, deadline, policy or self._settings.retry)

    def _complete_once(self, call: Call) -> ChatResponse:
        body = self._body(call.request, stream=False)
        with self._exchange("/chat/completions", body, call.deadline) as answer:
            content = answer.body()
        try:
            return parse_completion(content)
        except MalformedError as error:
            raise _malformed(error, content.decode("utf-8", "replace")) from error

    def _stream_once(self, call: Call) -> Generator[str, None, ChatResponse]:
        body = self._body(call.request, stream=True)
        streamed = StreamedAnswer()
        try:
            with self._exchange("/chat/completions", body, call.deadline) as answer:
                for data in events(answer.pieces):
                    if data == DONE:
                        break
                    if piece := streamed.add(data):
                        call.said = streamed.text
                        yield piece
            return streamed.response()
        except StreamedComplaintError as error:
            said = quoted(error.complaint, self._scrub)
            raise _broken_off(f"stopped in the midst of its answer{said}") from error
        except MalformedError as error:
            if not streamed.ended:
                raise _broken_off("broke off its answer") from error
            raise _malformed(error, streamed.text) from error

    def _body(self, request: ChatRequest, *, stream: bool) -> bytes:
        tree = build_body(request, self._settings.model, stream=stream, quirks=self._quirks)
        return well_formed(json.dumps(tree, ensure_ascii=False)).encode()

    @contextmanager
    def _exchange(self, path: str, body: bytes | None, deadline: Deadline) -> Iterator[wire.Answer]:
        """Give an answer with status 200; any other is raised as what it means."""
        url = self._settings.base_url.rstrip("/") + path
        with wire.exchange(url, self._headers(), body, deadline, self._certificates) as answer:
            if answer.status != OK:
                raise self._failure(answer.status, answer)
            yield answer

    def _headers(self) -> dict[str, str]:
        headers = {
            "User-Agent": "iris-harness",
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
        }
        return headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {})

    def _failure(self, status: int, answer: wire.Answer) -> FailedAttemptError:
        body = answer.body()
        quirk = find_quirk(status, body)
        failed = failure(status, answer.headers, body, self._clock.now(), self._scrub)
        if quirk is not None and self._learn(quirk):
            return FailedAttemptError(failed.error, again=True, at_once=True)
        return failed

    def _learn(self, quirk: Quirk) -> bool:
        """Remember what the server does not take; return whether that is news."""
        with self._lock:
            known = quirk in self._quirks
            self._quirks |= {quirk}
        return not known

    def _scrub(self, text: str) -> str:
        return text.replace(self._key, _MASK) if self._key else text

    @functools.cached_property
    def _key(self) -> str:
        key = self._settings.key()
        if key and not (key.isascii() and key.isprintable()):
            said = "has a key with characters that no key has"
            raise ModelRefusedError(
                f"{self.name} {said}", model=self.name, hint="check its api_key"
            )
        return key

    @functools.cached_property
    def _certificates(self) -> ssl.SSLContext:
        return self._trust or wire.system_trust()


def _malformed(error: MalformedError, text: str) -> FailedAttemptError:
    failure = ModelAnswerError(f"answers with something else than an answer: {error}", text=text)
    return FailedAttemptError(failure, again=True, may_have_cost=True)


def _broken_off(message: str) -> FailedAttemptError:
    return FailedAttemptError(ModelUnavailableError(message), again=True, may_have_cost=True)
