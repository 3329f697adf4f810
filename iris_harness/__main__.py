"""The program `iris`, and ``python -m iris_harness``."""

from __future__ import annotations

import atexit
import gc
import sys


def run() -> int:
    """Run `iris` as a process of its own and return its exit code; nothing else calls this."""
    # A command is over before garbage in cycles could matter, yet Python would look for it a
    # dozen times while modules load, and once more through everything when it ends: an eighth
    # of the time of `iris plan`. Long conversations still collect, only less often.
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)

    from iris_harness.surfaces.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
