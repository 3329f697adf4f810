"""The server's log on the error stream: what happened, never what was said.

An exception's words may be the user's, so that of an exception only its kind and place are written,
whoever logs it.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import traceback
from pathlib import PurePath
from types import TracebackType
from typing import TypeAlias

_TELLS_TOO_MUCH = ("mcp", "httpx", "httpx2")
"""Libraries that name words or addresses of the user's at INFO."""
_ExcInfo: TypeAlias = (
    "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]"
)


def start_log(*, as_json: bool = False) -> None:
    """Begin to log. Before any library that would do so in its own way."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if as_json else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in _TELLS_TOO_MUCH:
        logging.getLogger(name).setLevel(logging.WARNING)


class TextLines(logging.Formatter):
    """One line for each record."""

    def __init__(self) -> None:
        """Take the form of a line."""
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 - logging's own name
        """Return the kind and the place of an exception."""
        return _said(ei)


class JsonLines(logging.Formatter):
    """One JSON object for each record: at (UTC), level, logger, message, and exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        at = dt.datetime.fromtimestamp(record.created, dt.UTC)
        line = {
            "at": at.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = _said(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def _said(raised: _ExcInfo) -> str:
    kind, _, trace = raised
    frames = traceback.extract_tb(trace)
    where = (
        f"{PurePath(frames[-1].filename).name} line {frames[-1].lineno}" if frames else "nowhere"
    )
    return f"{kind.__name__ if kind else 'nothing'} in {where}"
