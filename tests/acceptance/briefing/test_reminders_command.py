"""`iris reminders`, and what `iris doctor` says of what would not be said."""

from __future__ import annotations

import json

from tests.acceptance.briefing.conftest import Person

AT = ("--now", "2026-04-13 12:00")


def test_reminders_are_set_listed_cancelled_and_undone(person: Person) -> None:
    assert person.run("reminders").stdout == "No reminder is set.\n"
    for arguments in (
        ("call", "Ada", "--at", "17:00"),
        ("stretch", "--every", "weekday", "--at", "9:30"),
        ("rent", "--at", "friday 3pm"),
        ("tea", "--in", "20m"),
        ("--timer", "--in", "10m"),
    ):
        done = person.run("reminders", "add", *arguments, *AT)
        assert done.returncode == 0, done.stderr
        assert "But nothing will ring" in done.stdout
    listed = person.run("reminders", "list", *AT).stdout
    assert listed.splitlines() == [
        "1  Mon 12:10: timer of 10 min",
        "2  Mon 12:20: tea",
        "3  Mon 17:00: call Ada",
        "4  Tue 09:30, every weekday: stretch",
        "5  Fri 15:00: rent",
    ]
    done = person.run("reminders", "cancel", "4", *AT)
    assert done.stdout.startswith("Cancelled “stretch”, Tue 14 Apr 09:30.")
    assert person.run("undo").returncode == 0
    rows = json.loads(person.run("reminders", "list", "--json").stdout)
    assert [row["title"] for row in rows] == ["10 min", "tea", "call Ada", "stretch", "rent"]
    assert rows[3]["rule"] == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    dry = person.run("reminders", "cancel", "--all", "--dry-run")
    assert dry.stdout == "Cancel 5 of your reminders and timers. Nothing was changed.\n"
    assert person.run("reminders", "cancel", "ada").returncode == 0
    assert person.run("reminders", "cancel", "ada").returncode == 1


def test_how_often_is_said_with_and_without_its_every(person: Person) -> None:
    for often, said in (
        ("2 weeks", "every 2 weeks"),
        ("daily", "every day"),
        ("31st", "every month on the 31st"),
        ("first monday of the month", "every month on the first Monday"),
        ("every last friday", "every month on the last Friday"),
    ):
        done = person.run("reminders", "add", "x", "--every", often, *AT)
        assert f"{said}. But nothing" in done.stdout, done.stderr


def test_what_means_nothing_is_refused_with_a_hint(person: Person) -> None:
    for arguments, said in (
        (("x",), "it is not said when"),
        (("x", "--at", "25:00"), "25:00"),
        (("x", "--every", "blue moon", "--at", "9:00"), "does not say how often"),
        (("--timer",), "a timer has a length"),
        (("x", "--in", "10m", "--at", "9:00"), "nothing else"),
    ):
        done = person.run("reminders", "add", *arguments)
        assert done.returncode in {1, 2}
        assert said in done.stderr.lower() or said in done.stderr


def test_doctor_says_what_keeps_them_from_being_said_and_what_leaves(person: Person) -> None:
    person.config.chmod(0o600)
    assert "nobody says" not in person.run("doctor").stdout
    person.run("reminders", "add", "tea", "--in", "20m")
    told = person.run("doctor").stdout
    assert "nobody says your reminders: neither `iris serve`" in told
    person.config.write_text(
        "timezone: Europe/Berlin\n"
        f"storage: {{data_dir: {person.data}}}\n"
        "me: [ada@example.org]\n"
        "briefing: {when: weekdays 07:00, channels: [desktop, mail, phone]}\n"
        "channels:\n"
        "  - {name: mail, type: smtp, host: smtp.example.org, username: ada,"
        " password: {fetch: [pass]}}\n"
        "  - {name: phone, type: apprise, urls: ['ntfy://secret-4711']}\n"
    )
    told = person.run("doctor").stdout
    assert "nobody says your briefings" in told
    assert "the channel desktop cannot say anything: there is no desktop session" in told
    assert "smtp.example.org: sent what the channel mail says, to ada@example.org" in told
    assert "1 service of apprise: sent what the channel phone says" in told
    assert "4711" not in told + person.run("config", "show").stdout
