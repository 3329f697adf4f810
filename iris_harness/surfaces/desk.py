"""Turns on the server: questions run on threads of their own, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from iris_harness.bootstrap.assistant import Iris, Turn
from iris_harness.contracts.progress import ProgressListener
from iris_harness.executor import CancelToken
from iris_harness.surfaces.counters import Counters

ValueT = TypeVar("ValueT")
GRACE_SECONDS = 20.0
HAND_BACK_SECONDS = 5.0
"""How long it may take to tell clients what became of questions that were ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a client asks."""

    utterance: str
    session: str
    agent: str | None = None
    """The only agent that may answer; None lets the router choose."""
    ask_first: bool = False
    """Whether every change is asked about, however sure its words are."""


class Desk:
    """Answers questions; at most `workers` at once, the others wait in line."""

    def __init__(
        self, iris: Iris, counters: Counters, *, workers: int, grace_seconds: float = GRACE_SECONDS
    ) -> None:
        """Take the assistant that answers.

        `grace_seconds` is how long running questions go on once no more are taken.
        """
        self._iris = iris
        self._counters = counters
        self._limiter = anyio.CapacityLimiter(workers)
        self._lookers = anyio.CapacityLimiter(workers)
        self._grace_seconds = grace_seconds
        self._closed_at: float | None = None
        self._running: set[CancelToken] = set()

    @property
    def iris(self) -> Iris:
        """The assistant that answers."""
        return self._iris

    @property
    def is_ready(self) -> bool:
        """Whether new questions are taken."""
        return self._closed_at is None

    def take_no_more(self) -> None:
        """Take no more questions. The running ones may end; when their grace is over they must.

        To be called in the event loop; further calls change nothing.
        """
        if self._closed_at is None:
            loop = asyncio.get_running_loop()
            self._closed_at = loop.time()
            loop.call_later(self._grace_seconds, self.close)

    def seconds_left(self) -> float:
        """Return how long answers to running questions may still be waited for; at least 0.

        To be called in the event loop.
        """
        now = asyncio.get_running_loop().time()
        closed_at = now if self._closed_at is None else self._closed_at
        return max(0.0, closed_at + self._grace_seconds + HAND_BACK_SECONDS - now)

    def close(self) -> None:
        """Tell running questions to come to an end; each is answered with what became of it."""
        for cancel in tuple(self._running):
            cancel.cancel()

    async def answer(self, question: Question, *, listener: ProgressListener | None = None) -> Turn:
        """Return the answer; a client that went away before its turn came costs nothing.

        `listener` hears of the agents at work, from another thread.
        """
        cancel = CancelToken()
        async with self._counted(cancel):
            ask = partial(
                self._iris.turn,
                question.utterance,
                question.session,
                cancel=cancel,
                listener=listener,
                agent=question.agent,
                ask_first=question.ask_first,
            )
            try:
                return await anyio.to_thread.run_sync(
                    ask, limiter=self._limiter, abandon_on_cancel=True
                )
            except asyncio.CancelledError:
                cancel.cancel()  # the client hung up: the agents are told to stop
                raise

    async def look(self, work: Callable[[], ValueT]) -> ValueT:
        """Return what `work` gives, on a thread; it is no question and does not wait for any.

        It is not given up when the client hangs up: what was begun is finished.
        """
        return await anyio.to_thread.run_sync(work, limiter=self._lookers)

    @asynccontextmanager
    async def _counted(self, cancel: CancelToken) -> AsyncIterator[None]:
        self._running.add(cancel)
        try:
            with self._counters.turn():
                yield
        finally:
            self._running.discard(cancel)
