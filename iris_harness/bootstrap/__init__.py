"""The composition root: configuration -> a running Iris.

The names below are resolved when they are first used: planning a day needs neither the executor
nor the router, and asking a question needs no configuration file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Iris, bootstrap

__all__ = ["Iris", "bootstrap"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from iris_harness.bootstrap import assistant

        return getattr(assistant, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
