"""Read the user's sources once and cut what they gave into days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.day import DaySnapshot, Event, JobNews
from iris_harness.contracts.people import merge_contacts
from iris_harness.contracts.ports import (
    CalendarPort,
    ContactsPort,
    Reading,
    ReadWindow,
    SourcePorts,
)
from iris_harness.contracts.sources import SourceStatus
from iris_harness.contracts.zones import UserZones
from iris_harness.planner.birthdays import falls_on, find_birthdays
from iris_harness.planner.frame import DayFrame, at_offset, build_frame, load_zone
from iris_harness.planner.merge import merge_events


def read_days(
    sources: SourcePorts, days: Sequence[dt.date], zones: UserZones, now: dt.datetime
) -> tuple[DaySnapshot, ...]:
    """Return a snapshot per day, by date, each in the zone the user spends that day in.

    Each source is read once for every stretch of days of one zone.

    Raises:
        UsageError: a zone does not exist, or a day lies at the edge of the calendar.
    """
    return tuple(
        snapshot
        for timezone, stretch in zones.stretches(days)
        for snapshot in read_snapshots(sources, stretch, timezone, now)
    )


def read_snapshots(
    sources: SourcePorts, days: Sequence[dt.date], timezone: str, now: dt.datetime
) -> tuple[DaySnapshot, ...]:
    """Return a snapshot per day, by date.

    A calendar is read once, for all days together; a todo list once for each day, since which
    instance of a recurring todo is current depends on the day.

    Events are merged before they are cut into days, so that one that was moved from one day
    of the range to another shows only where its newest version puts it. Every day carries the
    state of every source, of those that this program cannot read as well. The user's jobs are read
    as they stand, so only today has them.

    Args:
        sources: what to read.
        days: the days asked for, at least one, in any order.
        timezone: IANA name of the user's zone.
        now: the turn's one "now", aware.

    Raises:
        UsageError: the zone does not exist, or a day lies at the edge of the calendar.
    """
    zone = load_zone(timezone)
    frames = [build_frame(day, zone) for day in sorted(set(days))]
    window = _window(frames, timezone, now)
    calendars = [calendar.read(window) for calendar in sources.calendars]
    books = [book.read(window) for book in sources.contacts]
    people = _people_of([frame.date for frame in frames], books)
    events = merge_events((event for read in calendars for event in read.items), zone)
    local_now = at_offset(now, zone)
    jobs = _jobs_on(local_now.date(), sources, window) if local_now.date() in days else {}
    return tuple(
        DaySnapshot(
            date=frame.date,
            timezone=timezone,
            now=local_now,
            events=tuple(event for event in events if is_of_day(event, frame)),
            todos=tuple(todo for read in lists for todo in read.items),
            birthdays=find_birthdays(people, frame.date),
            jobs=tuple(news for read in jobs.get(frame.date, ()) for news in read.items),
            sources=(
                *(read.status for read in calendars),
                *(read.status for read in lists),
                *(read.status for read in books),
                *(read.status for read in jobs.get(frame.date, ())),
                *sources.unavailable,
            ),
            warnings=(
                *(line for read in calendars for line in read.warnings),
                *(line for read in lists for line in read.warnings),
                *(line for read in books for line in read.warnings),
            ),
        )
        for frame, lists in (
            (
                frame,
                [todo_list.read(_window([frame], timezone, now)) for todo_list in sources.todos],
            )
            for frame in frames
        )
    )


def _jobs_on(
    today: dt.date, sources: SourcePorts, window: ReadWindow
) -> dict[dt.date, tuple[Reading[JobNews], ...]]:
    """Return how the user's jobs stand, for the one day of which that can be said."""
    read = None if sources.jobs is None else sources.jobs.read(window)
    return {} if read is None else {today: (read,)}


class EventsRead(NamedTuple):
    """The events of some days, not cut into days."""

    events: tuple[Event, ...]
    """Each occurrence once, as `DailyPlan.events` sorts them."""
    statuses: tuple[SourceStatus, ...]
    """Of every calendar, in configured order."""
    warnings: tuple[str, ...]


def read_events(
    calendars: Sequence[CalendarPort], days: Sequence[dt.date], timezone: str, now: dt.datetime
) -> EventsRead:
    """Return the events of days, at least one, in any order; see `read_snapshots`.

    Raises:
        UsageError: the zone does not exist, or a day lies at the edge of the calendar.
    """
    zone = load_zone(timezone)
    frames = [build_frame(day, zone) for day in (min(days), max(days))]
    readings = [calendar.read(_window(frames, timezone, now)) for calendar in calendars]
    return EventsRead(
        events=merge_events((event for read in readings for event in read.items), zone),
        statuses=tuple(read.status for read in readings),
        warnings=tuple(line for read in readings for line in read.warnings),
    )


class PeopleRead(NamedTuple):
    """The people of the user's address books."""

    people: tuple[Contact, ...]
    """Each once, by name."""
    statuses: tuple[SourceStatus, ...]
    warnings: tuple[str, ...]


def read_people(
    books: Sequence[ContactsPort], day: dt.date, timezone: str, now: dt.datetime
) -> PeopleRead:
    """Return everybody in the user's address books; `day` is any, the user's today.

    Raises:
        UsageError: the zone does not exist, or the day lies at the edge of the calendar.
    """
    window = _window([build_frame(day, load_zone(timezone))], timezone, now)
    readings = [book.read(window) for book in books]
    return PeopleRead(
        people=merge_contacts(person for read in readings for person in read.items),
        statuses=tuple(read.status for read in readings),
        warnings=tuple(line for read in readings for line in read.warnings),
    )


def _window(frames: Sequence[DayFrame], timezone: str, now: dt.datetime) -> ReadWindow:
    zone = frames[0].zone
    return ReadWindow(
        start=frames[0].start.astimezone(zone),
        end=frames[-1].end.astimezone(zone),
        timezone=timezone,
        now=now,
    )


def _people_of(days: Sequence[dt.date], books: Sequence[Reading[Contact]]) -> tuple[Contact, ...]:
    """Return the people with a date on one of `days`; only they are compared with each other."""
    return merge_contacts(
        person
        for book in books
        for person in book.items
        if any(falls_on(date, day) for date in person.dates for day in days)
    )


def is_of_day(event: Event, frame: DayFrame) -> bool:
    """Return whether an event overlaps the day; one of zero length if its instant lies in it."""
    if isinstance(event.start, dt.datetime) and isinstance(event.end, dt.datetime):
        return event.start < frame.end and (event.end > frame.start or event.start >= frame.start)
    start, end = event.start, event.end
    return start <= frame.date and (end > frame.date or start == frame.date)
