from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and no other place settings could come from."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    monkeypatch.delenv("IRIS_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def write_config(home: Path) -> Callable[[str], Path]:
    """Writes the user's settings file where the platform has it."""

    def write(text: str) -> Path:
        file = home / ".config" / "iris" / "config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write
