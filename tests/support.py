"""What several tests share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Protocol

SOAK = os.environ.get("IRIS_SOAK") == "1"
"""Whether this is `make soak`: the long suites in full."""

_SOAK_FACTOR = 20


def examples(count: int) -> int:
    """Return how many examples a property that wants `count` in `make test` gets now."""
    return count * _SOAK_FACTOR if SOAK else count


class RunIris(Protocol):
    """Runs `iris` as a process of its own, with its home in a temporary folder."""

    def __call__(
        self, *arguments: str | Path, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]: ...
