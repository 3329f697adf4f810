"""What handlers of requests have in common: clients that hang up, and what went wrong."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

import anyio
from starlette.requests import ClientDisconnect, Request

from iris_harness.bootstrap.assistant import Turn
from iris_harness.curator.markdown import reply_markdown
from iris_harness.curator.strings import find_language
from iris_harness.surfaces.desk import Desk

ValueT = TypeVar("ValueT")
FAILED = "the question could not be answered; the server's log says why"
_log = logging.getLogger("iris.server")


async def until_gone(request: Request, work: Coroutine[Any, Any, ValueT]) -> ValueT:
    """Return what `work` gives; when the client hangs up before, it is cancelled.

    Raises:
        ClientDisconnect: the client hung up.
    """
    results: list[ValueT] = []
    failures: list[Exception] = []
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    group.cancel_scope.cancel()
                    return

        group.start_soon(watch)
        try:
            results.append(await work)
        except Exception as error:  # noqa: BLE001 - raised below, out of the group that would wrap it
            failures.append(error)
        group.cancel_scope.cancel()
    if failures:
        raise failures[0]
    if not results:
        raise ClientDisconnect
    return results[0]


def markdown_of(turn: Turn, desk: Desk) -> str:
    """Return an answer as chat clients show it."""
    return reply_markdown(turn.reply.blocks, find_language(desk.iris.setting.locale)).rstrip()


def log_failure(error: BaseException) -> None:
    """Write down what went wrong; its kind and place, since its words may be the user's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace else None
    where = f"{code.co_name}, line {trace.tb_lineno}" if trace and code else "nowhere"
    _log.error("a question failed: %s in %s", type(error).__name__, where)
