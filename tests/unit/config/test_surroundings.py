from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from iris_harness.config.environment import read_terminal
from iris_harness.config.paths import config_path, data_dir, friendly
from iris_harness.config.zone import is_zone, nearest_zone, resolve_zone, system_zone

LIGHT = ["iris_harness.config.paths", "iris_harness.config.environment"]


@pytest.mark.parametrize("module", LIGHT)
def test_a_command_without_settings_does_not_pay_for_them(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert module in loaded
    assert not loaded & {"pydantic", "yaml", "tzlocal", "sqlite3", "rich"}


class _Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "color"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=["plain", "no colour", "empty NO_COLOR", "dumb"],
)
def test_colour_is_used_on_a_terminal_unless_it_is_unwanted(
    environ: dict[str, str], color: bool
) -> None:
    terminal = read_terminal(_Screen(), environ)
    assert terminal.interactive
    assert terminal.color is color


def test_a_pipe_gets_no_colour_and_columns_can_be_given() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    terminal = read_terminal(stream, {"COLUMNS": "43"})
    assert (terminal.interactive, terminal.color, terminal.unicode, terminal.columns) == (
        False,
        False,
        False,
        43,
    )
    assert read_terminal(stream, {"COLUMNS": "wide"}).columns == 80


def test_places_follow_the_platform(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "settings"))
    assert config_path({}) == home / "settings" / "iris" / "config.yaml"
    assert config_path({"IRIS_CONFIG": "~/mine.yaml"}) == home / "mine.yaml"
    assert friendly(data_dir()) == "~/.local/share/iris"
    assert friendly(Path("/etc/x")) == "/etc/x"


@pytest.mark.parametrize("name", ["Europe", "Europe/Berln", "../etc/passwd", "/etc/localtime", ""])
def test_what_is_no_zone_is_never_taken_for_one(name: str) -> None:
    assert not is_zone(name)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("America/New York", "America/New_York"),
        ("xyzzy", None),
    ],
)
def test_a_misspelled_zone_is_recognised(written: str, meant: str | None) -> None:
    assert nearest_zone(written) == meant


def test_the_zone_variable_decides_and_a_setting_beats_it() -> None:
    assert system_zone({"TZ": ":Asia/Kathmandu"}) == "Asia/Kathmandu"
    assert resolve_zone("auto", {"TZ": "Asia/Kathmandu"}) == "Asia/Kathmandu"
    assert resolve_zone("Europe/Berlin", {"TZ": "Asia/Kathmandu"}) == "Europe/Berlin"
    assert is_zone(system_zone({}))
