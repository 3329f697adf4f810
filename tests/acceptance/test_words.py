"""What people say to Iris, by kind, against a small calendar, a list and an address book."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness import Iris
from tests.talk_support import TODO_TXT, Say, settle_in


@pytest.fixture
def iris(home: Path) -> Iterator[Iris]:
    with settle_in(home) as opened:
        yield opened


@pytest.fixture
def say(iris: Iris) -> Say:
    """Say something in one conversation."""
    return lambda words: iris.turn(words, "conversation")


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        # free time
        ("when do I have a free hour", "Today you have 1 h free from 09:30 to 15:00"),
        ("when am I free tomorrow", "Tomorrow you are free from 09:00 to 09:15,"),
        ("find me a free slot for 90 minutes next week", "On Monday 18 May 2026 you have 1 h 30"),
        ("when is my next free half hour", "Today you have 30 min free from 09:30"),
        ("am I free friday", "On Friday 15 May 2026 2 events take your time."),
        ("am I free on 23 may", "Nothing is at a time on Saturday 23 May 2026; all day: Trip"),
        ("free on saturday?", "On Saturday 16 May 2026 1 event"),
        ("busy tomorrow?", "Tomorrow 3 events take your time."),
        ("am I free on saturday morning", "Yes, you are free on Saturday 16 May 2026 from"),
        ("do I have time for a 2 hour run on saturday", "Yes: on Saturday 16 May 2026 you are"),
        ("is there time for a 6 hour hike tomorrow", "No, not 6 h: tomorrow the longest free"),
        # conflicts
        ("when is the best time for a 2 hour meeting this week", "Today you have 2 h free from"),
        ("find time for a 3 hour workshop next week", "On Monday 18 May 2026 you have 3 h free"),
        ("any conflicts this week", "1 pair of events overlaps from Monday 11 May 2026"),
        ("do I have anything clashing", "1 pair of events overlaps between today and"),
        ("do any meetings overlap on friday", "No events overlap on Friday 15 May 2026."),
        # birthdays
        ("what birthdays are coming up", "3 birthdays between today and Friday 12 June 2026."),
        ("birthdays this month", "2 birthdays from Friday 1 May 2026"),
        ("does anyone have a birthday in june", "1 birthday from Monday 1 June 2026"),
        ("is grace's birthday this week", "Grace Hopper: Sunday 17 May 2026"),
        ("whose birthday is next", "Grace Hopper: Sunday 17 May 2026, in 4 days."),
        ("when is john's birthday", "John Smith: Tuesday 2 June 2026, in 20 days, turns 47."),
        ("when does grace have her birthday", "Grace Hopper: Sunday 17 May 2026"),
        ("how old is john smith", "John Smith: Tuesday 2 June 2026"),
        ("when is zoe's birthday", "I found nobody called \u201czoe\u201d."),
        # one event
        ("when is my next stand-up", "Today, 09:15 to 09:30: Stand-up (Room 2)."),
        ("next dentist appointment", "Tuesday 19 May 2026, 08:30 to 09:15: Dentist"),
        ("where is my next meeting", "Stand-up is at Room 2: today, 09:15 to 09:30."),
        ("how long is the review", "Quarterly review takes 1 h 30 min: tomorrow, 14:00 to 15:30."),
        ("what time does the concert start", "Saturday 16 May 2026, 20:00 to 22:30: Concert."),
        ("when was my last stand-up", "Yesterday, 09:15 to 09:30: Stand-up (Room 2)."),
        # todos, and days
        ("what's overdue", "You have 1 overdue todo."),
        ("when is the report due", "Write the report: due today, priority 1, takes 2 h."),
        ("how long will the slides take", "Prepare slides for the review: due on Fri 15 May,"),
        ("is the report done", "Not yet: Write the report is still open, due today"),
        ("did I call the landlord", "Not yet: Call the landlord is still open,"),
        ("what time is my first meeting tomorrow", "Tomorrow, 09:15 to 09:30: Stand-up"),
        ("when do I finish tomorrow", "The last one, Budget meeting, ends tomorrow at 16:00."),
        ("how long until the concert", "Concert begins in 3 days: Saturday 16 May 2026"),
        ("who is in the budget meeting", "I do not read who takes part. Tomorrow, 15:00"),
        ("is the concert on saturday or sunday", "Saturday 16 May 2026, 20:00 to 22:30: Concert."),
        ("where do I have to be at noon on friday", "Lunch with Ada is at Osteria: Friday 15 May"),
        ("anything due on friday", "You have 1 todo due on Friday 15 May 2026."),
        ("when am I meeting john smith", "Today, 15:00 to 15:30: 1:1 with John."),
        ("how busy am I on thursday", "Tomorrow is half full: 3 events (1 pair overlaps),"),
        ("what did I plan for friday", "No plan of Friday 15 May 2026 was shown so far;"),
        ("plan my day at 14:10", "Wednesday 13 May 2026\ntoday, now 14:10"),
        ("plan the rest of my day", "Wednesday 13 May 2026, 08:40 to 24:00"),
        ("what's on at 3pm", "Wednesday 13 May 2026, 15:00 to 16:00"),
        ("plan my afternoon", "Wednesday 13 May 2026, 12:00 to 18:00"),
        ("plan tomorrow morning", "Thursday 14 May 2026, 06:00 to 12:00"),
        ("plan my week", "Monday 11 May 2026 to Sunday 17 May 2026"),
        ("when should I do the report", "Write the report is planned for 10:00 to 12:00"),
        ("what's the address of the dentist", "Dentist is at High Street: Tuesday 19 May 2026"),
        ("what time is lunch on friday", "You have 1 event on Friday 15 May 2026."),
        ("is the 19th free", "On Tuesday 19 May 2026 2 events take your time."),
        ("why is the report at three", "Write the report is planned for 10:00 to 12:00"),
    ],
)
def test_a_question_gets_the_answer_to_just_that(say: Say, utterance: str, answer: str) -> None:
    reply = say(utterance).reply
    assert reply.text.startswith(answer), reply.text
    assert reply.speech


@pytest.mark.parametrize(
    "utterance",
    [
        "why is the sky blue", "why do cats purr", "how long is the great wall",
        "when is the world cup", "where is the bank", "how old is the sun", "call 911",
        "call me a taxi", "skip this song", "skip the intro", "delete my account",
        "cancel my subscription", "keep calm",
    ],
)  # fmt: skip
def test_what_nothing_of_the_users_is_called_stays_none_of_its_business(
    say: Say, utterance: str
) -> None:
    turn = say(utterance)
    assert turn.reply.text.startswith(("I can't do that yet.", "I am not sure what")), (
        turn.reply.text
    )
    assert not turn.waiting
    assert not turn.reply.actions


@pytest.mark.parametrize(
    ("utterance", "done"),
    [
        ("move the report to friday", "Made “Write the report” due Fri 15 May."),
        ("move the dentist to friday", "Moved “Dentist” from Tue 19 May 08:30 to 09:15 to Fri"),
        ("postpone the review by an hour", "to 15:30 to Thu 14 May 15:00 to 16:30."),
        ("move the dentist two days earlier", "Tue 19 May 08:30 to 09:15 to Sun 17 May 08:30"),
        ("make the report due tomorrow", "Made “Write the report” due Thu 14 May."),
        ("block 2 hours for writing tomorrow at 10", "Put “writing” into work: Thu 14 May 10:00"),
        (
            "add 'water plants' to my list due friday",
            "Added “water plants” to todo, due Fri 15 May",
        ),
        ("cancel the budget meeting", "Deleted “Budget meeting”"),
        ("pin the report", "Pinned “Write the report” to Wed 13 May, 10:00 to 12:00."),
        ("pin the report at three", "Pinned “Write the report” to Wed 13 May, 15:00 to 17:00."),
        ("keep the slides at 2pm", "Pinned “Prepare slides for the review” to Wed 13 May, 14:00"),
        ("skip buy milk today", "Left “Buy milk @shop” out of the plan of Wed 13 May."),
        ("leave book flights out of my plan", "Left “Book flights” out of the plan of Wed 13 May."),
        ("put the report first", "Pinned “Write the report” to Wed 13 May, 09:30 to 11:30."),
        ("meet with john smith tomorrow at 4pm", "Put “meet with john smith” into work: Thu 14"),
        ("lunch with the team on friday at 1pm", "Put “lunch with the team” into work: Fri 15"),
        ("add call mum at 8am", "Put “call mum” into work: Thu 14 May 08:00 to 09:00."),
        ("add 'buy stamps'", "Added “buy stamps” to todo."),
    ],
)
def test_a_clear_request_is_done_and_can_be_undone(say: Say, utterance: str, done: str) -> None:
    assert done in say(utterance).reply.text
    assert say("undo that").reply.text.startswith("Took back: ")


@pytest.mark.parametrize(
    ("utterance", "question"),
    [
        ("move the slides for the review to monday", "Make “Prepare slides for the review” due"),
        ("bring the review forward by half an hour", "to 15:30 to Thu 14 May 13:30 to 15:00?"),
        ("move the report back a week", "Make “Write the report” due Wed 20 May?"),
        ("change the dentist to 10am", "to 09:15 to Tue 19 May 10:00 to 10:45?"),
        ("delete book flights", "Delete “Book flights” from todo?"),
        ("skip the landlord", "Leave “Call the landlord” out of the plan of Wed 13 May?"),
        ("call john", "Add “call john” to todo?"),
    ],
)
def test_what_only_the_evidence_speaks_for_is_asked_about(
    say: Say, utterance: str, question: str
) -> None:
    assert f"{question}" in say(utterance).reply.text
    assert say("no").reply.text == "All right, nothing was changed."


@pytest.mark.parametrize(
    ("utterance", "answer", "done"),
    [
        ("when is Ada's birthday", "byron", "Ada Byron: Wednesday 20 May 2026"),
        ("when is ada's birthday", "the second one", "Ada Lovelace: Thursday 10 December 2026"),
        ("lunch with ada on monday at noon", "I mean Lovelace", "Put “lunch with Ada Lovelace”"),
        ("call ada", "Ada Byron", "Added “call Ada Byron” to todo."),
    ],
)
def test_a_name_of_several_people_is_asked_about_and_settled_by_the_next_words(
    say: Say, utterance: str, answer: str, done: str
) -> None:
    asked = say(utterance).reply
    assert asked.text.startswith("Which Ada: Ada Byron or Ada Lovelace?")
    assert asked.is_question
    assert asked.choices == ("Ada Byron", "Ada Lovelace")
    assert done in say(answer).reply.text


def test_a_question_back_is_dropped_by_another_request_and_by_another_conversation(
    iris: Iris, say: Say
) -> None:
    say("call ada")
    assert "Byron" not in iris.turn("byron", "another").reply.text
    assert "Today, 09:15" in say("when is my next meeting").reply.text
    assert "Added" not in say("byron").reply.text


def test_a_todo_and_an_event_of_a_name_are_asked_about(say: Say, home: Path) -> None:
    todo = home / "todo.txt"
    todo.write_text(TODO_TXT + "Concert\n")
    asked = say("move the concert to sunday").reply.text
    assert "Which “concert”: the todo “Concert” or the event “Concert”?" in asked
    assert say("the todo").reply.text.startswith("Made “Concert” due Sun 17 May.")


def test_somebody_who_is_not_known_is_said_to_be_so_and_the_title_stays(say: Say) -> None:
    text = say("coffee with zoe tomorrow at 10").reply.text
    assert text.startswith("Nobody in your address books is called “zoe”.\nPut “coffee with zoe”")
    known = say("dinner with grace friday 7pm").reply.text
    assert known.startswith("“grace” is Grace Hopper [people].\nPut “dinner with grace”")


def test_it_means_what_the_request_before_was_about(say: Say, home: Path) -> None:
    text = say("add 'buy stamps' and then move it to friday").reply.text
    assert "Added “buy stamps” to todo." in text
    assert "Made “buy stamps” due Fri 15 May." in text
    assert "buy stamps due:2026-05-15" in (home / "todo.txt").read_text()


def test_a_clause_that_waits_for_a_change_says_so(say: Say) -> None:
    text = say("delete book flights, then move it to friday").reply.text
    assert "Delete “Book flights” from todo? Say yes or no." in text
    assert "not asked: the change before it waits for your yes" in text
    assert say("yes").reply.text.startswith("Deleted “Book flights” from todo.")


def test_a_question_after_a_change_that_was_not_made_is_answered(say: Say) -> None:
    text = say("delete book flights, then show my todos").reply.text
    assert "Delete “Book flights” from todo? Say yes or no." in text
    assert "You have 5 open todos." in text
    moved = say("move the report to friday and then show my todos").reply.text
    assert "Made “Write the report” due Fri 15 May." in moved
    assert "You have 5 open todos." in moved


def test_requests_may_speak_of_the_change_before_them(say: Say) -> None:
    text = say("move the report to friday and skip it today").reply.text
    assert "Left “Write the report” out of the plan of Wed 13 May." in text


def test_a_clause_that_is_not_understood_does_not_stop_the_others(say: Say) -> None:
    text = say("what's overdue, then dim the lights, then when is my next meeting").reply.text
    assert "You have 1 overdue todo." in text
    assert "I can't do that yet." in text
    assert "Today, 09:15 to 09:30: Stand-up" in text


@pytest.mark.parametrize(
    ("utterance", "question"),
    [
        ("push book flights to friday", "Make “Book flights” due Fri 15 May?"),
        ("defer book flights until monday", "Make “Book flights” due Mon 18 May?"),
        ("shove the landlord to friday", "Make “Call the landlord” due Fri 15 May?"),
        ("put off book flights until friday", "Make “Book flights” due Fri 15 May?"),
        ("put book flights off until friday", "Make “Book flights” due Fri 15 May?"),
        ("push the report back to friday", "Make “Write the report” due Fri 15 May?"),
        ("book flights is due friday", "Make “Book flights” due Fri 15 May?"),
        ("change the due date of book flights to friday", "Make “Book flights” due Fri 15 May?"),
        ("rename book flights to book trains", "Rename “Book flights” to “book trains”?"),
        ("rename book flights to friday's trains", "Rename “Book flights” to “friday's trains”?"),
        ("change the name of the report to essay", "Rename “Write the report” to “essay”?"),
        ("I'm done with book flights", "Mark “Book flights” on todo as done?"),
        ("book flights is done", "Mark “Book flights” on todo as done?"),
        ("completed book flights", "Mark “Book flights” on todo as done?"),
    ],
)
def test_a_todo_is_moved_renamed_or_finished_in_many_words(
    say: Say, utterance: str, question: str
) -> None:
    assert question in say(utterance).reply.text
    assert say("no").reply.text == "All right, nothing was changed."


@pytest.mark.parametrize(
    ("utterance", "done"),
    [
        ("buy milk", "Added “buy milk” to todo."),
        ("by milk and eggs", "Added “milk and eggs” to todo."),
        ("stick milk on my list", "Added “milk” to todo."),
        ('add "call plumber" due friday priority 1', "Added “call plumber” to todo, due Fri 15"),
        ("add read for ten minutes to my list", "Added “read” to todo, takes 10 min."),
        ("schedule a two hour workshop on monday at 10", "Put “workshop” into work: Mon 18 May 10"),
        ("is anything late", "You have 1 overdue todo."),
        ("find a slot for a 45 min call next week", "On Monday 18 May 2026 you have 45 min free"),
        ("don't forget to buy eggs", "Added “buy eggs” to todo."),
        ("strike off book flights", "Marked “Book flights” on todo as done."),
        ("strike book flights off my list", "Marked “Book flights” on todo as done."),
        ("rename the todo book flights to trains", "Renamed “Book flights” to “trains”."),
    ],
)
def test_what_is_plainly_said_of_a_todo_is_done(say: Say, utterance: str, done: str) -> None:
    assert say(utterance).reply.text.startswith(done)


@pytest.mark.parametrize(
    ("utterance", "set_to"),
    [
        ("make the report high priority", "“Write the report” to: priority 1"),
        ("set the priority of book flights to low", "“Book flights” to: priority 9"),
        ("give book flights priority 4", "“Book flights” to: priority 4"),
        ("raise the priority of the report to 2", "“Write the report” to: priority 2"),
        ("the report is really urgent", "“Write the report” to: priority 1"),
        ("mark book flights as important", "“Book flights” to: priority 1"),
        ("give the report no priority", "“Write the report” to: no priority"),
        ("the report will take three hours", "“Write the report” to: takes 3 h"),
        ("book flights takes about 90 minutes", "“Book flights” to: takes 1 h 30 min"),
        ("book flights takes an hour and a half", "“Book flights” to: takes 1 h 30 min"),
        ("the report needs 2h 15m", "“Write the report” to: takes 2 h 15 min"),
        ("set the estimate of book flights to 10 min", "“Book flights” to: takes 10 min"),
        ("book flights only needs half an hour", "“Book flights” to: takes 30 min"),
    ],
)
def test_a_todo_is_made_more_urgent_or_longer(say: Say, utterance: str, set_to: str) -> None:
    assert f"Set {set_to}" in say(utterance).reply.text


@pytest.mark.parametrize(
    "utterance",
    ["is the report urgent", "what is urgent", "how long does the report take",
     "the report needs review", "make the unicorn urgent", "make the dentist high priority"],
)  # fmt: skip
def test_what_only_sounds_like_a_priority_sets_none(say: Say, utterance: str) -> None:
    turn = say(utterance)
    assert "Set “" not in turn.reply.text
    assert turn.waiting == ()


def test_an_event_keeps_its_title_and_it_is_said_so(say: Say) -> None:
    assert "can give other titles to todos only" in say("rename the dentist to doctor").reply.text


EVENING = dt.datetime.fromisoformat("2026-05-13T19:30+02:00")


def test_in_the_evening_all_of_the_plan_is_about_today_and_says_so(home: Path) -> None:
    with settle_in(home, EVENING) as iris:
        answers = [
            iris.ask(words, "evening").text
            for words in (
                "pin the report at three", "why is the report at three", "put the report first",
            )
        ]  # fmt: skip
    assert answers[0] == "15:00 on Wed 13 May is over (name a time to come)."
    assert answers[1].startswith("Write the report has no time on Wednesday 13 May 2026.")
    assert answers[2].endswith("on Wednesday 13 May 2026 (name another day, or an hour).")


def test_a_plan_that_was_shown_is_what_the_next_words_are_about(home: Path) -> None:
    with settle_in(home, EVENING) as iris:
        iris.ask("plan tomorrow", "evening")
        pinned = iris.ask("pin the report at three", "evening").text
        why = iris.ask("why is the report at three", "evening").text
        skipped = iris.ask("skip the landlord", "evening").text
        other = iris.ask("skip the landlord", "another conversation").text
    assert pinned.startswith("Pinned “Write the report” to Thu 14 May, 15:00 to 17:00.")
    assert why.startswith("Write the report is planned for 15:00 to 17:00 on Thursday 14 May")
    assert skipped.startswith("Leave “Call the landlord” out of the plan of Thu 14 May?")
    assert other.startswith("Leave “Call the landlord” out of the plan of Wed 13 May?")


BEFORE_SUMMER_TIME = dt.datetime.fromisoformat("2026-03-27T09:00+01:00")


@pytest.mark.parametrize(
    "utterance",
    [
        "meeting on 29 march at 02:30",
        "meeting on sunday at 2:30 am",
        "remind me on 29 march at 02:30 to look at the clock",
        "add 'look at the clock' to my list due 29 march 02:30",
        "move the dentist to 29 march at 02:30",
        "pin the report at 02:30 on 29 march",
    ],
)
def test_an_hour_that_the_clocks_leave_out_is_not_written_down(home: Path, utterance: str) -> None:
    with settle_in(home, BEFORE_SUMMER_TIME) as iris:
        text = iris.ask(utterance).text
        assert "here is no 02:30 on Sunday 29 March 2026: the clocks go forward over it" in text
        assert "03:30" in iris.ask("what's on 29 march at 02:30").text
    assert (home / "todo.txt").read_text() == TODO_TXT


def test_what_an_hour_was_taken_for_is_said_where_it_is_written(say: Say) -> None:
    text = say("meeting tomorrow at 3:15").reply.text
    assert "Thu 14 May 15:15 to 16:15." in text
    assert text.endswith("I took 3:15 as 15:15; say am or pm if that is not it.")
    assert "I took" not in say("meeting tomorrow at 3:15 pm").reply.text
    assert "I took" not in say("meeting tomorrow at 10:15").reply.text


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        ("am i fre on firday", "On Friday 15 May 2026 2 events take your time."),
        ("wen is my nxt meeting", "Today, 09:15 to 09:30: Stand-up (Room 2)."),
        ("waht is overdu", "You have 1 overdue todo."),
        ("cancle the dentist", "Delete “Dentist” (Tue 19 May 08:30 to 09:15) from home?"),
        ("dleete book flights", "Delete “Book flights” from todo?"),
        ("shwo my calender for satuday", "You have 1 event on Saturday 16 May 2026."),
        ("remidn me on firday to cancle the gym", "Set a reminder of “cancle the gym”: Fri 15 May"),
        ("add cal mum to my list", "Added “cal mum” to todo."),
    ],
)
def test_misspelt_requests_are_read_and_titles_stay_as_they_were_typed(
    say: Say, utterance: str, answer: str
) -> None:
    assert say(utterance).reply.text.startswith(answer)


@pytest.mark.parametrize(
    ("utterance", "answer"),
    [
        ("who is grace", "Grace Hopper is in your address book: no mail address, birthday 17 May."),
        ("who's Ada", "Which Ada: Ada Byron or Ada Lovelace?"),
        ("what is john's email", "John Smith is in your address book: no mail address, birthday"),
        ("who is in the quarterly review", "I do not read who takes part."),
        ("who are you", "I am Iris"),
        ("who is the president", "I can't do that yet."),
    ],
)
def test_somebody_is_looked_up_where_there_is_somebody(
    say: Say, utterance: str, answer: str
) -> None:
    assert say(utterance).reply.text.startswith(answer)
