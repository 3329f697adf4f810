"""`LlamaModel`: a GGUF file on this machine as a `ChatModel`. Nothing leaves the machine."""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import Ability, ChatRequest, ChatResponse
from iris_harness.errors import (
    ModelAnswerError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from iris_harness.llm.abilities import refuse_what_is_missing
from iris_harness.llm.chat_answer import MalformedError, StreamedAnswer
from iris_harness.llm.chat_request import build_body
from iris_harness.llm.deadline import Deadline
from iris_harness.llm.estimates import counted
from iris_harness.llm.llama.engines import installed_engines
from iris_harness.llm.llama.frames import Frame
from iris_harness.llm.llama.process import Child

_STOP_SECONDS = 2.0
"""How long a child may take to end an answer; one in the midst of a long prompt is killed."""
_MAGIC = b"GGUF"
MISSING = "needs the extra 'llm': pip install 'iris-harness[llm]'"


@dataclass(frozen=True, kw_only=True, slots=True)
class LlamaSettings:
    """One model in a file."""

    name: str
    """What the model is called here."""
    path: Path
    """A GGUF file."""
    context_tokens: int = 4096
    """Prompt and answer together."""
    threads: int | None = None
    """None: one less than the cores this process may use, at least one."""
    engine: str = ""
    """Import name of what runs it; empty: the preferred one that is installed."""
    timeout_seconds: float = 120.0
    """Bound of one call, waiting for others and loading included, for requests that name none."""


def default_threads() -> int:
    """Return one less than the cores this process may use, at least one."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux only
    cores = len(allowed(0)) if allowed else os.cpu_count() or 1
    return max(1, cores - 1)


class LlamaModel:
    """Implements `ChatModel` over a supervised child. Thread-safe; calls queue, first come first.

    The child is started by the first call and lives until `close`; one that died is started again
    by the next call. A call that ends before its model is loaded leaves it loading for the next.
    """

    def __init__(
        self, settings: LlamaSettings, clock: Clock, environ: Mapping[str, str] | None = None
    ) -> None:
        """Take what is run; nothing is started yet.

        Args:
            settings: the file and its bounds.
            clock: bounds each call.
            environ: the environment, of which the child gets a harmless part; None: nothing.
        """
        self._settings = settings
        self._clock = clock
        self._environ = dict(environ or {})
        self._queue = _Queue()
        self._child: Child | None = None
        self._asked = 0

    @property
    def name(self) -> str:
        """The name the user gave the model."""
        return self._settings.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """Grammars and schemas; calls of tools are written as JSON (`iris_harness.llm.tools`)."""
        return frozenset({Ability.GRAMMAR, Ability.JSON_SCHEMA})

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer; for what it raises see `ChatModel.complete`."""
        pieces = self.stream(request)
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                response: ChatResponse = end.value
                return response

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield one answer in pieces; for what it raises see `ChatModel.stream`."""
        refuse_what_is_missing(request, self)
        deadline = Deadline(self._clock, request.timeout_seconds or self._settings.timeout_seconds)
        try:
            with self._queue.turn(deadline):
                child = self._ready(deadline)
                return (yield from self._answer(child, request, deadline))
        except ModelError as error:
            raise self._named(error) from error

    def close(self) -> None:
        """End the child; a call that is under way fails. The next call starts it again."""
        if self._child is not None:
            self._child.kill()

    def _ready(self, deadline: Deadline) -> Child:
        """Return a child with the model loaded."""
        child = self._child
        if child is None or not child.alive:
            child = self._child = Child(self._load(), self._environ)
        if not child.loaded:
            heard = child.hear(deadline)
            if "failed" in heard:
                child.kill()
                hint = "check that the file is whole, and that there is enough memory"
                raise ModelUnavailableError(f"cannot be loaded: {heard['failed']}", hint=hint)
            child.loaded = True
        return child

    def _load(self) -> Frame:
        settings = self._settings
        found = installed_engines()
        engine = settings.engine or next(iter(found), "")
        if engine not in found:
            raise ModelRefusedError(MISSING)
        _check_file(settings.path)
        return {
            "name": engine,
            "path": str(settings.path),
            "context_tokens": settings.context_tokens,
            "threads": settings.threads or default_threads(),
        }

    def _answer(
        self, child: Child, request: ChatRequest, deadline: Deadline
    ) -> Generator[str, None, ChatResponse]:
        self._asked += 1
        number, answer, ended = self._asked, StreamedAnswer(), False
        child.say({"ask": number, "body": build_body(request, "", stream=True)})
        try:
            while True:
                frame = child.hear(deadline)
                if "end" in frame:
                    ended = True
                    return _finished(frame, answer, request)
                if piece := answer.add(json.dumps(frame["chunk"])):
                    yield piece
        finally:
            if not ended:
                _stop(child, number)

    def _named(self, error: ModelError) -> ModelError:
        error.model = self.name
        error.message = f"{self.name} {error.message}"
        error.args = (error.message,)
        return error


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise ModelRefusedError(f"cannot be read: {path}: {error.strerror}") from error
    if magic != _MAGIC:
        raise ModelRefusedError(f"is no GGUF file: {path}", hint="llama.cpp reads only those")


def _finished(frame: Frame, answer: StreamedAnswer, request: ChatRequest) -> ChatResponse:
    if frame["end"] == "refused":
        raise ModelRefusedError(f"refuses the request: {frame['message']}")
    try:
        response = answer.response()
    except MalformedError as error:
        raise ModelAnswerError(f"gave half an answer: {error}", text=answer.text) from error
    return ChatResponse(
        text=response.text,
        finish_reason=response.finish_reason,
        usage=counted(response, request),
        tool_calls=response.tool_calls,
    )


def _stop(child: Child, number: int) -> None:
    """End an answer that nobody waits for; a child that does not listen is ended with it."""
    child.say({"stop": number})
    if not child.hear_end(number, _STOP_SECONDS):
        child.kill()


class _Queue:
    """Lets one thread in at a time, in the order they came."""

    def __init__(self) -> None:
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, deadline: Deadline) -> Iterator[None]:
        """Wait for one's turn and keep it for the block; raises as `Deadline.remaining`."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
        try:
            with self._changed:
                while self._waiting[0] is not ticket:
                    self._changed.wait(deadline.slice())
            yield
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()
