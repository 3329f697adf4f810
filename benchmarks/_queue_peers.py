"""Ready-made queues on PostgreSQL, measured as `job_queue.py` measures its own."""

from __future__ import annotations

import asyncio
import time
from statistics import median

TASKS = 100
ROUNDS = 3


def procrastinate_ms(url: str) -> tuple[float, float] | None:
    """Return procrastinate's times for `TASKS` tasks at once and for one turn; None: not there."""
    try:
        import procrastinate
    except ImportError:
        return None
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="bench.nothing")
    async def nothing(spec: dict[str, int]) -> None:
        """Do nothing."""

    async def measure() -> tuple[float, float]:
        figures = []
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            for _ in range(ROUNDS):
                begin = time.perf_counter()
                await nothing.batch_defer_async(*[{"spec": {"n": n}} for n in range(TASKS)])
                between = time.perf_counter()
                await app.run_worker_async(wait=False, concurrency=1, install_signal_handlers=False)
                figures.append((between - begin, (time.perf_counter() - between) / TASKS))
        return _medians(figures)

    return asyncio.run(measure())


def dbos_ms(url: str) -> tuple[float, float] | None:
    """Return DBOS' times for `TASKS` tasks and for one turn, polling at 0.05 s; None: not there."""
    try:
        from dbos import DBOS
    except ImportError:
        return None
    address = url.replace("postgresql://", "postgresql+psycopg://")
    DBOS(
        config={
            "name": "bench",
            "system_database_url": address,
            "run_admin_server": False,
            "log_level": "ERROR",
        }
    )

    @DBOS.workflow()
    def nothing(number: int) -> int:
        return number

    DBOS.launch()
    queue = DBOS.register_queue("bench", concurrency=1, polling_interval_sec=0.05)
    figures = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        handles = [queue.enqueue(nothing, n) for n in range(TASKS)]
        between = time.perf_counter()
        for handle in handles:
            handle.get_result()
        figures.append((between - begin, (time.perf_counter() - between) / TASKS))
    DBOS.destroy()
    return _medians(figures)


def _medians(figures: list[tuple[float, float]]) -> tuple[float, float]:
    submits, turns = zip(*figures, strict=True)
    return median(submits) * 1000, median(turns) * 1000
