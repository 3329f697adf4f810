from __future__ import annotations

import datetime as dt
import gzip
import logging
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import Reading
from iris_harness.contracts.sources import SourceState
from tests.remote_servers import Answer, Asked, serve_socket, serve_web
from tests.unit.sources.remote.conftest import At, MakeSource, OpenCalendar, calendar_text

SECRET = "secret-word"  # noqa: S105 - part of each address, and never to be said


def answers(*told: Answer) -> Callable[[Asked], Answer]:
    """Answer one after another, the last one for ever."""
    left = list(told)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def good(*summaries: str, **headers: str) -> Answer:
    return Answer(headers={k.replace("_", "-"): v for k, v in headers.items()},
                  body=calendar_text(*(summaries or ("standup",))))  # fmt: skip


def summaries(reading: Reading[Event]) -> list[str]:
    return [event.summary for event in reading.items]


def test_a_calendar_is_fetched_and_read(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good("standup", "review"))) as server:
        reading = open_calendar(source(server.url())).read(at())
    assert (reading.status.state, reading.status.detail) == (SourceState.OK, "")
    assert summaries(reading) == ["review", "standup"]
    assert str(reading.items[0].source) == "work: review"


def test_an_unchanged_calendar_is_asked_for_with_its_etag_and_not_sent_again(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    changed = "Thu, 16 Apr 2026 04:00:00 GMT"
    told = answers(good(ETag='"v1"', Last_Modified=changed), Answer(status=304))
    with serve_web(told) as server:
        calendar = open_calendar(source(server.url()))
        calendar.read(at())
        again = calendar.read(at(minutes=1))
    assert server.asked[1].headers["If-None-Match"] == '"v1"'
    assert server.asked[1].headers["If-Modified-Since"] == changed
    assert (again.status.state, again.status.age_seconds) == (SourceState.OK, 0)
    assert summaries(again) == ["standup"]


def test_a_copy_that_was_changed_on_disk_is_fetched_whole(
    at: At, source: MakeSource, open_calendar: OpenCalendar, cache: Path
) -> None:
    with serve_web(answers(good(ETag='"v1"'))) as server:
        calendar = open_calendar(source(server.url()))
        calendar.read(at())
        (copy,) = cache.rglob("calendar.ics")
        copy.write_bytes(calendar_text("forged"))
        again = calendar.read(at(minutes=1))
    assert "If-None-Match" not in server.asked[1].headers
    assert summaries(again) == ["standup"]


def test_within_the_refresh_time_the_server_is_left_alone(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good())) as server:
        calendar = open_calendar(source(server.url(), refresh_every=dt.timedelta(minutes=15)))
        calendar.read(at())
        reading = calendar.read(at(minutes=14))
        assert (len(server.asked), reading.status.age_seconds) == (1, 14 * 60)
        calendar.read(at(minutes=15))
        assert len(server.asked) == 2


def test_a_clock_that_was_set_back_does_not_keep_an_old_copy(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good("before"), good("after"))) as server:
        calendar = open_calendar(source(server.url(), refresh_every=dt.timedelta(minutes=15)))
        calendar.read(at(days=3650))
        assert summaries(calendar.read(at())) == ["after"]


def test_a_server_that_is_gone_leaves_the_last_good_copy_with_its_age_and_the_reason(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good())) as server:
        calendar = open_calendar(source(server.url()))
        calendar.read(at())
    reading = calendar.read(at(hours=3))
    assert (reading.status.state, reading.status.age_seconds) == (SourceState.STALE, 3 * 3600)
    assert "cannot be reached" in reading.status.detail
    assert "the copy of 3 h ago" in reading.status.detail
    assert summaries(reading) == ["standup"]


def test_a_server_that_was_never_reached_makes_the_source_failed(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good())) as server:
        url = server.url()
    reading = open_calendar(source(url)).read(at())
    assert (reading.status.state, reading.items) == (SourceState.FAILED, ())
    assert reading.status.detail == "127.0.0.1 cannot be reached (connection refused)"


LOCATIONS = {
    "file": ("file:///etc/passwd", "is sent on to a file: address, which is not followed"),
    "ftp": ("ftp://127.0.0.1/x.ics", "is sent on to a ftp: address, which is not followed"),
    "private": ("http://127.0.0.2:{port}/x.ics", "127.0.0.2 is on a private network"),
    "metadata": ("http://169.254.169.254/latest", "169.254.169.254 is on a private network"),
    "loop": ("/secret-word/basic.ics", "is sent on from address to address without an end"),
    "nonsense": ("http://[::/", "is sent on to an address that means nothing"),
}


@pytest.mark.parametrize(("location", "reason"), LOCATIONS.values(), ids=LOCATIONS)
def test_redirects_that_lead_astray_are_not_followed(
    location: str, reason: str, at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    def send_on(_: Asked) -> Answer:
        return Answer(status=302, headers={"Location": location.format(port=server.port)})

    with serve_web(send_on) as server:
        reading = open_calendar(source(server.url())).read(at())
    assert reading.status.state is SourceState.FAILED
    assert reason in reading.status.detail
    assert len(server.asked) <= 6


def test_a_redirect_to_another_path_is_followed(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(Answer(status=301, headers={"Location": "/new.ics"}), good())) as server:
        reading = open_calendar(source(server.url())).read(at())
    assert [asked.path for asked in server.asked] == ["/secret-word/basic.ics", "/new.ics"]
    assert summaries(reading) == ["standup"]


def bomb() -> Answer:
    packed = gzip.compress(calendar_text("x") + b"\0" * 40_000_000, compresslevel=9)
    return Answer(headers={"Content-Encoding": "gzip"}, body=packed)


UNUSABLE = {
    "announced too large": (
        Answer(headers={"Content-Length": "9000000000"}), "more than 1 MB (max_megabytes)"),
    "too large": (
        Answer(body=b"x" * 2_000_000, announce_length=False), "more than 1 MB (max_megabytes)"),
    "gzip bomb": (bomb(), "more than 1 MB (max_megabytes)"),
    "damaged gzip": (
        Answer(headers={"Content-Encoding": "gzip"}, body=b"not gzip"), "damaged compressed data"),
    "cut off gzip": (
        Answer(headers={"Content-Encoding": "gzip"}, body=gzip.compress(calendar_text("a"))[:-9]),
        "cut off"),
    "unknown compression": (
        Answer(headers={"Content-Encoding": "br"}, body=b"x"), "compression that was not asked"),
    "login page": (
        Answer(headers={"Content-Type": "text/html"}, body=b"<!doctype html><title>Login</title>"),
        "it looks like a web page"),
    "picture": (Answer(headers={"Content-Type": "image/png"}, body=b"\x89PNG\0\0\0\0"), "binary"),
    "nothing": (Answer(), "is empty"),
    "broken off": (
        Answer(headers={"Content-Length": "5000"}, body=calendar_text("a")), "broke off"),
    "without an end": (
        Answer(body=calendar_text("a", "b")[:-30], announce_length=False), "was cut off"),
    "not found": (Answer(status=404), "nothing at this address; it may have been reset"),
    "broken server": (Answer(status=500), "the server failed (HTTP 500)"),
    "unasked 304": (Answer(status=304), "(HTTP 304)"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_answer_that_is_no_whole_calendar_replaces_nothing(
    answer: Answer, reason: str, at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    kept = Answer(body=calendar_text("kept")) if answer.status != 304 else answer
    with serve_web(answers(answer, kept, answer)) as server:
        calendar = open_calendar(source(server.url(), max_bytes=2**20))
        never = calendar.read(at())
        assert never.status.state is SourceState.FAILED
        assert reason in never.status.detail
        if answer.status != 304:
            assert summaries(calendar.read(at(minutes=1))) == ["kept"]
            stale = calendar.read(at(minutes=2))
            assert stale.status.state is SourceState.STALE
            assert reason in stale.status.detail
            assert summaries(stale) == ["kept"]


def test_compressed_answers_are_unpacked(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    halves = calendar_text("a", "b")[:100], calendar_text("a", "b")[100:]
    body = b"".join(map(gzip.compress, halves))
    with serve_web(answers(Answer(headers={"Content-Encoding": "gzip"}, body=body))) as server:
        reading = open_calendar(source(server.url())).read(at())
    assert server.asked[0].headers["Accept-Encoding"] == "gzip"
    assert summaries(reading) == ["a", "b"]


def drip_body(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.wait(0.05):
        connection.sendall(b"B")


def drip_headers(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not over.wait(0.05):
        connection.sendall(b"B")


def say_nothing(_: socket.socket, over: threading.Event) -> None:
    over.wait()


@pytest.mark.parametrize("talk", [drip_body, drip_headers, say_nothing])
def test_a_server_that_never_ends_is_given_up_in_time(
    talk: Callable[[socket.socket, threading.Event], None],
    at: At,
    source: MakeSource,
    open_calendar: OpenCalendar,
) -> None:
    with serve_socket(talk) as port:
        url = f"http://127.0.0.1:{port}/secret-word/basic.ics"
        began = time.monotonic()
        reading = open_calendar(source(url, timeout_seconds=0.5)).read(at())
        took = time.monotonic() - began
    assert reading.status.detail == "gave no complete answer in 0.5 s"
    assert took < 3


def test_several_slow_servers_take_as_long_as_one(at: At, source: MakeSource, cache: Path) -> None:
    from iris_harness.sources.remote.ports import RemoteCalendar
    from iris_harness.sources.remote.refreshing import Refresher

    with serve_socket(say_nothing) as port:
        refresher = Refresher(cache, time.monotonic)
        calendars = [
            RemoteCalendar(
                source(f"http://127.0.0.1:{port}/{n}.ics", name=f"c{n}", timeout_seconds=0.6),
                refresher,
            )
            for n in range(5)
        ]
        began = time.monotonic()
        readings = [calendar.read(at()) for calendar in calendars]
        took = time.monotonic() - began
    assert all(reading.status.state is SourceState.FAILED for reading in readings)
    assert took < 2


def test_neither_messages_nor_logs_nor_file_names_tell_the_address(
    at: At,
    source: MakeSource,
    open_calendar: OpenCalendar,
    cache: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.INFO)
    told = answers(good(), *(answer for answer, _ in UNUSABLE.values()), Answer(status=200))
    made: list[str] = []
    with serve_web(told) as server:
        remote = source(server.url(), max_bytes=2**20)
        calendar = open_calendar(remote)
        made += [repr(calendar.read(at(minutes=n))) for n in range(len(UNUSABLE) + 1)]
    made += [repr(calendar.read(at(hours=1))), repr(remote), caplog.text, *capfd.readouterr()]
    made += [str(path) for path in cache.rglob("*")]
    assert not [text for text in made if SECRET in text]


def test_the_copy_is_for_its_owner_only(
    at: At, source: MakeSource, open_calendar: OpenCalendar, cache: Path
) -> None:
    with serve_web(answers(good())) as server:
        open_calendar(source(server.url())).read(at())
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in cache.rglob("*")}
    assert modes["calendar.ics"] == modes["state.json"] == 0o600
    assert {mode for name, mode in modes.items() if "." not in name and name != "lock"} == {0o700}


def test_cookies_are_not_sent_back(at: At, source: MakeSource, open_calendar: OpenCalendar) -> None:
    send_on = Answer(status=302, headers={"Location": "/b.ics", "Set-Cookie": "id=1"})
    with serve_web(answers(send_on, good(Set_Cookie="id=2"))) as server:
        calendar = open_calendar(source(server.url()))
        calendar.read(at())
        calendar.read(at(minutes=1))
    assert not [asked for asked in server.asked if "Cookie" in asked.headers]


def test_a_calendar_behind_a_login_is_read_and_the_login_stays_with_its_server(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    def other(_: Asked) -> Answer:
        return Answer(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})

    def own(asked: Asked) -> Answer:
        if "Authorization" not in asked.headers:
            return Answer(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
        return Answer(status=302, headers={"Location": elsewhere.url()})

    with serve_web(other) as elsewhere, serve_web(own) as server:
        reading = open_calendar(source(server.url(), login=("ada", "pw"))).read(at())
    assert "Authorization" not in server.asked[0].headers
    assert server.asked[1].headers["Authorization"] == "Basic YWRhOnB3"
    assert [asked.headers.get("Authorization") for asked in elsewhere.asked] == [None]
    assert "refuses the user name or the password" in reading.status.detail


def test_a_copy_older_than_its_owner_allows_is_stale_though_nothing_failed(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(good())) as server:
        calendar = open_calendar(
            source(server.url(), refresh_every=dt.timedelta(days=2), stale_after_hours=24.0)
        )
        calendar.read(at())
        assert calendar.read(at(hours=23)).status.state is SourceState.OK
        assert calendar.read(at(hours=25)).status.state is SourceState.STALE


def test_a_calendar_without_anything_is_empty(
    at: At, source: MakeSource, open_calendar: OpenCalendar
) -> None:
    with serve_web(answers(Answer(body=calendar_text()))) as server:
        reading = open_calendar(source(server.url())).read(at())
    assert reading.status.state is SourceState.EMPTY
