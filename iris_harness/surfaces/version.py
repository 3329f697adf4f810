"""The version that surfaces tell."""

from __future__ import annotations

import importlib.metadata


def own_version() -> str:
    """Return the version of this program."""
    return importlib.metadata.version("iris-harness")
