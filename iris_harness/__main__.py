"""``python -m iris_harness`` is `iris`."""

from __future__ import annotations

import sys

from iris_harness.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
