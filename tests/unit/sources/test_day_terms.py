from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.sources.day_terms import (
    looks_like_time,
    parse_chunk,
    parse_energy,
    parse_time_of_day,
)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("9:00", dt.time(9)),
        ("09:05", dt.time(9, 5)),
        ("17:30", dt.time(17, 30)),
        ("24:00", dt.time(0)),
        ("9am", dt.time(9)),
        ("12am", dt.time(0)),
        ("12pm", dt.time(12)),
        ("5:30PM", dt.time(17, 30)),
    ],
)
def test_a_time_of_day_is_read_as_people_write_it(text: str, time: dt.time) -> None:
    assert parse_time_of_day(text) == time


@pytest.mark.parametrize(
    "text", ["", "9", "25:00", "24:30", "9:60", "13pm", "0am", "noon", "9:0", "-1:00", "\u0669:00"]
)
def test_what_is_no_time_of_day_is_none(text: str) -> None:
    assert parse_time_of_day(text) is None


@pytest.mark.parametrize(
    ("text", "chunk"), [("30m", 30), ("1h", 60), ("45", 45), ("no", 0), ("never", 0), ("0", 0)]
)
def test_the_least_piece_is_a_length_or_no(text: str, chunk: int) -> None:
    assert parse_chunk(text) == chunk


@pytest.mark.parametrize("text", ["", "yes", "-30", "1d", "half"])
def test_what_is_no_least_piece_is_none(text: str) -> None:
    assert parse_chunk(text) is None


@pytest.mark.parametrize(
    ("text", "energy"),
    [
        ("high", "high"),
        ("Low", "low"),
        ("deep-work", "deep-work"),
        ("1", ""),
        ("a b", ""),
        ("", ""),
    ],
)
def test_an_energy_is_one_word_in_any_case(text: str, energy: str) -> None:
    assert parse_energy(text) == energy


def test_an_id_of_another_program_does_not_look_like_a_time() -> None:
    assert [looks_like_time(text) for text in ("25:00", "9x", "17", "abc", "")] == [
        True, True, False, False, False,
    ]  # fmt: skip
