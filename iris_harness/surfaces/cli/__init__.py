"""The command line: `iris`."""

from __future__ import annotations

from iris_harness.surfaces.cli.app import main

__all__ = ["main"]
