"""The plan as a calendar that a phone subscribes to."""

from __future__ import annotations

import datetime as dt
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import icalendar
import pytest

from iris_harness.surfaces.web.feed_keys import FILE, FeedKeys
from tests.acceptance.web.conftest import Server, start_server
from tests.support import RunIris

ROUND_THE_CLOCK = ", ".join(f"{day}: ['00:00-24:00']" for day in
                            ("mon", "tue", "wed", "thu", "fri", "sat", "sun"))  # fmt: skip


def where_it_is_morning() -> str:
    """Return a zone in which the day has most of its hours left, whenever tests run."""
    ahead = (21 - dt.datetime.now(dt.UTC).hour) % 24 - 11  # hours, -11 to 12
    return f"Etc/GMT{-ahead:+d}"  # POSIX counts them the other way


SETTINGS = (
    f"timezone: {where_it_is_morning()}\ntodos: [~/todo.txt]\n"
    f"working_hours: {{{ROUND_THE_CLOCK}}}\n"
)


@pytest.fixture
def home(home: Path) -> Path:
    (home / ".config" / "iris").mkdir(parents=True)
    (home / ".config" / "iris" / "config.yaml").write_text(SETTINGS)
    (home / "todo.txt").write_text("Write report est:2h due:2020-01-02\nBuy milk est:30m\n")
    return home


@pytest.fixture
def feeding(home: Path) -> Iterator[Server]:
    running = start_server(home, source=())
    yield running
    if running.process.poll() is None:
        running.stop()


def subscribe(iris: RunIris, name: str = "phone") -> str:
    """Return the token of a new address."""
    address = iris("serve", "feed", "new", name).stdout.strip()
    return parse_qs(urlsplit(address).query)["token"][0]


def look(server: Server, token: str, **headers: str) -> httpx.Response:
    return httpx.get(server.url + "/plan.ics", params={"token": token}, headers=headers)


def events_of(answer: httpx.Response) -> list[icalendar.Event]:
    calendar = icalendar.Calendar.from_ical(answer.content)
    return [one for one in calendar.walk("VEVENT") if isinstance(one, icalendar.Event)]


def sum_of(events: list[icalendar.Event]) -> dt.timedelta:
    return sum((event.duration for event in events), dt.timedelta())


def test_a_phone_sees_the_blocks_of_the_plan(feeding: Server, iris: RunIris) -> None:
    answer = look(feeding, subscribe(iris))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/calendar")
    shown = {str(event["summary"]) for event in events_of(answer)}
    assert shown == {"Write report", "Buy milk"}
    assert b"REFRESH-INTERVAL;VALUE=DURATION:PT15M" in answer.content


def test_what_did_not_change_is_not_sent_again(feeding: Server, iris: RunIris) -> None:
    token = subscribe(iris)
    first = look(feeding, token)
    again = look(feeding, token)
    assert again.headers["etag"] == first.headers["etag"]
    assert again.content == first.content
    known = look(feeding, token, **{"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (known.status_code, known.content) == (304, b"")
    dated = look(feeding, token, **{"If-Modified-Since": first.headers["last-modified"]})
    assert dated.status_code == 304
    assert look(feeding, token, **{"If-Modified-Since": "yesterday"}).status_code == 200


def test_a_todo_that_changes_keeps_its_event(feeding: Server, home: Path, iris: RunIris) -> None:
    token = subscribe(iris)
    before = look(feeding, token)
    (home / "todo.txt").write_text("Buy milk est:30m\nWrite report est:3h due:2020-01-02\n")
    after = look(feeding, token, **{"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    short, long = (
        [event for event in events_of(answer) if event["summary"] == "Write report"]
        for answer in (before, after)
    )
    assert short[0]["uid"] == long[0]["uid"]
    # Its time may have come between the two looks; what has begun stays, and the rest follows.
    assert [sum_of(events) for events in (short, long)] == [
        dt.timedelta(hours=2),
        dt.timedelta(hours=3),
    ]


def test_what_the_phone_was_shown_is_the_plan_that_later_ones_move_least(
    feeding: Server, iris: RunIris
) -> None:
    token = subscribe(iris)
    look(feeding, token)
    kept = json.loads(iris("history", "--json").stdout)["plans"]
    look(feeding, token)
    assert json.loads(iris("history", "--json").stdout)["plans"] == kept
    assert len(kept) == 1


@pytest.mark.parametrize("path", ["/v1/models", "/metrics", "/plan.ics/", "/"])
def test_the_address_of_a_phone_opens_nothing_else(
    feeding: Server, iris: RunIris, path: str
) -> None:
    token = subscribe(iris)
    asked = httpx.get(feeding.url + path, params={"token": token})
    assert asked.status_code == 401
    with feeding.client(token) as http:
        assert http.get(path).status_code == 401
        assert http.get("/plan.ics").status_code == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_phone_can_only_read(feeding: Server, iris: RunIris, method: str) -> None:
    asked = httpx.request(method, feeding.url + "/plan.ics", params={"token": subscribe(iris)})
    assert asked.status_code == 405


def test_a_revoked_address_opens_nothing_at_once_and_others_stay(
    feeding: Server, iris: RunIris
) -> None:
    phone, tablet = subscribe(iris, "phone"), subscribe(iris, "tablet")
    assert "phone" in iris("serve", "feed", "list").stdout
    assert iris("serve", "feed", "revoke", "phone").returncode == 0
    assert look(feeding, phone).status_code == 401
    assert look(feeding, tablet).status_code == 200
    assert "phone" not in iris("serve", "feed", "list").stdout


@pytest.mark.parametrize("token", ["", "wrong", "\u00e9", "a" * 5000])
def test_a_wrong_address_opens_nothing(feeding: Server, iris: RunIris, token: str) -> None:
    subscribe(iris)
    assert look(feeding, token).status_code == 401


def test_the_address_names_the_server_that_is_meant(iris: RunIris) -> None:
    named = iris("serve", "feed", "new", "phone", "--url", "https://home.example/").stdout
    assert named.startswith("https://home.example/plan.ics?token=")
    for wrong in ("", "home.example", "ftp://home.example", "https://home.example/?a=b"):
        refused = iris("serve", "feed", "new", "tablet", "--url", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
    assert "tablet" not in iris("serve", "feed", "list").stdout


def test_names_are_unique_and_unknown_ones_are_said(iris: RunIris) -> None:
    subscribe(iris)
    assert iris("serve", "feed", "new", "phone").returncode == 2
    assert iris("serve", "feed", "new", "").returncode == 2
    assert iris("serve", "feed", "revoke", "tablet").returncode == 2


def test_only_digests_are_kept_for_the_owner_alone(home: Path, iris: RunIris) -> None:
    token = subscribe(iris)
    folder = home / ".local" / "share" / "iris"
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert not any(token.encode() in file.read_bytes() for file in folder.iterdir())


def test_damaged_keys_open_nothing_and_are_said(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{")
    assert not FeedKeys(tmp_path).opens("x")


def test_a_phone_leaves_no_address_in_the_log(feeding: Server, iris: RunIris) -> None:
    token = subscribe(iris)
    look(feeding, token)
    look(feeding, token + "x")
    assert token not in feeding.stop()
