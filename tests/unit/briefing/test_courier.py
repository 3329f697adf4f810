from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path

import pytest

from iris_harness.errors import StorageError
from iris_harness.storage.deliveries import DeliveryBook
from iris_harness.storage.records import DeliveryState
from iris_harness.surfaces.briefing.courier import LEFT_OPEN, MOST_ATTEMPTS
from tests.unit.briefing.world import User, berlin

MORNING = {"name": "morning", "when": "weekdays 07:00", "say": "what time is it"}


@pytest.fixture
def user(tmp_path: Path) -> User:
    """Somebody who has set a briefing up on a Monday evening (2026-04-13)."""
    user = User(tmp_path / "data", "2026-04-13 20:00", [MORNING])
    user.tick("2026-04-13 20:00")
    assert user.states() == []
    return user


def test_a_briefing_is_said_at_its_time_and_once(user: User) -> None:
    user.tick("2026-04-14 06:59:59")
    assert user.desktop.messages == []
    user.tick("2026-04-14 07:00")
    user.tick("2026-04-14 07:00:01")
    user.tick("2026-04-14 23:59")
    (message,) = user.desktop.messages
    assert message.title == "Iris, Tuesday 14 April"
    assert message.text == "It is 07:00 on Tuesday 14 April 2026 (Europe/Berlin)."
    (said,) = user.deliveries()
    assert (said.state, said.detail) == (DeliveryState.DELIVERED, "said as number 1")
    assert said.key == "briefing:morning:2026-04-14:desktop"


def test_one_that_was_slept_through_comes_on_waking_and_says_that_it_is_late(user: User) -> None:
    user.tick("2026-04-14 09:30")
    assert user.desktop.messages[0].text.startswith("Late: this was to come at 07:00.\n\n")
    assert user.desktop.messages[0].speech.startswith("Late: this was to come at 07:00.")


def test_days_that_were_slept_through_are_missed_and_the_next_briefing_says_so(user: User) -> None:
    user.tick("2026-04-16 07:01")
    assert user.states() == [
        ("Tue 14", "desktop", "missed"),
        ("Wed 15", "desktop", "missed"),
        ("Thu 16", "desktop", "delivered"),
    ]
    text = user.desktop.messages[0].text
    assert "The briefing of Tue 14 Apr was missed: Iris was not running.\n" in text
    user.tick("2026-04-17 07:00")
    assert "missed" not in user.desktop.messages[1].text


def test_a_weekend_without_a_briefing_misses_none(user: User) -> None:
    user.tick("2026-04-17 07:00")
    user.tick("2026-04-20 07:00")
    assert [day for day, _, state in user.states() if state == "delivered"] == ["Fri 17", "Mon 20"]


def test_what_was_set_up_after_its_time_begins_the_next_day(tmp_path: Path) -> None:
    user = User(tmp_path, "2026-04-14 07:30", [MORNING])
    user.tick("2026-04-14 07:30")
    user.tick("2026-04-14 07:31")
    assert user.states() == []
    user.tick("2026-04-15 07:00")
    assert user.states() == [("Wed 15", "desktop", "delivered")]


def test_another_time_on_the_same_day_does_not_say_it_twice(user: User) -> None:
    user.tick("2026-04-14 07:00")
    user.config["briefing"] = [{**MORNING, "when": "weekdays 08:00"}]
    user.tick("2026-04-14 07:30")
    user.tick("2026-04-14 08:00")
    assert len(user.desktop.messages) == 1


def test_a_schedule_that_is_gone_is_forgotten(user: User) -> None:
    user.config["briefing"] = []
    user.tick("2026-04-14 06:00")
    user.config["briefing"] = [MORNING]
    user.tick("2026-04-17 08:00")
    assert user.states() == []


def test_a_clock_that_is_set_back_does_not_say_it_twice_and_loses_no_day(user: User) -> None:
    user.tick("2026-04-14 07:00")
    user.clock.__init__(user.clock.now() - dt.timedelta(hours=2))  # type: ignore[misc]
    user.tick("2026-04-14 05:30")
    user.tick("2026-04-14 07:10")
    assert len(user.desktop.messages) == 1
    user.tick("2026-04-15 07:00")
    assert len(user.desktop.messages) == 2


@pytest.mark.parametrize(
    ("day", "expected"),
    [("2026-03-29", "2026-03-29 03:30"), ("2026-10-25", "2026-10-25 02:30")],
    ids=["left out, so an hour later", "comes twice, so the first"],
)
def test_a_time_on_the_day_of_a_clock_change_is_said_once(
    tmp_path: Path, day: str, expected: str
) -> None:
    user = User(tmp_path, f"{day} 00:00", [{"when": "daily 02:30", "say": "what time is it"}])
    for _ in range(12):
        user.tick_now()
        user.clock.advance(30 * 60)
    (said,) = user.deliveries()
    assert said.due_at == berlin(expected).astimezone(dt.UTC)
    assert len(user.desktop.messages) == 1


def test_each_channel_says_it_and_a_slow_one_holds_up_nothing_else(user: User) -> None:
    user.config["briefing"] = [{**MORNING, "channels": ["desktop", "web"]}]
    user.tick("2026-04-13 21:00")
    gate = user.web.hang()
    now = user.at("2026-04-14 07:00")
    with user.store() as store, user.iris() as iris:
        courier = user.courier(store, iris)
        courier.tick(now)
        assert not courier.wait(1.0)
        assert len(user.desktop.messages) == 1
        courier.tick(now)  # the channel that hangs is not asked again
        gate.set()
        courier.close()
    assert len(user.web.messages) == 1
    assert {state for _, _, state in user.states()} == {"delivered"}


def test_both_channels_of_a_briefing_say_the_same(user: User) -> None:
    user.config["briefing"] = [{**MORNING, "channels": ["desktop", "web"]}]
    user.tick("2026-04-13 21:00")
    user.tick("2026-04-14 07:00")
    assert user.desktop.messages[0][1:] == user.web.messages[0][1:]


def test_what_is_said_later_is_how_it_is_then(user: User) -> None:
    user.config["briefing"] = [{**MORNING, "channels": ["desktop", "web"]}]
    user.tick("2026-04-13 21:00")
    user.web.fail(may_retry=True)
    now = user.at("2026-04-14 07:00")
    with user.store() as store, user.iris() as iris:
        courier = user.courier(store, iris)
        courier.tick(now)
        courier.wait(20)
        user.web.first = lambda: None
        courier.tick(user.at("2026-04-14 07:03"))
        courier.wait(20)
        courier.close()
    assert "It is 07:00" in user.desktop.messages[0].text
    assert "It is 07:03" in user.web.messages[0].text


def test_what_surely_failed_is_tried_again_for_ten_minutes(user: User) -> None:
    user.desktop.fail(may_retry=True)
    user.tick("2026-04-14 07:00")
    assert user.states() == [("Tue 14", "desktop", "due")]
    user.tick("2026-04-14 07:00:05")
    assert user.deliveries()[0].attempts == 1
    user.desktop.first = lambda: None
    user.tick("2026-04-14 07:00:10")
    assert user.states() == [("Tue 14", "desktop", "delivered")]


def test_what_fails_for_too_long_has_failed_and_the_next_briefing_says_so(user: User) -> None:
    user.desktop.fail(may_retry=True)
    for minute in range(15):
        user.tick(f"2026-04-14 07:{minute:02}")
    (failed,) = user.deliveries()
    assert (failed.state, failed.attempts) == (DeliveryState.FAILED, MOST_ATTEMPTS)
    user.desktop.first = lambda: None
    user.tick("2026-04-15 07:00")
    said = "The briefing of Tue 14 Apr did not go out by desktop: no network."
    assert said in user.desktop.messages[0].text


def test_what_may_have_been_said_is_never_said_again(user: User) -> None:
    user.desktop.fail(is_uncertain=True)
    user.tick("2026-04-14 07:00")
    user.desktop.first = lambda: None
    user.tick("2026-04-14 07:10")
    assert user.states() == [("Tue 14", "desktop", "uncertain")]


def test_a_channel_that_breaks_in_its_own_way_is_uncertain_and_says_no_secret(user: User) -> None:
    def break_down() -> None:
        raise RuntimeError("password hunter2 refused")

    user.desktop.first = break_down
    user.tick("2026-04-14 07:00")
    (found,) = user.deliveries()
    assert (found.state, found.detail) == (DeliveryState.UNCERTAIN, "RuntimeError")


def test_a_claim_that_a_crash_left_open_is_uncertain_and_said_to_be(user: User) -> None:
    now = user.at("2026-04-14 07:00")
    with user.store() as store, user.iris() as iris:
        agenda = user.courier(store, iris)._agenda
        store.deliveries.enter(
            agenda.entries(store.deliveries.schedules(), (), now).deliveries, now
        )
        (due,) = store.deliveries.due(now)
        assert store.deliveries.claim(due, now)
        assert not store.deliveries.claim(due, now)
    user.tick("2026-04-14 07:01")
    (found,) = user.deliveries()
    assert (found.state, found.detail) == (DeliveryState.UNCERTAIN, LEFT_OPEN)
    assert user.desktop.messages == []


def test_nothing_is_said_when_it_cannot_be_claimed(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(DeliveryBook, "claim", refuse)
        user.tick("2026-04-14 07:00")
    assert user.desktop.messages == []
    user.tick("2026-04-14 07:05")
    assert len(user.desktop.messages) == 1


def test_a_receipt_that_cannot_be_written_at_first_is_written_later(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = DeliveryBook.end
    attempts = threading.Semaphore(2)

    def refuse_twice(*arguments: object, **options: object) -> None:
        if attempts.acquire(blocking=False):
            raise StorageError("the disk is full")
        written(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(DeliveryBook, "end", refuse_twice)
    now = user.at("2026-04-14 07:00")
    with user.store() as store, user.iris() as iris:
        courier = user.courier(store, iris)
        courier.tick(now)
        with pytest.raises(StorageError):
            courier.wait(20)
        courier.tick(now)
        courier.close()
    assert user.states() == [("Tue 14", "desktop", "delivered")]
    assert len(user.desktop.messages) == 1


def test_retention_and_forgetting_never_make_it_said_twice(user: User) -> None:
    user.tick("2026-04-14 07:00")
    with user.store() as store:
        store.forget_before(user.at("2026-04-14 08:00"))
        assert store.deliveries.list() == ()
    user.tick("2026-04-14 08:01")
    with user.store() as store:
        store.forget_all()
    user.tick("2026-04-14 08:02")
    user.tick("2026-04-14 08:03")
    assert len(user.desktop.messages) == 1
