"""Briefings and reminders as a service that starts and stops with the server."""

from __future__ import annotations

import anyio.to_thread

from iris_harness.config.settings import Settings
from iris_harness.scheduling import Ticker
from iris_harness.storage.ticker import SERVE
from iris_harness.surfaces.briefing.ticking import TickingIris
from iris_harness.surfaces.desk import Desk


class BriefingService:
    """Says what is due while the server runs."""

    def __init__(self, settings: Settings) -> None:
        """Take what is to be said, when, and how."""
        self._settings = settings
        self._running: tuple[Ticker, TickingIris] | None = None

    async def start(self, desk: Desk) -> None:
        """Begin to tick."""
        ticking = TickingIris(desk.iris, self._settings, SERVE)
        ticker = Ticker(ticking.tick, ticking.clock)
        self._running = (ticker, ticking)
        ticker.start()

    async def stop(self) -> None:
        """End, once what is being said is said."""
        if self._running is not None:
            ticker, ticking = self._running
            await anyio.to_thread.run_sync(ticker.stop)
            await anyio.to_thread.run_sync(ticking.close)
