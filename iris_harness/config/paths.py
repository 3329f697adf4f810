"""Where Iris keeps things: the folders the platform names for it (XDG on Linux)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from iris_harness.files import user_path

APPLICATION = "iris"
MAX_FILE_BYTES = 256 * 1024
"""A larger settings file is refused: nobody writes that many settings."""


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the user's settings file, whether or not it exists; `IRIS_CONFIG` names another."""
    named = named_config(environ)
    if named is not None:
        return named
    return platformdirs.user_config_path(APPLICATION, appauthor=False) / "config.yaml"


def named_config(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the settings file that `IRIS_CONFIG` names; None when it names none."""
    value = (os.environ if environ is None else environ).get("IRIS_CONFIG", "")
    return user_path(value) if value else None


def data_dir() -> Path:
    """Return the folder of the database, the default of ``storage.data_dir``."""
    return platformdirs.user_data_path(APPLICATION, appauthor=False)


def cache_dir() -> Path:
    """Return the folder of what can be rebuilt."""
    return platformdirs.user_cache_path(APPLICATION, appauthor=False)


def state_dir() -> Path:
    """Return the folder of logs and line histories."""
    return platformdirs.user_state_path(APPLICATION, appauthor=False)


def friendly(path: Path, home: Path | None = None) -> str:
    """Return `path` as its owner would write it: with ``~`` for the home folder."""
    try:
        return str(Path("~") / path.relative_to(user_path("~") if home is None else home))
    except ValueError:
        return str(path)
