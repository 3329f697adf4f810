"""Ask the Iris that runs already, where there is one."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from iris_harness.errors import ServerError, UsageError
from iris_harness.surfaces.local.place import is_own
from iris_harness.surfaces.local.wire import (
    MOST_BYTES,
    answer_from_json,
    event_from_json,
    reply_from_json,
)

if TYPE_CHECKING:
    from iris_harness.contracts.progress import ProgressListener
    from iris_harness.contracts.reply import Reply
    from iris_harness.surfaces.answer import Answer

GREETING_SECONDS = 4.0
"""How long a server may take to greet: a busy one on a slow machine some, one that hangs any."""


def find_running(file: Path, identity: str) -> RunningIris | None:
    """Return the Iris that listens at `file`; None where none does, or it is another one."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(GREETING_SECONDS)
    try:
        connection.connect(str(file))
        found = RunningIris(connection)
        if is_own(connection) and found.greeting() == identity:
            connection.settimeout(None)
            return found
    except (OSError, ServerError):
        pass  # it left a socket behind, is about to end, or does not move: this one works alone
    connection.close()
    return None


class RunningIris:
    """An assistant in another process of this user. For one question, and the yes to it."""

    def __init__(self, connection: socket.socket) -> None:
        """Take a connection; this object closes it."""
        self._connection = connection
        self._lines = connection.makefile("rb")

    def greeting(self) -> str:
        """Return the identity that the other side states first.

        Raises:
            ServerError: it says nothing of the kind.
        """
        return str(self._receive().get("iris", ""))

    def ask(self, words: str, listener: ProgressListener) -> Answer:
        """Answer `words`; `listener` hears of the agents at work.

        Raises:
            ServerError: the other side ended or failed before it had answered.
        """
        self._send({"ask": words})
        while "progress" in (message := self._receive()):
            listener(event_from_json(message["progress"]))
        return answer_from_json(message.get("answer"))

    def confirm(self) -> Reply:
        """Do what the last answer asked about.

        Raises:
            ServerError: the other side ended or failed before it had answered.
        """
        self._send({"confirm": True})
        return reply_from_json(self._receive().get("reply"))

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise _gone() from error

    def _receive(self) -> dict[str, Any]:
        try:
            line = self._lines.readline(MOST_BYTES)
            message = json.loads(line)
        except (OSError, ValueError) as error:
            raise _gone() from error
        if not isinstance(message, dict):
            raise _gone()
        if "error" in message:
            raise _reported(message["error"])
        return message

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _gone() -> ServerError:
    # Whether it was answered cannot be told; asking again could do a change twice.
    return ServerError(
        "the running Iris ended before it had answered", hint="`iris history` shows what was done"
    )


def _reported(error: dict[str, Any]) -> ServerError | UsageError:
    kind = UsageError if error.get("is_usage") else ServerError
    return kind(str(error.get("message", "")), hint=str(error.get("hint", "")))
