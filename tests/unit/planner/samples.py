"""Small builders of day values, and one rich day that several tests look at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import (
    Birthday,
    Block,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    EventStatus,
    OccasionKind,
    TimeSpan,
    Todo,
)
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus

VIENNA = "Europe/Vienna"
DAY = dt.date(2025, 3, 12)  # a Wednesday


def at(clock: str, day: dt.date = DAY, zone: str = VIENNA) -> dt.datetime:
    """The instant at which a zone's clock shows a time of a day."""
    return dt.datetime.combine(day, dt.time.fromisoformat(clock), ZoneInfo(zone))


def event(
    summary: str,
    start: dt.date | dt.datetime | str,
    end: dt.date | dt.datetime | str,
    *,
    uid: str = "",
    sequence: int = 0,
    revised_at: dt.datetime | None = None,
    busy: bool = True,
    calendar: str = "home",
    recurrence_id: str = "",
) -> Event:
    first = at(start) if isinstance(start, str) else start
    last = at(end) if isinstance(end, str) else end
    return Event(
        uid=uid or summary,
        recurrence_id=recurrence_id,
        sequence=sequence,
        revised_at=revised_at,
        summary=summary,
        start=first,
        end=last,
        all_day=not isinstance(first, dt.datetime),
        busy=busy,
        status=EventStatus.CONFIRMED,
        calendar=calendar,
        source=SourceRef(source=calendar, locator=uid or summary),
    )


def todo(
    summary: str,
    due: dt.date | dt.datetime | None = None,
    *,
    start: dt.date | dt.datetime | None = None,
    priority: int | None = None,
    minutes: int | None = None,
    created_on: dt.date | None = None,
    list_name: str = "list",
    uid: str = "",
) -> Todo:
    return Todo(
        uid=uid or summary,
        summary=summary,
        due=due,
        start=start,
        priority=priority,
        estimate_minutes=minutes,
        created_on=created_on,
        list_name=list_name,
        source=SourceRef(source=list_name, locator=uid or summary),
    )


def birthday(
    person: str,
    kind: OccasionKind = OccasionKind.BIRTHDAY,
    *,
    year: int | None = None,
    is_deceased: bool = False,
) -> Birthday:
    """A day of somebody, on `DAY`."""
    return Birthday(
        person=person,
        kind=kind,
        month=DAY.month,
        day=DAY.day,
        year=year,
        years=DAY.year - year if year else None,
        is_deceased=is_deceased,
        source=SourceRef(source="friends", locator=person),
    )


def snapshot(
    events: Sequence[Event] = (),
    todos: Sequence[Todo] = (),
    *,
    day: dt.date = DAY,
    now: dt.datetime | None = None,
    zone: str = VIENNA,
    sources: Sequence[SourceStatus] = (),
    warnings: Sequence[str] = (),
    placed_elsewhere: Sequence[SourceRef] = (),
    birthdays: Sequence[Birthday] = (),
) -> DaySnapshot:
    """A snapshot whose "now" is 07:00 of its day unless given."""
    return DaySnapshot(
        date=day,
        timezone=zone,
        now=now or at("07:00", day, zone),
        events=tuple(events),
        todos=tuple(todos),
        sources=tuple(sources),
        warnings=tuple(warnings),
        placed_elsewhere=tuple(placed_elsewhere),
        birthdays=tuple(birthdays),
    )


def preferences(
    *spans: tuple[str, str],
    default_minutes: int = 30,
    fill_with_backlog: bool = True,
    grid_minutes: int = 5,
) -> DayPreferences:
    """Preferences with the same working hours on every day of the week."""
    hours = tuple(
        TimeSpan(start=dt.time.fromisoformat(start), end=dt.time.fromisoformat(end))
        for start, end in spans
    )
    return DayPreferences(
        working_hours=(hours,) * 7,
        default_estimate_minutes=default_minutes,
        fill_with_backlog=fill_with_backlog,
        grid_minutes=grid_minutes,
    )


def blocks_of(plan: DailyPlan) -> list[tuple[str, str, str]]:
    """Title, start and end of each block, as the clock shows them."""
    return [(block.title, f"{block.start:%H:%M}", f"{block.end:%H:%M}") for block in plan.blocks]


def free_of(plan: DailyPlan) -> list[tuple[str, str]]:
    return [(f"{free.start:%H:%M}", f"{free.end:%H:%M}") for free in plan.free]


def block_called(plan: DailyPlan, title: str) -> Block:
    (block,) = [block for block in plan.blocks if block.title == title]
    return block


def status(
    name: str,
    kind: SourceKind = SourceKind.CALENDAR,
    state: SourceState = SourceState.OK,
    detail: str = "",
) -> SourceStatus:
    return SourceStatus(name=name, kind=kind, state=state, detail=detail)


def rich_snapshot() -> DaySnapshot:
    """A day with something of everything: what the golden files show."""
    march = DAY.replace
    return snapshot(
        events=[
            event("Stand-up", "09:30", "09:45", calendar="work"),
            event("Stand-up", "09:30", "09:45", calendar="home"),
            event("Design review", "13:00", "14:30", calendar="work"),
            event("Dentist", "14:00", "15:00"),
            event("Parcel may arrive", "12:00", "18:00", busy=False),
            event("Night train", at("22:00", march(day=11)), at("06:30")),
            event("Mum visits", march(day=10), march(day=14)),
            event("Bin collection", DAY, march(day=13)),
        ],
        todos=[
            todo("File tax return", DAY, priority=1, minutes=90),
            todo("Call plumber", DAY, priority=4),
            todo("Sort photos", DAY),
            todo("Send the offer", at("11:00"), priority=2, minutes=45),
            todo("Renew passport", march(day=3), minutes=20),
            todo("Write the yearly report", DAY, minutes=240),
            todo("Pick up the keys", DAY, start=at("16:00"), minutes=12),
            todo("Pay the deposit", DAY, start=march(day=14)),
            todo("Pack for the trip", march(day=14), priority=1),
            todo("Plan the garden", created_on=dt.date(2024, 11, 2)),
            todo("Book the ferry", start=march(day=20)),
        ],
        now=at("08:17"),
        sources=[
            status("list", SourceKind.TODO),
            status("work"),
            status("friends", SourceKind.CONTACTS),
            status("home", state=SourceState.STALE, detail="last fetched 3 days ago"),
            status("club", state=SourceState.FAILED, detail="the file club.ics does not exist"),
        ],
        birthdays=[
            birthday("Karl Gruber", year=1931, is_deceased=True),
            birthday("Eva Moser", OccasionKind.ANNIVERSARY, year=2015),
            birthday("Vera Horak"),
            birthday("Anna Gruber", year=1990),
        ],
        warnings=["home.ics, line 12: an event without a start was left out"],
    )


class ListCalendar:
    """A calendar whose events were given; it remembers the windows it was asked for."""

    def __init__(
        self,
        name: str,
        events: Sequence[Event] = (),
        *,
        state: SourceState = SourceState.OK,
        warnings: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.windows: list[ReadWindow] = []
        self._reading = Reading(
            status=status(name, state=state), items=tuple(events), warnings=tuple(warnings)
        )

    def read(self, window: ReadWindow) -> Reading[Event]:
        self.windows.append(window)
        return self._reading


class ListTodos:
    """A todo list whose items were given."""

    def __init__(self, name: str, todos: Sequence[Todo] = ()) -> None:
        self.name = name
        self._reading = Reading(status=status(name, SourceKind.TODO), items=tuple(todos))

    def read(self, window: ReadWindow) -> Reading[Todo]:
        assert window.start < window.end
        return self._reading
