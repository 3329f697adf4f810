"""Who says what has come due: once by each channel, claimed first, with a receipt after.

Only one process delivers at a time (`turns`), so a claim that is found open at its beginning was
left by one that is gone: whether it was said cannot be told, and it is not said again. A channel
that is slow holds up nothing but itself.
"""

from __future__ import annotations

import datetime as dt
import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple
from zoneinfo import ZoneInfo

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.zones import UserZones
from iris_harness.errors import DeliveryError, IrisError, StorageError
from iris_harness.storage.deliveries import DeliveryBook
from iris_harness.storage.records import Delivery, DeliveryKind, DeliveryState
from iris_harness.storage.store import IrisStore
from iris_harness.surfaces.briefing.agenda import Agenda, is_over
from iris_harness.surfaces.briefing.composing import Composer
from iris_harness.surfaces.briefing.message import Channel

_LOG = logging.getLogger(__name__)

MOST_ATTEMPTS = 7
_FIRST_WAIT_SECONDS = 10
"""Until the second attempt; each further wait is twice as long: ten minutes in all."""
LEFT_OPEN = "Iris was stopped while it was being said"

Lane = tuple[bool, str]
"""Whether reminders or briefings, and the channel: what is said one after the other."""


class _Ending(NamedTuple):
    """What became of a delivery."""

    delivery: Delivery
    state: DeliveryState
    at: dt.datetime
    detail: str = ""
    content: str = ""
    not_before: dt.datetime | None = None


class Courier:
    """Delivers. `tick` is called by one thread; the channels are used by others."""

    def __init__(
        self,
        store: IrisStore,
        agenda: Agenda,
        composer: Composer,
        channels: Mapping[str, Channel],
        zones: UserZones,
        clock: Clock,
    ) -> None:
        """Take where deliveries are kept, what is due, what is said, and who says it."""
        self._store = store
        self._agenda = agenda
        self._composer = composer
        self._channels = channels
        self._zones = zones
        self._clock = clock
        self._threads = ThreadPoolExecutor(
            max_workers=2 * len(channels) + 1, thread_name_prefix="iris-channel"
        )
        self._busy: dict[Lane, Future[None]] = {}
        self._unwritten: list[_Ending] = []
        self._lock = threading.Lock()

    @property
    def _book(self) -> DeliveryBook:
        return self._store.deliveries

    def begin(self, now: dt.datetime) -> None:
        """Settle what a process that is gone has left open.

        Raises:
            StorageError: it cannot be written.
        """
        count = self._book.settle(now, LEFT_OPEN)
        if count:
            _LOG.warning("%d deliveries were interrupted; they are not repeated", count)

    def tick(self, now: dt.datetime) -> None:
        """Write down what has come due at `now`, aware, and set the channels to work on it.

        Raises:
            StorageError: the database cannot be read or written; the next tick tries again.
        """
        self._write_endings()
        ringing = self._store.reminders.ringing(now)
        entries = self._agenda.entries(self._book.schedules(), ringing, now)
        if entries:
            self._book.enter(
                entries.deliveries,
                now,
                schedules=entries.schedules,
                dropped=entries.dropped,
                advances=entries.advances,
            )
        self.deliver(self._book.due(now), now)

    def has_more(self, now: dt.datetime) -> bool:
        """Return whether a further tick at `now` would find something to say.

        Raises:
            StorageError: the database cannot be read.
        """
        return bool(self._book.due(now, limit=1) or self._store.reminders.ringing(now, limit=1))

    def deliver(self, due: Iterable[Delivery], now: dt.datetime) -> None:
        """Set the channels to work on what is due; those still at work get it next time."""
        today = now.astimezone(ZoneInfo(self._zones.at(now))).date()
        lanes: dict[Lane, list[Delivery]] = {}
        for delivery in due:
            if is_over(delivery, today):
                why = delivery.detail or "its day was over before it could be said"
                self._book.give_up(delivery, DeliveryState.MISSED, now, why)
            else:
                lane = (delivery.kind is DeliveryKind.BRIEFING, delivery.channel)
                lanes.setdefault(lane, []).append(delivery)
        for lane, found in lanes.items():
            running = self._busy.get(lane)
            if running is None or running.done():
                self._busy[lane] = self._threads.submit(self._work, tuple(found))

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Wait until the channels are idle; return False where one is still at work."""
        _, working = wait(self._busy.values(), timeout_seconds)
        self._write_endings()
        return not working

    def close(self) -> None:
        """Take on nothing new, and wait for what is being said."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        try:
            self._write_endings()
        except StorageError as error:
            _LOG.warning("receipts are lost: %s", error.message)

    def _work(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            try:
                if not self._book.claim(delivery, self._clock.now()):
                    continue
            except StorageError as error:
                _LOG.warning("nothing is said that cannot be noted first: %s", error.message)
                return
            ending = self._said(delivery._replace(attempts=delivery.attempts + 1))
            with self._lock:
                self._unwritten.append(ending)
            try:
                self._write_endings()
            except StorageError as error:  # the next tick tries again
                _LOG.warning("a receipt cannot be written yet: %s", error.message)

    def _said(self, delivery: Delivery) -> _Ending:
        """Say one thing, and return what became of it."""
        try:
            channel = self._channel(delivery)
            now = self._clock.now()
            unsaid = self._book.unsaid(delivery.name) if _is_briefing(delivery) else ()
            message = self._composer.compose(delivery, unsaid, now)
            receipt = channel.deliver(message)
        except DeliveryError as error:
            return self._failed(delivery, error)
        except IrisError as error:
            return self._ended(delivery, DeliveryState.FAILED, str(error))
        except Exception as error:  # noqa: BLE001 - a channel's library may raise anything: recorded
            # It may have been said before it broke.
            return self._ended(delivery, DeliveryState.UNCERTAIN, type(error).__name__)
        ending = self._ended(delivery, DeliveryState.DELIVERED, receipt.detail)
        return ending._replace(content=receipt.content)

    def _channel(self, delivery: Delivery) -> Channel:
        found = self._channels.get(delivery.channel)
        if found is None:
            raise DeliveryError(
                f"the running Iris knows no channel {delivery.channel}", hint="restart it"
            )
        return found

    def _failed(self, delivery: Delivery, error: DeliveryError) -> _Ending:
        if error.is_uncertain:
            return self._ended(delivery, DeliveryState.UNCERTAIN, str(error))
        if error.may_retry and delivery.attempts < MOST_ATTEMPTS:
            ending = self._ended(delivery, DeliveryState.DUE, str(error))
            seconds = _FIRST_WAIT_SECONDS * 2 ** (delivery.attempts - 1)
            return ending._replace(not_before=ending.at + dt.timedelta(seconds=seconds))
        return self._ended(delivery, DeliveryState.FAILED, str(error))

    def _ended(self, delivery: Delivery, state: DeliveryState, detail: str) -> _Ending:
        if state is not DeliveryState.DELIVERED:
            said = "not said yet" if state is DeliveryState.DUE else state.value
            _LOG.warning("a %s by %s: %s", delivery.kind.value, delivery.channel, said)
        return _Ending(delivery, state, self._clock.now(), detail)

    def _write_endings(self) -> None:
        with self._lock:
            while self._unwritten:
                one = self._unwritten[0]
                self._book.end(
                    one.delivery,
                    one.state,
                    one.at,
                    detail=one.detail,
                    content=one.content,
                    not_before=one.not_before,
                )
                del self._unwritten[0]


def _is_briefing(delivery: Delivery) -> bool:
    return delivery.kind is DeliveryKind.BRIEFING
