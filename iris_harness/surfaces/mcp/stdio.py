"""The tools over standard input and output: a process that another assistant starts."""

from __future__ import annotations

import anyio

from iris_harness.bootstrap.assistant import Iris
from iris_harness.surfaces.counters import Counters
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.mcp.tools import build_server
from iris_harness.surfaces.version import own_version

_WORKERS = 4


def serve_stdio(iris: Iris) -> None:
    """Answer until the other side closes its end."""

    async def run() -> None:
        desk = Desk(iris, Counters(), workers=_WORKERS)
        await build_server(desk, own_version()).run_stdio_async()

    anyio.run(run)
