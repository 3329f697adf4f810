"""One connection of a voice assistant: what was recognised is answered in a sentence or two.

https://github.com/OHF-Voice/wyoming: a client asks what is here (``describe`` is answered by
``info`` with a handle service), sends what was recognised (``transcript``) and gets ``handled``
or ``not-handled`` with what to say. Many utterances may come on one connection; those of one
``conversation_id`` are one conversation. What else a client sends is let pass, as the protocol
wants it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable

from wyoming.asr import Transcript
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Attribution, Describe, HandleModel, HandleProgram, Info
from wyoming.ping import Ping, Pong
from wyoming.server import AsyncEventHandler

from iris_harness.bootstrap.assistant import Turn
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import log_failure

_log = logging.getLogger("iris.voice")
MOST_CHARACTERS = 2_000
"""Of one utterance; nobody says more in one breath."""
_MOST_BYTES = 64 * 1024
"""Of one part of an event; text needs little, and sound is not taken here."""
IDLE_SECONDS = 600.0
READ_SECONDS = 60.0
"""How long a client may take to read an answer."""
_LANGUAGES = ["en"]
_FAILED = "I could not answer that. The log says why."


class _Bounded:
    """A stream reader that refuses parts of a size nobody needs."""

    def __init__(self, reader: asyncio.StreamReader, idle_seconds: float) -> None:
        self._reader = reader
        self._idle_seconds = idle_seconds

    async def readline(self) -> bytes:
        return await asyncio.wait_for(self._reader.readline(), self._idle_seconds)

    async def readexactly(self, size: int) -> bytes:
        if size > _MOST_BYTES:
            raise ValueError(size)
        return await asyncio.wait_for(self._reader.readexactly(size), self._idle_seconds)

    def feed_eof(self) -> None:
        self._reader.feed_eof()


class VoiceHandler(AsyncEventHandler):
    """Answers one client."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        desk: Desk,
        may_ask: Callable[[str], bool],
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Take who answers, and which addresses may ask."""
        super().__init__(_Bounded(reader, idle_seconds), writer)  # type: ignore[arg-type]
        self._desk = desk
        peer = writer.get_extra_info("peername")
        self._peer = str(peer[0]) if peer else ""
        self._may_ask = may_ask
        self.idle = asyncio.Event()
        self.idle.set()

    async def run(self) -> None:
        """Answer until the client leaves, is silent for long, or sends what is no event."""
        if not self._may_ask(self._peer):
            _log.warning("refused a voice client at %s; voice.allow does not list it", self._peer)
            self.writer.close()
            return
        try:
            await super().run()
        except Exception as error:  # noqa: BLE001 - the border to a client: it ends its own connection, whatever it sent
            _log.info("a voice client left or broke the protocol: %s", type(error).__name__)
            self.writer.transport.abort()

    async def write_event(self, event: Event) -> None:
        """Send one event; a client that does not read it in time is hung up on.

        Raises:
            TimeoutError: it does not.
        """
        await asyncio.wait_for(super().write_event(event), READ_SECONDS)

    async def handle_event(self, event: Event) -> bool:
        """Answer one event; always go on."""
        if Describe.is_type(event.type):
            await self.write_event(build_info(self._desk).event())
        elif Ping.is_type(event.type):
            await self.write_event(Pong(text=Ping.from_event(event).text).event())
        elif Transcript.is_type(event.type):
            self.idle.clear()
            try:
                await self.write_event(await self._answer(Transcript.from_event(event)))
            finally:
                self.idle.set()
        return True

    async def _answer(self, said: Transcript) -> Event:
        text = str(said.text).strip()[:MOST_CHARACTERS]  # a client may have sent anything
        if not text:
            return NotHandled(text="", context=said.context).event()
        question = Question(utterance=text, session=self._session(said))
        try:
            turn = await self._desk.answer(question)
        except Exception as error:  # noqa: BLE001 - the border to a voice: it says that it failed
            log_failure(error)
            return NotHandled(text=_FAILED, context=said.context).event()
        answer = Handled if was_understood(turn) else NotHandled
        return answer(text=turn.reply.speech, context=said.context).event()

    def _session(self, said: Transcript) -> str:
        """Return the conversation: the client's own id, else one per address."""
        named = (said.context or {}).get("conversation_id")
        whose = f"conversation {named}" if named else f"voice {self._peer}"
        return hashlib.sha256(whose.encode("utf-8", "replace")).hexdigest()[:32]


def was_understood(turn: Turn) -> bool:
    """Return whether any part of what was said had an agent to answer it."""
    return bool(turn.trace.results)


def build_info(desk: Desk) -> Info:
    """Return what is here: one service that handles text."""
    source = Attribution(name="Iris", url="")
    model = HandleModel(
        name="iris",
        attribution=source,
        installed=True,
        description=", ".join(desk.iris.capabilities),
        version=None,
        languages=_LANGUAGES,
    )
    program = HandleProgram(
        name="iris",
        attribution=source,
        installed=True,
        description="Plans the day and answers from calendars and lists",
        version=None,
        models=[model],
    )
    return Info(handle=[program])
