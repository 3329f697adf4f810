from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import replace
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.day import DailyPlan, EventStatus, FreeSpan, OccasionKind
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.sources import SourceRef, SourceState
from iris_harness.curator.brief import brief_section
from iris_harness.curator.cells import cell_width
from iris_harness.curator.sections import day_sections
from iris_harness.curator.speech import day_speech, facts_speech, text_speech
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.text import PLAIN_WIDTH, day_text, days_text
from iris_harness.curator.view import Line, LineKind, Section, SectionKind, source_labels
from tests.day_plans import (
    DAYS,
    DayBuilder,
    busy_day,
    calendar,
    clock_change_day,
    day_off,
    empty_day,
    misfit,
    overcommitted_day,
    past_day,
    todo_list,
    unreadable_day,
)

CLEAR = "Your calendar is clear"
JUBILEE = OccasionKind.ANNIVERSARY


def lines_of(plan: DailyPlan, kind: SectionKind) -> tuple[Line, ...]:
    found = [section.lines for section in day_sections(plan) if section.kind is kind]
    return found[0] if found else ()


def titles(lines: tuple[Line, ...]) -> list[str]:
    return [line.title for line in lines]


def line_titled(plan: DailyPlan, kind: SectionKind, title: str) -> Line:
    return next(line for line in lines_of(plan, kind) if line.title == title)


def marks(line: Line) -> list[str]:
    return [mark.text for mark in line.marks]


@pytest.mark.parametrize("name", sorted(DAYS))
def test_sections_come_in_their_order_and_none_is_empty(name: str) -> None:
    sections: tuple[Section, ...] = day_sections(DAYS[name]())
    order = list(SectionKind)
    positions = [order.index(section.kind) for section in sections]
    assert positions == sorted(set(positions))
    assert all(section.lines for section in sections)


@pytest.mark.parametrize("name", sorted(DAYS))
def test_every_line_about_an_item_knows_its_source(name: str) -> None:
    about_items = {LineKind.EVENT, LineKind.TODO_BLOCK, LineKind.CONFLICT, LineKind.TODO}
    lines = [line for section in day_sections(DAYS[name]()) for line in section.lines]
    assert all(line.sources for line in lines if line.kind in about_items)


@pytest.mark.parametrize(
    ("states", "is_clear"),
    [
        ((SourceState.OK, SourceState.OK), True),
        ((SourceState.OK, SourceState.EMPTY), True),
        ((SourceState.OK, SourceState.STALE), False),
        ((SourceState.OK, SourceState.FAILED), False),
        ((SourceState.FAILED, SourceState.STALE), False),
        ((), False),
    ],
)
def test_a_calendar_is_called_clear_only_when_every_calendar_was_read(
    states: tuple[SourceState, ...], *, is_clear: bool
) -> None:
    sources = tuple(calendar(f"calendar{index}", state) for index, state in enumerate(states))
    plan = DayBuilder().plan(sources=(*sources, todo_list("todo.txt")))
    assert (f"{CLEAR}." in day_text(plan)) is is_clear
    assert (CLEAR.lower() + "." in day_speech(plan).lower()) is is_clear


def test_a_day_with_an_event_is_never_called_clear() -> None:
    day = DayBuilder()
    assert CLEAR not in day_text(day.plan(events=(day.event("Standup", "09:00", "09:30"),)))


def test_a_day_of_declined_events_is_clear_and_still_shows_them() -> None:
    day = DayBuilder()
    declined = day.event("Pitch", "09:00", "10:00", status=EventStatus.DECLINED, busy=False)
    plan = day.plan(events=(declined,))
    assert CLEAR in day_text(plan)
    line = line_titled(plan, SectionKind.TIMELINE, "Pitch")
    assert marks(line) == ["declined"]
    assert line.struck


def test_a_source_that_failed_is_named_in_the_summary_and_aloud() -> None:
    plan = DayBuilder().plan(
        sources=(
            calendar("work", SourceState.FAILED, "no such file"),
            todo_list("todo.txt", SourceState.FAILED, "binary"),
        )
    )
    assert "Not read, so something may be missing: calendar work and todo list todo.txt." in titles(
        lines_of(plan, SectionKind.SUMMARY)
    )
    assert "I could not read calendar work and todo list todo.txt." in day_speech(plan)
    assert titles(lines_of(plan, SectionKind.SOURCES))[-1] == "Nothing was read."


def test_nothing_is_said_to_be_due_only_when_the_lists_were_read() -> None:
    failed = (calendar("work"), todo_list("todo.txt", SourceState.FAILED, "binary"))
    assert "othing due" in day_text(empty_day())
    assert "othing due" not in day_text(DayBuilder().plan(sources=failed))
    assert "othing due" not in day_text(DayBuilder().plan(sources=(calendar("work"),)))


def test_only_sources_that_are_not_plainly_ok_get_a_line_of_their_own() -> None:
    assert titles(lines_of(empty_day(), SectionKind.SOURCES)) == [
        "Read: calendars family, work; todo list todo.txt"
    ]
    plan = DayBuilder().plan(sources=(calendar("a"), calendar("b", SourceState.STALE, age=7200)))
    assert titles(lines_of(plan, SectionKind.SOURCES)) == [
        "calendar b: 2 hours old",
        "Read: calendars a, b",
    ]


def test_a_stale_source_of_unknown_age_is_called_out_of_date() -> None:
    plan = DayBuilder().plan(sources=(calendar("a", SourceState.STALE),))
    assert "calendar a: out of date" in titles(lines_of(plan, SectionKind.SOURCES))


def test_overcommitment_is_said_first_with_the_hours() -> None:
    first = lines_of(overcommitted_day(), SectionKind.SUMMARY)[0]
    # 4 h less the 3 h that were placed, 3 h, and 30 min for one that does not say how long.
    assert first.title == "Overcommitted: 3 due todos do not fit (4 h 30 min)."


def test_a_day_off_is_said_once_and_is_not_overcommitment() -> None:
    plan = day_off()
    text = day_text(plan)
    assert titles(lines_of(plan, SectionKind.SUMMARY)) == [
        "A day off: no working hours, and 2 due todos wait (45 min).",
        "1 event.",
    ]
    assert titles(lines_of(plan, SectionKind.DUE)) == ["Send the form", "Pay the rent"]
    assert text.count("no working hours") == 1
    assert not [word for word in ("Overcommitted", "fit", "placed", "free") if word in text]
    assert "A day off: no working hours, and 2 due todos wait, 45 minutes." in day_speech(plan)


def test_a_day_off_on_which_nothing_is_due_is_called_one() -> None:
    plan = DayBuilder().plan(working=())
    assert titles(lines_of(plan, SectionKind.SUMMARY)) == [
        "A day off: no working hours.",
        "Your calendar is clear.",
        "Nothing due.",
    ]


def test_what_may_not_start_yet_is_no_overcommitment() -> None:
    day = DayBuilder()
    early = day.todo("Pay", 1, "not before tomorrow, due today", due=day.date)
    early = replace(early, todo=replace(early.todo, start=day.at("00:00+")))
    plan = day.plan(todos=(early,), unplaced=(misfit(early, "it may not start yet", ""),))
    assert titles(lines_of(plan, SectionKind.SUMMARY))[0] == "1 due todo may not start yet."
    assert "Overcommitted" not in day_text(plan) + day_speech(plan)


def test_a_length_is_the_difference_of_the_times_it_stands_beside() -> None:
    day = DayBuilder()
    now = day.at("13:53").replace(second=40)
    spans = (replace(day.free("14:00", "14:05"), start=day.at("14:00").replace(second=40)),)
    late = FreeSpan(start=now, end=day.at("13:59"))
    hidden = FreeSpan(start=day.at("16:59"), end=day.at("16:59").replace(second=30))
    plan = replace(day.plan(free=(late, *spans, hidden)), now=now)
    shown = [ln for ln in lines_of(plan, SectionKind.TIMELINE) if ln.kind is LineKind.FREE]
    assert [(line.start, line.end, line.notes) for line in shown] == [
        ("13:53", "13:59", ("6 min",)),
        ("14:00", "14:05", ("5 min",)),
    ]
    assert "11 min free" in day_text(plan)


def test_a_plan_ends_with_the_id_that_brings_it_back() -> None:
    plan = replace(busy_day(), plan_id="1a2b3c4d5e6f" + "0" * 52)
    last = "Plan 1a2b3c4d5e6f (`iris plan --replay 1a2b3c4d5e6f`)"
    assert day_text(plan).endswith("\n\n" + last)
    assert "1a2b" not in day_speech(plan)


def test_all_of_a_long_backlog_is_shown_when_asked_for() -> None:
    sections = day_sections(busy_day(), full=True)
    (backlog,) = (section for section in sections if section.kind is SectionKind.BACKLOG)
    assert len(backlog.lines) == 8
    assert "more" not in day_text(busy_day(), full=True)


def test_a_range_in_brief_has_a_few_lines_a_day_and_says_what_is_common_once() -> None:
    today, later = overcommitted_day(), day_off()
    warned = replace(later, plan_id="f" * 64, warnings=("w",))
    assert days_text((replace(today, warnings=("w",)), warned), brief=True).splitlines() == [
        "Thursday 12 March 2026 to Saturday 14 March 2026",
        "now Thu 08:15, Europe/Berlin",
        "",
        "Thursday 12 March 2026: 1 event, 1 todo placed, no free time",
        "  08:15        -- now --",
        "  09:00-14:00  Workshop [work]",
        "  14:00-15:30  todo: Prepare the talk [todo.txt: line 1]",
        "  15:30-17:00  todo: Prepare the talk [todo.txt: line 1]",
        "               Does not fit (4 h 30 min): Prepare the talk, File the tax return,",
        "               Call the insurance",
        "",
        "Saturday 14 March 2026: 1 event, day off, 2 due todos wait",
        "  08:00-10:00  Market [family]",
        "",
        "Sources",
        "  Read: calendars family, work; todo list todo.txt",
        "",
        "Warnings",
        "  w",
        "",
        "Plans (`iris plan --replay ID`)",
        "  Thu 12 Mar   000000000000",
        "  Sat 14 Mar   ffffffffffff",
    ]


@pytest.mark.parametrize(
    ("plan", "figures"),
    [
        (empty_day(), "no events, nothing due, 8 h free"),
        (past_day(), "1 event, over, 1 due todo open"),
        (replace(empty_day(), working_hours=(), free=()), "no events, nothing due, day off"),
        (unreadable_day(), "no event in what could be read, nothing due, 8 h free"),
        (replace(empty_day(), sources=()), "no calendar set up, 8 h free"),
        (
            DayBuilder().plan(sources=(calendar("a", SourceState.STALE),)),
            "no events when last read, no free time",
        ),
    ],
)
def test_a_day_in_brief_says_its_figures_beside_its_date(plan: DailyPlan, figures: str) -> None:
    assert brief_section(plan).aside == figures


def test_a_range_in_brief_names_what_was_not_read_at_its_top() -> None:
    text = days_text((unreadable_day(),) * 3, brief=True)
    assert text.count("Not read, so something may be missing: calendar work.") == 1
    assert text.index("Not read") < text.index("Thursday 12 March 2026:")


def test_a_day_that_is_over_is_not_called_overcommitted() -> None:
    text = day_text(past_day())
    assert "Overcommitted" not in text
    assert "9 days ago, now Sat 21 Mar 10:00, Europe/Berlin" in text
    assert "free" not in text


def test_an_event_that_started_yesterday_and_one_that_ends_tomorrow_say_so() -> None:
    train = line_titled(busy_day(), SectionKind.TIMELINE, "Night train from Vienna")
    window = line_titled(busy_day(), SectionKind.TIMELINE, "Deployment window")
    assert (train.start, train.end, train.notes) == ("00:00", "06:10", ("from Wed 22:40",))
    assert (window.start, window.end, window.notes) == ("22:00", "24:00", ("until Fri 02:00",))


def test_a_timed_event_that_covers_the_whole_day_stands_with_the_all_day_ones() -> None:
    day = DayBuilder()
    plan = day.plan(events=(day.event("Fair", "10:00-", "18:00+"),))
    (line,) = lines_of(plan, SectionKind.ALL_DAY)
    assert line.notes == ("from Wed 10:00", "until Fri 18:00")
    assert not lines_of(plan, SectionKind.TIMELINE)


def test_an_event_that_ends_at_midnight_is_of_one_day() -> None:
    day = DayBuilder()
    plan = day.plan(events=(day.event("Party", "20:00", "00:00+"),))
    line = line_titled(plan, SectionKind.TIMELINE, "Party")
    assert (line.start, line.end, line.notes) == ("20:00", "24:00", ())


def test_an_event_of_no_length_has_no_end() -> None:
    day = DayBuilder()
    line = line_titled(
        day.plan(events=(day.event("Call", "09:00", "09:00"),)), SectionKind.TIMELINE, "Call"
    )
    assert (line.start, line.end) == ("09:00", "")


def test_days_of_a_long_event_are_named_with_the_last_one_included() -> None:
    day = DayBuilder()
    plan = day.plan(events=(day.all_day("Trip", -1, 3), day.all_day("Birthday")))
    notes = {line.title: line.notes for line in lines_of(plan, SectionKind.ALL_DAY)}
    assert notes == {"Trip": ("Wed 11 Mar to Fri 13 Mar",), "Birthday": ()}


def test_conflicting_events_are_marked_and_their_overlap_is_listed() -> None:
    plan = busy_day()
    (conflict,) = lines_of(plan, SectionKind.CONFLICTS)
    assert (conflict.title, conflict.start, conflict.end) == (
        "Standup and Dentist",
        "09:15",
        "09:30",
    )
    assert conflict.notes == ("15 min",)
    assert conflict.source_labels == ("work", "family")
    marked = [
        line.title for line in lines_of(plan, SectionKind.TIMELINE) if "conflict" in marks(line)
    ]
    assert marked == ["Standup", "Dentist"]


def test_events_that_are_unsure_or_take_no_time_are_marked() -> None:
    timeline = {line.title: marks(line) for line in lines_of(busy_day(), SectionKind.TIMELINE)}
    assert timeline["1:1 with Kim"] == ["tentative"]
    assert timeline["Office hours"] == ["not busy"]
    assert timeline["Pay the rent"] == ["pinned"]


def test_now_stands_between_what_started_and_what_comes() -> None:
    day = DayBuilder()
    events = (day.event("Early", "08:00", "10:00"), day.event("Next", "09:00", "10:00"))
    shown = titles(lines_of(day.plan(now="09:00", events=events), SectionKind.TIMELINE))
    assert shown == ["Early", "now", "Next"]


def test_what_is_over_is_marked_as_past_only_today() -> None:
    day = DayBuilder()
    events = (day.event("Early", "08:00", "09:00"), day.event("Late", "09:00", "10:00"))
    today = lines_of(day.plan(now="09:00", events=events), SectionKind.TIMELINE)
    tomorrow = lines_of(day.plan(now="09:00-", events=events), SectionKind.TIMELINE)
    assert [line.title for line in today if line.past] == ["Early"]
    assert not [line for line in tomorrow if line.past]
    assert "now" not in titles(tomorrow)


def test_an_hour_that_comes_twice_keeps_the_order_of_instants_and_says_the_offset() -> None:
    timeline = lines_of(clock_change_day(), SectionKind.TIMELINE)
    shown = {line.title: line.notes for line in timeline}
    assert list(shown) == ["free", "Backup", "Second backup", "Brunch"]
    assert shown["Backup"] == ("UTC+02:00",)
    assert shown["Second backup"] == ("UTC+01:00",)
    assert "The clocks change: this day has 25 hours." in titles(
        lines_of(clock_change_day(), SectionKind.SUMMARY)
    )


def test_free_time_over_a_clock_change_counts_the_time_that_passes() -> None:
    day = DayBuilder(date=dt.date(2026, 3, 29))
    plan = day.plan(free=(day.free("01:00", "04:00"),))
    (line,) = (ln for ln in lines_of(plan, SectionKind.TIMELINE) if ln.title == "free")
    assert line.notes == ("2 h",)
    assert "2 h free" in day_text(plan)


def test_a_day_whose_midnight_is_skipped_starts_at_its_first_instant() -> None:
    day = DayBuilder(date=dt.date(2018, 11, 4), timezone="America/Sao_Paulo")
    plan = day.plan(events=(day.event("Concert", "22:00-", "01:30"),))
    line = line_titled(plan, SectionKind.TIMELINE, "Concert")
    assert line.notes == ("from Sat 22:00",)
    assert "this day has 23 hours" in day_text(plan)


def test_a_due_todo_says_why_it_stands_there_and_where_it_was_placed() -> None:
    plan = overcommitted_day()
    due = {line.title: line for line in lines_of(plan, SectionKind.DUE)}
    talk, taxes = due["Prepare the talk"], due["File the tax return"]
    assert (talk.start, talk.end) == ("14:00", "15:30")
    assert talk.notes == ("due today, priority 1", "also 15:30 to 17:00")
    assert marks(talk) == ["partly placed"]
    assert (taxes.start, marks(taxes)) == ("", ["not placed"])


def test_a_todo_that_does_not_fit_says_why_and_what_would_help() -> None:
    lines = {line.title: line.notes for line in lines_of(overcommitted_day(), SectionKind.UNPLACED)}
    assert lines["Prepare the talk"] == (
        "1 h of 4 h is left over",
        "would fit if you worked until 18:00",
    )
    assert lines["Call the insurance"] == ("no free time is left",)


def test_overdue_is_said_once() -> None:
    day = DayBuilder()
    told = day.todo("Told", 1, "overdue since 9 March", overdue=True, due=day.date)
    untold = day.todo("Untold", 2, "priority 1", overdue=True, due=day.date)
    due = {
        line.title: marks(line)
        for line in lines_of(day.plan(todos=(told, untold)), SectionKind.DUE)
    }
    assert due == {"Told": [], "Untold": ["overdue"]}


def test_a_block_adds_what_its_todo_does_not_say() -> None:
    report = line_titled(busy_day(), SectionKind.TIMELINE, "Send the quarterly report")
    assert report.notes == ("ends 2 h after it is due",)


def test_a_block_of_a_todo_that_is_not_listed_gives_its_whole_reason() -> None:
    day = DayBuilder()
    backlog = tuple(day.todo(f"Idea {n}", n, "no due date") for n in range(1, 8))
    plan = day.plan(backlog=backlog, blocks=(day.block(backlog[6], "09:00", "09:30"),))
    assert line_titled(plan, SectionKind.TIMELINE, "Idea 7").notes == ("no due date",)


def test_a_long_backlog_is_cut_and_the_rest_is_counted() -> None:
    backlog = lines_of(busy_day(), SectionKind.BACKLOG)
    assert len(backlog) == 6
    assert backlog[-1].title == "and 3 more"


def test_a_day_of_a_range_repeats_only_what_has_changed() -> None:
    first = busy_day()
    second = replace(first, date=dt.date(2026, 3, 13), events=(), blocks=(), warnings=("new",))
    kinds = {section.kind for section in day_sections(second, earlier=(first,))}
    assert {SectionKind.HEAD, SectionKind.SUMMARY, SectionKind.WARNINGS} <= kinds
    assert SectionKind.SOURCES not in kinds


def test_a_day_of_a_range_leaves_out_what_an_earlier_day_has_in_full() -> None:
    day = DayBuilder()
    done, open_ = day.todo("Call mum", 1, "due today"), day.todo("Tax return", 2, "due today")
    first = day.plan(todos=(done, open_), blocks=(day.block(done, "09:00", "09:30"),))
    second = replace(first, date=dt.date(2026, 3, 13), blocks=())
    (due,) = (s for s in day_sections(second, earlier=(first,)) if s.kind is SectionKind.DUE)
    assert [line.title for line in due.lines] == ["Tax return"]


def test_a_source_is_named_as_people_know_it() -> None:
    line = SourceRef(source="todo.txt", locator="line 3")
    uid = SourceRef(source="work", locator="9f3c-uid@example.org")
    assert source_labels((line, uid, uid)) == ("todo.txt: line 3", "work")


def test_a_view_of_a_plan_with_fixed_offsets_is_the_same() -> None:
    """A plan that was stored comes back with offsets in place of the zone."""
    plan = busy_day()

    def fixed(instant: dt.datetime) -> dt.datetime:
        offset = instant.utcoffset()
        assert offset is not None
        return instant.astimezone(dt.timezone(offset))

    stored = replace(
        plan,
        now=fixed(plan.now),
        blocks=tuple(replace(b, start=fixed(b.start), end=fixed(b.end)) for b in plan.blocks),
        free=tuple(replace(f, start=fixed(f.start), end=fixed(f.end)) for f in plan.free),
    )
    assert day_text(stored) == day_text(plan)
    assert day_speech(stored) == day_speech(plan)


hostile = st.text(
    st.sampled_from("\x1b[31m\x9b\x07\u202e\u2066\r\n\t\u2028{}[]|*_`<&>🎉会 abc")
    | st.characters(),
    max_size=40,
)


def hostile_plan(text: str) -> DailyPlan:
    day = DayBuilder()
    todo = day.todo(text, 1, text, overdue=True, due=day.date, minutes=30)
    first = day.event(text, "09:00", "10:00", calendar=text, location=text)
    second = day.event(f"{text}2", "09:30", "11:00", calendar=text)
    return day.plan(
        events=(day.all_day(text, calendar=text), first, second),
        todos=(todo,),
        backlog=(todo,),
        blocks=(day.block(todo, "11:00", "11:30"),),
        unplaced=(misfit(todo, text, text),),
        conflicts=(day.conflict(first, second, "09:30", "10:00"),),
        sources=(calendar(text, SourceState.FAILED, text), todo_list(text)),
        warnings=(text,),
    )


@given(hostile)
def test_no_view_lets_a_strangers_text_control_the_reader(text: str) -> None:
    plan = hostile_plan(text)
    for shown in (*day_text(plan).split("\n"), day_speech(plan)):
        assert not {c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
        assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(shown)


@given(hostile)
def test_plain_text_keeps_to_its_width_and_never_ends_a_line_in_space(text: str) -> None:
    rows = day_text(hostile_plan(text)).split("\n")
    assert all(cell_width(row) <= PLAIN_WIDTH for row in rows)
    assert all(row == row.rstrip(" ") for row in rows)


@given(hostile)
def test_the_layout_does_not_depend_on_what_a_title_says(text: str) -> None:
    kinds = {section.kind for section in day_sections(hostile_plan(text))}
    usual = {section.kind for section in day_sections(hostile_plan("x"))}
    assert usual - kinds <= {SectionKind.WARNINGS}


@pytest.mark.parametrize("name", sorted(DAYS))
def test_plain_text_draws_no_boxes(name: str) -> None:
    text = day_text(DAYS[name]())
    assert text.isascii()


@pytest.mark.parametrize("name", sorted(DAYS))
def test_speech_is_short_and_has_no_symbols(name: str) -> None:
    speech = day_speech(DAYS[name]())
    assert len(speech.split()) <= 45
    assert re.fullmatch(r"[\w\s.,:'-]+", speech)


def test_long_titles_are_cut_in_speech_only() -> None:
    day = DayBuilder()
    title = "Review the very long agenda of the annual general meeting of members"
    plan = day.plan(events=(day.event(title, "09:00", "10:00"),))
    said = (
        "Next event: Review the very long agenda of the annual general meeting and so on at 9:00."
    )
    assert said in day_speech(plan)
    assert title in " ".join(day_text(plan).split())


def test_today_speech_tells_what_comes_and_not_what_is_over() -> None:
    day = DayBuilder()
    events = (day.event("Early", "08:00", "09:00"), day.event("Late", "15:00", "16:00"))
    assert "Next event: Late at 15:00." in day_speech(day.plan(now="10:00", events=events))
    assert "First event: Early at 8:00." in day_speech(day.plan(now="10:00-", events=events))


def test_speech_counts_the_conflicts_it_does_not_name() -> None:
    day = DayBuilder()
    events = [day.event(name, "09:00", "10:00") for name in "ABC"]
    conflicts = tuple(day.conflict(a, b, "09:00", "10:00") for a, b in pairwise(events))
    speech = day_speech(day.plan(events=tuple(events), conflicts=conflicts))
    assert "A and B overlap at 9:00. There is 1 more conflict." in speech


def test_text_is_said_with_ranges_in_words_and_cut_when_long() -> None:
    assert text_speech("Free: 9:00-9:30", ENGLISH) == "Free: 9:00 to 9:30."
    assert text_speech("On 2026-03-12", ENGLISH) == "On 2026-03-12."
    long = text_speech("Is this it? It is:\n" + "one more word,\n" * 60, ENGLISH)
    assert long.startswith("Is this it? It is. one more word. one more word.")
    assert long.endswith("one more word. The rest is on the screen.")
    assert len(long.split()) < 60


def test_a_fact_is_said_whole_or_not_at_all() -> None:
    facts = [
        f"Renew passport {n}: due on Tue 1 December at 12:00, see Dr. Weiss." for n in range(9)
    ]
    said = facts_speech(facts, ENGLISH)
    whole, rest = said.split(" The rest")
    assert rest == " is on the screen."
    assert whole == " ".join(facts[: whole.count("Renew")])
    assert facts_speech(["word " * 99, "Short."], ENGLISH) == "The answer is on the screen."


@pytest.mark.parametrize(
    ("kinds", "heading"),
    [
        ([OccasionKind.BIRTHDAY], "Birthdays"),
        ([JUBILEE, OccasionKind.OTHER], "Anniversaries"),
        ([OccasionKind.BIRTHDAY, JUBILEE], "Birthdays and more"),
    ],
)
def test_the_heading_of_birthdays_says_what_is_below(
    kinds: list[OccasionKind], heading: str
) -> None:
    day = DayBuilder()
    plan = day.plan(birthdays=tuple(day.birthday("Ada", kind=kind) for kind in kinds))
    (section,) = [one for one in day_sections(plan) if one.kind is SectionKind.BIRTHDAYS]
    assert section.heading == heading


def test_29_february_is_named_only_where_it_is_another_day() -> None:
    for date, notes in [((2026, 2, 28), ("on 29 February",)), ((2028, 2, 29), ())]:
        day = DayBuilder(date=dt.date(*date))
        (line,) = lines_of(
            day.plan(birthdays=(day.birthday("Ada", on=(2, 29)),)), SectionKind.BIRTHDAYS
        )
        assert line.notes == notes


def test_nobody_is_asked_aloud_to_congratulate_the_dead() -> None:
    day = DayBuilder()
    gone = day.birthday("Karl", 1931, is_deceased=True)
    assert "Karl" not in day_speech(day.plan(birthdays=(gone,)))
    assert "Birthday: Ada." in day_speech(day.plan(birthdays=(day.birthday("Ada"), gone)))
    (line,) = lines_of(day.plan(birthdays=(gone,)), SectionKind.BIRTHDAYS)
    assert line.notes == ("born 95 years ago", "deceased")


def test_at_most_three_people_are_named_aloud() -> None:
    day = DayBuilder()
    people = [day.birthday(name) for name in ("Ada", "Bea", "Cid", "Dev", "Eva")]
    assert "Birthdays: Ada, Bea, Cid and 2 more." in day_speech(day.plan(birthdays=tuple(people)))
    assert "Birthdays: Ada, Bea and Cid." in day_speech(day.plan(birthdays=tuple(people[:3])))


def test_a_day_in_brief_says_whose_day_it_is_and_what_for() -> None:
    day = DayBuilder()
    people = (
        day.birthday("Ada", 1986),
        day.birthday("Bea"),
        day.birthday("Eva", 2016, kind=JUBILEE),
    )
    lines = brief_section(day.plan(birthdays=people)).lines
    assert [(line.start, line.title, line.notes) for line in lines if line.start == "all day"] == [
        ("all day", "Ada", ("turns 40",)),
        ("all day", "Bea", ("birthday",)),
        ("all day", "Eva", ("anniversary", "10 years")),
    ]


def test_a_day_in_focus_shows_the_hours_of_that_part_and_says_so() -> None:
    plan = busy_day()
    midnight = dt.datetime.combine(plan.date, dt.time(), ZoneInfo(plan.timezone))
    focus = Scope(
        start=midnight.replace(hour=12),
        end=midnight.replace(hour=14),
        kind=ScopeKind.DAY_PART,
        text="at lunch",
    )
    sections = {section.kind: section for section in day_sections(plan, focus=focus)}
    assert sections[SectionKind.HEAD].heading.endswith(", 12:00 to 14:00")
    hours = [(line.start, line.end) for line in sections[SectionKind.TIMELINE].lines]
    assert hours == [("12:00", "12:30"), ("13:00", "13:30"), ("13:30", "14:00")]
    whole = {section.kind: section for section in day_sections(plan)}
    said = [line.title for line in sections[SectionKind.SUMMARY].lines]
    alone = [line.title for line in whole[SectionKind.SUMMARY].lines]
    assert said != alone
    assert [text.removeprefix("The whole day: ") for text in said] == alone
