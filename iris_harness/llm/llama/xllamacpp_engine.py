"""xllamacpp: llama.cpp's own server in the process, prebuilt."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import xllamacpp

from iris_harness.llm.llama.engines import Body, Chunk, RefusedError


def load(path: str, context_tokens: int, threads: int) -> XllamacppEngine:
    """Load a model."""
    return XllamacppEngine(path, context_tokens, threads)


class XllamacppEngine:
    """llama.cpp's own server, without its HTTP."""

    def __init__(self, path: str, context_tokens: int, threads: int) -> None:
        """Load the model."""
        params = xllamacpp.CommonParams()
        params.model.path = path
        params.n_ctx = context_tokens
        params.n_parallel = 1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.warmup = False
        with tempfile.TemporaryDirectory(prefix="iris-") as folder:
            # It insists on listening: on a socket that nobody else can enter, and that is gone at
            # once. It is spoken to by calls alone.
            params.hostnames = [str(Path(folder) / "unused.sock")]
            self._server = xllamacpp.Server(params)

    def run(self, body: Body, emit: Callable[[Chunk], None], stopped: Callable[[], bool]) -> None:
        """Answer a request; see `Engine.run`."""
        complaints: list[str] = []

        def take(chunk: Chunk) -> bool:
            if "error" in chunk:
                complaints.append(str(chunk["error"].get("message", "")))
            else:
                emit(chunk)
            return stopped()

        result = self._server.handle_chat_completions(dict(body), take)
        if isinstance(result, dict):
            take(result)
        if complaints:
            raise RefusedError(complaints[0])
