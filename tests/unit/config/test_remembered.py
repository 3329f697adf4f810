"""Settings that were read before are the settings that a cold reading gives."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import pytest

from iris_harness.config import loader, remembered
from iris_harness.config.loader import load_config
from iris_harness.config.remembered import FILE_NAME, forget_settings, read_settings
from iris_harness.config.schema import Config
from iris_harness.config.settings import Settings, settings_of
from iris_harness.errors import ConfigError

Write = Callable[[str], Path]

EVERYTHING = """\
timezone: Europe/Berlin
travel: [{from: 2026-04-10, to: 2026-04-17, timezone: America/New_York}]
locale: de-AT
me: [me@example.org]
working_hours: {mon: [09:00-12:30, '13:30-24:00'], sat: [18:00-20:00]}
planning:
  default_estimate_minutes: 20
  grid_minutes: 15
  fill_with_backlog: false
  split_minutes: 30
  buffer_before_minutes: 5
  buffer_after_minutes: 10
  lunch: {window: 12:00-14:00, minutes: 45}
  breaks: [{title: Coffee, window: 15:00-16:00, minutes: 15}]
  energy: {high: [09:00-12:00]}
  travel_minutes: {Office: 25}
  travel_back: false
  write_blocks_to: plan
calendars:
  - {name: home, path: ~/cal, stale_after_hours: 24}
  - name: work
    url: https://dav.example.org/dav/
    type: caldav
    username: me
    password: {fetch: [pass, show, work]}
    collections: [Team]
    timeout_seconds: 3
  - {name: plan, path: ~/plan}
todos: [{path: relative/todo.txt, write: false}]
contacts: [people.vcf]
briefing: [{name: morning, when: weekdays 07:00, say: what is due, channels: [mail, desktop]}]
reminders: {channels: [web], time: 10:30}
channels:
  - {name: mail, type: smtp, host: smtp.example.org, username: me, password: {fetch: [pass]}}
  - {type: apprise, urls: [{fetch: [pass, show, ntfy]}]}
  - {type: file, path: said.txt, append: false}
executor: {max_workers: 2, task_timeout_seconds: 1.5, schedule: ready}
agents: {disabled: [chat], settings: {mail: {host: example.org, ports: [1, 2], deep: {a: null}}}}
routing: {tier: minilm}
models:
  default: small
  agents: [chat]
  available:
    - name: big
      type: openai
      base_url: https://models.example.org/v1
      model: grand
      api_key: {env: MODEL_KEY}
      supports: [tools]
      price: {input_per_million: 0.15, output_per_million: "1", currency: EUR}
      budget: {tokens: 1000, money: 0.5}
    - {name: small, type: llama_cpp, path: small.gguf, threads: 2}
storage: {data_dir: ~/kept, retain_days: 0}
jobs: {database_url: {fetch: [pass, show, db]}, owner: me, max_running: 2, lease_seconds: 5.5,
       max_work_megabytes: 3, server: {url: "https://den:7475", token: {fetch: [pass, show, den]}},
       budget: {attempts: 2, tokens: 10, minutes: 3, money: 0.25},
       editor: {command: [edit, "{task}"], readable: [/opt/edit]},
       install_runtimes: [mise, apt],
       publish: {push: true, then: [gh]}}
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def never_cold(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes each further cold reading an error."""

    def forbid(*_: object, **__: object) -> None:
        raise AssertionError("the settings were read anew")

    return lambda: monkeypatch.setattr(loader, "read_config", forbid)


def test_all_settings_come_back_as_they_were(
    cache: Path, write_config: Write, never_cold: Callable[[], None]
) -> None:
    write_config(EVERYTHING)
    cold = settings_of(load_config(environ={}))
    assert read_settings(environ={}, folder=cache) == cold
    never_cold()
    assert read_settings(environ={}, folder=cache) == cold


def test_the_example_above_sets_every_setting_there_is(write_config: Write) -> None:
    write_config(EVERYTHING)
    given, default = settings_of(load_config(environ={})), settings_of(Config())
    names = get_type_hints(Settings)
    assert [name for name in names if getattr(given, name) == getattr(default, name)] == []


def test_what_is_kept_is_for_its_owner_only(cache: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    assert stat.S_IMODE((cache / FILE_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_an_edit_of_the_file_counts_however_it_looks(cache: Path, write_config: Write) -> None:
    file = write_config("locale: de\n")
    facts = file.stat()
    assert read_settings(environ={}, folder=cache).locale == "de"
    file.write_text("locale: fr\n", encoding="utf-8")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert read_settings(environ={}, folder=cache).locale == "fr"


def test_overrides_and_variables_are_part_of_the_question(cache: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    assert read_settings(environ={}, folder=cache).locale == "de"
    assert read_settings(environ={"IRIS_LOCALE": "fr"}, folder=cache).locale == "fr"
    assert read_settings(environ={}, overrides=["locale=it"], folder=cache).locale == "it"
    assert read_settings(environ={}, folder=cache).locale == "de"


def test_a_relative_path_in_a_variable_starts_at_the_folder_of_each_start(
    tmp_path: Path, cache: Path, write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config("locale: de\n")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found = read_settings(environ={"IRIS_TODOS": "todo.txt"}, folder=cache)
        assert [source.path for source in found.todos] == [tmp_path / name / "todo.txt"]


def test_another_home_folder_is_another_question(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("todos: [~/todo.txt]\n", encoding="utf-8")
    for name in ("one", "two"):
        monkeypatch.setenv("HOME", str(tmp_path / name))
        found = read_settings(file, environ={}, folder=cache)
        assert [source.path for source in found.todos] == [tmp_path / name / "todo.txt"]


def test_another_program_reads_anew(
    cache: Path, write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    monkeypatch.setattr(remembered, "program_stamp", lambda *_: "another program")
    monkeypatch.setattr(remembered, "from_json", lambda *_: pytest.fail("it was believed"))
    assert read_settings(environ={}, folder=cache).locale == "de"


SECRETS = [
    "calendars: [{name: a, url: 'https://example.org/secret-4711/cal.ics'}]",
    "calendars: [{name: a, url: 'https://dav.example.org/', username: m, password: secret-4711}]",
    "agents: {settings: {mail: {password: secret-4711}}}",
    "channels: [{type: apprise, urls: ['ntfy://secret-4711']}]",
    "me: [a@b.c]\nchannels: [{type: smtp, host: h, username: m, password: secret-4711}]",
    "agents: {settings: {mail: {url: 'imap://me:secret-4711@example.org'}}}",
    "jobs: {database_url: 'postgresql://me:secret-4711@example.org/jobs'}",
]


SECRET_IDS = ["ics url", "password", "agent", "service", "mail", "address", "jobs"]


@pytest.mark.parametrize("text", SECRETS, ids=SECRET_IDS)
def test_settings_with_a_secret_are_not_kept(cache: Path, write_config: Write, text: str) -> None:
    write_config(text)
    cold = settings_of(load_config(environ={}))
    for _ in range(2):
        assert read_settings(environ={}, folder=cache) == cold
    assert not (cache / FILE_NAME).exists()


def test_a_secret_is_not_in_what_settings_show_of_themselves(write_config: Write) -> None:
    for text in SECRETS:
        write_config(text)
        assert "4711" not in repr(settings_of(load_config(environ={})))


def test_mistakes_are_reported_each_time(cache: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    write_config("lokale: de\n")
    for _ in range(2):
        with pytest.raises(ConfigError, match="lokale"):
            read_settings(environ={}, folder=cache)


def test_without_a_file_nothing_is_kept(home: Path, cache: Path) -> None:
    assert read_settings(environ={}, folder=cache) == settings_of(Config())
    with pytest.raises(ConfigError, match="no such file"):
        read_settings(home / "none.yaml", environ={}, folder=cache)
    assert not cache.exists()


@pytest.mark.parametrize("path", ["~root/a", r'"\x7eroot/a"', r'"\u007Eroot/a"', r'"~\x72oot/a"'])
def test_a_path_below_the_home_of_another_user_is_looked_up_each_time(
    cache: Path, write_config: Write, path: str
) -> None:
    write_config(f"todos: [{path}]\n")
    read_settings(environ={}, folder=cache)
    assert not (cache / FILE_NAME).exists()


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _with_other_letters(data: bytes) -> bytes:
    return data.replace(b"de", b"fr")


def _of_another_form(data: bytes) -> bytes:
    return json.dumps(
        dict.fromkeys(json.loads(data), f"{remembered._checksum('{}')} {{}}")
    ).encode()


def _a_list(_: bytes) -> bytes:
    return b"[" * 100_000


@pytest.mark.parametrize("damage", [_truncated, _with_other_letters, _of_another_form, _a_list])
def test_what_is_damaged_is_not_believed(
    cache: Path, write_config: Write, damage: Callable[[bytes], bytes]
) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    file = cache / FILE_NAME
    file.write_bytes(damage(file.read_bytes()))
    assert read_settings(environ={}, folder=cache).locale == "de"
    assert read_settings(environ={}, folder=cache).locale == "de"


@pytest.mark.skipif(os.name == "nt", reason="has no such modes")
def test_what_others_could_have_written_is_not_believed(
    cache: Path, write_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    (cache / FILE_NAME).chmod(0o620)
    monkeypatch.setattr(remembered, "from_json", lambda *_: pytest.fail("it was believed"))
    assert read_settings(environ={}, folder=cache).locale == "de"


def test_a_place_that_cannot_be_written_costs_time_only(
    tmp_path: Path, write_config: Write
) -> None:
    write_config("locale: de\n")
    (tmp_path / "file").write_text("")
    assert read_settings(environ={}, folder=tmp_path / "file" / "below").locale == "de"


def test_only_the_last_few_questions_are_kept(cache: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    for number in range(1, 12):
        read_settings(environ={}, overrides=[f"executor.max_workers={number}"], folder=cache)
    assert len(json.loads((cache / FILE_NAME).read_bytes())) == 8


def test_forgetting_deletes_what_is_kept(cache: Path, write_config: Write) -> None:
    write_config("locale: de\n")
    read_settings(environ={}, folder=cache)
    forget_settings(cache)
    forget_settings(cache)
    assert not (cache / FILE_NAME).exists()
