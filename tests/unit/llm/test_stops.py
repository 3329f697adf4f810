from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from iris_harness.llm.llama.stops import StopText


@given(st.lists(st.text("ab"), max_size=8), st.text("ab", max_size=3))
def test_text_ends_where_the_stop_begins_in_whatever_pieces_it_comes(
    pieces: list[str], stop: str
) -> None:
    text = StopText(stop)
    said = "".join(map(text.add, pieces)) + text.rest()
    whole = "".join(pieces)
    assert said == (whole.partition(stop)[0] if stop else whole)
    assert text.found == (bool(stop) and stop in whole)


@given(st.lists(st.text("ab"), max_size=8))
def test_what_cannot_begin_the_stop_is_given_on_at_once(pieces: list[str]) -> None:
    text = StopText("c")
    assert [text.add(piece) for piece in pieces] == pieces
