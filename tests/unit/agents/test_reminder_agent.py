"""What people say of reminders and timers, from their words to what is set: through the router."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.clock import FixedClock
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of
from iris_harness.contracts.reminders import PendingReminder

BERLIN = ZoneInfo("Europe/Berlin")
NOW = dt.datetime(2026, 11, 30, 12, 10, tzinfo=BERLIN)  # a Monday

Ask = Callable[..., str]
NOBODY = " But nothing will ring: neither `iris serve` nor `iris briefing watch` is running."


class Kitchen:
    """Somebody who talks to Iris."""

    def __init__(self, folder: Path) -> None:
        config = Config.model_validate(
            {"timezone": "Europe/Berlin", "storage": {"data_dir": str(folder)}}
        )
        setting = configured_setting(settings_of(config), clock=FixedClock(NOW))
        self.iris = Iris(setting)

    def say(self, utterance: str) -> str:
        """Return the first line of the answer."""
        return self.iris.ask(utterance, "kitchen").text.splitlines()[0].removesuffix(NOBODY)

    def lines(self, utterance: str) -> list[str]:
        return self.iris.ask(utterance, "kitchen").text.splitlines()

    def set(self) -> list[str]:
        """What is set: when, what, how often."""
        from iris_harness.bootstrap.reminders import own_reminders

        port = own_reminders(self.iris.setting)
        assert port is not None
        return [shown(one) for one in port.pending()]


def shown(one: PendingReminder) -> str:
    reminder = one.reminder
    at = one.next_at.astimezone(BERLIN).strftime("%a %d %b %H:%M:%S").removesuffix(":00")
    kind = "timer " if reminder.kind.value == "timer" else ""
    return " | ".join(part for part in (at, kind + reminder.title, reminder.rule) if part)


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[Kitchen]:
    one = Kitchen(tmp_path)
    yield one
    one.iris.close()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("remind me at five to call Ada", "Mon 30 Nov 17:00 | call Ada"),
        ("Remind me to call the dentist on friday at 3pm", "Fri 04 Dec 15:00 | call the dentist"),
        ("remind me in 20 minutes to check the oven", "Mon 30 Nov 12:30 | check the oven"),
        ("remind me in 90 seconds to turn the eggs", "Mon 30 Nov 12:11:30 | turn the eggs"),
        ("remind me in two hours that the shop closes", "Mon 30 Nov 14:10 | the shop closes"),
        ("remind me in half an hour to eat", "Mon 30 Nov 12:40 | eat"),
        ("remind me tomorrow to pay rent", "Tue 01 Dec 09:00 | pay rent"),
        ("remind me tonight to lock the door", "Mon 30 Nov 18:00 | lock the door"),
        ("remind me next week to write the review", "Mon 07 Dec 09:00 | write the review"),
        ("remind me on 3 may of the anniversary", "Mon 03 May 09:00 | the anniversary"),
        ("don't let me forget to call mum at 8pm", "Mon 30 Nov 20:00 | call mum"),
        ("set a reminder for tomorrow at noon to send the report",
         "Tue 01 Dec 12:00 | send the report"),
        ("remind me at 5 to check every room", "Mon 30 Nov 17:00 | check every room"),
        ("set a 20 minute reminder to check the oven", "Mon 30 Nov 12:30 | check the oven"),
        ("wake me up at 7", "Tue 01 Dec 07:00 | wake up"),
        ("wake me at 7", "Tue 01 Dec 07:00 | wake"),
        ("set an alarm for 6:30", "Tue 01 Dec 06:30 | alarm"),
        ("set an alarm for quarter to seven", "Tue 01 Dec 06:45 | alarm"),
        ("wake me at six thirty tomorrow", "Tue 01 Dec 06:30 | wake"),
        ("wake me up at half past seven in the evening", "Mon 30 Nov 19:30 | wake up"),
        ("set an alarm for 18:30 tomorrow", "Tue 01 Dec 18:30 | alarm"),
        ("remind me in forty-five minutes to eat", "Mon 30 Nov 12:55 | eat"),
        ("set a timer for twenty five minutes", "Mon 30 Nov 12:35 | timer 25 min"),
        ("set a timer for 10 minutes", "Mon 30 Nov 12:20 | timer 10 min"),
        ("set a timer for 30 seconds", "Mon 30 Nov 12:10:30 | timer 30 s"),
        ("set a timer for 1 minute 30 seconds", "Mon 30 Nov 12:11:30 | timer 1 min 30 s"),
        ("set a timer for an hour and a half", "Mon 30 Nov 13:40 | timer 1 h 30 min"),
        ("set a 5 minute timer", "Mon 30 Nov 12:15 | timer 5 min"),
        ("timer 5 min", "Mon 30 Nov 12:15 | timer 5 min"),
        ("remind me every friday to water the plants",
         "Fri 04 Dec 09:00 | water the plants | FREQ=WEEKLY;BYDAY=FR"),
        ("remind me every other friday at 18:00 to water the plants",
         "Fri 04 Dec 18:00 | water the plants | FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
        ("remind me every day at 8 to take my pills",
         "Tue 01 Dec 08:00 | take my pills | FREQ=DAILY"),
        ("remind me every weekday at 7:30 to take the bus",
         "Tue 01 Dec 07:30 | take the bus | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("remind me every monday, wednesday and friday at 9 to stretch",
         "Wed 02 Dec 09:00 | stretch | FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        ("remind me every tuesday and thursday at 6:15 pm to run",
         "Tue 01 Dec 18:15 | run | FREQ=WEEKLY;BYDAY=TU,TH"),
        ("remind me every morning to meditate", "Tue 01 Dec 08:00 | meditate | FREQ=DAILY"),
        ("remind me every 2 hours to drink", "Mon 30 Nov 14:10 | drink | FREQ=HOURLY;INTERVAL=2"),
        ("remind me on the 1st of every month to pay rent",
         "Tue 01 Dec 09:00 | pay rent | FREQ=MONTHLY;BYMONTHDAY=1"),
        ("remind me every 15th to pay rent",
         "Tue 15 Dec 09:00 | pay rent | FREQ=MONTHLY;BYMONTHDAY=15"),
        ("remind me to pay rent every 31st at noon",
         "Thu 31 Dec 12:00 | pay rent | FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
        ("remind me every 1st and 15th at 10 to do payroll",
         "Tue 01 Dec 10:00 | do payroll | FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("remind me on the last day of every month to send the invoices",
         "Thu 31 Dec 09:00 | send the invoices | FREQ=MONTHLY;BYMONTHDAY=-1"),
        ("remind me every first monday of the month at 9 to water the plants",
         "Mon 07 Dec 09:00 | water the plants | FREQ=MONTHLY;BYDAY=1MO"),
        ("remind me every last friday to back up",
         "Fri 25 Dec 09:00 | back up | FREQ=MONTHLY;BYDAY=-1FR"),
        ("remind me every 24 december to wrap gifts",
         "Thu 24 Dec 09:00 | wrap gifts | FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"),
        ("remind me to take the bin out on mondays and thursdays",
         "Thu 03 Dec 09:00 | take the bin out | FREQ=WEEKLY;BYDAY=MO,TH"),
        ("remind me weekdays at 8 to stretch",
         "Tue 01 Dec 08:00 | stretch | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("remind me every friday, and every sunday at 10 to call mum",
         "Fri 04 Dec 10:00 | call mum | FREQ=WEEKLY;BYDAY=FR,SU"),
        ("remind me at 5 to ask Bob about mondays", "Mon 30 Nov 17:00 | ask Bob about mondays"),
        ("remind me every day at 12 to eat", "Tue 01 Dec 12:00 | eat | FREQ=DAILY"),
        ("remind me at 5 to call Ada and 3 others", "Mon 30 Nov 17:00 | call Ada and 3 others"),
    ],
)  # fmt: skip
def test_what_is_said_is_set(kitchen: Kitchen, said: str, expected: str) -> None:
    assert kitchen.say(said).startswith("Set a ")
    assert kitchen.set() == [expected]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("remind me every day at 8 and 20 to take my pills",
         ["Mon 30 Nov 20:00 | take my pills | FREQ=DAILY",
          "Tue 01 Dec 08:00 | take my pills | FREQ=DAILY"]),
        ("remind me to stretch every weekday at 7:30 am and 7:30 pm",
         ["Mon 30 Nov 19:30 | stretch | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
          "Tue 01 Dec 07:30 | stretch | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"]),
        ("remind me tomorrow at 9, 12 and at 17 to call",
         ["Tue 01 Dec 09:00 | call", "Tue 01 Dec 12:00 | call", "Tue 01 Dec 17:00 | call"]),
        ("remind me at 7 and 9 pm to check the oven",
         ["Mon 30 Nov 19:00 | check the oven", "Mon 30 Nov 21:00 | check the oven"]),
    ],
)  # fmt: skip
def test_of_several_times_each_gets_a_reminder(
    kitchen: Kitchen, said: str, expected: list[str]
) -> None:
    kitchen.say(said)
    assert kitchen.set() == expected
    kitchen.say("undo that")
    assert kitchen.set() == []


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("remind me every second to breathe", "I cannot tell how often “every second” is"),
        ("remind me every 5 minutes to blink", "I cannot tell how often “every 5 minutes” is"),
        ("remind me every blue moon to call", "I cannot tell how often “every blue moon” is"),
        ("remind me every 2 hours from 9 to 17 to stand", "does so day and night"),
        ("remind me on monday and thursday at 8 to run", "only a part of when"),
        ("remind me every friday at 25:00 to go", "There is no “friday at 25:00”"),
        ("remind me every 31 june to go", "There is no “31 june”"),
        ("set a timer for 99999999999 hours", "is no length of time"),
        ("set a timer for 9000 hours", "is no length of time"),
        ("remind me in 999999999 hours to go", "There is no “in 999999999 hours”"),
        (f"set a timer for {'9' * 400} hours", "is no length of time"),
        ("remind me to buy milk", "I do not know when to remind you"),
        ("remind me to take a 10 minute walk", "I do not know when to remind you"),
        ("remind me yesterday to call", "is over already"),
        ("remind me today to pay", "It is not said at what time"),
        ("remind me this morning to run", "is over already"),
    ],
)
def test_what_has_no_time_to_come_is_not_set(kitchen: Kitchen, said: str, answer: str) -> None:
    assert answer in kitchen.say(said)
    assert kitchen.set() == []


def test_setting_one_where_nobody_would_say_it_tells_that_nothing_will_ring(
    kitchen: Kitchen,
) -> None:
    said = kitchen.lines("remind me at five to call Ada")
    assert said == [
        f"Set a reminder of “call Ada”: Mon 30 Nov 17:00.{NOBODY}",
        "Say “undo that” to take it back.",
    ]


def test_what_is_set_is_told_by_when_it_comes(kitchen: Kitchen) -> None:
    assert kitchen.lines("what reminders do I have") == ["No reminder is set."]
    kitchen.say("set a timer for 10 minutes")
    kitchen.say("remind me every friday to water the plants")
    kitchen.say("remind me tomorrow at 9 to pay rent")
    assert kitchen.lines("show my reminders")[:4] == [
        "You have 3 reminders.",
        "Timer of 10 min: 10 min left.",
        "Pay rent: tomorrow, 09:00.",
        "Water the plants: Friday 4 December 2026, 09:00, every Friday.",
    ]
    assert kitchen.lines("how long is left on my timer")[:2] == [
        "You have 1 timer.",
        "Timer of 10 min: 10 min left.",
    ]
    assert kitchen.lines("do I have any reminders for tomorrow")[:2] == [
        "You have 1 reminder.",
        "Pay rent: tomorrow, 09:00.",
    ]


def test_the_one_that_is_meant_is_cancelled_and_never_a_guess(kitchen: Kitchen) -> None:
    kitchen.say("remind me at five to call Ada")
    kitchen.say("remind me at six to call Bob")
    kitchen.say("set a timer for 10 minutes")
    assert kitchen.lines("cancel the reminder to call")[:3] == [
        "2 reminders are meant:",
        "  “call Ada”, Mon 30 Nov 17:00",
        "  “call Bob”, Mon 30 Nov 18:00",
    ]
    assert kitchen.say("cancel the reminder to call Ada") == (
        "Cancelled “call Ada”, Mon 30 Nov 17:00."
    )
    assert kitchen.say("stop the timer") == "Cancelled “10 min”, Mon 30 Nov 12:20."
    assert kitchen.say("cancel the reminder to swim").startswith("No reminder fits “swim”")
    assert kitchen.set() == ["Mon 30 Nov 18:00 | call Bob"]
    assert kitchen.say("cancel my 6pm reminder") == "Cancelled “call Bob”, Mon 30 Nov 18:00."


def test_all_timers_are_cancelled_and_reminders_stay(kitchen: Kitchen) -> None:
    for minutes in (5, 10):
        kitchen.say(f"set a timer for {minutes} minutes")
    kitchen.say("remind me at five to call Ada")
    assert kitchen.say("cancel all timers") == "Cancelled 2 of your reminders and timers."
    assert kitchen.set() == ["Mon 30 Nov 17:00 | call Ada"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("move the reminder to call Ada to 6pm", "Mon 30 Nov 18:00 | call Ada"),
        ("postpone the reminder to call Ada by 20 minutes", "Mon 30 Nov 17:20 | call Ada"),
        ("move my call Ada reminder to friday", "Fri 04 Dec 17:00 | call Ada"),
        ("change the reminder to tomorrow at 8", "Tue 01 Dec 08:00 | call Ada"),
        ("push back the reminder by an hour", "Mon 30 Nov 18:00 | call Ada"),
    ],
)
def test_a_reminder_is_moved_and_moved_back(kitchen: Kitchen, said: str, expected: str) -> None:
    kitchen.say("remind me at five to call Ada")
    assert kitchen.say(said).startswith("Moved “call Ada” from Mon 30 Nov 17:00 to ")
    assert kitchen.set() == [expected]
    kitchen.say("undo that")
    assert kitchen.set() == ["Mon 30 Nov 17:00 | call Ada"]


def test_one_that_comes_again_gets_another_time_of_day_and_no_other_day(kitchen: Kitchen) -> None:
    kitchen.say("remind me every friday at 18:00 to water the plants")
    assert kitchen.say("move the reminder about the plants to 19:00").startswith("Moved ")
    assert kitchen.set() == ["Fri 04 Dec 19:00 | water the plants | FREQ=WEEKLY;BYDAY=FR"]
    assert "only get another time of day" in kitchen.say("move the plants reminder to monday")


def test_snoozing_where_nothing_rang_sets_nothing(kitchen: Kitchen) -> None:
    assert kitchen.say("snooze").startswith("Nothing has rung lately")
    assert kitchen.say("snooze for 5 minutes").startswith("Nothing has rung lately")
    assert kitchen.set() == []


@pytest.mark.parametrize(
    "said", ["tell me my reminder list", "what's on my reminder list", "how long before it rings"]
)
def test_only_who_says_so_cancels(kitchen: Kitchen, said: str) -> None:
    kitchen.say("remind me at five to call Ada")
    kitchen.say(said)
    assert kitchen.set() == ["Mon 30 Nov 17:00 | call Ada"]


@pytest.mark.parametrize(
    "said",
    ["please cancel the timer", "could you stop my timer", "turn the timer off", "timer off",
     "kill that timer", "cancel timer"],
)  # fmt: skip
def test_a_timer_is_stopped_in_many_words(kitchen: Kitchen, said: str) -> None:
    kitchen.say("set a timer for 10 minutes")
    kitchen.say(said)
    assert kitchen.set() == []


def test_what_was_set_or_cancelled_is_undone_and_done_again(kitchen: Kitchen) -> None:
    kitchen.say("remind me at five to call Ada")
    assert kitchen.say("undo that") == "Took back: Set a reminder of “call Ada”: Mon 30 Nov 17:00."
    assert kitchen.set() == []
    kitchen.say("undo that")
    assert kitchen.set() == ["Mon 30 Nov 17:00 | call Ada"]
    kitchen.say("cancel the reminder to call Ada")
    kitchen.say("undo that")
    assert kitchen.set() == ["Mon 30 Nov 17:00 | call Ada"]


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("cancel my dentist appointment", "calendar.change"),
        ("cancel the call with Bob", "calendar.change"),
        ("delete buy milk from my list", "todo.change"),
        ("show my todos", "todo.query"),
        ("what is on my calendar tomorrow", "calendar.query"),
        ("add buy milk to my list", "todo.add"),
    ],
)
def test_what_is_about_other_things_is_left_to_others(
    kitchen: Kitchen, said: str, intent: str
) -> None:
    assert kitchen.iris.route(said)[0].intent == intent
