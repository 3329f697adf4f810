"""A change is a value: written down, read back, and turned around."""

from __future__ import annotations

import json

import pytest

from iris_harness.contracts.changes import Change, Edit, Place, Writers
from iris_harness.contracts.sources import SourceKind

MOVED = Change(
    source="work",
    kind=SourceKind.CALENDAR,
    resource="a/b.ics",
    uid="1@example.org",
    edits=(
        Edit(before="BEGIN:VEVENT\r\nEND:VEVENT", after="BEGIN:VEVENT\r\nX:1\r\nEND:VEVENT"),
        Edit(before=None, after="new", place=Place(prior="ab", gap=2, trail="\r\n"), after_twins=1),
    ),
    title="Dentist",
    note="only this one moves",
)


def test_a_change_survives_being_written_down() -> None:
    assert Change.from_json(json.loads(json.dumps(MOVED.to_json()))) == MOVED


def test_the_inverse_swaps_before_and_after_and_is_its_own_inverse() -> None:
    back = MOVED.inverse()
    assert [(edit.before, edit.after) for edit in back.edits] == [
        (edit.after, edit.before) for edit in reversed(MOVED.edits)
    ]
    assert back.edits[0].before_twins == 1
    assert back.inverse() == MOVED


@pytest.mark.parametrize("tree", [None, 3, {}, {"edits": []}, {**MOVED.to_json(), "more": 1}])  # type: ignore[dict-item]
def test_what_is_no_change_is_refused(tree: object) -> None:
    with pytest.raises(ValueError, match="no change"):
        Change.from_json(tree)  # type: ignore[arg-type]


def test_a_change_of_a_source_that_is_gone_has_no_writer() -> None:
    assert Writers().of(MOVED) is None
