from __future__ import annotations

import datetime as dt
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from iris_harness.contracts.ports import Reading
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.remote.settings import Component, RemoteKind, RemoteSource
from tests.plain_caldav import SimpleServer, multistatus, response
from tests.radicale_server import PASSWORD, USER, Radicale, serve_radicale
from tests.remote_servers import Answer, Asked, serve_socket, serve_web
from tests.unit.sources.remote.conftest import (
    At,
    MakeSource,
    OpenCalendar,
    OpenTodos,
    calendar_text,
)

MakeDav = Callable[..., RemoteSource]


@pytest.fixture
def radicale(tmp_path: Path) -> Iterator[Radicale]:
    folder = tmp_path / "radicale"
    folder.mkdir()
    with serve_radicale(folder) as server:
        yield server


@pytest.fixture
def dav(source: MakeSource) -> MakeDav:
    def make(url: str, password: str = PASSWORD, **changed: Any) -> RemoteSource:  # noqa: ANN401
        return source(url, login=(USER, password), kind=RemoteKind.CALDAV, **changed)

    return make


def todo_text(summary: str) -> bytes:
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//\r\nBEGIN:VTODO\r\n"
        f"UID:{summary}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{summary}\r\n"
        "END:VTODO\r\nEND:VCALENDAR\r\n"
    ).encode()


def summaries(reading: Reading[Any]) -> list[str]:
    return sorted(item.summary for item in reading.items)


def test_events_and_todos_of_all_collections_are_found_from_the_servers_root(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar, open_todos: OpenTodos
) -> None:
    radicale.put(radicale.make("home"), "a.ics", calendar_text("dentist"))
    radicale.put(radicale.make("team x"), "odd name@x.ics", calendar_text("retro"))
    radicale.put(radicale.make("list", "VTODO"), "t.ics", todo_text("buy milk"))
    events = open_calendar(dav(radicale.url)).read(at())
    todos = open_todos(dav(radicale.url, component=Component.TODO)).read(at())
    assert (events.status.state, summaries(events)) == (SourceState.OK, ["dentist", "retro"])
    assert (todos.status.state, summaries(todos)) == (SourceState.OK, ["buy milk"])
    assert str(todos.items[0].source) == "work: buy milk"


def test_only_what_changed_is_fetched_again(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    home = radicale.make("home")
    for name in ("kept", "moved", "dropped"):
        radicale.put(home, f"{name}.ics", calendar_text(name))
    calendar = open_calendar(dav(home))
    assert summaries(calendar.read(at())) == ["dropped", "kept", "moved"]
    radicale.put(home, "moved.ics", calendar_text("renamed", uid="moved"))
    radicale.put(home, "new.ics", calendar_text("added"))
    radicale.delete(f"{home}dropped.ics")
    radicale.requests()
    assert summaries(calendar.read(at(minutes=1))) == ["added", "kept", "renamed"]
    assert [a for a in radicale.requests() if a.startswith("REPORT")] == [
        "REPORT /ada/home/",  # what changed since the token
        "REPORT /ada/home/",  # the two items
    ]
    assert "kept" not in radicale.log.read_text(encoding="utf-8")


def test_nothing_new_costs_one_request(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    home = radicale.make("home")
    radicale.put(home, "a.ics", calendar_text("a"))
    calendar = open_calendar(dav(home, refresh_every=dt.timedelta(minutes=15)))
    calendar.read(at())
    radicale.requests()
    calendar.read(at(minutes=14))
    assert radicale.requests() == []
    assert summaries(calendar.read(at(minutes=16))) == ["a"]
    asked = radicale.requests()
    assert set(asked) == {"PROPFIND /ada/home/"}
    assert len(asked) <= 2  # the first may be told to log in


def test_a_token_the_server_no_longer_knows_is_answered_with_a_full_reading(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    home = radicale.make("home")
    radicale.put(home, "a.ics", calendar_text("a"))
    radicale.put(home, "b.ics", calendar_text("b"))
    calendar = open_calendar(dav(home))
    calendar.read(at())
    radicale.put(home, "c.ics", calendar_text("c"))
    radicale.delete(f"{home}a.ics")
    radicale.forget_tokens()
    reading = calendar.read(at(minutes=1))
    assert (reading.status.state, summaries(reading)) == (SourceState.OK, ["b", "c"])


@pytest.mark.parametrize("password", ["wrong", ""])
def test_a_wrong_password_is_said_and_never_shown(
    password: str, radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    radicale.make("home")
    reading = open_calendar(dav(radicale.url, password=password)).read(at())
    assert reading.status.state is SourceState.FAILED
    assert reading.status.detail == ("the server refuses the user name or the password (HTTP 401)")


def test_a_server_that_goes_down_leaves_the_copy_and_is_followed_again_when_it_is_back(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    home = radicale.make("home")
    radicale.put(home, "a.ics", calendar_text("a"))
    calendar = open_calendar(dav(radicale.url))
    calendar.read(at())
    radicale.stop()
    reading = calendar.read(at(hours=2))
    assert (reading.status.state, reading.status.age_seconds) == (SourceState.STALE, 7200)
    assert "cannot be reached (connection refused)" in reading.status.detail
    assert summaries(reading) == ["a"]
    radicale.start()
    radicale.put(home, "b.ics", calendar_text("b"))
    again = calendar.read(at(hours=3))
    assert (again.status.state, summaries(again)) == (SourceState.OK, ["a", "b"])


def test_named_collections_are_read_and_a_missing_one_is_said_with_those_there_are(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    radicale.put(radicale.make("c1", title="Private"), "a.ics", calendar_text("mine"))
    radicale.put(radicale.make("c2", title="Team"), "b.ics", calendar_text("ours"))
    by_title = open_calendar(dav(radicale.url, collections=("private",))).read(at())
    by_path = open_calendar(dav(radicale.url, collections=("c2",))).read(at())
    missing = open_calendar(dav(radicale.url, collections=("Teams",))).read(at())
    assert summaries(by_title) == ["mine"]
    assert summaries(by_path) == ["ours"]
    assert missing.status.detail == "has no collection 'Teams'; it has: Private, Team"


def test_a_collection_that_is_deleted_takes_its_events_along(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    radicale.put(radicale.make("c1"), "a.ics", calendar_text("a"))
    gone = radicale.make("c2")
    radicale.put(gone, "b.ics", calendar_text("b"))
    calendar = open_calendar(dav(radicale.url))
    assert summaries(calendar.read(at())) == ["a", "b"]
    radicale.delete(gone)
    assert summaries(calendar.read(at(minutes=1))) == ["a"]


def test_files_that_were_lost_or_emptied_are_fetched_again(
    radicale: Radicale, at: At, dav: MakeDav, open_calendar: OpenCalendar, cache: Path
) -> None:
    home = radicale.make("home")
    for name in ("a", "b", "c"):
        radicale.put(home, f"{name}.ics", calendar_text(name))
    calendar = open_calendar(dav(home))
    calendar.read(at())
    first, second, _ = sorted(cache.rglob("*.ics"))
    first.unlink()
    second.write_bytes(b"")
    assert summaries(calendar.read(at(minutes=1))) == ["a", "b", "c"]


def test_a_server_without_lists_of_that_kind_is_empty(
    radicale: Radicale, at: At, dav: MakeDav, open_todos: OpenTodos
) -> None:
    radicale.make("home")
    reading = open_todos(dav(radicale.url, component=Component.TODO)).read(at())
    assert (reading.status.state, reading.status.detail) == (
        SourceState.EMPTY, "the server holds no items")  # fmt: skip


def test_a_server_without_tokens_is_followed_by_its_ctag_and_lists(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home")
    with serve_web(served) as server:
        calendar = open_calendar(dav(server.url("/")))
        assert summaries(calendar.read(at())) == ["home"]
        server.asked.clear()
        calendar.read(at(minutes=1))
        assert {asked.path for asked in server.asked} == {"/"}
        served.items["home"] = {"a.ics": "changed", "b.ics": "added"}
        assert summaries(calendar.read(at(minutes=2))) == ["added", "changed"]


def test_a_server_without_ctag_and_tokens_is_asked_for_its_list_each_time(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home")
    served.ctag = False
    with serve_web(served) as server:
        calendar = open_calendar(dav(server.url("/")))
        calendar.read(at())
        served.items["home"]["b.ics"] = "added"
        assert summaries(calendar.read(at(minutes=1))) == ["added", "home"]


def test_a_collection_that_fails_does_not_cost_the_others(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home", "team")
    served.broken = {"team"}
    with serve_web(served) as server:
        calendar = open_calendar(dav(server.url("/")))
        first = calendar.read(at())
        assert (first.status.state, summaries(first)) == (SourceState.FAILED, ["home"])
        assert "team: the server refuses access (HTTP 403)" in first.status.detail
        served.broken = set()
        assert summaries(calendar.read(at(minutes=1))) == ["home", "team"]
        served.broken = {"team"}
        served.items = {"home": {"a.ics": "home 2"}, "team": {"a.ics": "team 2"}}
        later = calendar.read(at(hours=1))
    assert (later.status.state, summaries(later)) == (SourceState.STALE, ["home 2", "team"])


def test_a_first_reading_that_runs_out_of_time_goes_on_where_it_ended(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home")
    served.items["home"] = {f"{n:03}.ics": f"event {n:03}" for n in range(350)}
    fetched: list[bytes] = []
    over = threading.Event()

    def slow(asked: Asked) -> Answer:
        if asked.method == "REPORT":
            fetched.append(asked.body)
            if len(fetched) == 3:
                over.wait()
        return served(asked)

    with serve_web(slow) as server:
        first = open_calendar(dav(server.url("/"), timeout_seconds=3.0)).read(at())
        over.set()
        second = open_calendar(dav(server.url("/"), timeout_seconds=30.0)).read(at(minutes=1))
    assert first.status.state is SourceState.FAILED
    assert first.status.detail == "home: gave no complete answer in 3 s (200 items read so far)"
    assert (second.status.state, len(second.items)) == (SourceState.OK, 350)
    assert sum(b"/home/000.ics<" in body for body in fetched) == 1


def test_an_answer_without_an_end_is_given_up_and_one_that_is_huge_too(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 207 Multi-Status\r\n\r\n<multistatus>")
        while not over.wait(0.02):
            connection.sendall(b" ")

    def pour(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 207 Multi-Status\r\n\r\n<multistatus>")
        while not over.is_set():
            connection.sendall(b" " * 65_536)

    for endless, reason in ((talk, "no complete answer in 0.5 s"), (pour, "more than 1 MB")):
        with serve_socket(endless) as port:
            remote = dav(f"http://127.0.0.1:{port}/", timeout_seconds=0.5, max_bytes=2**20)
            reading = open_calendar(remote).read(at())
        assert reading.status.state is SourceState.FAILED
        assert reason in reading.status.detail


ENTITIES = (
    '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY x SYSTEM "file:///etc/passwd">]><multistatus xmlns="DAV:">&x;&b;</multistatus>'
)
NO_CALDAV = {
    "a web page": Answer(body=b"<html>hello</html>"),
    "a web page as multistatus": Answer(status=207, body=b"<html>hello</html>"),
    "text": Answer(status=207, body=b"hello"),
    "cut off": Answer(status=207, body=b'<multistatus xmlns="DAV:"><response>'),
    "nothing": Answer(status=207),
    "not found": Answer(status=404),
    "entities": Answer(status=207, body=ENTITIES.encode()),
    "no properties": multistatus(response("/", "")),
}


@pytest.mark.parametrize("answer", NO_CALDAV.values(), ids=NO_CALDAV)
def test_what_is_no_caldav_server_is_said_and_costs_no_copy(
    answer: Answer,
    at: At,
    dav: MakeDav,
    open_calendar: OpenCalendar,
    capfd: pytest.CaptureFixture[str],
) -> None:
    served = SimpleServer("home")
    well = False

    def tell(asked: Asked) -> Answer:
        return served(asked) if well else answer

    with serve_web(tell) as server:
        calendar = open_calendar(dav(server.url("/")))
        assert calendar.read(at()).status.state is SourceState.FAILED
        well = True
        assert calendar.read(at(minutes=1)).status.state is SourceState.OK
        well = False
        stale = calendar.read(at(minutes=2))
    assert (stale.status.state, summaries(stale)) == (SourceState.STALE, ["home"])
    assert capfd.readouterr().err == ""


def test_the_servers_well_known_address_leads_to_the_calendars(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home")

    def cloud(asked: Asked) -> Answer:
        if asked.path == "/.well-known/caldav":
            return Answer(status=301, headers={"Location": "/dav"})
        if asked.path == "/dav":
            return multistatus(
                response(
                    "/dav", "<current-user-principal><href>/me/</href></current-user-principal>"
                )
            )
        if asked.path == "/me/":
            home = "<C:calendar-home-set><href>/</href></C:calendar-home-set>"
            return multistatus(response("/me/", home))
        return served(asked) if asked.path != "/index.php" else Answer(body=b"<html>")

    with serve_web(cloud) as server:
        reading = open_calendar(dav(server.url("/index.php"))).read(at())
    assert (reading.status.detail, summaries(reading)) == ("", ["home"])


def test_names_from_the_server_stay_inside_the_copys_folder(
    at: At, dav: MakeDav, open_calendar: OpenCalendar, cache: Path
) -> None:
    served = SimpleServer("home")
    served.items["home"] = {"..%2F..%2F..%2Fevil.ics": "inside", "../../above.ics": "outside"}
    with serve_web(served) as server:
        reading = open_calendar(dav(server.url("/"))).read(at())
    assert "inside" in summaries(reading)
    files = [p for p in cache.parent.rglob("*.ics") if "evil" in p.name or "above" in p.name]
    assert all(p.parent.name.startswith("home-") for p in files)


def test_items_left_out_of_an_answer_are_asked_for_one_by_one(
    at: At, dav: MakeDav, open_calendar: OpenCalendar
) -> None:
    served = SimpleServer("home")
    served.items["home"] = {"a.ics": "a", "b.ics": "b", "gone.ics": "gone", "shut.ics": "shut"}
    alone = {"/home/b.ics": Answer(body=calendar_text("b")), "/home/shut.ics": Answer(status=403)}

    def lazy(asked: Asked) -> Answer:
        if asked.method == "REPORT" and b"calendar-data" in asked.body:
            return multistatus(served.item("home", "a.ics", data=True))
        return alone.get(asked.path, Answer(status=404)) if asked.method == "GET" else served(asked)

    with serve_web(lazy) as server:
        calendar = open_calendar(dav(server.url("/")))
        shut = calendar.read(at())
        assert "an item is not given out: the server refuses access" in shut.status.detail
        del served.items["home"]["shut.ics"]
        reading = calendar.read(at(minutes=1))
    assert (reading.status.detail, summaries(reading)) == ("", ["a", "b"])
