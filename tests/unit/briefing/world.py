"""Channels in memory, and a user whose briefings and reminders they say."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.config.schema import Config
from iris_harness.config.settings import Settings, settings_of
from iris_harness.curator.strings import ENGLISH
from iris_harness.errors import DeliveryError
from iris_harness.storage.records import Delivery
from iris_harness.storage.store import IrisStore
from iris_harness.surfaces.briefing.agenda import Agenda
from iris_harness.surfaces.briefing.composing import Composer
from iris_harness.surfaces.briefing.courier import Courier
from iris_harness.surfaces.briefing.message import Message, Receipt
from iris_harness.testing import ManualClock

BERLIN = ZoneInfo("Europe/Berlin")


def berlin(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=BERLIN)


class Said:
    """A channel that keeps what it said, and first does what it is told to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.messages: list[Message] = []
        self.first: Callable[[], None] = lambda: None

    def deliver(self, message: Message) -> Receipt:
        self.first()
        self.messages.append(message)
        return Receipt(f"said as number {len(self.messages)}")

    def fail(self, *, may_retry: bool = False, is_uncertain: bool = False) -> None:
        def refuse() -> None:
            raise DeliveryError("no network", may_retry=may_retry, is_uncertain=is_uncertain)

        self.first = refuse

    def hang(self) -> threading.Event:
        """Make it say nothing until the event is set."""
        gate = threading.Event()
        self.first = lambda: (gate.wait(120), None)[1]
        return gate


class User:
    """A user's folder, clock, and the channels that reach them."""

    def __init__(self, folder: Path, now: str, briefing: Sequence[object] = ()) -> None:
        self.folder = folder
        self.clock = ManualClock(berlin(now))
        self.config: dict[str, object] = {
            "timezone": "Europe/Berlin",
            "briefing": list(briefing),
            "reminders": {"channels": ["desktop"]},
            "storage": {"data_dir": str(folder), "retain_days": 0},
        }
        self.desktop, self.web = Said("desktop"), Said("web")

    @property
    def settings(self) -> Settings:
        return settings_of(Config.model_validate(self.config))

    def store(self) -> IrisStore:
        return IrisStore.open(self.folder, self.clock)

    def at(self, moment: str) -> dt.datetime:
        """Let time pass until a moment, and return it."""
        self.clock.advance((berlin(moment) - self.clock.now()).total_seconds())
        return self.clock.now()

    def courier(self, store: IrisStore, iris: Iris) -> Courier:
        setting = iris.setting
        return Courier(
            store,
            Agenda(self.settings, setting.zones),
            Composer(iris, self.settings.briefings, ENGLISH, setting.zones),
            {one.name: one for one in (self.desktop, self.web)},
            setting.zones,
            self.clock,
        )

    def iris(self) -> Iris:
        return Iris(configured_setting(self.settings, clock=self.clock))

    def tick(self, moment: str) -> None:
        """One process that begins, ticks once at a moment, and ends."""
        self.at(moment)
        self.tick_now()

    def tick_now(self) -> None:
        """As `tick`, at this moment."""
        now = self.clock.now()
        with self.store() as store, self.iris() as iris:
            courier = self.courier(store, iris)
            courier.begin(now)
            courier.tick(now)
            courier.wait(20)
            courier.close()

    def deliveries(self) -> list[Delivery]:
        """What was entered, oldest first."""
        with self.store() as store:
            found = store.deliveries.list()
        return sorted(found, key=lambda one: (one.due_at, one.channel))

    def states(self) -> list[tuple[str, str, str]]:
        """The day, the channel and the state of each."""
        return [(f"{one.day:%a %d}", one.channel, one.state.value) for one in self.deliveries()]
