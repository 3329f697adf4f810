"""What is said unasked: which is due, who says it, and what became of it.

A delivery is written down when it comes due, claimed before anything is said, and closed with its
receipt. The key of a delivery is its identity, so that one thing is said once by one channel
however many processes look.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Sequence

from iris_harness.storage.database import pragma
from iris_harness.storage.records import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    Schedule,
    instant_text,
    parse_instant,
)
from iris_harness.storage.reminders import MOST_AT_ONCE, Advance, advance_reminder
from iris_harness.storage.session import Session, Values


class DeliveryBook:
    """The deliveries in ``iris.db``. Thread-safe, and safe beside other processes.

    Every method that takes `now` takes it aware.
    """

    def __init__(self, session: Session) -> None:
        """Take the open database."""
        self._session = session
        self._schedules: tuple[tuple[int | str, int], tuple[Schedule, ...]] | None = None

    def schedules(self) -> tuple[Schedule, ...]:
        """Return the schedules that are known, by name.

        It is the very same tuple as long as nothing in the database has changed.
        """
        with self._session.reading():
            connection = self._session.connection
            # Changes of other connections, and of this one.
            version = (pragma(connection, "data_version"), connection.total_changes)
            if self._schedules is None or self._schedules[0] != version:
                rows = self._session.run("list_schedules", {})
                self._schedules = (version, self._session.records(_schedule, rows))
            return self._schedules[1]

    def enter(
        self,
        deliveries: Iterable[Delivery],
        now: dt.datetime,
        *,
        schedules: Iterable[Schedule] = (),
        dropped: Iterable[str] = (),
        advances: Iterable[Advance] = (),
    ) -> None:
        """Write down what has come due, and how far schedules and reminders have come, in one.

        What is there already stays as it is. A reminder that somebody else has advanced or
        cancelled meanwhile brings nothing.

        Raises:
            StorageError: it cannot be written; nothing is.
        """
        with self._session.writing_durably():
            for schedule in schedules:
                self._session.run("put_schedule", _schedule_values(schedule))
            for name in dropped:
                self._session.run("drop_schedule", {"name": name})
            for advance in advances:
                if advance_reminder(self._session, advance, now):
                    self._add(advance.deliveries, now)
            self._add(deliveries, now)

    def _add(self, deliveries: Iterable[Delivery], now: dt.datetime) -> None:
        for delivery in deliveries:
            self._session.run("add_delivery", _values(delivery, now))

    def due(self, now: dt.datetime, *, limit: int = MOST_AT_ONCE) -> tuple[Delivery, ...]:
        """Return what may be said now, what has waited longest first.

        At most `limit` of each channel, of its briefings and of its reminders apart.
        """
        with self._session.reading():
            rows = self._session.run("list_due", {"now": instant_text(now), "limit": limit})
        return self._session.records(read_delivery, rows)

    def claim(self, delivery: Delivery, now: dt.datetime) -> bool:
        """Take it upon oneself to say something; return False where it is not due any more.

        Once this returns, the claim survives a power cut.

        Raises:
            StorageError: it cannot be written; then it must not be said.
        """
        values: Values = {"delivery_key": delivery.key, "now": instant_text(now)}
        with self._session.writing_durably():
            return bool(self._session.run("claim_delivery", values))

    def end(
        self,
        delivery: Delivery,
        state: DeliveryState,
        now: dt.datetime,
        *,
        detail: str = "",
        content: str = "",
        not_before: dt.datetime | None = None,
    ) -> None:
        """Say what became of something claimed; with `DUE` it is tried again from `not_before` on.

        Raises:
            StorageError: it cannot be written; the claim stands.
        """
        values: Values = {
            "delivery_key": delivery.key,
            "state": state.value,
            "detail": detail,
            "content": content,
            "not_before": instant_text(not_before or delivery.due_at),
            "now": instant_text(now),
        }
        with self._session.writing_durably():
            self._session.run("end_delivery", values)

    def reopen(self, delivery: Delivery, now: dt.datetime, *, again: bool = False) -> None:
        """Make something due now that was surely not said; with `again` whatever became of it.

        Raises:
            StorageError: it cannot be written.
        """
        values: Values = {
            "delivery_key": delivery.key,
            "now": instant_text(now),
            "again": int(again),
        }
        with self._session.writing():
            self._session.run("reopen_delivery", values)

    def give_up(
        self, delivery: Delivery, state: DeliveryState, now: dt.datetime, detail: str
    ) -> None:
        """Say that something will not be said after all; nothing happens where it is claimed.

        Raises:
            StorageError: it cannot be written.
        """
        values: Values = {
            "delivery_key": delivery.key,
            "state": state.value,
            "detail": detail,
            "now": instant_text(now),
        }
        with self._session.writing():
            self._session.run("end_unclaimed", values)

    def settle(self, now: dt.datetime, detail: str) -> int:
        """Call every claim uncertain, and return how many there were.

        Only for who knows that nobody is at work on one.

        Raises:
            StorageError: it cannot be written.
        """
        values: Values = {"detail": detail, "now": instant_text(now)}
        with self._session.writing():
            return len(self._session.run("settle_claims", values))

    def find(self, key: str) -> Delivery | None:
        """Return the delivery of this key; None: there is none."""
        with self._session.reading():
            rows = self._session.run("get_delivery", {"delivery_key": key})
        return next(iter(self._session.records(read_delivery, rows)), None)

    def list(self, *, limit: int = 100) -> tuple[Delivery, ...]:
        """Return deliveries, the one that changed last first."""
        with self._session.reading():
            rows = self._session.run("list_deliveries", {"limit": limit})
        return self._session.records(read_delivery, rows)

    def changed_since(self, instant: dt.datetime) -> tuple[Delivery, ...]:
        """Return what has changed since an aware instant, by when, oldest first."""
        with self._session.reading():
            rows = self._session.run("list_changed", {"since": instant_text(instant)})
        return self._session.records(read_delivery, rows)

    def shown(self, since: dt.datetime, *, limit: int = 20) -> Sequence[Delivery]:
        """Return what channels of type ``web`` have to show since an aware instant, newest first.

        `Delivery.content` is the text.
        """
        values: Values = {"since": instant_text(since), "limit": limit}
        with self._session.reading():
            rows = self._session.run("list_shown", values)
        return self._session.records(read_delivery, rows)

    def last_ring(self, since: dt.datetime) -> Delivery | None:
        """Return the reminder or timer that was said last, since an aware instant; None: none."""
        with self._session.reading():
            rows = self._session.run("find_last_ring", {"since": instant_text(since)})
        return next(iter(self._session.records(read_delivery, rows)), None)

    def unsaid(self, name: str) -> tuple[Delivery, ...]:
        """Return what of a schedule failed, was missed or is uncertain since it was last said.

        By day, then channel.
        """
        with self._session.reading():
            rows = self._session.run("list_unsaid", {"name": name})
        return self._session.records(read_delivery, rows)


def _schedule(row: sqlite3.Row) -> Schedule:
    return Schedule(name=row["name"], timetable=row["timetable"], since=parse_instant(row["since"]))


def _schedule_values(schedule: Schedule) -> Values:
    return {
        "name": schedule.name,
        "timetable": schedule.timetable,
        "since": instant_text(schedule.since),
    }


def _values(delivery: Delivery, now: dt.datetime) -> Values:
    return {
        "delivery_key": delivery.key,
        "kind": delivery.kind.value,
        "name": delivery.name,
        "channel": delivery.channel,
        "planned_for": delivery.day.isoformat(),
        "due_at": instant_text(delivery.due_at),
        "title": delivery.title,
        "state": delivery.state.value,
        "not_before": instant_text(delivery.not_before or delivery.due_at),
        "changed_at": instant_text(now),
        "detail": delivery.detail,
    }


def read_delivery(row: sqlite3.Row) -> Delivery:
    """Return the delivery of a row."""
    return Delivery(
        kind=DeliveryKind(row["kind"]),
        name=row["name"],
        channel=row["channel"],
        day=dt.date.fromisoformat(row["planned_for"]),
        due_at=parse_instant(row["due_at"]),
        title=row["title"],
        state=DeliveryState(row["state"]),
        attempts=row["attempts"],
        not_before=parse_instant(row["not_before"]),
        changed_at=parse_instant(row["changed_at"]),
        detail=row["detail"],
        content=row["content"],
    )


def exported_delivery(delivery: Delivery) -> dict[str, object]:
    """Return a delivery as ``iris export`` prints it."""
    return {
        "kind": "delivery",
        "of": delivery.kind.value,
        "name": delivery.name,
        "channel": delivery.channel,
        "day": delivery.day.isoformat(),
        "due_at": instant_text(delivery.due_at),
        "title": delivery.title,
        "state": delivery.state.value,
        "attempts": delivery.attempts,
        "changed_at": instant_text(delivery.changed_at or delivery.due_at),
        "detail": delivery.detail,
        "content": delivery.content,
    }
