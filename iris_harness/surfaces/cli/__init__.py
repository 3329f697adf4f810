"""The command line: `iris`."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; see `iris_harness.surfaces.cli.app.main`."""
    try:  # Ctrl-C may come while the program is still being loaded
        from iris_harness.surfaces.cli import app

        return app.main(argv)
    except KeyboardInterrupt:
        return _INTERRUPTED
