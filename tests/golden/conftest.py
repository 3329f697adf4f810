"""Golden files: what a view said when a person last looked at it and found it right."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with the golden file of a name; IRIS_UPDATE_GOLDEN=1 writes it instead."""

    def check(name: str, text: str) -> None:
        path = FOLDER / name
        written = text + "\n"
        if os.environ.get("IRIS_UPDATE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written, encoding="utf-8", newline="")
        assert path.is_file(), f"no golden file {name}; IRIS_UPDATE_GOLDEN=1 writes it"
        assert written == path.read_bytes().decode()

    return check
