"""Messages on a pipe: four bytes of length, the highest first, and so much UTF-8 JSON.

To the child: ``{"load": {...}}`` once, then ``{"ask": N, "body": request}`` and ``{"stop": N}``.
From it: ``{"loaded": engine}`` or ``{"failed": words}``; for each ask any number of
``{"id": N, "chunk": ...}`` and one ``{"id": N, "end": "done" | "stopped" | "refused"}``. Requests
and chunks are those of OpenAI's protocol (`chat_request`, `chat_answer`).
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

Frame = dict[str, Any]
MAX_BYTES = 64 * 2**20
_LENGTH_BYTES = 4


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    """Write one message and flush.

    Raises:
        OSError: nobody reads any more.
    """
    body = json.dumps(frame).encode()
    stream.write(len(body).to_bytes(_LENGTH_BYTES) + body)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame | None:
    """Read one message; None at the end.

    Raises:
        ValueError: what came is no message.
    """
    size = int.from_bytes(_exactly(stream, _LENGTH_BYTES))
    if size == 0:
        return None
    if size > MAX_BYTES:
        raise ValueError("a message that is too long")
    frame = json.loads(_exactly(stream, size) or b"null")
    if not isinstance(frame, dict):
        raise ValueError("a message that is none")  # noqa: TRY004 - of the same kind as no JSON
    return frame


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    return data if len(data) == size else b""
