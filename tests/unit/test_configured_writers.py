"""From the settings to writers: what may be written, and what is refused with the reason."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.bootstrap.remote import what_leaves
from iris_harness.bootstrap.setting import configured_ports
from iris_harness.bootstrap.writing import (
    DEMO_IS_NOT_WRITTEN,
    adhoc_writers,
    configured_writers,
    refusing_writers,
)
from iris_harness.config.loader import load_config
from iris_harness.config.settings import Settings, settings_of
from iris_harness.contracts.changes import EventDraft, TodoDraft, TurnTime
from iris_harness.contracts.sources import SourceState
from iris_harness.errors import ConfigError, ReadOnlySourceError, WriteError
from iris_harness.sources.demo import demo_ports
from tests.unit.sources.writing.test_block_calendar import block, plan_of
from tests.writing_support import AT, calendar, window

MakeConfig = Callable[[str], Settings]
DRAFT = TodoDraft(summary="x")
EVENT = EventDraft(
    summary="x",
    start=dt.datetime(2026, 4, 16, 10, tzinfo=dt.UTC),
    end=dt.datetime(2026, 4, 16, 11, tzinfo=dt.UTC),
)


@pytest.fixture
def config_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeConfig:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def make(text: str) -> Settings:
        file = tmp_path / "config.yaml"
        file.write_text(text, encoding="utf-8")
        return settings_of(load_config(file))

    return make


def test_local_files_are_written_unless_they_are_closed(
    tmp_path: Path, config_of: MakeConfig
) -> None:
    (tmp_path / "todo.txt").write_bytes(b"")
    (tmp_path / "work.txt").write_bytes(b"")
    config = config_of("todos: [todo.txt, {path: work.txt, write: false}]")
    writers = configured_writers(config)
    (change,) = writers.todos["todo"].add(DRAFT, AT)
    applier = writers.of(change)
    assert applier is not None
    applier.apply(change)
    assert (tmp_path / "todo.txt").read_bytes() == b"2026-04-16 x\n"
    with pytest.raises(ReadOnlySourceError, match=r'"work" is closed .*write: true'):
        writers.todos["work"].add(DRAFT, AT)


def test_servers_are_read_only_unless_they_are_opened(config_of: MakeConfig) -> None:
    config = config_of(
        "calendars:\n"
        "  - {name: dav, url: 'https://dav.invalid/', type: caldav}\n"
        "  - {name: ics, url: 'https://dav.invalid/a.ics'}\n"
        "  - {name: open, url: 'https://dav.invalid/', type: caldav, write: true}\n"
    )
    calendars = configured_writers(config).calendars
    with pytest.raises(ReadOnlySourceError, match=r'"dav" is on a server .*write: true'):
        calendars["dav"].add(EVENT, AT)
    with pytest.raises(ReadOnlySourceError, match="can only be read"):
        calendars["ics"].add(EVENT, AT)
    with pytest.raises(WriteError) as caught:
        calendars["open"].add(EVENT, AT)
    assert not isinstance(caught.value, ReadOnlySourceError)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("calendars: [{url: 'https://a.invalid/a.ics', write: true}]", "can only be read"),
        ("contacts: [{path: a.vcf, write: true}]", "only read"),
        ("planning: {write_blocks_to: blocks}\ncalendars: [{path: Blocks.ics}]", "no calendar"),
        (
            "planning: {write_blocks_to: a}\ncalendars: [{path: a.ics, write: false}]",
            "may not be written",
        ),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(
    config_of: MakeConfig, text: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        config_of(text)


def test_what_was_written_is_read_at_once_through_the_index(
    tmp_path: Path, config_of: MakeConfig
) -> None:
    (tmp_path / "home.ics").write_bytes(calendar())
    (tmp_path / "vdir").mkdir()
    config = config_of("calendars: [home.ics, vdir]\nplanning: {write_blocks_to: vdir}")
    ports, writers = configured_ports(config).calendars, configured_writers(config)
    for port in ports:
        assert port.read(window("2026-04-16")).items == ()
        for round_ in range(3):
            (change,) = writers.calendars[port.name].add(EVENT, AT)
            writers.calendars[port.name].apply(change)
            assert len(port.read(window("2026-04-16")).items) == 1, round_
            writers.calendars[port.name].apply(change.inverse())
            assert port.read(window("2026-04-16")).items == ()


def test_blocks_go_to_the_calendar_that_was_named_and_are_no_meetings(
    tmp_path: Path,
    config_of: MakeConfig,
) -> None:
    (tmp_path / "blocks").mkdir()
    config = config_of("calendars: [blocks]\nplanning: {write_blocks_to: blocks}")
    (port,) = configured_ports(config).calendars
    blocks = configured_writers(config).blocks
    assert blocks is not None
    # Ok even now: that it is filled must change no byte of the plan it is filled from.
    assert port.read(window("2026-04-16")).status.state is SourceState.OK
    for change in blocks.write(plan_of(block("Slides", 9)), AT):
        assert configured_writers(config).of(change) is not None
        blocks.apply(change)
    assert len(list((tmp_path / "blocks").iterdir())) == 1
    reading = port.read(window("2026-04-16"))
    assert (reading.status.state, reading.items) == (SourceState.OK, ())


def test_paths_of_the_command_line_are_written(tmp_path: Path) -> None:
    path = tmp_path / "todo.txt"
    path.write_bytes(b"")
    writers = adhoc_writers(todos=(path,))
    (change,) = writers.todos["todo.txt"].add(DRAFT, AT)
    writers.todos["todo.txt"].apply(change)
    assert path.read_bytes() == b"2026-04-16 x\n"


def test_the_demonstration_is_never_changed() -> None:
    writers = refusing_writers(demo_ports(), DEMO_IS_NOT_WRITTEN)
    at = TurnTime(now=AT.now, timezone="UTC")
    for name, todos in writers.todos.items():
        with pytest.raises(ReadOnlySourceError, match=name):
            todos.add(DRAFT, at)
    for name, events in writers.calendars.items():
        with pytest.raises(ReadOnlySourceError, match=name):
            events.add(EVENT, at)
    assert writers.todos
    assert writers.calendars


def test_what_leaves_the_machine_says_so_of_a_server_that_is_written(config_of: MakeConfig) -> None:
    config = config_of(
        "calendars:\n"
        "  - {name: read, url: 'https://a.invalid/', type: caldav}\n"
        "  - {name: open, url: 'https://b.invalid/', type: caldav, write: true}\n"
    )
    read, written = what_leaves(config)
    assert "nothing of your plans" in read
    assert "sent the changes you make" in written
