"""The router: words to routes. `load_router` is its entry point."""

from __future__ import annotations

from iris_router.loading import load_router

__all__ = ["load_router"]
