from __future__ import annotations

import datetime as dt
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.clean import clean
from iris_harness.curator.page.axis import LEAST, Axis
from iris_harness.curator.page.document import day_page, days_page
from iris_harness.curator.page.lanes import MOST_COLUMNS, arrange
from iris_harness.curator.page.markup import Markup, element, join
from iris_harness.curator.page.palette import DARK, LIGHT, PAIRS
from iris_harness.curator.sections import day_sections
from iris_harness.curator.strings import ENGLISH
from iris_harness.curator.view import SectionKind
from tests.day_plans import DAYS, ODD_DAYS, DayBuilder, clock_change_day
from tests.support import examples

ALL_DAYS = {**DAYS, **ODD_DAYS}
every_day = pytest.mark.parametrize("name", sorted(ALL_DAYS))

VOID = {"meta", "link", "br"}
ALLOWED = {
    "html", "head", "meta", "title", "link", "style", "body", "main", "article", "header", "footer",
    "section", "nav", "div", "p", "h1", "h2", "h3", "ul", "li", "a", "span", "bdi", "s", "cite",
    "code", "figure", "svg", "desc", "defs", "pattern", "path", "rect", "line", "circle", "text",
    "g", "foreignobject",
}  # fmt: skip


class Page(HTMLParser):
    """A page as a browser's parser reads it: its elements, their attributes and their texts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.open), data))

    def words(self, *, pictures: bool) -> str:
        """Return the texts inside (or outside) of the pictures, one space between words."""
        chosen = (text for path, text in self.texts if ("svg" in path) is pictures)
        return " ".join(" ".join(chosen).split())


@every_day
def test_a_page_has_only_the_elements_it_was_made_of(name: str) -> None:
    page = Page(day_page(ALL_DAYS[name]()))
    assert page.open == []
    assert set(page.tags) <= ALLOWED
    assert not [key for key, _ in page.attributes if key.startswith("on") or key == "style"]
    targets = [value for key, value in page.attributes if key in {"href", "src", "action"}]
    assert all(str(target).startswith(("#", "data:,")) for target in targets)


@every_day
def test_everything_the_picture_says_stands_in_the_lists(name: str) -> None:
    plan = ALL_DAYS[name]()
    page = Page(day_page(plan))
    lists = page.words(pictures=False)
    for section in day_sections(plan):
        for line in section.lines:
            assert section.kind is SectionKind.PLAN or " ".join(line.title.split()) in lists
            assert all(note in lists for note in line.notes)
            assert all(mark.text in lists for mark in line.marks)
    labels = f"The hours of {ENGLISH.date_long(plan.date)} {ENGLISH.say('page.chart_is_text')} more"
    known = set(re.findall(r"\w+", f"{lists} {labels}"))
    drawn = re.findall(r"\w+", page.words(pictures=True))
    assert not [word for word in drawn if word not in known and not word.isdigit()]


@every_day
def test_ids_are_unique_and_every_reference_finds_one(name: str) -> None:
    plan, after = ALL_DAYS[name](), DayBuilder(date=dt.date(2027, 1, 4)).plan()
    pages = (day_page(plan), *(days_page((plan, after), brief=brief) for brief in (True, False)))
    for page in map(Page, pages):
        ids = [value for key, value in page.attributes if key == "id"]
        assert len(ids) == len(set(ids))
        keys = {"aria-labelledby", "aria-describedby"}
        assert {value for key, value in page.attributes if key in keys} <= set(ids)
        links = [str(value) for key, value in page.attributes if key == "href"]
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


@every_day
def test_every_picture_is_well_formed_and_named(name: str) -> None:
    page = day_page(ALL_DAYS[name]())
    for picture in re.findall(r'<svg[^>]*class="chart".*?</svg>', page, re.DOTALL):
        root = ET.fromstring(picture)  # noqa: S314 - reads what this program wrote
        assert root.get("role") == "img"
        named = {root.get("aria-labelledby"), root.get("aria-describedby")}
        space = "{http://www.w3.org/2000/svg}"
        assert {root[0].get("id"), root[1].get("id")} == named
        assert [child.tag for child in root[:2]] == [f"{space}title", f"{space}desc"]
        assert all(child.text for child in root[:2])


def test_a_page_may_load_nothing_and_run_nothing() -> None:
    page = day_page(DAYS["busy"]())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert policy[1].startswith("default-src &#x27;none&#x27;; style-src &#x27;sha256-")
    assert "<script" not in page
    assert "@import" not in page
    assert re.findall(r"url\((?!#)", page) == []
    addresses = set(re.findall(r"https?://[^\"<\s]+", page))
    assert addresses == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert day_page(DAYS["busy"]()) == day_page(DAYS["busy"]())


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb (WCAG 2.2)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS, ids=str)
def test_colours_keep_their_contrast(
    palette: Mapping[str, str], ink: str, ground: str, least: float
) -> None:
    bright, dim = sorted((luminance(palette[ink]), luminance(palette[ground])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= least


def test_both_palettes_have_the_same_colours() -> None:
    assert list(LIGHT) == list(DARK)


def test_text_cannot_become_markup() -> None:
    assert element("p", "<b>&", title='"<') == '<p title="&quot;&lt;">&lt;b&gt;&amp;</p>'
    assert element("p", element("b", "x")) == "<p><b>x</b></p>"
    assert join("a", None, Markup("<br>"), between="<") == "a&lt;<br>"


titles = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["<script>", "</style>", "--><img src=x>", '" onload="x', "&lt;", "]]>", "\u202eevil", "`a`"]
)


@settings(max_examples=examples(60))
@given(summary=titles, place=titles, todo=titles)
def test_no_title_becomes_an_element(summary: str, place: str, todo: str) -> None:
    page = Page(day_page(titled_plan(summary, place, todo)))
    plain = Page(day_page(titled_plan("a", "b", "c")))
    assert set(page.tags) <= set(plain.tags)
    assert page.open == []
    words = page.words(pictures=False)
    for text in (summary, todo):
        assert " ".join(clean(text).split()) in words


def titled_plan(summary: str, place: str, todo: str) -> DailyPlan:
    day = DayBuilder()
    listed = day.todo(todo or "x", 1, "due today", due=day.date, minutes=30)
    return day.plan(
        events=(day.event(summary or "x", "09:00", "10:00", location=place),),
        todos=(listed,),
        blocks=(day.block(listed, "10:00", "10:30"),),
    )


spans_of_a_day = st.lists(
    st.tuples(st.integers(0, 1400), st.integers(1, 300)).map(lambda s: (s[0], s[0] + s[1])),
    max_size=14,
).map(sorted)


@settings(max_examples=examples(200))
@given(spans=spans_of_a_day)
def test_what_overlaps_stands_side_by_side(spans: list[tuple[int, int]]) -> None:
    lanes = arrange(spans)
    placed = list(zip(spans, lanes, strict=True))
    for (one, lane), (other, beside) in itertools.combinations(placed, 2):
        if one[0] < other[1] and other[0] < one[1] and not (lane.is_crowd and beside.is_crowd):
            first, second = sorted((lane, beside))
            assert first.column + first.span <= second.column
            assert lane.columns == beside.columns
    for span, lane in placed:
        assert 0 <= lane.column < lane.column + lane.span <= lane.columns <= MOST_COLUMNS + 1
        if not any(span[0] < o[1] and o[0] < span[1] for o in spans if o is not span):
            assert lane.span == lane.columns


@settings(max_examples=examples(200))
@given(spans=spans_of_a_day, work=st.tuples(st.integers(0, 700), st.integers(710, 1440)))
def test_time_runs_down_and_everything_has_room_for_a_line(
    spans: list[tuple[int, int]], work: tuple[int, int]
) -> None:
    axis = Axis(0, 1720, spans, [work])
    places = [axis.y(minute) for minute in range(0, 1721, 5)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, axis.height)
    assert all(axis.y(end) - axis.y(start) >= LEAST - 0.3 for start, end in spans)


def test_an_hour_without_short_blocks_is_as_high_as_any_other() -> None:
    axis = Axis(8 * 60, 18 * 60, [(540, 550), (600, 660)], [(540, 1020)])
    hours = {round(axis.y(60 * (hour + 1)) - axis.y(60 * hour)) for hour in range(10, 17)}
    assert len(hours) == 1
    assert axis.y(600) - axis.y(540) > hours.pop()


def test_a_week_is_drawn_side_by_side_unless_the_clocks_change() -> None:
    plain = days_page([DAYS["busy"](), DAYS["empty"](), DAYS["past"]()], brief=True)
    assert 'class="week"' in plain
    changed = days_page([clock_change_day()] * 3, brief=True)
    assert 'class="week"' not in changed


def test_a_day_without_hours_has_no_picture() -> None:
    day = DayBuilder()
    page = day_page(day.plan(working=()))
    assert 'class="chart"' not in page


def test_more_than_can_stand_side_by_side_is_counted() -> None:
    page = day_page(DAYS["crowded"]())
    assert "+3 more" in page
    assert all(f"Interview {number}" in page for number in range(7))


def test_the_hours_of_a_change_of_clocks_are_those_of_the_clock() -> None:
    page = day_page(clock_change_day())
    labels = re.findall(r'class="label">([\d:]+)<', page)
    assert labels[:4] == ["01:00", "02:00", "02:00", "03:00"]
