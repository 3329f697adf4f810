"""Iris: a personal assistant on your own machine whose daily plan you can check.

::

    from iris_harness import Iris, load_config

    with Iris(load_config()) as iris:
        print(iris.ask("plan my day").text)

Both names are resolved when they are first used, so that a plugin which imports one contract
loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.config.loader import load_config

__all__ = ["Iris", "load_config"]


def __getattr__(name: str) -> object:
    if name == "Iris":
        from iris_harness.bootstrap.assistant import Iris

        return Iris
    if name == "load_config":
        from iris_harness.config.loader import load_config

        return load_config
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
