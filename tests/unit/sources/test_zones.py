"""What a TZID is read as."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from iris_harness.sources.ical.components import Component
from iris_harness.sources.ical.zones import ZoneMatch, ZoneTable

NOWHERE = Component(kind="VEVENT", body=b"", file="f", line=1, closed=True, calendar=1)
SUMMER, WINTER = dt.datetime(2025, 7, 1), dt.datetime(2025, 1, 1)  # noqa: DTZ001 - wall clocks


def match(tzid: str) -> ZoneMatch:
    return ZoneTable(ZoneInfo("Pacific/Apia"), ()).find(tzid, NOWHERE)


def test_every_windows_name_is_known() -> None:
    for name, iana in WINDOWS_TO_OLSON.items():
        assert match(name).zone in {ZoneInfo(iana), ZoneInfo(name if name == "UTC" else iana)}


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("(UTC-08:00) Pacific Time (US & Canada)", "America/Los_Angeles"),
        ("(UTC-07:00) Arizona", "US/Arizona"),
        ("(UTC-05:00) Eastern Time (US & Canada)", "America/New_York"),
        ("(UTC-04:00) Atlantic Time (Canada)", "America/Halifax"),
        ("(UTC-10:00) Hawaii", "US/Hawaii"),
        ("(UTC) Dublin, Edinburgh, Lisbon, London", "Europe/Dublin"),
        ("(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London", "Europe/Dublin"),
        ("(UTC+01:00) Brussels, Copenhagen, Madrid, Paris", "Europe/Brussels"),
        ("(GMT+01.00) Paris", "Europe/Paris"),
        ("(GMT-08.00) Pacific Time (US & Canada)", "America/Los_Angeles"),
        ("(UTC+02:00) Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius", "Europe/Helsinki"),
        ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "Asia/Kolkata"),
        ("(UTC+08:00) Beijing, Chongqing, Hong Kong, Urumqi", "Asia/Chongqing"),
        ("(UTC+09:00) Osaka, Sapporo, Tokyo", "Asia/Tokyo"),
        ("(UTC+10:00) Canberra, Melbourne, Sydney", "Australia/Canberra"),
        ("US-Mountain", "US/Mountain"),
        ("america/new york", "America/New_York"),
        ("/example.org/2025/Europe/Berlin", "Europe/Berlin"),
        ("Olson/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
    ],
)
def test_a_label_means_the_place_it_names(label: str, key: str | None) -> None:
    found = match(label)
    if key is None:
        assert found.problem
    else:
        assert found == ZoneMatch(zone=ZoneInfo(key))


@pytest.mark.parametrize(
    ("label", "hours"),
    [
        ("GMT+0200", 2), ("GMT+02:00", 2), ("UTC+2", 2), ("UTC-05:30", -5.5), ("+0200", 2),
        ("(UTC+01:00)", 1), ("GMT -3", -3), ("UTC\u22123", -3), ("Etc/GMT-2", 2), ("UTC", 0),
        ("Z", 0), ("GMT", 0), ("GMT+0", 0), ("(UTC) Coordinated Universal Time", 0),
    ],
)  # fmt: skip
def test_an_offset_is_east_of_greenwich_unless_iana_says_otherwise(
    label: str, hours: float
) -> None:
    zone = match(label).zone
    for wall in (SUMMER, WINTER):
        assert wall.replace(tzinfo=zone).utcoffset() == dt.timedelta(hours=hours)


@pytest.mark.parametrize(
    "name",
    ["Nowhere", "", "..", "../../passwd", "America", "localtime", "+99:00", "CEST", "\0"],
)
def test_what_nothing_defines_is_the_users_zone_and_said(name: str) -> None:
    found = match(name)
    assert found.zone == ZoneInfo("Pacific/Apia")
    assert "Pacific/Apia" in found.problem
    assert repr(name) in found.problem


def test_a_label_with_an_unknown_place_is_its_offset_and_said() -> None:
    found = match("(UTC+04:00) Atlantis")
    assert found.zone == dt.timezone(dt.timedelta(hours=4))
    assert "Atlantis" in found.problem
