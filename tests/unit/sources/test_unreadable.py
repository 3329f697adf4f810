"""A folder or file that cannot be read costs itself, with a warning, and nothing beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceState
from iris_harness.sources.opening import open_calendar, open_contacts, open_todos
from tests.index_support import days, indexed
from tests.permissions import closed

EVENT = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:{0}\nSUMMARY:{0}\nDTSTART:20240515T090000Z\n"
    "END:VEVENT\nEND:VCALENDAR\n"
)
TODO = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:{0}\nSUMMARY:{0}\nEND:VTODO\nEND:VCALENDAR\n"
CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:{0}\nBDAY:19800515\nEND:VCARD\n"
WINDOW = days("2024-05-15")


class Kind:
    """One kind of source in a folder."""

    def __init__(
        self, text: str, suffix: str, read: Callable[[Path, Path], Reading[object]]
    ) -> None:
        self.text = text
        self.suffix = suffix
        self.read = read

    def write(self, folder: Path, *names: str) -> None:
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / f"{name}{self.suffix}").write_text(self.text.format(name), encoding="utf-8")


def _calendar(folder: Path, _cache: Path) -> Reading[object]:
    return _any(open_calendar("cal", folder).read)(WINDOW)


def _indexed(folder: Path, cache: Path) -> Reading[object]:
    calendar = indexed(cache, folder)
    found = _any(calendar.read)(WINDOW)
    assert calendar.bypassed == ""
    assert _any(indexed(cache, folder).read)(WINDOW) == found
    return found


def _todos(folder: Path, _cache: Path) -> Reading[object]:
    return _any(open_todos("cal", folder).read)(WINDOW)


def _contacts(folder: Path, _cache: Path) -> Reading[object]:
    return _any(open_contacts("cal", folder).read)(WINDOW)


def _any(read: Callable[[ReadWindow], object]) -> Callable[[ReadWindow], Reading[object]]:
    def reading(window: ReadWindow) -> Reading[object]:
        found = read(window)
        assert isinstance(found, Reading)
        return found

    return reading


KINDS = {
    "calendar": Kind(EVENT, ".ics", _calendar),
    "calendar with an index": Kind(EVENT, ".ics", _indexed),
    "todos": Kind(TODO, ".ics", _todos),
    "contacts": Kind(CARD, ".vcf", _contacts),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def titles(reading: Reading[object]) -> list[str]:
    return sorted(
        getattr(item, "summary", "") or getattr(item, "name", "") for item in reading.items
    )


pytestmark = pytest.mark.skipif(os.name == "nt", reason="has no such modes")


def test_a_closed_subfolder_costs_itself(place: Path, kind: Kind) -> None:
    folder = place / "all"
    kind.write(folder, "own")
    for name in ("a", "b"):
        kind.write(folder / name, f"in-{name}")
    kind.read(folder, place / "warm-up")  # imports what it needs while it may
    with closed(folder / "a"):
        found = kind.read(folder, place / "cache")
    assert titles(found) == ["in-b", "own"]
    assert found.status.state is SourceState.OK
    assert found.warnings == ("cal/a: may not be read (permission denied); nothing in it was read",)


def test_a_closed_file_costs_itself(place: Path, kind: Kind) -> None:
    folder = place / "all"
    kind.write(folder, "x", "y")
    kind.read(folder, place / "warm-up")
    with closed(folder / f"x{kind.suffix}"):
        found = kind.read(folder, place / "cache")
    assert titles(found) == ["y"]
    assert found.warnings == (f"cal/x{kind.suffix}: may not be read (permission denied)",)


def test_a_link_to_where_one_may_not_go_costs_itself(place: Path, kind: Kind) -> None:
    folder, secret = place / "all", place / "secret"
    kind.write(folder, "y")
    kind.write(secret, "x")
    (folder / f"x{kind.suffix}").symlink_to(secret / f"x{kind.suffix}")
    (folder / "sub").symlink_to(secret)
    kind.read(folder, place / "warm-up")
    with closed(secret):
        found = kind.read(folder, place / "cache")
    assert titles(found) == ["y"]
    assert found.status.state is SourceState.OK
    assert any(f"x{kind.suffix}" in warning for warning in found.warnings)


def test_a_source_is_not_empty_because_its_rest_cannot_be_read(place: Path, kind: Kind) -> None:
    folder = place / "all"
    kind.write(folder, "x")
    kind.read(folder, place / "warm-up")
    with closed(folder / f"x{kind.suffix}"):
        found = kind.read(folder, place / "cache")
    assert found.status.state is SourceState.FAILED
    assert "permission denied" in found.status.detail
    assert found.warnings


def test_a_folder_that_was_opened_again_is_read(place: Path, kind: Kind) -> None:
    folder = place / "all"
    kind.write(folder, "own")
    kind.write(folder / "a", "in-a")
    kind.read(folder, place / "warm-up")
    with closed(folder / "a"):
        assert titles(kind.read(folder, place / "cache")) == ["own"]
    assert titles(kind.read(folder, place / "cache2")) == ["in-a", "own"]


def test_an_index_notices_that_a_folder_was_closed_and_opened(place: Path) -> None:
    kind, folder, cache = KINDS["calendar with an index"], place / "all", place / "cache"
    kind.write(folder, "own")
    kind.write(folder / "a", "in-a")
    cache.mkdir(mode=0o777)
    cache.chmod(0o777)
    assert titles(kind.read(folder, place / "warm-up")) == ["in-a", "own"]
    with closed(folder / "a"):
        assert titles(kind.read(folder, cache)) == ["own"]
        before = kind.read(folder, cache).warnings
        assert len(before) == 1
    with closed():  # as the same user as before
        assert titles(kind.read(folder, cache)) == ["in-a", "own"]
    with closed(folder / "a"):
        found = kind.read(folder, cache)
        assert titles(found) == ["own"]
        assert found.warnings == before
