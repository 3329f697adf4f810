"""Briefings and reminders, said by real processes that are stopped at any moment."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from iris_harness.storage.records import DeliveryState
from iris_harness.storage.ticker import WATCH
from tests.acceptance.briefing.conftest import PATIENCE_SECONDS, Person
from tests.support import examples

MORNING = """\
briefing: [{name: morning, when: weekdays 07:00, say: what time is it, channels: [note]}]
"""
_WITHIN = """\
import os, resource, sys
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_briefing_is_said_now_and_counts_as_the_one_of_the_day(person: Person) -> None:
    person.configure(MORNING)
    first = person.run("briefing", "run")
    assert first.returncode == 0, first.stderr
    assert "morning of 20" in first.stdout
    assert f"by note: said; written to {person.said_in}\n" in first.stdout
    assert "It is " in person.said_in.read_text()
    again = person.run("briefing", "run", "morning")
    assert "It was said today already; --again says it once more." in again.stdout
    assert person.said_in.read_text().count("It is ") == 1
    assert person.run("briefing", "run", "--again").returncode == 0
    assert person.said_in.read_text().count("It is ") == 2
    (found,) = json.loads(person.run("briefing", "history", "--json").stdout)
    assert (found["name"], found["channel"], found["state"]) == ("morning", "note", "delivered")


def test_a_briefing_changes_nothing_unattended(person: Person) -> None:
    todos = person.home / "todo.txt"
    todos.write_text("Buy milk\n")
    person.configure(
        f"todos: [{todos}]\n"
        + MORNING.replace("what time is it", "mark buy milk as done and add call the plumber")
    )
    first = person.run("briefing", "run")
    assert first.returncode == 0, first.stderr
    assert todos.read_text() == "Buy milk\n"
    assert "Nothing was changed: a briefing only tells" in person.said_in.read_text()


def test_what_comes_next_is_told_and_that_nobody_will_say_it(person: Person) -> None:
    assert "No briefing is set up" in person.run("briefing", "next").stdout
    person.configure(MORNING)
    told = person.run("briefing", "next").stdout
    assert "07:00, by note: “what time is it”" in told
    assert "Nobody is there to say it" in told
    watch = person.start("briefing", "watch")
    assert watch.stdout is not None
    assert watch.stdout.readline().startswith("Iris watches over 1 briefing")
    person.wait_until(lambda: WATCH in person.run("briefing", "next", "--json").stdout)
    told = person.run("briefing", "next").stdout
    assert "Nobody" not in told
    assert "older settings" not in told
    person.configure(MORNING.replace("07:00", "08:00"))
    assert "`iris briefing watch` runs by older settings" in person.run("briefing", "next").stdout
    watch.send_signal(signal.SIGTERM)
    assert watch.wait(PATIENCE_SECONDS) == 0


def test_a_channel_is_tried_and_one_that_cannot_be_reached_says_why(person: Person) -> None:
    person.configure(MORNING)
    assert person.run("briefing", "test").stdout == f"note: written to {person.said_in}\n"
    failed = person.run("briefing", "test", "desktop")
    assert failed.returncode == 1
    assert failed.stderr.startswith("desktop: there is no desktop session here")
    assert person.run("briefing", "test", "pigeon").returncode == 2
    assert person.run("briefing", "history").stdout == "Nothing was said unasked yet.\n"


def test_two_processes_say_each_thing_once_and_one_takes_over(person: Person) -> None:
    titles = person.remind(60)
    first, second = person.start("briefing", "watch"), person.start("briefing", "watch")
    person.wait_until(lambda: person.is_settled(60))
    assert person.said() == dict.fromkeys(titles, 1)
    holder = first if "at it already" not in _told(first) else second
    holder.send_signal(signal.SIGKILL)
    more = person.start("briefing", "watch")
    assert more.poll() is None
    with person.store() as store:
        store.forget_all()
    person.said_in.unlink()
    person.remind(5)
    person.wait_until(lambda: person.is_settled(5))
    assert sum(person.said().values()) == 5


def test_a_briefing_that_is_asked_for_twice_at_once_is_said_once(person: Person) -> None:
    person.configure(MORNING)
    runs = [person.start("briefing", "run") for _ in range(3)]
    told = [run.communicate(timeout=PATIENCE_SECONDS) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], told
    assert person.said_in.read_text().count("It is ") == 1


def test_a_running_iris_says_the_briefing_that_is_asked_for(person: Person) -> None:
    person.configure(MORNING)
    _told(person.start("briefing", "watch"))
    person.wait_until(lambda: WATCH in person.run("briefing", "next", "--json").stdout)
    done = person.run("briefing", "run")
    assert done.returncode == 0
    assert "by note: said; written to" in done.stdout
    assert person.said_in.read_text().count("It is ") == 1


def _told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.soak
def test_killed_at_any_moment_nothing_is_said_twice_lost_or_stuck(person: Person) -> None:
    kills = examples(5)
    titles = person.remind(40 * kills)
    chance = random.Random(7)  # noqa: S311 - moments, no secrets
    for _ in range(kills):
        process = person.start("briefing", "watch")
        _told(process)
        time.sleep(chance.uniform(0.0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)
    person.start("briefing", "watch")
    person.wait_until(lambda: person.is_settled(len(titles)))
    said = person.said()
    assert max(said.values()) == 1
    states = {one.title: one.state for one in person.deliveries()}
    assert set(states) == set(titles)
    for title, state in states.items():
        if state is DeliveryState.DELIVERED:
            assert said[title] == 1
        else:  # at most one was at hand when a process was killed
            assert state is DeliveryState.UNCERTAIN
    uncertain = sum(state is DeliveryState.UNCERTAIN for state in states.values())
    assert uncertain <= kills


def test_a_full_disk_says_nothing_that_cannot_be_noted_and_goes_on_later(person: Person) -> None:
    titles = person.remind(20)
    before = sum(file.stat().st_size for file in person.data.iterdir())
    # Files may not grow: every write to the database fails, as on a full disk.
    within = [sys.executable, "-c", _WITHIN, str(before // 4)]
    ended = person.run("briefing", "run", "--due", within=within)
    assert ended.returncode == 1
    assert "full" in ended.stderr
    assert person.said() == {}
    assert person.run("briefing", "run", "--due").returncode == 0
    assert person.said() == dict.fromkeys(titles, 1)


def test_a_database_that_another_process_holds_delays_and_doubles_nothing(person: Person) -> None:
    titles = person.remind(10)
    with person.store() as store, store.deliveries._session.writing():
        watch = person.start("briefing", "watch")
        _told(watch)
        time.sleep(7)  # longer than writers wait
        assert person.said() == {}
        assert watch.poll() is None
    person.wait_until(lambda: person.is_settled(10))
    assert person.said() == dict.fromkeys(titles, 1)


def test_the_server_says_what_is_due_and_stops_in_good_order(person: Person) -> None:
    titles = person.remind(3)
    server = person.start("serve", "--port", "0")
    assert _told(server).startswith("Iris listens on ")
    person.wait_until(lambda: person.is_settled(3))
    assert person.said() == dict.fromkeys(titles, 1)
    server.send_signal(signal.SIGTERM)
    _, log = server.communicate(timeout=PATIENCE_SECONDS)
    assert server.returncode == 0
    assert "rrand" not in log


def test_what_was_said_is_exported_and_forgotten_with_the_rest(person: Person) -> None:
    person.remind(2)
    assert person.run("briefing", "run", "--due").returncode == 0
    kinds = [json.loads(line)["kind"] for line in person.run("export").stdout.splitlines()]
    assert kinds == ["reminder", "reminder", "delivery", "delivery"]
    assert person.run("forget", "--all", "--yes").returncode == 0
    assert person.run("export").stdout == ""


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("briefing: [{when: sometimes 7}]", 5, "'sometimes' is no day of the week"),
        ("briefing: weekdays 07:00\nreminders: {channels: [pigeon]}", 6, "no channel is named"),
        ("briefing: [daily 07:00, daily 08:00]", 5, "two briefings are named 'briefing'"),
        ("me: []\nbriefing: []\nx: 1", 7, "unknown key"),
    ],
    ids=["time", "channel", "name", "key"],
)
def test_a_mistake_in_the_settings_is_named_with_its_line(
    person: Person, text: str, line: int, said: str
) -> None:
    person.configure()
    content = person.config.read_text().replace("reminders: {channels: [note]}\n", "\n")
    person.config.write_text(content + text + "\n")
    found = person.run("config", "check")
    assert found.returncode == 2
    assert f":{line}" in found.stderr + found.stdout
    assert said in found.stderr + found.stdout


def test_mail_is_sent_to_the_user_alone(person: Person) -> None:
    mail = "{name: mail, type: smtp, host: smtp.example.org, to: boss@example.org}"
    person.config.write_text(f"me: [ada@example.org]\nchannels: {mail}\n")
    found = person.run("config", "check")
    assert "one of your own addresses (me) only" in found.stderr + found.stdout
