"""Runs the program as its users do: as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import RunIris


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder: no configuration, no data."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def iris(home: Path) -> RunIris:
    """`iris("plan", "--demo")` runs the program and returns how it ended."""

    def run(
        *arguments: str | Path, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        given = {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "Europe/Berlin"}
        return subprocess.run(
            [sys.executable, "-m", "iris_harness", *map(str, arguments)],
            env={**given, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run
