from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.curator.cells import cell_width, pad, wrap

tokens = st.lists(st.text("abcdef日本é ", min_size=1, max_size=20).map(str.strip), max_size=12)


@pytest.mark.parametrize(
    ("text", "width"),
    [("Standup", 7), ("会議", 4), ("🎉", 2), ("e\u0301", 1), ("", 0), ("\uff57\uff49", 4)],
)
def test_width_is_what_a_terminal_gives(text: str, width: int) -> None:
    assert cell_width(text) == width


def test_padding_counts_cells_not_letters() -> None:
    assert pad("会議", 6) == "会議  "
    assert pad("long", 2) == "long"


@given(tokens, st.integers(min_value=2, max_value=30))
def test_wrapped_lines_fit_and_lose_nothing(words: list[str], width: int) -> None:
    lines = wrap(words, width)
    assert all(cell_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(words).replace(" ", "")


@given(tokens, st.integers(min_value=2, max_value=30))
def test_a_line_ends_only_where_the_next_piece_would_not_fit(words: list[str], width: int) -> None:
    lines = wrap(words, width)
    whole = " ".join(words)
    if cell_width(whole) <= width:
        assert [line.strip() for line in lines] == [whole.strip()]
    else:
        assert len(lines) > 1 or cell_width(lines[0]) <= width


def test_a_token_stays_whole_where_a_line_can_hold_it() -> None:
    assert wrap(["Pay", "the", "rent", "[todo.txt: line 1]"], 20) == (
        "Pay the rent",
        "[todo.txt: line 1]",
    )


def test_a_token_wider_than_a_line_breaks_at_its_spaces_first() -> None:
    assert wrap(["[todo.txt: line 1]"], 12) == ("[todo.txt:", "line 1]")
    assert wrap(["incomprehensibilities"], 8) == ("incompre", "hensibil", "ities")
