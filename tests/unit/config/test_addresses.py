from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.config.addresses import address_problem, address_type
from iris_harness.config.checks import check_config_file
from iris_harness.config.loader import load_config, read_config
from iris_harness.config.show import render_config
from iris_harness.errors import ConfigError

Write = Callable[[str], Path]


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://calendar.google.com/calendar/ical/me/private-abc/basic.ics", "ics"),
        ("https://outlook.office365.com/owa/calendar/a@b/c/calendar.ics", "ics"),
        ("webcal://p42-caldav.icloud.com/published/2/MTIz", "ics"),
        ("https://p42-caldav.icloud.com/published/2/MTIz", "ics"),
        ("https://cloud.example/remote.php/dav/public-calendars/abc?export", "ics"),
        ("https://example.org/feed.ICS?token=1", "ics"),
        ("https://cloud.example/remote.php/dav/calendars/me/", "caldav"),
        ("https://caldav.fastmail.com/", "caldav"),
        ("https://caldav.icloud.com", "caldav"),
        ("https://p42-caldav.icloud.com/123/calendars/", "caldav"),
        ("https://dav.mailbox.org/caldav/", "caldav"),
        ("https://example.org/dav.php/calendars/me", "caldav"),
        ("https://example.org/feed", None),
        ("https://example.org/davos/", None),
    ],
)
def test_the_address_tells_what_is_there_or_not(address: str, kind: str | None) -> None:
    assert address_type(address) == kind


@pytest.mark.parametrize(
    "text",
    [
        "https://", "https:///x.ics", "https://[::1/x.ics", "https://a:99999/x.ics",
        "file:///etc/passwd", "ftp://a/x", "https://me@a/x", "https://a/x y", "https://a/\x1b",
        "javascript://a/x",
    ],
)  # fmt: skip
def test_what_is_no_usable_address_is_refused_without_repeating_it(text: str) -> None:
    problem = address_problem(text)
    assert problem
    assert text not in problem


def test_a_bare_address_is_a_source_named_after_its_host(write_config: Write) -> None:
    write_config("calendars: [https://example.org/secret/basic.ics, ~/cal/home]\n")
    first, second = load_config(environ={}).calendars
    assert (first.name, first.kind, first.path) == ("example.org", "ics", None)
    assert (second.name, second.kind, second.url) == ("home", None, None)


REMOTE = """\
calendars:
- {name: work, url: https://calendar.google.com/calendar/ical/hunter2-a/basic.ics}
- {name: feed, url: 'https://example.org/feed?token=hunter2-b', type: ics}
todos:
- name: cloud
  url: https://cloud.example/remote.php/dav/
  username: ada
  password: {fetch: [pass, show, hunter2-c]}
- {name: mine, url: https://dav.example.org/, username: ada, password: hunter2-d}
"""


def test_neither_secret_addresses_nor_passwords_are_shown(write_config: Write) -> None:
    write_config(REMOTE)
    loaded = read_config(environ={})
    shown = render_config(loaded)
    assert "hunter2" not in shown + repr(loaded.config)
    assert "https://calendar.google.com/********" in shown
    assert "https://cloud.example/remote.php/dav/" in shown
    assert "password: {fetch: [pass, '********']}" in shown
    assert "refresh_minutes: 15.0" in shown


def test_no_mistake_beside_a_secret_repeats_it(write_config: Write) -> None:
    for wrong in ("timeout_seconds: x", "type: hunter", "passwort: x", "username: 5", "name: ''"):
        write_config(
            "calendars:\n- {url: 'https://example.org/hunter2.ics', password: hunter2, "
            + wrong
            + "}"
        )
        with pytest.raises(ConfigError) as caught:
            load_config(environ={})
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("https://example.org/secret.ics", True),
        ("{url: https://dav.example.org, username: a, password: x}", True),
        ("{url: https://dav.example.org, username: a, password: {fetch: [pass, x]}}", False),
    ],
    ids=["secret address", "literal password", "fetched password"],
)
def test_a_secret_that_others_can_read_is_a_problem(
    write_config: Write, entry: str, found: bool
) -> None:
    file = write_config(f"calendars:\n- {entry}\n")
    file.chmod(0o644)
    loaded = read_config(environ={})
    assert bool(check_config_file(loaded.file, loaded.config)) is found
