"""The index of calendars: private, thrown away when in doubt, never in the way of an answer."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import Reading
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.index.health import describe_index
from iris_harness.sources.opening import open_calendar
from tests.index_support import ME, JumpingClock, UnsizedFile, days, indexed
from tests.support import examples

Make = Callable[..., Path]
MakeEvent = Callable[..., str]
CASES = Path(__file__).parents[2] / "acceptance" / "day_cases"
DAY = "2026-04-16"


def plain(path: Path, day: str = DAY, count: int = 1) -> Reading[Event]:
    return open_calendar("cal", path, ME).read(days(day, count))


@pytest.fixture
def path(calendar: Make, event: MakeEvent) -> Path:
    """A calendar with a series and a single event."""
    return calendar(
        event("series", ":20260401T090000Z", "RRULE:FREQ=DAILY"), event("single", ":20260416T1200Z")
    )


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def only_number(cache: Path, query: str) -> int:
    with contextlib.closing(sqlite3.connect(cache / "cache.db")) as connection:
        return int(connection.execute(query).fetchone()[0])


def test_the_index_is_for_its_owner_only(cache: Path, path: Path) -> None:
    reader = indexed(cache, path)
    reader.read(days(DAY))
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    files = sorted(cache.iterdir())
    assert [file.name for file in files] == ["cache.db", "cache.db-shm", "cache.db-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_second_program_finds_what_the_first_one_listed(
    cache: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = JumpingClock()
    clock.wrong_by = dt.timedelta(hours=1)  # the file is no longer too young to be trusted
    indexed(cache, path, clock=clock).read(days(DAY))
    expected = plain(path)
    monkeypatch.setattr("iris_harness.sources.index.files.read_file", forbidden)
    reader = indexed(cache, path, clock=clock)
    assert reader.read(days(DAY)) == expected
    assert not reader.bypassed


def forbidden(*arguments: object) -> None:
    raise AssertionError(f"read {arguments}")


def test_only_what_changed_in_a_file_is_read_again(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    events = [event(f"e{number}", ":20260416T100000Z") for number in range(30)]
    path = calendar(*events)
    reader = indexed(cache, path)
    assert len(reader.read(days(DAY)).items) == 30
    listed = only_number(cache, "SELECT min(generation) FROM listing")
    events[7] = event("e7", ":20260416T150000Z")
    calendar(event("new", ":20260417T100000Z"), *events)  # and every other one moves by a line
    assert reader.read(days(DAY)) == plain(path)
    later = "SELECT count(*) FROM changed WHERE generation > (SELECT max(generation) FROM listing)"
    assert only_number(cache, later) == 2
    assert only_number(cache, "SELECT min(generation) FROM listing") == listed


def test_a_warning_names_the_line_where_an_event_stands_now(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    odd = event("odd", ":20260416T100000Z", "EXDATE:never")
    reader = indexed(cache, calendar(odd))
    before = reader.read(days(DAY)).warnings
    path = calendar(event("other", ":20260416T110000Z"), odd)
    after = reader.read(days(DAY)).warnings
    assert before != after == plain(path).warnings


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_a_day_case_is_read_with_an_index_as_without(cache: Path, case: Path) -> None:
    source = next(case.glob("input*"))
    reader = indexed(cache, source)
    query = json.loads((case / "case.json").read_text())["query"]
    wanted = dt.date.fromisoformat(query["date"])
    for offset, count in ((-20, 1), (-1, 1), (0, 1), (0, 7), (1, 1), (-10, 30), (200, 1)):
        window = days(wanted + dt.timedelta(days=offset), count, query["timezone"])
        assert reader.read(window) == open_calendar("cal", source, ME).read(window)
        assert not reader.bypassed


def damaged(content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        file.write_bytes(content(file.read_bytes()))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        damaged(lambda _: b""),
        damaged(lambda _: b"not a database at all" * 400),
        damaged(lambda data: data[: len(data) // 2]),
        damaged(lambda data: data[:4096] + bytes(len(data) - 4096)),
        damaged(lambda data: data.replace(b"single", b"doubly")),
        damaged(lambda data: data.replace(b"RRULE", b"XRULE")),
        damaged(lambda data: data.replace(b"reader", b"writer")),
        Path.unlink,
    ],
    ids=["empty", "foreign", "half", "zeros", "listing", "component", "schema", "gone"],
)
def test_a_damaged_index_is_made_anew(
    cache: Path, path: Path, damage: Callable[[Path], None]
) -> None:
    indexed(cache, path).read(days(DAY))
    with contextlib.closing(sqlite3.connect(cache / "cache.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    damage(cache / "cache.db")
    for day in (DAY, "2026-04-17", "2026-09-01"):
        assert indexed(cache, path).read(days(day)) == plain(path, day)
    reader = indexed(cache, path)
    assert reader.read(days(DAY)) == plain(path)
    assert not reader.bypassed


def test_an_index_of_another_program_version_is_made_anew(cache: Path, path: Path) -> None:
    old = indexed(cache, path, stamp="old")
    old.read(days(DAY))
    new = indexed(cache, path, stamp="new")
    assert new.read(days(DAY)) == plain(path)
    assert not new.bypassed
    assert old.read(days("2026-05-01")) == plain(path, "2026-05-01")
    assert "another version" in old.bypassed
    assert only_number(cache, "SELECT count(*) FROM stamp WHERE text = 'new'") == 1


def test_a_cache_folder_that_is_a_file_costs_nothing_but_time(cache: Path, path: Path) -> None:
    cache.write_text("in the way")
    reader = indexed(cache, path)
    assert reader.read(days(DAY)) == plain(path)
    assert reader.bypassed
    assert cache.read_text() == "in the way"


def test_an_index_that_another_process_holds_costs_nothing_but_time(
    cache: Path, path: Path, calendar: Make, event: MakeEvent
) -> None:
    reader = indexed(cache, path)
    reader.read(days(DAY))
    with contextlib.closing(sqlite3.connect(cache / "cache.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        calendar(event("new", ":20260416T150000Z"))
        assert reader.read(days(DAY)) == plain(path)
        assert "locked" in reader.bypassed
        other.execute("ROLLBACK")
    assert reader.read(days(DAY)) == plain(path)
    assert not reader.bypassed


def test_many_threads_get_the_same_answer(cache: Path, path: Path) -> None:
    reader = indexed(cache, path)
    wanted = [f"2026-04-{day:02}" for day in range(10, 22)]
    got: dict[str, Reading[Event]] = {}

    def read(day: str) -> None:
        got[day] = reader.read(days(day))

    threads = [threading.Thread(target=read, args=(day,)) for day in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {day: plain(path, day) for day in wanted}


@pytest.mark.parametrize("hours", [None, 1, 1_000_000])
def test_the_state_of_a_source_is_what_it_is_without_an_index(
    cache: Path, tmp_path: Path, hours: float | None
) -> None:
    folder = tmp_path / "vdir"
    (folder / "home").mkdir(parents=True)
    (folder / "letter.ics").write_text("Dear Sir or Madam")
    (folder / "home" / "gone.ics").symlink_to(tmp_path / "nowhere")
    for number in range(3):
        reader = indexed(cache, folder, stale_after_hours=hours)
        expected = open_calendar("cal", folder, ME, stale_after_hours=hours).read(days(DAY))
        assert reader.read(days(DAY)) == expected
        assert not reader.bypassed
        (folder / f"{number}.ics").write_text("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\n")


@pytest.mark.parametrize("name", ["missing.ics", "missing"])
def test_what_is_missing_fails_as_it_does_without_an_index(
    cache: Path, tmp_path: Path, name: str
) -> None:
    reader = indexed(cache, tmp_path / name)
    reading = reader.read(days(DAY))
    assert reading == plain(tmp_path / name)
    assert reading.status.state is SourceState.FAILED


def test_an_empty_folder_is_empty_and_says_so(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "vdir").mkdir()
    reader = indexed(cache, tmp_path / "vdir")
    assert reader.read(days(DAY)) == plain(tmp_path / "vdir")
    assert not reader.bypassed


def test_a_file_name_that_is_no_text_is_read_all_the_same(cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vdir"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"caf\xe9.ics")).write_text("BEGIN:VCALENDAR\nEND:VCALENDAR\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    assert indexed(cache, folder).read(days(DAY)) == plain(folder)


def test_windows_that_are_no_whole_days_are_answered(cache: Path, path: Path) -> None:
    reader = indexed(cache, path)
    whole = days(DAY)
    part = type(whole)(
        start=whole.start.replace(hour=8), end=whole.end, timezone=whole.timezone, now=whole.now
    )
    for window in (part, days("1604-02-29"), days("9998-12-30"), days("2026-01-01", 400)):
        assert reader.read(window) == open_calendar("cal", path, ME).read(window)
        assert not reader.bypassed


def test_a_calendar_that_is_not_asked_about_any_more_is_forgotten(
    cache: Path, path: Path, tmp_path: Path
) -> None:
    indexed(cache, path).read(days(DAY))
    with contextlib.closing(sqlite3.connect(cache / "cache.db")) as connection:
        connection.execute("UPDATE source SET used_on = used_on - 100")
        connection.commit()
    other = tmp_path / "other.ics"
    other.write_bytes(path.read_bytes())
    indexed(cache, other).read(days(DAY))
    assert only_number(cache, "SELECT count(*) FROM source") == 1
    assert only_number(cache, "SELECT count(DISTINCT source) FROM component") == 1


_READ_IN_A_LOOP = """
import sys
from pathlib import Path
from tests.index_support import days, indexed
print("ready", flush=True)
while True:
    reader = indexed(Path(sys.argv[1]), Path(sys.argv[2]))
    for day in range(1, 29):
        reader.read(days(f"2026-{day % 12 + 1:02}-{day:02}"))
    Path(sys.argv[2]).touch()
"""


def test_a_program_that_is_killed_half_way_leaves_an_index_that_is_right(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    events = [event(f"e{n}", f":2026{n % 12 + 1:02}16T100000Z", "RRULE:FREQ=DAILY;COUNT=3")
              for n in range(300)]  # fmt: skip
    path = calendar(*events)
    for attempt in range(examples(3)):
        process = subprocess.Popen(
            [sys.executable, "-c", _READ_IN_A_LOOP, str(cache), str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
        )
        with process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.01 + 0.013 * attempt % 0.5)
            process.send_signal(signal.SIGKILL)
        events[attempt % 300] = event(f"e{attempt}", ":20260416T120000Z")
        calendar(*events)
        reader = indexed(cache, path)
        for day in (DAY, "2026-05-17", "2026-11-18"):
            assert reader.read(days(day)) == plain(path, day)
            assert not reader.bypassed


@pytest.mark.parametrize("coarse", [False, True], ids=["fine times", "coarse times"])
def test_an_edit_that_looks_like_none_is_seen(
    cache: Path, calendar: Make, event: MakeEvent, coarse: bool
) -> None:
    path = calendar(event("x", ":20260416T100000Z"), name="vdir/x.ics")
    for number in range(20):
        reader = indexed(cache, path.parent, coarse=coarse)
        assert reader.read(days(DAY)) == plain(path.parent)
        assert not reader.bypassed
        changed = path.stat().st_mtime_ns
        path.write_bytes(re.sub(rb"SUMMARY:.", b"SUMMARY:%c" % (97 + number), path.read_bytes()))
        os.utime(path, ns=(changed, changed))


def test_another_zone_definition_moves_the_events_that_use_it(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    zone = (
        "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
        "TZOFFSETFROM:+0000\nTZOFFSETTO:{}\nEND:STANDARD\nEND:VTIMEZONE"
    )
    item = event("x", ";TZID=Own:20260416T100000")
    reader = indexed(cache, calendar(zone.format("+0100"), item))
    before = reader.read(days(DAY))
    path = calendar(zone.format("+0500"), item)
    assert before.items != reader.read(days(DAY)).items == plain(path).items


def test_revisions_of_one_event_are_weighed_together_on_every_day(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    old = event("x", ":20260416T100000Z", "SEQUENCE:1")
    new = event("x", ":20260601T100000Z", "SEQUENCE:2")
    unreadable = event("y", ":20260601T999999Z"), event("y", ":20260601T100000Z")
    path = calendar(old, new, *unreadable)
    reader = indexed(cache, path)
    for day in (DAY, "2026-06-01", "2026-08-01"):
        assert reader.read(days(day)) == plain(path, day)
    assert reader.read(days("2026-08-01")).warnings


def test_the_same_event_in_two_folders_keeps_the_order_of_the_folders(
    cache: Path, tmp_path: Path, calendar: Make, event: MakeEvent
) -> None:
    for folder in "ab":
        item = event("x", ":20260416T100000Z", f"LOCATION:{folder}")
        calendar(item, name=f"vdir/{folder}/x.ics")
    root = tmp_path / "vdir"
    reader = indexed(cache, root)
    reader.read(days(DAY))
    calendar(event("x", ":20260416T100000Z", "LOCATION:new"), name="vdir/a/x.ics")
    assert [item.location for item in reader.read(days(DAY)).items] == ["new", "b"]
    assert reader.read(days(DAY)) == plain(root)


def test_what_looks_the_same_keeps_the_order_of_the_file(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    # Two UIDs, but one text where they are named.
    one = event("a b", ":20260416T100000Z", "LOCATION:one")
    other = one.replace("UID:a b", "UID:a  b").replace("LOCATION:one", "LOCATION:other")
    path = calendar(other, one)
    reader = indexed(cache, path)
    assert [item.location for item in reader.read(days(DAY)).items] == ["other", "one"]
    calendar(one, other)
    assert [item.location for item in reader.read(days(DAY)).items] == ["one", "other"]
    assert reader.read(days(DAY)) == plain(path)


def test_an_event_without_uid_is_named_by_the_line_where_it_stands_now(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    nameless = event("x", ":20260416T100000Z").replace("UID:x\n", "")
    reader = indexed(cache, calendar(nameless))
    before = reader.read(days(DAY)).items[0].source.locator
    path = calendar(event("y", ":20260501T100000Z"), nameless)
    assert before != reader.read(days(DAY)).items[0].source.locator
    assert reader.read(days(DAY)) == plain(path)


def test_an_index_that_others_may_have_written_is_not_believed(cache: Path, path: Path) -> None:
    indexed(cache, path).read(days(DAY))
    with contextlib.closing(sqlite3.connect(cache / "cache.db")) as connection:
        connection.execute("UPDATE listing SET payload = x'00'")
        connection.commit()
    (cache / "cache.db").chmod(0o666)
    before = (cache / "cache.db").read_bytes()
    reader = indexed(cache, path)
    assert reader.read(days(DAY)) == plain(path)
    assert "another user" in reader.bypassed
    assert "another user" in describe_index(cache).state
    assert (cache / "cache.db").read_bytes() == before  # it may be theirs


def test_a_file_that_states_a_wrong_size_is_read_each_time(
    cache: Path, calendar: Make, event: MakeEvent
) -> None:
    path = calendar(event("one", ":20260416T090000Z"))
    file = UnsizedFile(path.read_bytes())
    reader = indexed(cache, path, files=file)
    assert [item.uid for item in reader.read(days(DAY)).items] == ["one"]
    file.text = file.text.replace(b"UID:one", b"UID:two")
    assert [item.uid for item in reader.read(days(DAY)).items] == ["two"]
    assert not reader.bypassed
