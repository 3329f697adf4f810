"""What is wrong with sources beyond their settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iris_harness.config.checks import check_sources
from iris_harness.config.schema import Config
from tests.permissions import closed

pytestmark = pytest.mark.skipif(os.name == "nt", reason="has no such modes")


def _said(folder: Path) -> list[str]:
    config = Config.model_validate({"calendars": [{"name": "cal", "path": str(folder)}]})
    return [f"{problem.title}: {problem.detail}" for problem in check_sources(config)]


def test_what_is_closed_in_a_folder_is_named_and_counted(place: Path) -> None:
    for name in ("a", "b"):
        (place / name).mkdir()
    (place / "x.ics").write_text("")
    (place / "notes.doc").write_text("")
    (place / "gone.ics").symlink_to(place / "nowhere")
    assert _said(place) == []
    with closed(place / "a", place / "x.ics", place / "notes.doc"):
        said = _said(place)
    assert said == [f"calendar cal cannot be read in full: {place}/a is closed to you (and 1 more)"]


def test_a_closed_folder_is_said_whole(place: Path) -> None:
    (place / "a").mkdir()
    with closed(place / "a"):
        assert _said(place / "a") == [f"calendar cal cannot be read: {place}/a is closed to you"]
        # What lies below it cannot even be looked for.
        assert "below" in "".join(_said(place / "a" / "below"))
