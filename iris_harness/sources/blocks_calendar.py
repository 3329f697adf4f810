"""The calendar that Iris writes the blocks of plans to, read. Implements `CalendarPort`."""

from __future__ import annotations

from dataclasses import replace

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import CalendarPort, Reading, ReadWindow
from iris_harness.contracts.sources import SourceState


class BlocksCalendar:
    """A calendar that is ok whenever it can be read. Thread-safe.

    Writing a plan fills it and makes it young. Were that part of the next plan, asking twice at
    the same moment would give two plans.
    """

    def __init__(self, port: CalendarPort) -> None:
        """Take the calendar as any other is read."""
        self._port = port
        self.name = port.name

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the events that are no blocks; see `CalendarPort.read`."""
        reading = self._port.read(window)
        if not reading.status.was_read:
            return reading
        status = replace(reading.status, state=SourceState.OK, age_seconds=None, detail="")
        return replace(reading, status=status)
