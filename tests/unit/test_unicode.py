from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.contracts.canonical import digest
from iris_harness.contracts.unicode import well_formed

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_every_text_can_be_digested_once_it_is_well_formed(text: str) -> None:
    assert digest(well_formed(text))
    assert well_formed(well_formed(text)) == well_formed(text)


@given(st.text())
def test_valid_text_is_left_alone(text: str) -> None:
    assert well_formed(text) == text
