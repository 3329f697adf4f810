"""The reminders that are set, for the agent that tells them."""

from __future__ import annotations

from pathlib import Path

from iris_harness.bootstrap.day import open_store
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.contracts.reminders import PendingReminder, ReminderPort
from iris_harness.storage.ticker import find_ticker


class StoredReminders:
    """Implements `iris_harness.contracts.reminders.ReminderPort` with the user's database."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the database; nothing is opened yet."""
        self._folder = folder

    def pending(self) -> tuple[PendingReminder, ...]:
        """Return what is still to be said, by when."""
        with open_store(self._folder) as store:
            return tuple(
                PendingReminder(one.reminder, one.next_at)
                for one in store.reminders.active()
                if one.next_at is not None
            )

    def is_anybody_there(self) -> bool:
        """Return whether a program runs that would say it."""
        ticker = find_ticker(self._folder)
        return ticker is not None and ticker.stays


def own_reminders(setting: DaySetting) -> ReminderPort | None:
    """Return the user's reminders; None for the demonstration and paths, which have none."""
    if setting.origin is not Origin.CONFIGURED:
        return None
    return StoredReminders(setting.data_folder)
