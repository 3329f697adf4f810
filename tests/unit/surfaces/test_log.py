"""The server's log holds what happened, and no words of the user's."""

from __future__ import annotations

import json
import logging

import pytest

from iris_harness.surfaces.web.log import JsonLines, TextLines


@pytest.fixture
def record() -> logging.LogRecord:
    """A record of an exception whose words are the user's."""
    with pytest.raises(ValueError, match="zebra") as raised:
        int("my secret zebra")
    said = (raised.type, raised.value, raised.tb)
    return logging.LogRecord("iris.server", logging.ERROR, "x.py", 1, "it %s", ("failed",), said)


def test_an_exception_is_logged_by_kind_and_place(record: logging.LogRecord) -> None:
    line = TextLines().format(record)
    assert "ERROR iris.server it failed" in line
    assert "ValueError in test_log.py line" in line
    assert "zebra" not in line


def test_a_line_of_json_says_the_same(record: logging.LogRecord) -> None:
    line = json.loads(JsonLines().format(record))
    assert line["at"].endswith("+00:00")
    assert (line["level"], line["logger"], line["message"]) == ("ERROR", "iris.server", "it failed")
    assert line["exception"].startswith("ValueError in test_log.py")
