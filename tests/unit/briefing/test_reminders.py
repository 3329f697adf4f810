"""Reminders and timers as they are said: once, by the wall clock, however late."""

from __future__ import annotations

import datetime as dt
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.bootstrap import day
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.contracts.actions import Action
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reminders import (
    Reminder,
    ReminderChange,
    ReminderKind,
    first_occurrence,
    next_occurrence,
)
from iris_harness.contracts.repeats import find_repeat, is_hourly, parse_repeat, repeat_words
from iris_harness.contracts.zones import Journey, UserZones
from iris_harness.errors import ActionError, NotUndoableError, UsageError
from iris_harness.storage.records import DeliveryState
from iris_harness.storage.reminders import MOST_AT_ONCE, apply_reminder_change
from tests.support import examples
from tests.unit.briefing.world import BERLIN, User, berlin

HOME = UserZones(home="Europe/Berlin")
NOON = berlin("2026-04-13 12:00")


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "data", "2026-04-13 12:00")


def do(user: User, kind: str, **arguments: Json) -> str:
    runner = ActionRunner(configured_setting(user.settings, clock=user.clock))
    return runner.perform(runner.prepare(Action(kind=kind, arguments=arguments), runner.now())).text


def texts(user: User) -> list[str]:
    return [message.text for message in user.desktop.messages]


def test_a_reminder_is_said_at_its_time_once_and_then_it_is_over(user: User) -> None:
    do(user, "reminder.add", summary="call Ada", time="17:00")
    user.tick("2026-04-13 16:59:59")
    assert texts(user) == []
    user.tick("2026-04-13 17:00")
    user.tick("2026-04-13 17:00:01")
    assert texts(user) == ["Call Ada"]
    assert user.desktop.messages[0].title == "Reminder"
    with user.store() as store:
        assert store.reminders.active() == ()


def test_a_timer_says_that_it_is_over(user: User) -> None:
    said = do(user, "reminder.add", timer_seconds=90)
    assert said.startswith("Set a timer for 1 min 30 s, until 12:01.")
    user.tick("2026-04-13 12:01:30")
    (message,) = user.desktop.messages
    assert (message.title, message.text) == ("Timer", "Your timer is over: 1 min 30 s.")
    assert message.is_ring


def test_a_timer_that_ends_on_another_day_names_it(user: User) -> None:
    said = do(user, "reminder.add", timer_seconds=25 * 3600)
    assert said.startswith("Set a timer for 25 h, until Tue 14 Apr 13:00.")


def test_one_that_comes_late_says_so_however_late_it_is(user: User) -> None:
    do(user, "reminder.add", summary="call Ada", time="17:00")
    user.tick("2026-04-16 09:00")
    assert texts(user) == ["Call Ada\nLate: this was due Mon 17:00."]


def test_one_that_comes_again_keeps_its_time_of_the_wall_clock(tmp_path: Path) -> None:
    user = User(tmp_path, "2026-03-27 12:00")  # clocks go forward on the 29th
    do(user, "reminder.add", summary="pills", time="08:00", rule="FREQ=DAILY")
    for number in (28, 29, 30):
        user.tick(f"2026-03-{number} 07:59")
        user.tick(f"2026-03-{number} 08:00")
    found = [one.due_at.astimezone(BERLIN).isoformat() for one in user.deliveries()]
    assert found == [
        "2026-03-28T08:00:00+01:00",
        "2026-03-29T08:00:00+02:00",
        "2026-03-30T08:00:00+02:00",
    ]


def test_of_one_that_comes_again_only_the_last_that_was_slept_through_is_said(user: User) -> None:
    do(user, "reminder.add", summary="pills", time="08:00", rule="FREQ=DAILY")
    user.tick("2026-04-20 10:00")
    assert texts(user) == ["Pills\nLate: this was due Mon 08:00."]
    user.tick("2026-04-21 08:00")
    assert texts(user)[1:] == ["Pills"]


def test_one_that_is_cancelled_is_not_said_and_undoing_that_says_it_again(user: User) -> None:
    do(user, "reminder.add", summary="call Ada", time="17:00")
    assert do(user, "reminder.cancel", item="ada").startswith("Cancelled “call Ada”")
    user.tick("2026-04-13 17:00")
    assert texts(user) == []
    do(user, "undo")
    user.tick("2026-04-13 17:10")
    assert texts(user) == ["Call Ada\nLate: this was due Mon 17:00."]


def test_what_a_repeated_one_missed_while_it_was_cancelled_is_not_made_up_for(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(day, "SystemClock", lambda: user.clock)
    do(user, "reminder.add", summary="pills", time="08:00", rule="FREQ=DAILY")
    do(user, "reminder.cancel", item="pills")
    user.at("2026-04-16 12:00")
    do(user, "undo")
    user.tick("2026-04-16 12:01")
    user.tick("2026-04-17 08:00")
    assert texts(user) == ["Pills"]


def test_what_has_rung_cannot_be_undone(user: User) -> None:
    do(user, "reminder.add", summary="call Ada", time="12:30")
    user.tick("2026-04-13 12:30")
    with pytest.raises(NotUndoableError, match="has rung already"):
        do(user, "undo")


def test_one_whose_channel_fails_is_tried_again_and_cancelling_ends_that(user: User) -> None:
    do(user, "reminder.add", summary="pills", time="12:30", rule="FREQ=DAILY")
    user.desktop.fail(may_retry=True)
    user.tick("2026-04-13 12:30")
    do(user, "reminder.cancel", item="pills")
    user.desktop.first = lambda: None
    user.tick("2026-04-13 12:31")
    assert texts(user) == []
    assert [state for _, _, state in user.states()] == ["cancelled"]


def test_what_rang_last_is_snoozed_and_rings_again(user: User) -> None:
    do(user, "reminder.add", summary="call Ada", time="12:30")
    user.tick("2026-04-13 12:30")
    assert do(user, "reminder.snooze").startswith("Set a reminder of “call Ada” again: ")
    user.tick("2026-04-13 12:40")
    do(user, "reminder.snooze", later_seconds=300)
    user.tick("2026-04-13 12:45")
    assert texts(user) == ["Call Ada"] * 3
    user.at("2026-04-15 12:00")
    with pytest.raises(ActionError, match="nothing has rung lately"):
        do(user, "reminder.snooze")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"summary": "x"}, "it is not said when"),
        ({"summary": "x", "day": "2026-04-12"}, "is over already"),
        ({"summary": "x", "day": "2026-04-13"}, "it is not said at what time"),
        ({"timer_seconds": 400 * 24 * 3600}, "that is longer than a year"),
        ({"timer_seconds": 10**18}, "more than can be counted"),
    ],
)
def test_what_cannot_be_said_is_refused(user: User, arguments: dict[str, Json], said: str) -> None:
    with pytest.raises(ActionError, match=said):
        do(user, "reminder.add", **arguments)


# Rules


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("every friday", "FREQ=WEEKLY;BYDAY=FR", "every Friday"),
        ("every other friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every 2 weeks on Friday"),
        ("every mon, wed and fri", "FREQ=WEEKLY;BYDAY=MO,WE,FR",
         "every Monday, Wednesday and Friday"),
        ("each weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("every weekend", "FREQ=WEEKLY;BYDAY=SA,SU", "every Saturday and Sunday"),
        ("daily", "FREQ=DAILY", "every day"),
        ("every morning", "FREQ=DAILY", "every day"),
        ("every tuesday evening", "FREQ=WEEKLY;BYDAY=TU", "every Tuesday"),
        ("every 3 weeks", "FREQ=WEEKLY;INTERVAL=3", "every 3 weeks"),
        ("every second month", "FREQ=MONTHLY;INTERVAL=2", "every 2 months"),
        ("every 2 hours", "FREQ=HOURLY;INTERVAL=2", "every 2 hours"),
        ("yearly", "FREQ=YEARLY", "every year"),
        ("every 2nd day", "FREQ=DAILY;INTERVAL=2", "every 2 days"),
        ("every fortnight", "FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
        ("every quarter", "FREQ=MONTHLY;INTERVAL=3", "every 3 months"),
        ("on weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("every 2nd", "FREQ=MONTHLY;BYMONTHDAY=2", "every month on the 2nd"),
        ("every second tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "every 2 weeks on Tuesday"),
        ("every second tuesday of the month", "FREQ=MONTHLY;BYDAY=2TU",
         "every month on the second Tuesday"),
        ("the first and third tuesday of each month", "FREQ=MONTHLY;BYDAY=1TU,3TU",
         "every month on the first and third Tuesday"),
        ("every 31st and 1st", "FREQ=MONTHLY;BYMONTHDAY=1,-1",
         "every month on the 1st and last day"),
        ("every 12th and 21st", "FREQ=MONTHLY;BYMONTHDAY=12,21",
         "every month on the 12th and 21st"),
        ("every twenty-first of the month", "FREQ=MONTHLY;BYMONTHDAY=21",
         "every month on the 21st"),
        ("every july 4th", "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=4", "every year on 4 July"),
        ("every 29 february", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "every year on 29 February"),
    ],
)  # fmt: skip
def test_how_often_is_read_and_said(text: str, rule: str, said: str) -> None:
    assert parse_repeat(text).rule == rule
    assert repeat_words(rule) == said
    assert find_repeat(f"remind me {text} at 9 to go") in {text, None}


@pytest.mark.parametrize(
    "text",
    ["", "every", "every blue moon", "sometimes", "every 0 days", "every second", "every 32nd",
     "every 0th", "every sixth monday of the month", "every 30th and 1st", "every 30 february"],
)  # fmt: skip
def test_what_does_not_say_how_often_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_repeat(text)


def reminder(first: str, rule: str) -> Reminder:
    return Reminder("0" * 8, ReminderKind.REMINDER, "x", berlin(first), rule)


def local(instant: dt.datetime | None) -> str:
    assert instant is not None
    return instant.astimezone(BERLIN).strftime("%Y-%m-%d %H:%M")


def test_every_other_week_counts_from_the_first() -> None:
    one = reminder("2026-04-17 18:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR")
    assert local(next_occurrence(one, one.first_at, HOME)) == "2026-05-01 18:00"
    assert local(next_occurrence(one, berlin("2026-06-01 00:00"), HOME)) == "2026-06-12 18:00"


def test_the_31st_of_a_short_month_is_its_last_day(user: User) -> None:
    said = do(user, "reminder.add", summary="books", day="2026-05-31", rule="FREQ=MONTHLY")
    assert said.startswith("Set a reminder of “books”: Sun 31 May 09:00, every month on the 31st.")
    with user.store() as store:
        (stored,) = store.reminders.active()
    june = next_occurrence(stored.reminder, stored.reminder.first_at, HOME)
    assert local(june) == "2026-06-30 09:00"
    assert local(next_occurrence(stored.reminder, june or berlin("2026-06-30"), HOME)) == (
        "2026-07-31 09:00"
    )


def test_one_of_every_day_follows_a_journey() -> None:
    journey = Journey(
        first_on=dt.date(2026, 4, 15), last_on=dt.date(2026, 4, 16), timezone="America/New_York"
    )
    zones = UserZones(home="Europe/Berlin", journeys=(journey,))
    one = reminder("2026-04-14 08:00", "FREQ=DAILY")
    there = next_occurrence(one, one.first_at, zones)
    assert there == dt.datetime(2026, 4, 15, 12, 0, tzinfo=dt.UTC)
    assert next_occurrence(one, berlin("2026-04-16 20:00"), zones) == (
        dt.datetime(2026, 4, 17, 6, 0, tzinfo=dt.UTC)
    )


RULES = st.sampled_from(
    ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU", "FREQ=MONTHLY",
     "FREQ=HOURLY", "FREQ=HOURLY;INTERVAL=7", "FREQ=YEARLY"]
)  # fmt: skip
ZONES = st.sampled_from(
    ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]
)
DAYS = st.dates(dt.date(2020, 1, 1), dt.date(2030, 12, 28))


@settings(max_examples=examples(60), deadline=None)
@given(
    rule=RULES,
    zone=ZONES,
    start=DAYS,
    minutes=st.integers(0, 24 * 60 - 1),
    days=st.integers(0, 400),
)
def test_occurrences_come_one_after_the_other_wherever_one_asks_from(
    rule: str, zone: str, start: dt.date, minutes: int, days: int
) -> None:
    zones = UserZones(home=zone)
    midnight = dt.datetime.combine(start, dt.time(), dt.UTC)
    first = midnight
    if not is_hourly(rule):
        time = dt.time(minutes // 60, minutes % 60)
        first = first_occurrence(rule, start, time, midnight - dt.timedelta(days=2), zones)
    one = Reminder("0" * 8, ReminderKind.REMINDER, "x", first, rule)
    asked = first + dt.timedelta(days=days)
    following = next_occurrence(one, asked, zones)
    assert following is not None
    assert following > asked
    # Whoever asks at any moment before it, after the one before, is told the same.
    assert next_occurrence(one, following - dt.timedelta(seconds=1), zones) == following
    later = next_occurrence(one, following, zones)
    assert later is not None
    assert later > following


def set_many(user: User, count: int) -> None:
    """Set reminders of one minute each, as somebody would who imports a year of them."""
    with user.store() as store, store.deliveries._session.writing():
        for number in range(count):
            one = Reminder(f"{number:08x}", ReminderKind.REMINDER, f"n{number}", NOON)
            change = ReminderChange(before=None, after=one)
            apply_reminder_change(store.deliveries._session, change, NOON - dt.timedelta(hours=1))


def test_hundreds_that_come_due_at_once_are_each_said_once_and_no_tick_is_long(
    user: User,
) -> None:
    set_many(user, 2 * MOST_AT_ONCE + 50)
    now = user.at("2026-04-13 12:00")
    entered: list[int] = []
    with user.store() as store, user.iris() as iris:
        courier = user.courier(store, iris)
        while not entered or courier.has_more(now):
            courier.tick(now)
            assert courier.wait(20)
            entered.append(len(store.deliveries.list(limit=1000)))
        courier.close()
    assert entered == [MOST_AT_ONCE, 2 * MOST_AT_ONCE, 2 * MOST_AT_ONCE + 50]
    assert texts(user) == [f"N{number}" for number in range(2 * MOST_AT_ONCE + 50)]
    assert {one.state for one in user.deliveries()} == {DeliveryState.DELIVERED}


def test_hundreds_that_wait_for_a_slow_channel_hold_up_no_other(user: User) -> None:
    user.config["reminders"] = {"channels": ["web", "desktop"]}
    set_many(user, 3 * MOST_AT_ONCE)
    gate = user.web.hang()
    now = user.at("2026-04-13 12:00")
    with user.store() as store, user.iris() as iris:
        courier = user.courier(store, iris)
        give_up = time.monotonic() + 60
        while len(user.desktop.messages) < 3 * MOST_AT_ONCE:
            assert time.monotonic() < give_up
            courier.tick(now)
            assert not courier.wait(0.2)
        assert user.web.messages == []
        gate.set()
        courier.close()
