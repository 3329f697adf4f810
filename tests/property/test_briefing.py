"""Whatever happens in whatever order, a briefing is said once at most, and never passed over."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.storage.records import DeliveryState
from iris_harness.surfaces.briefing.courier import Courier
from tests.support import examples
from tests.unit.briefing.world import BERLIN, User, berlin

START = berlin("2026-03-26 12:00")  # a Thursday; clocks go forward on Sunday, 02:00
WHEN = ["daily 07:00", "daily 02:30", "weekdays 23:55", "sat, sun 00:00"]
HOURS = st.floats(0.001, 40, allow_nan=False)


class _Killed(BaseException):
    """The process ends here, whatever it was about to do."""


STEPS = st.lists(
    st.tuples(
        HOURS,
        st.sampled_from(
            ["says it", "says it", "fails", "fails for now", "dies before", "dies after"]
        ),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=examples(25), deadline=None)
@given(when=st.sampled_from(WHEN), steps=STEPS)
def test_once_at_most_and_never_passed_over(when: str, steps: list[tuple[float, str]]) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        user = User(Path(name), "2026-03-26 12:00", [{"when": when, "say": "what time is it"}])
        user.tick_now()
        for hours, what in steps:
            user.clock.advance(hours * 3600)
            _tick(user, what, patch)
        user.desktop.first = lambda: None
        user.tick_now()
        said = Counter(message.key for message in user.desktop.messages)
        found = {one.key: one for one in user.deliveries()}
        assert max(said.values(), default=1) == 1
        assert set(said) <= set(found)
        for key, one in found.items():
            if one.state is DeliveryState.DELIVERED:
                assert said[key] == 1
            elif one.state in {DeliveryState.MISSED, DeliveryState.FAILED, DeliveryState.DUE}:
                assert said[key] == 0
        days = {one.day for one in found.values()}
        assert days == set(_wanted(when, user.clock.now()))


def _tick(user: User, what: str, patch: pytest.MonkeyPatch) -> None:
    match what:
        case "fails":
            user.desktop.fail()
        case "fails for now":
            user.desktop.fail(may_retry=True)
        case "dies before":
            user.desktop.first = _die
        case _:
            user.desktop.first = lambda: None
    with patch.context() as dying:
        if what == "dies after":
            dying.setattr(Courier, "_write_endings", lambda _courier: None)
        user.tick_now()


def _die() -> None:
    raise _Killed


def _wanted(when: str, now: dt.datetime) -> list[dt.date]:
    """The days that had a time between the start and now, as a calendar on the wall has them."""
    days, _, time = when.rpartition(" ")
    hour, minute = map(int, time.split(":"))
    wanted = {"daily": range(7), "weekdays": range(5), "sat, sun": (5, 6)}[days]
    found = []
    for number in range((now - START).days + 2):
        day = START.date() + dt.timedelta(days=number)
        at = dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=BERLIN)
        if day.weekday() in wanted and START <= at.astimezone(dt.UTC) <= now:
            found.append(day)
    return found
