from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.clock import FixedClock
from iris_harness.errors import (
    AmbiguousIdError,
    RecordNotFoundError,
    StorageError,
    UsageError,
)
from iris_harness.storage.records import (
    Deleted,
    PlanOrigin,
    StoredPlan,
    StoredTurn,
    instant_text,
    parse_instant,
)
from iris_harness.storage.store import IrisStore

Make = Callable[..., StoredPlan]
MakeTurn = Callable[..., StoredTurn]
NOW = dt.datetime(2025, 3, 10, 8, 30, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def test_a_plan_comes_back_byte_for_byte_after_reopening(
    folder: Path, clock: FixedClock, make_plan: Make
) -> None:
    plan = make_plan("a", marker="Zo\u00eb \u2028 \x00")
    with IrisStore.open(folder, clock) as store:
        store.save_plan(plan)
    with IrisStore.open(folder, clock) as store:
        assert store.get_plan(plan.summary.plan_id) == plan


def test_a_plan_is_found_by_the_start_of_its_id(store: IrisStore, make_plan: Make) -> None:
    plan = make_plan(plan_id="ABCDEF12".lower().ljust(64, "0"))
    store.save_plan(plan)
    store.save_plan(make_plan(plan_id="abcdee".ljust(64, "f")))
    assert store.get_plan("ABCDEF ") == plan


def test_a_start_that_fits_several_plans_lists_them(store: IrisStore, make_plan: Make) -> None:
    ids = ["abcdef0".ljust(64, "0"), "abcdeff".ljust(64, "f")]
    for plan_id in ids:
        store.save_plan(make_plan(plan_id=plan_id))
    with pytest.raises(AmbiguousIdError) as caught:
        store.get_plan("abcdef")
    assert caught.value.candidates == tuple(ids)
    assert store.get_plan("abcdeff").summary.plan_id == ids[1]


@pytest.mark.parametrize("text", ["abcde", "", "zzzzzz", "abcdef%", "a" * 65])
def test_what_is_no_id_is_refused(store: IrisStore, text: str) -> None:
    with pytest.raises(UsageError):
        store.get_plan(text)


def test_an_unknown_id_is_said(store: IrisStore) -> None:
    with pytest.raises(RecordNotFoundError):
        store.get_plan("abcdef")
    with pytest.raises(RecordNotFoundError):
        store.get_turn("nothing")


def test_the_plan_of_a_day_is_the_last_one_from_the_users_own_sources(
    store: IrisStore, make_plan: Make
) -> None:
    day = NOW.date()
    store.save_plan(make_plan("old", made_at=NOW - DAY))
    store.save_plan(make_plan("new", made_at=NOW))
    store.save_plan(make_plan("adhoc", made_at=NOW + DAY, origin=PlanOrigin.ADHOC))
    store.save_plan(make_plan("other day", made_at=NOW + DAY, day=day + DAY))
    latest = store.find_latest_plan(day)
    assert latest is not None
    assert latest.payload == make_plan("new").payload
    assert store.find_latest_plan(day - DAY) is None


def test_the_same_plan_again_keeps_its_bytes_and_becomes_the_plan_of_the_day(
    store: IrisStore, make_plan: Make
) -> None:
    first = make_plan("a", origin=PlanOrigin.ADHOC, marker="first")
    store.save_plan(first)
    store.save_plan(make_plan("a", origin=PlanOrigin.DEMO, marker="second"))
    assert store.get_plan(first.summary.plan_id) == first
    store.save_plan(make_plan("a", marker="third"))
    latest = store.find_latest_plan(NOW.date())
    assert latest is not None
    assert latest.text == first.text


def test_lists_are_newest_first_and_can_be_narrowed(
    store: IrisStore, make_plan: Make, make_turn: MakeTurn
) -> None:
    for number in range(3):
        at = NOW + number * DAY
        store.save_plan(make_plan(str(number), made_at=at, day=at.date()))
        store.save_turn(make_turn(f"t{number}", asked_at=at, session=f"s{number % 2}"))
    made = [summary.made_at for summary in store.list_plans(limit=2)]
    assert made == [NOW + 2 * DAY, NOW + DAY]
    assert len(store.list_plans(day=NOW.date())) == 1
    assert [turn.trace_id for turn in store.list_turns()] == ["t2", "t1", "t0"]
    assert [turn.trace_id for turn in store.list_turns(session="s0")] == ["t2", "t0"]


def test_a_turn_comes_back_as_it_was_and_its_id_is_taken_once(
    store: IrisStore, make_turn: MakeTurn
) -> None:
    turn = make_turn(asked_at=NOW.astimezone(ZoneInfo("Asia/Kathmandu")))
    store.save_turn(turn)
    assert store.get_turn("t1") == turn
    with pytest.raises(StorageError):
        store.save_turn(turn)
    assert len(store.list_turns()) == 1


def test_a_trace_that_is_no_json_is_not_kept(store: IrisStore, make_turn: MakeTurn) -> None:
    broken = make_turn()._replace(trace="{")
    with pytest.raises(ValueError, match="Expecting"):
        store.save_turn(broken)
    assert store.list_turns() == ()


def test_an_export_is_everything_in_order_of_time(
    store: IrisStore, make_plan: Make, make_turn: MakeTurn
) -> None:
    store.save_plan(make_plan("b", made_at=NOW))
    store.save_plan(make_plan("a", made_at=NOW - DAY, marker="Zo\u00eb"))
    store.save_turn(make_turn())
    records = [json.loads(line) for line in store.export()]
    assert [record["kind"] for record in records] == ["plan", "plan", "turn"]
    assert records[0]["archive"] == {"seed": "a", "marker": "Zo\u00eb"}
    assert records[0]["plan"] == {"date": "2025-03-10", "marker": "Zo\u00eb"}
    assert records[1]["made_at"] == "2025-03-10T08:30:00.000000Z"
    assert records[2]["trace"] == {"steps": [{"took": 0.25}]}


def test_an_export_shows_one_moment(store: IrisStore, make_plan: Make) -> None:
    store.save_plan(make_plan("a"))
    lines = store.export()
    first = next(lines)
    store.save_plan(make_plan("b", made_at=NOW + DAY))
    assert [first, *lines] == [first]


def test_prune_keeps_what_is_young_enough(
    store: IrisStore, make_plan: Make, make_turn: MakeTurn
) -> None:
    for age in (0, 29, 30, 31, 400):
        store.save_plan(make_plan(str(age), made_at=NOW - age * DAY))
        store.save_turn(make_turn(str(age), asked_at=NOW - age * DAY))
    assert store.prune(0) == Deleted()
    assert store.prune(30) == Deleted(plans=2, turns=2)
    assert {turn.trace_id for turn in store.list_turns()} == {"0", "29", "30"}


MARKER = "a-marker-that-must-be-gone"


def _bytes_left(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and MARKER.encode() in path.read_bytes()
    }


@pytest.mark.parametrize("how", ["all", "before", "session"])
def test_what_is_forgotten_leaves_no_byte_on_the_disk(
    folder: Path, store: IrisStore, make_plan: Make, make_turn: MakeTurn, how: str
) -> None:
    for number in range(50):
        old = NOW - DAY
        store.save_plan(make_plan(f"x{number}", made_at=old, session="gone", marker=MARKER * 200))
        store.save_turn(make_turn(f"x{number}", asked_at=old, session="gone", utterance=MARKER))
    store.save_plan(make_plan("kept"))
    store.save_turn(make_turn("kept"))
    (folder / "backups").mkdir()
    (folder / "backups" / "iris-v1-x.db").write_text(MARKER, encoding="utf-8")
    assert _bytes_left(folder)
    forget: dict[str, Callable[[], Deleted]] = {
        "all": store.forget_all,
        "before": lambda: store.forget_before(NOW),
        "session": lambda: store.forget_session("gone"),
    }
    everything = how == "all"
    assert forget[how]() == Deleted(plans=50 + everything, turns=50 + everything, backups=1)
    assert _bytes_left(folder) == set()
    assert len(store.list_turns()) == (0 if everything else 1)
    assert len(store.list_plans()) == (0 if everything else 1)


def test_forgetting_beside_a_reader_says_that_bytes_remain(
    store: IrisStore, make_turn: MakeTurn
) -> None:
    store.save_turn(make_turn())
    store._connection.execute("PRAGMA busy_timeout = 50")
    lines = store.export()
    next(lines)
    with pytest.raises(StorageError, match="another Iris still reads"):
        store.forget_all()
    assert list(lines) == []
    assert store.list_turns() == ()
    assert store.forget_all() == Deleted()


def test_many_threads_can_share_one_store(store: IrisStore, make_turn: MakeTurn) -> None:
    def work(number: int) -> None:
        for step in range(10):
            store.save_turn(make_turn(f"{number}-{step}"))
            store.list_turns(limit=5)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.list_turns(limit=1000)) == 80


@given(st.datetimes(timezones=st.timezones()), st.datetimes(timezones=st.timezones()))
def test_stored_instants_sort_as_time_and_come_back(one: dt.datetime, two: dt.datetime) -> None:
    try:
        texts = (instant_text(one), instant_text(two))
    except OverflowError:  # the first and last hours of the calendar have no UTC
        return
    assert (texts[0] < texts[1]) == (one.astimezone(dt.UTC) < two.astimezone(dt.UTC))
    assert parse_instant(texts[0]) == one.astimezone(dt.UTC)


def test_a_naive_instant_is_never_stored() -> None:
    with pytest.raises(ValueError, match="aware"):
        instant_text(dt.datetime(2025, 1, 1))  # noqa: DTZ001 - the point of the test


def test_words_that_are_no_text_are_kept_written_out(store: IrisStore, make_turn: MakeTurn) -> None:
    store.save_turn(make_turn(utterance="a\udcffb"))
    (turn,) = store.list_turns()
    assert turn.utterance == "a\\udcffb"
