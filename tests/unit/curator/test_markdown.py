from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from iris_harness.curator.clean import clean
from iris_harness.curator.markdown import day_markdown, days_markdown, escaped
from tests.day_plans import DAYS, ODD_DAYS
from tests.support import examples

ALL_DAYS = {**DAYS, **ODD_DAYS}
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

titles = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40) | st.text(
    "\\`*_{}[]()<>#+-.!|~&$=: 1a", min_size=1, max_size=20
)


def tokens(text: str) -> list[Token]:
    return [
        leaf
        for token in READER.parse(text)
        for leaf in (token, *(token.children or ()))
    ]  # fmt: skip


@settings(max_examples=examples(300))
@given(title=titles)
@example("1. first")
@example("1) first")
@example("# heading")
@example("- item")
@example("![x](http://tracker.example/x.png)")
@example("<http://example.org>")
@example("&lt;b&gt;")
@example("Setext\u2028===")
@example("a_b_c __init__ _x_")
@example("[ ] box")
@example("    code")
@example("***")
@example("`")
@example("\\")
def test_a_title_stays_the_text_it_is(title: str) -> None:
    shown = clean(title)
    for line in (f"- {escaped(shown)}", f"- 09:00 {escaped(shown)} *work*"):
        kinds = {token.type for token in tokens(line)}
        assert kinds <= {
            "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
            "paragraph_open", "paragraph_close", "heading_open", "heading_close", "inline", "text",
            "text_special", "em_open", "em_close",
        }  # fmt: skip
        texts = "".join(t.content for t in tokens(line) if t.type in {"text", "text_special"})
        assert " ".join(shown.split()) in " ".join(texts.split())


@pytest.mark.parametrize("name", sorted(ALL_DAYS))
def test_a_day_has_one_title_and_a_heading_for_each_section(name: str) -> None:
    found = tokens(day_markdown(ALL_DAYS[name]()))
    headings = [token.tag for token in found if token.type == "heading_open"]
    assert headings[0] == "h1"
    assert set(headings[1:]) <= {"h2"}
    assert not {"html_block", "html_inline", "image", "link_open", "code_block", "fence"} & {
        token.type for token in found
    }


def test_a_command_is_code() -> None:
    assert "code_inline" in {token.type for token in tokens(day_markdown(DAYS["busy"]()))}
    brief = days_markdown([DAYS["busy"](), DAYS["empty"]()], brief=True)
    assert "## Plans (`iris plan --replay ID`)" in brief


def test_a_name_with_underscores_stays_readable() -> None:
    assert escaped("read snake_case.py") == "read snake_case.py"
