"""Whatever is changed between two starts, the settings are those of a cold reading."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.config.loader import load_config
from iris_harness.config.remembered import FILE_NAME, read_settings
from iris_harness.config.settings import Settings, settings_of
from iris_harness.errors import ConfigError
from tests.support import examples

LINES = st.sampled_from([
    "timezone: Europe/Berlin",
    "timezone: Europe/Nowhere",
    "locale: de",
    "me: [a@example.org]",
    "calendars: [~/cal, other/cal]",
    "calendars: [{name: a, path: x.ics}, {name: a, path: y.ics}]",
    "calendars: [{url: 'https://dav.example.org/', username: me, password: {fetch: [p]}}]",
    "calendars: [{url: 'https://dav.example.org/', username: me, password: p}]",
    "todos: [todo.txt]",
    "working_hours: {mon: [09:00-12:00], tue: []}",
    "planning: {grid_minutes: 10}",
    "executor: {task_timeout_seconds: 2}",
    "agents: {settings: {mail: {token: t}}}",
    "agents: {settings: {mail: {host: h}}}",
    "storage: {data_dir: kept}",
    "unknown: 1",
    "[",
])  # fmt: skip
TEXTS = st.lists(LINES, max_size=4, unique=True).map("\n".join)
OVERRIDES = st.lists(
    st.sampled_from(["locale=fr", "todos=[a.txt]", "planning.grid_minutes=15", "nonsense"]),
    max_size=2,
)
VARIABLES = st.dictionaries(
    st.sampled_from(["IRIS_LOCALE", "IRIS_TODOS", "IRIS_STORAGE__RETAIN_DAYS", "IRIS_OTHER"]),
    st.sampled_from(["it", "7", "[b.txt]"]),
    max_size=2,
)
DAMAGE = st.none() | st.tuples(st.integers(0, 4000), st.integers(0, 255))
STARTS = st.lists(st.tuples(TEXTS, OVERRIDES, VARIABLES, DAMAGE), min_size=2, max_size=6)


def _cold(file: Path, overrides: list[str], environ: dict[str, str]) -> Settings | str:
    try:
        return settings_of(load_config(file, overrides=overrides, environ=environ))
    except ConfigError as error:
        return str(error)


def _warm(file: Path, overrides: list[str], environ: dict[str, str], cache: Path) -> Settings | str:
    try:
        return read_settings(file, overrides=overrides, environ=environ, folder=cache)
    except ConfigError as error:
        return str(error)


def _damage(file: Path, place: int, value: int) -> None:
    data = bytearray(file.read_bytes())
    data[place % len(data)] = value
    file.write_bytes(data)


@settings(max_examples=examples(60), deadline=None)
@given(STARTS)
def test_each_start_finds_the_settings_of_a_cold_reading(
    starts: list[tuple[str, list[str], dict[str, str], tuple[int, int] | None]],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        file, cache = Path(name) / "config.yaml", Path(name) / "cache"
        for text, overrides, environ, damage in starts:
            file.write_text(text, encoding="utf-8")
            if damage and (cache / FILE_NAME).exists():
                _damage(cache / FILE_NAME, *damage)
            cold = _cold(file, overrides, environ)
            assert _warm(file, overrides, environ, cache) == cold
            assert _warm(file, overrides, environ, cache) == cold
