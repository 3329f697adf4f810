"""The one process that delivers: it ticks while it holds a lock, and another stands by."""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
from contextlib import ExitStack
from typing import TYPE_CHECKING

from iris_harness.bootstrap.day import open_store
from iris_harness.config.settings import Settings
from iris_harness.contracts.clock import Clock
from iris_harness.curator.strings import find_language
from iris_harness.errors import StorageError
from iris_harness.storage.locks import hold_lock
from iris_harness.storage.store import IrisStore
from iris_harness.storage.ticker import LOCK_FILE, RunningTicker, note_ticker
from iris_harness.surfaces.briefing.agenda import Agenda
from iris_harness.surfaces.briefing.channels.opening import open_channels
from iris_harness.surfaces.briefing.composing import Composer
from iris_harness.surfaces.briefing.courier import Courier

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Iris

_LOG = logging.getLogger(__name__)


class TickingIris:
    """Delivers for one user, as soon as nobody else does. One thread at a time."""

    def __init__(self, iris: Iris, settings: Settings, place: str) -> None:
        """Take who answers, the settings, and what this process is called."""
        self._iris = iris
        self._settings = settings
        self._place = place
        self._held = ExitStack()
        self._courier: Courier | None = None
        self._trouble = ""

    @property
    def courier(self) -> Courier | None:
        """Who delivers; None while another process does."""
        return self._courier

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._iris.setting.clock

    def tick(self, now: dt.datetime) -> None:
        """Deliver what is due at `now`, aware. Never raises: trouble is logged, once."""
        try:
            if self.take_over(now):
                assert self._courier is not None  # noqa: S101 - taken over
                self._courier.tick(now)
            trouble = ""
        except StorageError as error:
            trouble = error.message
        except Exception as error:  # noqa: BLE001 - the ticks' border: one bad tick must not be the last
            trouble = f"this is a mistake in Iris: {type(error).__name__}: {error}"
        if trouble and trouble != self._trouble:
            _LOG.warning("briefings and reminders wait: %s", trouble)
        self._trouble = trouble

    def take_over(self, now: dt.datetime) -> bool:
        """Begin to deliver unless another process does; return whether this one does.

        Raises:
            StorageError: the database cannot be used.
        """
        if self._courier is not None:
            return True
        setting = self._iris.setting
        with ExitStack() as stack:
            lock = setting.data_folder / LOCK_FILE
            if not stack.enter_context(hold_lock(lock, patience_seconds=0)):
                return False
            store = stack.enter_context(open_store(setting.data_folder))
            courier = build_courier(self._iris, self._settings, store)
            stack.callback(courier.close)
            courier.begin(now)
            note_ticker(lock, RunningTicker(self._place, settings_digest(self._settings)))
            self._courier = courier
            self._held = stack.pop_all()
        return True

    def close(self) -> None:
        """Say what is being said, then let another process deliver."""
        self._courier = None
        self._held.close()


def settings_digest(settings: Settings) -> str:
    """Return what tells settings of briefings, reminders and channels from others."""
    channels = [(c.name, c.type, c.host, c.to, str(c.path)) for c in settings.channels]
    facts = (settings.briefings, settings.reminder_channels, channels)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def build_courier(iris: Iris, settings: Settings, store: IrisStore) -> Courier:
    """Return who delivers, from the settings."""
    setting = iris.setting
    language = find_language(setting.locale)
    return Courier(
        store,
        Agenda(settings, setting.zones),
        Composer(iris, settings.briefings, language, setting.zones),
        open_channels(settings.channels),
        setting.zones,
        setting.clock,
    )
