"""The same inputs give the same bytes, on any machine and in any order."""

from __future__ import annotations

import pytest

from tests.support import RunIris


@pytest.mark.parametrize("form", ["--json", "--plain", "--speech"])
def test_hash_seed_zone_and_locale_of_the_machine_do_not_matter(iris: RunIris, form: str) -> None:
    outputs = {
        iris("plan", "--demo", form, PYTHONHASHSEED=seed, TZ=zone, LANG=language).stdout
        for seed, zone, language in [
            ("0", "UTC", "C.UTF-8"),
            ("1", "America/New_York", "de_DE.UTF-8"),
            ("12345", "Pacific/Kiritimati", "tr_TR.UTF-8"),
        ]
    }
    assert len(outputs) == 1
    assert outputs != {""}


def test_a_kept_plan_is_replayed_byte_for_byte(iris: RunIris) -> None:
    first = iris("plan", "--demo", "--json").stdout
    plan_id = first.split('"plan_id": "')[1].split('"')[0]
    assert iris("plan", "--replay", plan_id, "--json").stdout == first
    assert iris("plan", "--replay", plan_id[:12], "--json").stdout == first


def test_a_kept_plan_is_recomputed_without_a_difference(iris: RunIris) -> None:
    first = iris("plan", "--demo", "--json")
    plan_id = first.stdout.split('"plan_id": "')[1].split('"')[0]
    again = iris("plan", "--recompute", plan_id, "--json")
    assert again.stdout == first.stdout
    assert "No difference" in again.stderr


def test_an_unknown_plan_is_said_to_be_unknown(iris: RunIris) -> None:
    result = iris("plan", "--replay", "abcdef")
    assert result.returncode == 1
    assert "abcdef" in result.stderr
