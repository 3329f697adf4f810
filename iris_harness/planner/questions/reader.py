"""Reads what a question about days needs, into a `Look`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import NamedTuple

from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.memory import DayMemory
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.sources import SourceKind, SourceStatus
from iris_harness.contracts.tasks import AgentTask
from iris_harness.planner.frame import load_zone
from iris_harness.planner.merge import event_order
from iris_harness.planner.persons import build_person_finder
from iris_harness.planner.questions.look import Look, Window, days_from, window_of
from iris_harness.planner.questions.reading import plain_words
from iris_harness.planner.questions.topics import Topics, read_topics
from iris_harness.planner.snapshot import read_events

_WITH = re.compile(r"\b(?:with|(?:meet|see|visit)(?:ing)?(?: with)?) (?P<who>.+)$")


class Seen(NamedTuple):
    """What was read, and what has to be said of that."""

    look: Look
    warnings: tuple[str, ...]


class DayReader:
    """Reads what questions are about."""

    def __init__(self, ports: AgentPorts, preferences: DayPreferences) -> None:
        """Take the user's sources; nothing is read yet."""
        self.ports = ports
        self.preferences = preferences
        self._find = build_person_finder(ports.sources.contacts)

    def events(self, task: AgentTask, window: Window) -> Seen:
        """Read the calendars."""
        now = now_of(task)
        read = read_events(self.ports.sources.calendars, window.days, task.timezone, now)
        look = Look(
            now=now,
            zone=load_zone(task.timezone),
            preferences=self.preferences,
            window=window,
            is_named=task.scope is not None,
            events=_by_day(filter(window.holds, read.events), window.days[0]),
            statuses=(*read.statuses, *self.unavailable(SourceKind.CALENDAR)),
        )
        return Seen(look, read.warnings)

    def topics(self, task: AgentTask) -> Topics:
        """Return what a task names; a person by what that person is called."""
        time = task.scope.text if task.scope else ""
        topics = read_topics(task.utterance, time)
        match = _WITH.search(plain_words(task.utterance).replace(plain_words(time), " ", 1))
        person = self._find(task, match["who"]) if match else None
        return topics.of(person.said, person.calls) if person and person.calls else topics

    def unavailable(self, kind: SourceKind) -> tuple[SourceStatus, ...]:
        """Return the sources of a kind that this program cannot read."""
        return tuple(one for one in self.ports.sources.unavailable if one.kind is kind)

    def memory(self, day: dt.date) -> DayMemory:
        """Return what is remembered of a day."""
        memories = self.ports.recall((day,)) if self.ports.recall else {}
        return memories.get(day, DayMemory())


def _by_day(events: Iterable[Event], first: dt.date) -> tuple[Event, ...]:
    """Return events by day, all-day ones first in each; what began before is of the `first`."""

    def order(event: Event) -> tuple[object, ...]:
        is_timed = isinstance(event.start, dt.datetime)
        day = event.start.date() if isinstance(event.start, dt.datetime) else event.start
        return (max(day, first), is_timed, event_order(event))

    return tuple(sorted(events, key=order))


def now_of(task: AgentTask) -> dt.datetime:
    """Return the turn's "now", in the user's zone."""
    return task.asked_at.astimezone(load_zone(task.timezone))


def window_of_task(task: AgentTask, days: int) -> Window:
    """Return the time that was named, else so many days from now."""
    return window_of(task.scope) if task.scope else days_from(now_of(task), days)
