"""Types that several tests share."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol


class RunIris(Protocol):
    """Runs `iris` as a process of its own, with its home in a temporary folder."""

    def __call__(
        self, *arguments: str | Path, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]: ...
