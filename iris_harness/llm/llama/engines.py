"""What runs a model in the child: llama-cpp-python, or xllamacpp where that is not installed.

Both are llama.cpp. The first is built for the machine it runs on, which takes minutes; the second
comes built, for any machine. Requests and chunks are those of OpenAI's protocol.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

Body = Mapping[str, Any]
Chunk = dict[str, Any]
ENGINES = ("llama_cpp", "xllamacpp")
"""Import names, the preferred first."""


class RefusedError(Exception):
    """A request that the engine does not take, said by the engine."""


class Engine(Protocol):
    """A loaded model. Used by one thread only."""

    def run(self, body: Body, emit: Callable[[Chunk], None], stopped: Callable[[], bool]) -> None:
        """Answer a request chunk by chunk; end early, without an error, once `stopped` says so.

        Raises:
            RefusedError: it does not take the request.
        """
        ...


def installed_engines() -> tuple[str, ...]:
    """Return the engines that can be imported, the preferred first; imports nothing."""
    return tuple(name for name in ENGINES if importlib.util.find_spec(name) is not None)


def load_engine(name: str, path: str, context_tokens: int, threads: int) -> Engine:
    """Load a model; raises whatever the engine raises for a file it cannot use."""
    module = importlib.import_module(f"iris_harness.llm.llama.{name}_engine")
    return cast("Engine", module.load(path, context_tokens, threads))
