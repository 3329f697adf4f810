"""Connections of the server that end when a client does not do its part.

uvicorn waits without end for a request that is never finished being asked, and for a client that
never reads. Here each has its time, so that neither holds a connection or the bytes of an answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
"""From the connection, or the first byte of a further request, to the end of its headers."""
READ_SECONDS = 60.0
"""How long a client may read nothing while an answer waits for it."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 with clients that have to keep moving."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own
        """Take what uvicorn gives its protocols."""
        super().__init__(*arguments, **options)
        self._asking = _Patience(HEAD_SECONDS)
        self._reading = _Patience(READ_SECONDS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Begin; the client has to ask."""
        super().connection_made(transport)
        self._asking.begin(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes; as long as they are no whole question, its time goes on."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._asking.begin(self)
        else:
            self._asking.end()

    def pause_writing(self) -> None:
        """Stop writing; the client has to read."""
        super().pause_writing()
        self._reading.begin(self)

    def resume_writing(self) -> None:
        """Go on: it reads."""
        super().resume_writing()
        self._reading.end()

    def timeout_keep_alive_handler(self) -> None:
        """End a connection without a further question, and what its client has not read."""
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._asking.end()
        super().connection_lost(exc)
        self._reading.end()


class _Patience:
    """Ends a connection after a time, unless what it waits for happens before."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, connection: BoundedProtocol) -> None:
        """Begin to wait; one that waits already goes on."""
        if self._timer is None:
            abort = connection.transport.abort
            self._timer = connection.loop.call_later(self._seconds, abort)

    def end(self) -> None:
        """Wait no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
