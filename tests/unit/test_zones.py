from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.config.loader import load_config
from iris_harness.contracts.zones import Journey, UserZones
from iris_harness.errors import ConfigError

TOKYO = Journey(first_on=dt.date(2026, 4, 10), last_on=dt.date(2026, 4, 12), timezone="Asia/Tokyo")
ZONES = UserZones(home="Europe/Berlin", journeys=(TOKYO,))


@pytest.mark.parametrize(
    ("day", "zone"),
    [(9, "Europe/Berlin"), (10, "Asia/Tokyo"), (12, "Asia/Tokyo"), (13, "Europe/Berlin")],
)
def test_both_ends_of_a_journey_belong_to_it(day: int, zone: str) -> None:
    assert ZONES.on(dt.date(2026, 4, day)) == zone


def test_a_journey_begins_at_midnight_where_it_leads() -> None:
    midnight_in_tokyo = dt.datetime(2026, 4, 9, 15, 0, tzinfo=dt.UTC)
    assert ZONES.at(midnight_in_tokyo) == "Asia/Tokyo"
    assert ZONES.at(midnight_in_tokyo - dt.timedelta(seconds=1)) == "Europe/Berlin"


def test_days_are_cut_into_stretches_of_one_zone() -> None:
    days = [dt.date(2026, 4, day) for day in (13, 9, 10, 10, 11)]
    assert [(zone, len(part)) for zone, part in ZONES.stretches(days)] == [
        ("Europe/Berlin", 1),
        ("Asia/Tokyo", 2),
        ("Europe/Berlin", 1),
    ]


def test_a_journey_is_configured_by_its_days_and_zone() -> None:
    entry = "travel=[{from: 2026-04-10, to: 2026-04-12, timezone: Asia/Tokyo}]"
    assert load_config(environ={}, overrides=[entry]).journeys() == (TOKYO,)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("{from: 2026-04-12, to: 2026-04-10, timezone: Asia/Tokyo}", "before it begins"),
        ("{from: 2026-04-31, to: 2026-05-10, timezone: Asia/Tokyo}", "2026-04-31"),
        ("{from: 2026-04-10, to: 2026-04-12, timezone: Asia/Tokio}", "Asia/Tokyo"),
        (
            (
                "{from: 2026-04-10, to: 2026-04-12, timezone: Asia/Tokyo}, "
                "{from: 2026-04-12, to: 2026-04-13, timezone: Asia/Seoul}"
            ),
            "overlaps",
        ),
    ],
)
def test_a_journey_that_cannot_be_is_refused(entries: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_config(environ={}, overrides=[f"travel=[{entries}]"])
