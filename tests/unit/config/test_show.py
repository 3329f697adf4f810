from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iris_harness.config.loader import load_config, read_config
from iris_harness.config.show import render_config

Write = Callable[[str], Path]


def test_every_value_is_shown_with_where_it_came_from(write_config: Write) -> None:
    write_config("planning:\n  grid_minutes: 10\nme: a@example.org\n")
    loaded = read_config(environ={"IRIS_LOCALE": "de"}, overrides=["timezone=UTC"])
    lines = render_config(loaded).splitlines()
    assert "timezone: UTC  # command line" in lines
    assert "locale: de  # $IRIS_LOCALE" in lines
    assert "  grid_minutes: 10  # ~/.config/iris/config.yaml:2" in lines
    assert "me: [a@example.org]  # ~/.config/iris/config.yaml:3" in lines
    assert "  fill_with_backlog: true  # default" in lines


SECRETS = """\
agents:
  settings:
    mail:
      host: mail.example.org
      port: 993
      password: hunter2-literal
      api_key: hunter2-key
      server: https://me:hunter2-url@example.org/
      token: {value: hunter2-nested, also: [hunter2-list]}
      session: {fetch: [pass, hunter2-argument]}
"""


def test_no_secret_is_shown_and_all_else_is(write_config: Write) -> None:
    write_config(SECRETS)
    shown = render_config(read_config(environ={}))
    assert "hunter2" not in shown
    assert "host: mail.example.org" in shown
    assert "port: 993" in shown
    assert "session: {fetch: [pass, '********']}" in shown
    assert "server: https://me:********@example.org/" in shown


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:geheim@example.org/x", "postgresql://me:********@example.org/x"),
        ("{fetch: [pass, geheim]}", "{fetch: [pass, '********']}"),
    ],
)
def test_the_password_of_a_database_is_not_shown(write_config: Write, url: str, shown: str) -> None:
    write_config(f"jobs:\n  database_url: {url}\n")
    lines = render_config(read_config(environ={})).splitlines()
    (line,) = [line for line in lines if "database_url" in line]
    assert shown in line
    assert "geheim" not in line


NAMES = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    names=st.lists(NAMES, max_size=3, unique=True),
    grid=st.sampled_from([1, 5, 15, 60]),
    days=st.integers(0, 36_500),
)
def test_what_is_shown_loads_to_the_same_settings(
    home: Path, names: list[str], grid: int, days: int
) -> None:
    config = load_config(
        environ={},
        overrides=[f"planning.grid_minutes={grid}", f"storage.retain_days={days}", "timezone=UTC"],
    )
    sources = [{"name": name, "path": str(home / "x")} for name in names]
    config = type(config).model_validate({**config.model_dump(), "calendars": sources})
    loaded = read_config(environ={})
    shown = render_config(
        type(loaded)(config=config, origins=loaded.origins, warnings=(), file=None)
    )
    file = home / "shown.yaml"
    file.write_text(shown, encoding="utf-8")
    assert load_config(file, environ={}) == config


@pytest.mark.usefixtures("home")
def test_the_default_settings_load_back(home: Path) -> None:
    (home / "shown.yaml").write_text(render_config(read_config(environ={})), encoding="utf-8")
    assert load_config(home / "shown.yaml", environ={}) == load_config(environ={})
