from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from iris_harness.clock import SystemClock
from iris_harness.contracts.reminders import Reminder, ReminderChange, ReminderKind
from iris_harness.storage.records import Delivery, DeliveryState
from iris_harness.storage.reminders import apply_reminder_change
from iris_harness.storage.store import IrisStore

PATIENCE_SECONDS = 60
OPEN = {DeliveryState.DUE, DeliveryState.CLAIMED}


class Person:
    """Somebody whose reminders and briefings go into a file."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "data"
        self.said_in = home / "said.txt"
        self.config = home / "config.yaml"
        self.path = os.defpath
        self.processes: list[subprocess.Popen[str]] = []
        self.configure()

    def configure(self, more: str = "") -> None:
        self.config.write_text(
            "timezone: Europe/Berlin\n"
            f"storage: {{data_dir: {self.data}}}\n"
            f"channels: [{{name: note, type: file, path: {self.said_in}}}]\n"
            f"reminders: {{channels: [note]}}\n{more}"
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "iris_harness", "--config", str(self.config), *arguments]

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": self.path, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def run(self, *arguments: str, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*within, *self.command(*arguments)],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command(*arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        return process

    def store(self) -> IrisStore:
        return IrisStore.open(self.data, SystemClock())

    def remind(self, count: int, *, ago: dt.timedelta = dt.timedelta(seconds=1)) -> list[str]:
        """Set reminders that are due, and return their titles."""
        at = SystemClock().now() - ago
        titles = [f"Errand {number}" for number in range(count)]
        with self.store() as store, store.deliveries._session.writing():
            for number, title in enumerate(titles):
                one = Reminder(f"{number:08x}", ReminderKind.REMINDER, title, at)
                change = ReminderChange(before=None, after=one)
                apply_reminder_change(store.deliveries._session, change, at)
        return titles

    def deliveries(self) -> tuple[Delivery, ...]:
        with self.store() as store:
            return store.deliveries.list(limit=10_000)

    def said(self) -> Counter[str]:
        """How often each errand was said."""
        lines = self.said_in.read_text().splitlines() if self.said_in.exists() else []
        return Counter(line for line in lines if line.startswith("Errand "))

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        for _ in range(PATIENCE_SECONDS * 10):
            if is_so():
                return
            time.sleep(0.1)
        pytest.fail("it did not come to pass in time")

    def is_settled(self, count: int) -> bool:
        found = self.deliveries()
        return len(found) == count and not any(one.state in OPEN for one in found)


@pytest.fixture
def person(home: Path) -> Iterator[Person]:
    one = Person(home)
    yield one
    for process in one.processes:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
