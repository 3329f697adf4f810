"""A question's answer as a stream of lines: what is going on, and at last where the answer is.

Each line is a JSON object: ``{"step": words}`` any number of times, the first at once; then
``{"go": address}``, or ``{"failed": words}``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from iris_harness.bootstrap.assistant import Turn
from iris_harness.contracts.progress import ProgressEvent, Stage
from iris_harness.curator.language import Language
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import log_failure

LINES = "application/x-ndjson"


async def progress_lines(
    desk: Desk, question: Question, address: Callable[[Turn], str], language: Language
) -> AsyncIterator[str]:
    """Yield the lines of one question; when nobody listens any more, it is cancelled."""
    yield _line(step=language.say("web.thinking"))
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[ProgressEvent | None] = asyncio.Queue()

    def listen(event: ProgressEvent) -> None:  # from the turn's own thread
        loop.call_soon_threadsafe(events.put_nowait, event)

    answer = asyncio.ensure_future(desk.answer(question, listener=listen))
    answer.add_done_callback(lambda _: events.put_nowait(None))
    try:
        async for step in _steps(events, language):
            yield step
        yield _line(go=address(await answer))
    except Exception as error:  # noqa: BLE001 - the headers are out: the stream itself must tell
        log_failure(error)
        yield _line(failed=language.say("web.failed"))
    finally:
        answer.cancel()


async def _steps(
    events: asyncio.Queue[ProgressEvent | None], language: Language
) -> AsyncIterator[str]:
    working: dict[str, str] = {}
    while (event := await events.get()) is not None:
        if event.stage is Stage.FINISHED:
            working.pop(event.task_id, None)
        else:
            working[event.task_id] = event.agent
        if working:
            agents = language.listing(list(dict.fromkeys(working.values())))
            yield _line(step=language.say("web.working", agents=agents))


def _line(**said: str) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
