"""What is said: the answer to a briefing's question, or the words of a reminder."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from iris_harness.config.settings import Briefing
from iris_harness.contracts.timetable import ON_TIME
from iris_harness.contracts.zones import UserZones
from iris_harness.curator.clean import clean, speakable
from iris_harness.curator.language import Language
from iris_harness.errors import DeliveryError
from iris_harness.storage.records import Delivery, DeliveryKind
from iris_harness.surfaces.briefing.message import Message

if TYPE_CHECKING:
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.contracts.reply import Reply

_FRESH = dt.timedelta(minutes=2)
"""How long the channels of one briefing share an answer; one tried again later gets a new one."""
RING_ON_TIME = dt.timedelta(minutes=2)
"""A reminder said within this of its time is not called late."""


class Composer:
    """Makes messages. Thread-safe; the channels of one briefing get the same answer."""

    def __init__(
        self, iris: Iris, briefings: Sequence[Briefing], language: Language, zones: UserZones
    ) -> None:
        """Take who answers, what is asked, and how and where it is said."""
        self._iris = iris
        self._briefings = {one.name: one for one in briefings}
        self._language = language
        self._zones = zones
        self._lock = threading.Lock()
        self._answers: dict[str, tuple[dt.datetime, Reply]] = {}

    def compose(self, delivery: Delivery, unsaid: Sequence[Delivery], now: dt.datetime) -> Message:
        """Return the words of a delivery that is said at `now`, aware.

        `unsaid` is what of its schedule did not get through before.

        Raises:
            DeliveryError: nobody knows any more what it was to say.
        """
        if delivery.kind is DeliveryKind.BRIEFING:
            return self._briefing(delivery, unsaid, now)
        return self._ring(delivery, now)

    # Briefings

    def _briefing(
        self, delivery: Delivery, unsaid: Sequence[Delivery], now: dt.datetime
    ) -> Message:
        reply = self._answer(delivery, now)
        late = self._late_briefing(delivery, now)
        notes = list(dict.fromkeys(self._note(one, now) for one in unsaid))
        title = self._language.say("briefing.title", day=self._language.date_spoken(delivery.day))
        untold = [text for text in reply.warnings if clean(text) not in reply.text]
        warnings = [self._language.say("sentence", text=text) for text in untold]
        parts = ["\n".join([*late, *notes]), reply.text.strip(), "\n".join(warnings)]
        return Message(
            key=delivery.key,
            title=title,
            text="\n\n".join(part for part in parts if part),
            speech=" ".join([*late, *map(speakable, notes), reply.speech]).strip(),
            said_at=self._local(now, now),
        )

    def _answer(self, delivery: Delivery, now: dt.datetime) -> Reply:
        briefing = self._briefings.get(delivery.name)
        if briefing is None:
            raise DeliveryError(f"the briefing {delivery.name} is not in the settings any more")
        with self._lock:
            known = self._answers.get(delivery.name)
            if known is not None and known[0] <= now < known[0] + _FRESH:
                return known[1]
            session = f"briefing-{delivery.name}"
            # Nobody is there to see what it changes, so a change is asked about and not made.
            reply = self._iris.turn(briefing.say, session, ask_first=True).reply
            if self._iris.is_asking(session):
                unchanged = self._language.say("briefing.unchanged")
                reply = replace(reply, warnings=(*reply.warnings, unchanged))
            self._answers[delivery.name] = (now, reply)
            return reply

    def _late_briefing(self, delivery: Delivery, now: dt.datetime) -> list[str]:
        if now - delivery.due_at <= ON_TIME:
            return []
        return [self._language.say("briefing.late", time=self._time(delivery.due_at, now))]

    def _note(self, one: Delivery, now: dt.datetime) -> str:
        day = self._language.date_short(one.day, self._local(now, now).date())
        reason = one.detail.rstrip(".")
        key = f"briefing.unsaid.{one.state.value}"
        return self._language.say(key, day=day, channel=one.channel, reason=reason)

    # Reminders

    def _ring(self, delivery: Delivery, now: dt.datetime) -> Message:
        say, kind = self._language.say, delivery.kind
        title = delivery.title[:1].upper() + delivery.title[1:]
        text = say(f"ring.{kind.value}.text", title=title)
        if not delivery.title:
            text = say("ring.reminder.untitled", time=self._time(delivery.due_at, now))
        late = list(self._late_ring(delivery, now))
        return Message(
            key=delivery.key,
            title=say(f"ring.{kind.value}.title"),
            text="\n".join([clean(text), *late]),
            speech=speakable(" ".join([f"{text.rstrip('.')}.", *late])),
            said_at=self._local(now, now),
            is_ring=True,
        )

    def _late_ring(self, delivery: Delivery, now: dt.datetime) -> Iterator[str]:
        if now - delivery.due_at > RING_ON_TIME:
            due, today = self._local(delivery.due_at, now), self._local(now, now).date()
            when = self._language.day_and_time(due, today)
            yield self._language.say("ring.late", when=when)

    def _local(self, instant: dt.datetime, now: dt.datetime) -> dt.datetime:
        return instant.astimezone(ZoneInfo(self._zones.at(now)))

    def _time(self, instant: dt.datetime, now: dt.datetime) -> str:
        return self._language.time(self._local(instant, now))


def trial_message(channel: str, language: Language, now: dt.datetime) -> Message:
    """Return what a channel is tried with at `now`, aware, in the user's zone."""
    text = language.say("briefing.test.text", channel=channel)
    title = language.say("briefing.test.title")
    return Message(key=f"test:{channel}", title=title, text=text, speech=text, said_at=now)
