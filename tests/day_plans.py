"""Plans of days, made by hand: the shapes a view has to cope with."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from iris_harness.contracts.day import (
    Birthday,
    Block,
    BlockKind,
    Conflict,
    DailyPlan,
    DayPreferences,
    DaySnapshot,
    Event,
    EventStatus,
    FreeSpan,
    JobNews,
    JobStage,
    OccasionKind,
    PlannedDay,
    PlannedTodo,
    ShownBlock,
    SkippedTodo,
    Todo,
    Unplaced,
    WorkingSpan,
    Workload,
)
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState, SourceStatus

BERLIN = "Europe/Berlin"


@dataclass(frozen=True)
class DayBuilder:
    """Makes the parts of one day; times are written HH:MM, "+" or "-" is a day on or back."""

    date: dt.date = dt.date(2026, 3, 12)  # a Thursday
    timezone: str = BERLIN
    statuses: tuple[SourceStatus, ...] = field(default_factory=tuple)

    def at(self, clock: str) -> dt.datetime:
        days = clock.count("+") - clock.count("-")
        time = dt.time.fromisoformat(clock.strip("+-"))
        date = self.date + dt.timedelta(days=days)
        return dt.datetime.combine(date, time, ZoneInfo(self.timezone))

    def event(
        self,
        summary: str,
        start: str,
        end: str,
        *,
        calendar: str = "work",
        status: EventStatus = EventStatus.CONFIRMED,
        busy: bool = True,
        location: str = "",
    ) -> Event:
        return self._event(
            summary, self.at(start), self.at(end), calendar, status, busy=busy, location=location
        )

    def all_day(self, summary: str, first: int = 0, days: int = 1, **more: str) -> Event:
        start = self.date + dt.timedelta(days=first)
        end = start + dt.timedelta(days=days)
        event = self._event(
            summary, start, end, more.get("calendar", "family"), EventStatus.CONFIRMED, busy=False
        )
        return replace(event, location=more.get("location", ""))

    def _event(
        self,
        summary: str,
        start: dt.date,
        end: dt.date,
        calendar: str,
        status: EventStatus,
        *,
        busy: bool,
        location: str = "",
    ) -> Event:
        return Event(
            uid=f"{summary}@example.org",
            recurrence_id="",
            sequence=0,
            revised_at=None,
            summary=summary,
            start=start,
            end=end,
            all_day=not isinstance(start, dt.datetime),
            busy=busy,
            status=status,
            calendar=calendar,
            location=location,
            source=SourceRef(source=calendar, locator=f"{summary}@example.org"),
        )

    def todo(
        self,
        summary: str,
        line: int,
        reason: str,
        *,
        due: dt.date | None = None,
        overdue: bool = False,
        priority: int | None = None,
        minutes: int | None = None,
    ) -> PlannedTodo:
        todo = Todo(
            uid=f"todo.txt:{line}",
            summary=summary,
            due=due,
            priority=priority,
            estimate_minutes=minutes,
            list_name="todo.txt",
            source=SourceRef(source="todo.txt", locator=f"line {line}"),
        )
        return PlannedTodo(todo=todo, overdue=overdue, reason=reason)

    def block(
        self, planned: PlannedTodo, start: str, end: str, *, pinned: bool = False, more: str = ""
    ) -> Block:
        return Block(
            kind=BlockKind.TODO,
            title=planned.todo.summary,
            start=self.at(start),
            end=self.at(end),
            pinned=pinned,
            source=planned.todo.source,
            reason=planned.reason + more,
        )

    def pause(self, start: str, end: str) -> Block:
        return Block(
            kind=BlockKind.BREAK,
            title="Lunch break",
            start=self.at(start),
            end=self.at(end),
            pinned=False,
            source=None,
            reason="a break after three hours",
        )

    def free(self, start: str, end: str) -> FreeSpan:
        return FreeSpan(start=self.at(start), end=self.at(end))

    def conflict(self, first: Event, second: Event, start: str, end: str) -> Conflict:
        return Conflict(first=first, second=second, start=self.at(start), end=self.at(end))

    def plan(
        self,
        *,
        now: str = "08:15",
        events: tuple[Event, ...] = (),
        todos: tuple[PlannedTodo, ...] = (),
        backlog: tuple[PlannedTodo, ...] = (),
        blocks: tuple[Block, ...] = (),
        free: tuple[FreeSpan, ...] = (),
        unplaced: tuple[Unplaced, ...] = (),
        conflicts: tuple[Conflict, ...] = (),
        sources: tuple[SourceStatus, ...] | None = None,
        warnings: tuple[str, ...] = (),
        birthdays: tuple[Birthday, ...] = (),
        working: tuple[tuple[str, str], ...] = (("09:00", "17:00"),),
    ) -> DailyPlan:
        return DailyPlan(
            date=self.date,
            timezone=self.timezone,
            plan_id="0" * 64,
            now=self.at(now),
            events=events,
            todos=todos,
            backlog=backlog,
            blocks=blocks,
            free=free,
            unplaced=unplaced,
            conflicts=conflicts,
            sources=ALL_READ if sources is None else sources,
            warnings=warnings,
            working_hours=tuple(
                WorkingSpan(start=self.at(start), end=self.at(end)) for start, end in working
            ),
            birthdays=birthdays,
        )

    def birthday(
        self,
        person: str,
        year: int | None = None,
        *,
        kind: OccasionKind = OccasionKind.BIRTHDAY,
        label: str = "",
        on: tuple[int, int] | None = None,
        is_deceased: bool = False,
    ) -> Birthday:
        month, day = on or (self.date.month, self.date.day)
        return Birthday(
            person=person,
            kind=kind,
            label=label,
            month=month,
            day=day,
            year=year,
            years=None if year is None else self.date.year - year,
            is_deceased=is_deceased,
            source=SourceRef(source="friends", locator=f"{person}@example.org"),
        )


def calendar(
    name: str, state: SourceState = SourceState.OK, detail: str = "", age: int | None = None
) -> SourceStatus:
    return SourceStatus(
        name=name, kind=SourceKind.CALENDAR, state=state, detail=detail, age_seconds=age
    )


def todo_list(name: str, state: SourceState = SourceState.OK, detail: str = "") -> SourceStatus:
    return SourceStatus(name=name, kind=SourceKind.TODO, state=state, detail=detail)


ALL_READ = (calendar("family"), calendar("work"), todo_list("todo.txt"))


def misfit(
    planned: PlannedTodo, reason: str, would_fit_if: str, missing_minutes: int = 30
) -> Unplaced:
    return Unplaced(
        summary=planned.todo.summary,
        source=planned.todo.source,
        reason=reason,
        would_fit_if=would_fit_if,
        missing_minutes=missing_minutes,
    )


def planned_day(plan: DailyPlan) -> PlannedDay:
    snapshot = DaySnapshot(
        date=plan.date,
        timezone=plan.timezone,
        now=plan.now,
        events=plan.events,
        todos=tuple(planned.todo for planned in (*plan.todos, *plan.backlog)),
        sources=plan.sources,
    )
    return PlannedDay(snapshot=snapshot, preferences=DayPreferences(), plan=plan)


def busy_day() -> DailyPlan:
    day = DayBuilder()
    standup = day.event("Standup", "09:00", "09:30", location="Room 4")
    dentist = day.event("Dentist", "09:15", "10:00", calendar="family", location="Hauptstr. 9")
    report = day.todo(
        "Send the quarterly report", 3, "overdue since 10 March, priority 1",
        due=dt.date(2026, 3, 10), overdue=True, priority=1, minutes=60,
    )  # fmt: skip
    rent = day.todo("Pay the rent", 1, "due today", due=day.date, minutes=15)
    books = day.todo("Return the library books", 7, "due on 20 March", minutes=30)
    return day.plan(
        events=(
            day.all_day("School holidays", -3, 5),
            day.event("Night train from Vienna", "22:40-", "06:10", calendar="family"),
            standup,
            dentist,
            day.event("1:1 with Kim", "13:00", "13:30", status=EventStatus.TENTATIVE),
            day.event("Vendor pitch", "14:00", "15:00", status=EventStatus.DECLINED, busy=False),
            day.event("Office hours", "15:00", "16:00", busy=False, location="Kitchen"),
            day.event("Deployment window", "22:00", "02:00+"),
        ),
        todos=(report, rent),
        backlog=(
            books,
            *(day.todo(f"Idea number {n}", 10 + n, "no due date") for n in range(1, 8)),
        ),
        blocks=(
            day.block(report, "10:00", "11:00", more="; ends 2 h after it is due"),
            day.block(rent, "11:00", "11:15", pinned=True),
            day.block(books, "11:15", "11:45"),
            day.pause("12:00", "12:30"),
        ),
        free=(day.free("11:45", "12:00"), day.free("13:30", "17:00")),
        conflicts=(day.conflict(standup, dentist, "09:15", "09:30"),),
        warnings=("work.ics line 88: RRULE without FREQ, the event is left out",),
    )


def empty_day() -> DailyPlan:
    day = DayBuilder()
    return day.plan(free=(day.free("09:00", "17:00"),))


def unreadable_day() -> DailyPlan:
    day = DayBuilder()
    return day.plan(
        free=(day.free("09:00", "17:00"),),
        sources=(
            calendar("family", SourceState.STALE, "the server did not answer", age=3 * 86400),
            calendar("holidays", SourceState.EMPTY),
            calendar("work", SourceState.FAILED, "work.ics: permission denied"),
            todo_list("todo.txt"),
        ),
    )


def overcommitted_day() -> DailyPlan:
    day = DayBuilder()
    talk = day.todo("Prepare the talk", 1, "due today, priority 1", due=day.date, minutes=240)
    taxes = day.todo("File the tax return", 2, "due today", due=day.date, minutes=180)
    call = day.todo("Call the insurance", 3, "due today", due=day.date)
    return day.plan(
        events=(day.event("Workshop", "09:00", "14:00"),),
        todos=(talk, taxes, call),
        blocks=(day.block(talk, "14:00", "15:30"), day.block(talk, "15:30", "17:00")),
        unplaced=(
            misfit(talk, "1 h of 4 h is left over", "you worked until 18:00", 60),
            misfit(taxes, "needs 3 h, and no free time is left", "it took 30 min at most", 180),
            misfit(call, "no free time is left", ""),
        ),
    )


def birthday_day() -> DailyPlan:
    """28 February 2026, a Saturday on which those of 29 February are thought of, too."""
    day = DayBuilder(date=dt.date(2026, 2, 28))
    return day.plan(
        birthdays=(
            day.birthday("Ada King", 1986),
            day.birthday("Bela Novak", 2026),
            day.birthday(
                "Chiara Rossi, a friend from the choir in the old town hall", 1996, on=(2, 29)
            ),
            day.birthday("Dev"),
            day.birthday("Eva and Tom", 2015, kind=OccasionKind.ANNIVERSARY),
            day.birthday("Finn", 2025, kind=OccasionKind.ANNIVERSARY),
            day.birthday("Greta", 2020, kind=OccasionKind.OTHER, label="first met"),
            day.birthday("Hana", kind=OccasionKind.OTHER),
            day.birthday("Karl Gruber", 1931, is_deceased=True),
            day.birthday("Lotte", is_deceased=True, kind=OccasionKind.ANNIVERSARY),
        ),
        sources=(
            calendar("family"),
            SourceStatus(name="friends", kind=SourceKind.CONTACTS, state=SourceState.OK),
        ),
    )


def past_day() -> DailyPlan:
    day = DayBuilder()
    rent = day.todo("Pay the rent", 1, "due that day", due=day.date, minutes=15)
    return day.plan(
        now="10:00+++++++++",
        events=(day.event("Standup", "09:00", "09:30"),),
        todos=(rent,),
        unplaced=(misfit(rent, "this day is over", ""),),
    )


def day_off() -> DailyPlan:
    day = DayBuilder(date=dt.date(2026, 3, 14))
    rent = day.todo("Pay the rent", 1, "due that day", due=day.date, minutes=15)
    form = day.todo("Send the form", 2, "overdue since Tue 10 March", overdue=True)
    return day.plan(
        now="18:00--",
        events=(day.event("Market", "08:00", "10:00", calendar="family"),),
        todos=(form, rent),
        unplaced=(
            misfit(form, "no working hours that day", ""),
            misfit(rent, "no working hours that day", "", 15),
        ),
        working=(),
    )


def clock_change_day() -> DailyPlan:
    """25 October 2026 in Berlin: 02:00 to 03:00 comes twice."""
    day = DayBuilder(date=dt.date(2026, 10, 25))
    first = day.event("Backup", "02:30", "02:45", calendar="servers")
    second_start = day.at("02:30").replace(fold=1)
    second = replace(
        day.event("Second backup", "02:30", "03:30", calendar="servers"), start=second_start
    )
    return day.plan(
        now="18:00-",
        events=(first, second, day.event("Brunch", "11:00", "13:00", calendar="family")),
        free=(day.free("01:30", "02:30"),),
        working=(("01:30", "03:30"),),
        sources=(calendar("family"), calendar("servers")),
    )


def odd_titles_day() -> DailyPlan:
    """Titles that others chose: markup, other directions, pictures, and much too long."""
    day = DayBuilder()
    script = "<script>alert('x')</script> & \"quotes\" </style><!-- ]]>"
    image = day.todo("![pay](http://tracker.example/x.png) <img src=x onerror=alert(1)>", 2,
        "due today", due=day.date, minutes=30)  # fmt: skip
    stars = day.todo("# 1. *Stars* _and_ `ticks` | [link](javascript:alert(1))", 3, "no due date")
    return day.plan(
        events=(
            day.all_day("{{ template }} </title><svg onload=alert(1)>"),
            day.event(script, "09:00", "10:00", location="javascript:alert(1)"),
            day.event("\u05e4\u05d2\u05d9\u05e9\u05d4 \u05e2\u05dd \u05d3\u05e0\u05d4",
                "10:00", "11:00", location="\u05ea\u05dc \u05d0\u05d1\u05d9\u05d1"),
            day.event("\u0627\u062c\u062a\u0645\u0627\u0639 (Q3) \u0645\u0639 Kim",
                "11:00", "12:00"),
            day.event("\U0001f9d1\u200d\U0001f4bb Pairing \U0001f389", "12:00", "12:10"),
            day.event("\u4f1a\u8bae " * 20, "13:00", "14:00"),
            day.event("Retrospective of the third quarter with everybody " * 4, "15:00", "15:25",
                location="The big room on the third floor, behind the kitchen"),
            day.event("Wunderwort" * 12, "16:00", "17:00"),
        ),
        todos=(image,),
        backlog=(stars,),
        blocks=(day.block(image, "14:00", "14:30"), day.block(stars, "14:30", "15:00")),
        free=(day.free("12:10", "13:00"),),
        warnings=("<b>work.ics</b> line 88: RRULE without FREQ",),
    )  # fmt: skip


def crowded_day() -> DailyPlan:
    """Seven meetings at once, a few minutes each, and one without any length."""
    day = DayBuilder()
    meetings = tuple(
        day.event(f"Interview {n}", f"10:{5 * n:02}", f"11:{5 * n:02}") for n in range(7)
    )
    first, second = meetings[:2]
    return day.plan(
        now="10:20",
        events=(
            day.event("Call the lift engineer", "09:00", "09:03"),
            day.event("Ring", "09:03", "09:03"),
            *meetings,
            day.event("Debrief", "11:40", "11:45"),
        ),
        conflicts=(day.conflict(first, second, "10:05", "11:00"),),
        free=(day.free("11:45", "17:00"),),
    )


def travelling_day() -> DailyPlan:
    """Breaks, travel, pins: every kind of block."""
    day = DayBuilder()
    slides = day.todo("Slides", 1, "due today, priority 1", due=day.date, priority=1, minutes=60)
    dentist = day.event("Dentist", "14:00", "14:45", calendar="family", location="Hauptstr. 9")
    there, back = (
        replace(
            day.pause(start, end),
            kind=BlockKind.TRAVEL,
            title=title,
            source=dentist.source,
            reason="25 min to Hauptstr. 9, as the event says",
        )
        for title, start, end in (
            ("Travel to Dentist", "13:35", "14:00"),
            ("Travel back from Dentist", "14:45", "15:10"),
        )
    )
    return day.plan(
        now="09:40",
        events=(day.event("Standup", "09:00", "09:15"), dentist),
        todos=(slides,),
        blocks=(
            day.block(slides, "09:30", "10:30", pinned=True),
            day.pause("12:30", "13:15"),
            there,
            back,
        ),
        free=(
            day.free("10:30", "12:30"), day.free("13:15", "13:35"), day.free("15:10", "17:00"),
        ),
    )  # fmt: skip


def replanned_day() -> DailyPlan:
    """The afternoon of a day whose morning is history, with too much left to do."""
    day = DayBuilder()
    report = day.todo("Report", 1, "due today, priority 1", due=day.date, minutes=120)
    slides = day.todo("Slides", 2, "due today", due=day.date, minutes=150)
    walk = day.todo("Walk the dog", 3, "skipped by you, due today", due=day.date, minutes=30)
    plan = day.plan(
        now="14:10",
        events=(day.event("Standup", "09:00", "09:15"), day.event("Call", "16:00", "16:30")),
        todos=(report, slides, walk),
        blocks=(
            day.block(report, "14:00", "15:00", more="; already begun, so it stays"),
            day.block(report, "15:00", "16:00", pinned=True, more="; pinned by you"),
        ),
        free=(day.free("16:30", "17:00"),),
        unplaced=(misfit(slides, "it needs 2 h 30 min; the longest gap left is 30 min", "", 150),),
    )
    return replace(
        plan,
        workload=Workload(work_minutes=260, free_minutes=140),
        history=(
            ShownBlock(
                kind=BlockKind.TODO,
                title="Slides",
                start=day.at("09:30"),
                end=day.at("10:00"),
                source=slides.todo.source,
            ),
            ShownBlock(
                kind=BlockKind.BREAK, title="Lunch", start=day.at("12:00"), end=day.at("12:45")
            ),
        ),
        skipped=(SkippedTodo(title="Walk the dog", source=walk.todo.source),),
        warnings=('"Slides" had its time (09:30-10:00) and is still open, so it is work again',),
    )


def job(
    task: str,
    stage: JobStage,
    since: dt.datetime,
    *,
    done: int = 0,
    workers: int = 1,
    why: str = "",
) -> JobNews:
    place = SourceRef(source="jobs", locator=f"{len(task):012x}")
    return JobNews(
        task=task, stage=stage, done=done, workers=workers, since=since, why=why, source=place
    )


def jobs_day() -> DailyPlan:
    """A morning on which work that goes on elsewhere asks for its owner."""
    day = DayBuilder()
    read = SourceStatus(name="jobs", kind=SourceKind.JOBS, state=SourceState.OK)
    plan = day.plan(
        events=(day.event("Standup", "09:00", "09:15"),),
        free=(day.free("09:15", "17:00"),),
        sources=(*ALL_READ, read),
    )
    why = "the tests fail before any change: test_login expects 200 and gets 500."
    return replace(
        plan,
        jobs=(
            job("fix the login", JobStage.FAILED, day.at("07:52"), done=1, workers=3, why=why),
            job("add dark mode to my site", JobStage.REVIEW, day.at("08:10"), done=2, workers=2),
            job("say hello in German as well", JobStage.REVIEW, day.at("22:40-"), done=1),
            job("rename Foo", JobStage.RUNNING, day.at("08:00"), done=3, workers=50),
            job("tidy up", JobStage.PAUSED, day.at("08:00"), done=0, workers=2),
            job("update the docs", JobStage.WAITING, day.at("08:14")),
        ),
    )


DAYS = {
    "birthdays": birthday_day,
    "busy": busy_day,
    "empty": empty_day,
    "unreadable": unreadable_day,
    "overcommitted": overcommitted_day,
    "past": past_day,
    "day_off": day_off,
    "clock_change": clock_change_day,
    "crowded": crowded_day,
    "travelling": travelling_day,
    "replanned": replanned_day,
    "jobs": jobs_day,
}
"""A name and a maker per shape."""

ODD_DAYS = {"odd_titles": odd_titles_day}
"""Days whose titles are hostile to a view, by name."""
