"""Changes to a CalDAV server, held to a real one."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from iris_harness.contracts.changes import (
    Change,
    Edit,
    EventDraft,
    Standing,
    TodoDraft,
    TodoEdit,
    TurnTime,
)
from iris_harness.contracts.sources import SourceKind, SourceState
from iris_harness.errors import ChangedOutsideError, ReadOnlySourceError, WriteError
from iris_harness.sources.remote.dav_store import DavStore
from iris_harness.sources.remote.ports import RemoteCalendar, RemoteTodos
from iris_harness.sources.remote.refreshing import Refresher
from iris_harness.sources.remote.settings import Component, RemoteKind, RemoteSource
from iris_harness.sources.writing.resources import Resources
from iris_harness.sources.writing.vevents import VeventWriter
from iris_harness.sources.writing.vtodos import VtodoWriter
from tests.radicale_server import PASSWORD, USER, Radicale, serve_radicale
from tests.remote_servers import Answer, Asked, serve_web
from tests.unit.sources.remote.conftest import At, MakeSource, calendar_text

MakeDav = Callable[..., RemoteSource]
AT = TurnTime(now=dt.datetime(2026, 4, 16, 6, tzinfo=dt.UTC), timezone="Europe/Berlin")
LATER = dt.datetime(2026, 4, 16, 13, tzinfo=dt.UTC)
# The copies are asked for once: what is read after a write is read from the copy alone.
SELDOM = {"refresh_every": dt.timedelta(hours=10)}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radicale]:
    with serve_radicale(tmp_path_factory.mktemp("radicale")) as running:
        yield running


@pytest.fixture
def home(server: Radicale, request: pytest.FixtureRequest) -> str:
    return server.make(request.node.name)


@pytest.fixture
def dav(source: MakeSource) -> MakeDav:
    def make(url: str, **changed: Any) -> RemoteSource:  # noqa: ANN401
        return source(url, login=(USER, PASSWORD), kind=RemoteKind.CALDAV, **changed)

    return make


class Calendar:
    def __init__(self, source: RemoteSource, cache: Path) -> None:
        refresher = Refresher(cache, time.monotonic)
        self.port = RemoteCalendar(source, refresher)
        self.store = DavStore(source, refresher.add(source), time.monotonic)
        self.writer = VeventWriter(Resources("work", SourceKind.CALENDAR, self.store))

    def titles(self, at: At, **later: float) -> list[str]:
        reading = self.port.read(at(**later))
        assert reading.status.state in {SourceState.OK, SourceState.EMPTY}
        return sorted(event.summary for event in reading.items)

    def apply(self, *changes: Change) -> tuple[Change, ...]:
        made = []
        for change in changes:
            assert self.writer.standing(change) is Standing.PENDING
            made.append(self.writer.apply(change))
            assert self.writer.standing(change) is Standing.DONE
            assert self.writer.standing(made[-1]) is Standing.DONE
        return tuple(made)


def test_a_new_event_is_there_at_once_and_taken_back(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    server.put(home, "a.ics", calendar_text("dentist"))
    calendar = Calendar(dav(home, **SELDOM), cache)
    assert calendar.titles(at) == ["dentist"]
    draft = EventDraft(
        summary="lunch; ä", start=dt.datetime(2026, 4, 16, 10, tzinfo=dt.UTC),
        end=dt.datetime(2026, 4, 16, 11, tzinfo=dt.UTC),
    )  # fmt: skip
    made = calendar.apply(*calendar.writer.add(draft, AT))
    server.requests()
    assert calendar.titles(at, minutes=1) == ["dentist", "lunch; ä"]
    assert server.requests() == []
    calendar.apply(*(change.inverse() for change in made))
    assert calendar.titles(at, minutes=2) == ["dentist"]
    assert Calendar(dav(home), cache / "other").titles(at) == ["dentist"]


def test_an_event_moves_and_moves_back(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    server.put(home, "a.ics", calendar_text("dentist"))
    calendar = Calendar(dav(home, **SELDOM), cache)
    event = calendar.port.read(at()).items[0]
    made = calendar.apply(*calendar.writer.move(event, LATER, None, AT))
    assert calendar.port.read(at(minutes=1)).items[0].start == LATER
    calendar.apply(*(change.inverse() for change in made))
    back = Calendar(dav(home), cache / "other").port.read(at()).items[0]
    assert (back.start, back.end) == (event.start, event.end)


def test_one_occurrence_of_a_series_moves(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    series = calendar_text("standup").replace(b"END:VEVENT", b"RRULE:FREQ=DAILY\r\nEND:VEVENT")
    server.put(home, "a.ics", series)
    calendar = Calendar(dav(home), cache)
    event = calendar.port.read(at()).items[0]
    made = calendar.apply(*calendar.writer.move(event, LATER, None, AT))
    assert [found.start for found in calendar.port.read(at(minutes=1)).items] == [LATER]
    calendar.apply(*(change.inverse() for change in made))
    assert calendar.port.read(at(minutes=2)).items[0].start == event.start


def test_a_change_says_when_others_may_be_told(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    server.put(home, "a.ics", calendar_text("dentist"))
    guest = b"ATTENDEE:mailto:bob@example.org\r\nEND:VEVENT"
    server.put(home, "b.ics", calendar_text("meeting").replace(b"END:VEVENT", guest))
    calendar = Calendar(dav(home), cache)
    dentist, meeting = sorted(calendar.port.read(at()).items, key=lambda event: event.summary)
    for plan in (
        calendar.writer.move(dentist, LATER, None, AT),
        calendar.writer.delete(dentist, AT),
    ):
        assert [change.tells_others for change in plan] == [False]
    for plan in (
        calendar.writer.move(meeting, LATER, None, AT),
        calendar.writer.delete(meeting, AT),
    ):
        assert [change.tells_others for change in plan] == [True]
        assert "may be told" in plan[0].note


def test_an_item_that_changed_on_the_server_is_refused(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    server.put(home, "a.ics", calendar_text("dentist"))
    calendar = Calendar(dav(home), cache)
    event = calendar.port.read(at()).items[0]
    (change,) = calendar.writer.move(event, LATER, None, AT)
    server.put(home, "a.ics", calendar_text("dentist!", uid="dentist"))
    assert calendar.writer.standing(change) is Standing.CHANGED
    with pytest.raises(ChangedOutsideError, match="dentist"):
        calendar.writer.apply(change)
    assert calendar.titles(at, minutes=1) == ["dentist!"]
    with pytest.raises(ChangedOutsideError):
        calendar.writer.move(event, LATER, None, AT)


def test_an_item_that_is_gone_from_the_server_is_refused(
    server: Radicale, home: str, dav: MakeDav, cache: Path, at: At
) -> None:
    server.put(home, "a.ics", calendar_text("dentist"))
    calendar = Calendar(dav(home), cache)
    event = calendar.port.read(at()).items[0]
    (change,) = calendar.writer.move(event, LATER, None, AT)
    server.delete(f"{home}a.ics")
    with pytest.raises(ChangedOutsideError, match="is gone"):
        calendar.writer.apply(change)
    assert calendar.titles(at, minutes=1) == []


def test_todos_are_added_done_moved_and_deleted(
    server: Radicale, dav: MakeDav, cache: Path, at: At
) -> None:
    url = server.make("todos", "VTODO")
    source = dav(url, component=Component.TODO, **SELDOM)
    refresher = Refresher(cache, time.monotonic)
    port = RemoteTodos(source, refresher)
    store = DavStore(source, refresher.add(source), time.monotonic)
    writer = VtodoWriter(Resources("work", SourceKind.TODO, store))
    assert port.read(at()).items == ()
    for change in writer.add(TodoDraft(summary="buy milk", due=dt.date(2026, 4, 17)), AT):
        writer.apply(change)
    (todo,) = port.read(at()).items
    for change in writer.edit(todo, TodoEdit(due=dt.date(2026, 4, 20), priority=1), AT):
        writer.apply(change)
    (todo,) = port.read(at()).items
    assert (todo.due, todo.priority) == (dt.date(2026, 4, 20), 1)
    done = [writer.apply(change) for change in writer.done(todo, AT)]
    assert port.read(at()).items == ()
    for change in reversed(done):
        writer.apply(change.inverse())
    assert port.read(at()).items[0].due == dt.date(2026, 4, 20)
    gone = [writer.apply(change) for change in writer.delete(port.read(at()).items[0], AT)]
    assert port.read(at()).items == ()
    for change in gone:
        writer.apply(change.inverse())
    assert [todo.summary for todo in port.read(at()).items] == ["buy milk"]


def test_a_series_of_todos_moves_on(server: Radicale, dav: MakeDav, cache: Path, at: At) -> None:
    url = server.make("series", "VTODO")
    source = dav(url, component=Component.TODO)
    refresher = Refresher(cache, time.monotonic)
    port = RemoteTodos(source, refresher)
    store = DavStore(source, refresher.add(source), time.monotonic)
    writer = VtodoWriter(Resources("work", SourceKind.TODO, store))
    body = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//\r\nBEGIN:VTODO\r\nUID:w\r\n"
        "DTSTAMP:20260101T000000Z\r\nSUMMARY:water\r\nDTSTART;VALUE=DATE:20260413\r\n"
        "DUE;VALUE=DATE:20260414\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    )
    server.put(url, "w.ics", body.encode())
    changes = writer.done(port.read(at()).items[0], AT)
    made = [writer.apply(change) for change in changes]
    assert port.read(at(minutes=1)).items[0].due == dt.date(2026, 4, 21)
    for change in reversed(made):
        writer.apply(change.inverse())
    assert port.read(at(minutes=2)).items[0].due == dt.date(2026, 4, 14)


def test_where_new_items_belong_is_never_guessed(
    server: Radicale, dav: MakeDav, cache: Path, at: At
) -> None:
    for name in ("one", "two"):
        server.make(name)
    draft = EventDraft(summary="x", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 17))
    calendar = Calendar(dav(server.url), cache)
    with pytest.raises(WriteError, match="several collections"):
        calendar.writer.add(draft, AT)
    calendar = Calendar(dav(server.url, collections=("two", "one")), cache)
    (change,) = calendar.writer.add(draft, AT)
    assert change.resource.startswith(f"/{USER}/two/")
    calendar.apply(change)
    assert calendar.titles(at) == ["x"]


def test_a_server_that_is_gone_is_said(dav: MakeDav, cache: Path) -> None:
    calendar = Calendar(dav("http://127.0.0.1:9/"), cache)
    draft = EventDraft(summary="x", start=dt.date(2026, 4, 16), end=dt.date(2026, 4, 17))
    with pytest.raises(WriteError, match="work"):
        calendar.writer.add(draft, AT)


def answering(*statuses: int, etag: str = '"1"') -> Callable[[Asked], Answer]:
    left = list(statuses)

    def answer(asked: Asked) -> Answer:
        if asked.method == "GET":
            return Answer(headers={"ETag": etag} if etag else {}, body=calendar_text("dentist"))
        return Answer(status=left.pop(0) if len(left) > 1 else left[0])

    return answer


def plain_change() -> Change:
    body = calendar_text("dentist").decode()
    before = body[body.index("BEGIN:VEVENT") : body.index("\r\nEND:VCALENDAR")]
    after = "BEGIN:VEVENT\r\nUID:dentist\r\nSUMMARY:new\r\nEND:VEVENT"
    return Change(
        source="work",
        kind=SourceKind.CALENDAR,
        resource="/cal/a.ics",
        uid="dentist",
        edits=(Edit(before=before, after=after),),
        title="dentist",
    )


def test_each_write_names_the_version_it_replaces(dav: MakeDav, cache: Path) -> None:
    with serve_web(answering(204, etag='W/"7"')) as web:
        Calendar(dav(web.url("/")), cache).writer.apply(plain_change())
        put = next(asked for asked in web.asked if asked.method == "PUT")
    assert put.headers["If-Match"] == '"7"'
    assert b"SUMMARY:new" in put.body


def test_a_refused_version_is_looked_at_again_and_given_up_in_the_end(
    dav: MakeDav, cache: Path
) -> None:
    with serve_web(answering(412, 204)) as web:
        Calendar(dav(web.url("/")), cache).writer.apply(plain_change())
        assert [asked.method for asked in web.asked] == ["GET", "PUT", "GET", "PUT", "GET"]
    with serve_web(answering(412)) as web, pytest.raises(ChangedOutsideError, match="again"):
        Calendar(dav(web.url("/")), cache).writer.apply(plain_change())


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (403, ReadOnlySourceError, "refuses access"),
        (405, ReadOnlySourceError, "may not be written"),
        (423, WriteError, "locked"),
        (507, WriteError, "no room"),
        (500, WriteError, "failed"),
    ],
)
def test_what_a_server_refuses_is_said_in_words(
    dav: MakeDav, cache: Path, status: int, error: type[WriteError], words: str
) -> None:
    with serve_web(answering(status)) as web, pytest.raises(error, match=words):
        Calendar(dav(web.url("/")), cache).writer.apply(plain_change())


def test_a_server_that_numbers_no_versions_is_not_written(dav: MakeDav, cache: Path) -> None:
    with serve_web(answering(204, etag="")) as web:
        with pytest.raises(WriteError, match="safely"):
            Calendar(dav(web.url("/")), cache).writer.apply(plain_change())
        assert {asked.method for asked in web.asked} == {"GET"}
