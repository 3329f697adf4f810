"""No text, whoever wrote it, becomes anything but text in the page."""

from __future__ import annotations

import datetime as dt
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.curator.clean import clean, clean_lines
from iris_harness.curator.strings import ENGLISH
from iris_harness.storage.records import Delivery, DeliveryKind
from iris_harness.surfaces.web.page.news import write_news
from iris_harness.surfaces.web.page.talk import Exchange
from iris_harness.surfaces.web.page.talk_view import Latest, TalkWriter
from tests.support import examples

_NOW = dt.datetime(2026, 3, 26, 8, tzinfo=dt.UTC)
_TAGS = frozenset({
    "a", "bdi", "button", "details", "div", "form", "h2", "h3", "input", "label", "li", "ol", "p",
    "section", "span", "summary", "time", "ul",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "action", "aria-labelledby", "autocomplete", "class", "data-failed", "data-stopped",
    "data-thinking", "datetime", "enterkeyhint", "for", "hidden", "href", "id", "maxlength",
    "method", "name", "placeholder", "required", "role", "tabindex", "type", "value",
})  # fmt: skip
texts = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["<script>", "</p><svg onload=x>", "\"'><b>", "<!--", "]]>", "&lt;", "a\n  b\n  c\nd" * 9]
    ),
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


@settings(max_examples=examples(100))
@given(said=texts, answer=texts, is_asking=st.booleans(), moved=st.integers(0, 3))
def test_what_is_said_and_answered_is_text(
    said: str, answer: str, is_asking: bool, moved: int
) -> None:
    exchange = Exchange(said=clean(said), answer=clean_lines(answer), at=_NOW, entry=3)
    writer = TalkWriter(ENGLISH, "0" * 64, {"day": "2026-03-26", "plan": "f" * 64})
    latest = Latest(is_asking=is_asking, moved=moved)
    reader = read(writer.talk((exchange,), _NOW, latest))
    assert reader.tags <= _TAGS
    assert reader.attributes <= _ATTRIBUTES
    assert exchange.said in reader.text
    for line in exchange.answer.splitlines():
        assert line.strip() in reader.text


@settings(max_examples=examples(100))
@given(content=texts)
def test_what_is_said_unasked_is_text(content: str) -> None:
    delivery = Delivery(
        kind=DeliveryKind.BRIEFING, name="morning", channel="web", day=_NOW.date(), due_at=_NOW,
        content=content,
    )  # fmt: skip
    reader = read(write_news((delivery,), _NOW, ENGLISH) or "")
    assert reader.tags <= _TAGS
    assert reader.attributes <= _ATTRIBUTES
