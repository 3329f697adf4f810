"""The server's side of the socket; starts and stops with the HTTP server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.contracts.canonical import Json, to_json
from iris_harness.contracts.progress import ProgressEvent, ProgressListener
from iris_harness.errors import IrisError, ServerError, UsageError
from iris_harness.storage.files import FILE_MODE
from iris_harness.storage.locks import hold_lock
from iris_harness.surfaces.answer import answer_of
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.local.place import LOCK, is_own, socket_file
from iris_harness.surfaces.local.wire import answer_to_json, reply_to_json
from iris_harness.surfaces.web.answers import FAILED, log_failure

MOST_ASKED_BYTES = 256 * 1024
"""Of one question."""
_SEND_SECONDS = 30.0
"""How long a client may take to read an answer."""
_Message: TypeAlias = Mapping[str, Json]
_log = logging.getLogger("iris.local")


class LocalService:
    """Answers this user's own programs. Of several servers of one data folder, the first does."""

    def __init__(self, data_folder: Path, identity: str) -> None:
        """Take where the socket is to be, and who may be answered."""
        self._data_folder = data_folder
        self._identity = identity
        self._running = contextlib.ExitStack()
        self._clients: dict[asyncio.Task[None], _Conversation] = {}
        self._patience: Callable[[], float] = lambda: 0.0

    async def start(self, desk: Desk) -> None:
        """Begin to listen, where no other server of this data folder does.

        Raises:
            ServerError: the socket cannot be made.
        """
        self._patience = desk.seconds_left
        file = socket_file(self._data_folder)
        if file is None:
            _log.warning("the data folder's path is too long for a socket; `iris ask` works alone")
            return
        lock = hold_lock(file.with_name(LOCK), patience_seconds=0)
        if not self._running.enter_context(lock):
            _log.warning("another server answers `iris ask` already")
            return
        listener = _listen(file)
        self._running.callback(file.unlink, missing_ok=True)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            conversation = _Conversation(desk, reader, writer)
            task = asyncio.create_task(conversation.run(self._identity))
            self._clients[task] = conversation
            task.add_done_callback(self._clients.pop)

        server = await asyncio.start_unix_server(answer, sock=listener, limit=MOST_ASKED_BYTES)
        self._running.callback(server.close)

    async def stop(self) -> None:
        """Listen no more, let running questions end, and hang up."""
        self._running.close()
        answering = {task for task, client in self._clients.items() if client.is_answering}
        if answering:
            await asyncio.wait(answering, timeout=self._patience())
        for task in tuple(self._clients):
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)


def _listen(file: Path) -> socket.socket:
    """Return the listening socket; the caller holds the lock, so an older file is nobody's."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        file.unlink(missing_ok=True)
        listener.bind(str(file))  # into a folder of its owner's alone
        file.chmod(FILE_MODE)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ServerError(f"{file}: {error.strerror or error}") from error
    return listener


class _Conversation:
    """One client."""

    def __init__(
        self, desk: Desk, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._desk = desk
        self._reader = reader
        self._writer = writer
        self._waiting: tuple[Prepared, ...] = ()
        self.is_answering = False

    async def run(self, identity: str) -> None:
        """Greet, and answer until the client leaves or says nonsense, or the server ends."""
        try:
            if not is_own(self._writer.get_extra_info("socket")):
                _log.warning("refused a client of another user")
                return
            await self._send({"iris": identity})
            while self._desk.is_ready and (message := await self._next()) is not None:
                await self._take(message)
        except Exception as error:  # noqa: BLE001 - the border to a client: it ends its own connection, whatever it sent
            _log.info("a local client left or said nonsense: %s", type(error).__name__)
        finally:
            self._writer.close()

    async def _next(self) -> dict[str, Any] | None:
        """Return what the client says next; None when it has left.

        Raises:
            ValueError: it is no message.
        """
        line = await self._reader.readline()
        message = json.loads(line) if line else None
        if message is not None and not isinstance(message, dict):
            raise ValueError("no message")
        return message

    async def _take(self, message: Mapping[str, Any]) -> None:
        self.is_answering = True
        try:
            await self._send(await self._while_there(self._answer(message)))
        finally:
            self.is_answering = False

    async def _while_there(self, work: Coroutine[Any, Any, _Message]) -> _Message:
        """Return what `work` gives; a client that hangs up before cancels it.

        Raises:
            ConnectionResetError: the client left, or spoke while it was to wait.
        """
        answer = asyncio.create_task(work)
        leaving = asyncio.create_task(self._reader.read(1))
        try:
            await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ConnectionResetError
            return answer.result()
        finally:
            answer.cancel()
            leaving.cancel()
            await asyncio.gather(answer, leaving, return_exceptions=True)

    async def _answer(self, message: Mapping[str, Any]) -> _Message:
        try:
            if "confirm" in message:
                waiting, self._waiting = self._waiting, ()
                reply = await self._desk.look(partial(self._desk.iris.confirm, waiting))
                return {"reply": reply_to_json(reply)}
            question = Question(utterance=str(message.get("ask", "")), session="")
            turn = await self._desk.answer(question, listener=self._progress())
        except IrisError as error:
            return _error(error)
        except Exception as error:  # noqa: BLE001 - the border to a client: it is told that it failed
            log_failure(error)
            return _error(ServerError(FAILED))
        self._waiting = turn.waiting
        return {"answer": answer_to_json(answer_of(turn))}

    def _progress(self) -> ProgressListener:
        """Return what tells the client of progress; it is called from the turn's thread."""
        loop = asyncio.get_running_loop()

        def tell(event: ProgressEvent) -> None:
            loop.call_soon_threadsafe(self._write, {"progress": to_json(event)})

        return tell

    def _write(self, message: _Message) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")

    async def _send(self, message: _Message) -> None:
        self._write(message)
        await asyncio.wait_for(self._writer.drain(), _SEND_SECONDS)


def _error(error: IrisError) -> _Message:
    is_usage = isinstance(error, UsageError)
    return {"error": {"message": error.message, "hint": error.hint, "is_usage": is_usage}}
