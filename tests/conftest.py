"""What every test shares: the corpus beside the project, and skips that count in CI."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import SOAK, RunIris

# The long form of the suites (`make soak`): more examples of every property.
settings.register_profile("quick", deadline=None, print_blob=True)
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=2000)
settings.load_profile("soak" if SOAK else "quick")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The collected inputs beside the project; skips where they are not."""
    folder = Path(os.environ.get("IRIS_CORPUS", PROJECT.parent / "shared" / "corpus"))
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder}; set IRIS_CORPUS to where it is")
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count every property among the long suites; leave out what only those run."""
    for item in items:
        if "property" in item.path.parts:
            item.add_marker(pytest.mark.soak)
    left_out = [item for item in items if item.get_closest_marker("long")] if not SOAK else []
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]  # noqa: ANN201, ARG001
    """In CI a test that was skipped for a missing part is a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {reason}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder: no configuration, no data."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def iris(home: Path) -> RunIris:
    """`iris("plan", "--demo")` runs the program and returns how it ended."""

    def run(
        *arguments: str | Path, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        given = {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "Europe/Berlin"}
        return subprocess.run(
            [sys.executable, "-m", "iris_harness", *map(str, arguments)],
            env={**given, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)
