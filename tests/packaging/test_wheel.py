"""What a user installs: the wheel, in a fresh environment, without this source tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {"iris_harness", "iris_agents", "iris_router"}
HEAVY = ("pydantic", "yaml", "icalendar", "click", "sqlite3", "rich")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "--wheel-dir", str(folder), str(PROJECT)], check=True, capture_output=True
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and its dependencies; returns its bin folder."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run(
        [*pip, "--disable-pip-version-check", str(wheel)], check=True, capture_output=True
    )
    return folder / "bin"


def run(installed: Path, home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(installed / command[0]), *command[1:]],
        cwd=home,
        env={"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_wheel_has_only_our_three_top_level_names(wheel: Path) -> None:
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == TOP_LEVEL


def test_the_packaged_default_config_is_the_documented_one(wheel: Path) -> None:
    packaged = zipfile.ZipFile(wheel).read("iris_harness/config/default.yaml")
    assert packaged == (PROJECT / "config.yaml").read_bytes()


def test_an_installed_iris_plans_the_demo_day(installed: Path, tmp_path: Path) -> None:
    result = run(installed, tmp_path, "iris", "plan", "--demo", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["blocks"]


def test_an_installed_iris_answers_a_question(installed: Path, tmp_path: Path) -> None:
    result = run(installed, tmp_path, "iris", "ask", "plan my day", "--demo")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_wheel_holds_the_pages_own_files(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    folder = "iris_harness/surfaces/web/page/static"
    assert {f"{folder}/{name}" for name in ("style.css", "script.js", "icon.svg")} <= names


def test_the_wheel_names_what_the_router_was_trained_on(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "iris_router/NOTICE.txt" in names
    assert any(name.endswith(".dist-info/licenses/router/iris_router/NOTICE.txt") for name in names)
    assert not [name for name in names if name.endswith(".jsonl")]


def test_an_installed_iris_understands_what_no_rule_says(installed: Path, tmp_path: Path) -> None:
    result = run(installed, tmp_path, "iris", "route", "wil it rain in Oslo tomorow", "--json")
    assert result.returncode == 0, result.stderr
    (route,) = json.loads(result.stdout)
    assert (route["intent"], route["tier"]) == ("weather.query", "statistical")


def test_an_installed_iris_finds_its_default_config(installed: Path, tmp_path: Path) -> None:
    result = run(installed, tmp_path, "iris", "config", "check")
    assert result.returncode == 0, result.stderr


def test_importing_the_package_does_nothing(installed: Path, tmp_path: Path) -> None:
    program = (
        "import sys, threading; before = threading.active_count(); import iris_harness; "
        f"print(sorted({set(HEAVY)} & set(sys.modules)), threading.active_count() - before)"
    )
    result = run(installed, tmp_path, "python", "-W", "error", "-c", program)
    assert (result.stdout, result.stderr) == ("[] 0\n", "")
    assert list(tmp_path.iterdir()) == []
