"""A graph as a picture: nothing covers anything, and every line goes where it should."""

from __future__ import annotations

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.curator.page.column import lay_out_column
from iris_harness.curator.page.graph import HEIGHT, WIDTH, Step, lay_out
from iris_harness.curator.page.pictures import draw_graph
from tests.support import examples


def step(name: str, after: tuple[str, ...] = ()) -> Step:
    return Step(name=name, head=name, state="waits", text=f"do {name}", look="blocked",
                address=f"/x?{name}", label=f"{name}, waits", after=after)  # fmt: skip


@st.composite
def graphs(draw: st.DrawFn) -> list[Step]:
    names = [f"w{number}" for number in range(draw(st.integers(1, 14)))]
    return [
        step(name, tuple(draw(st.lists(st.sampled_from(names[:at]), max_size=4, unique=True))))
        if at
        else step(name)
        for at, name in enumerate(names)
    ]


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_boxes_stand_apart_in_the_picture_and_each_after_what_it_waits_for(
    steps: list[Step],
) -> None:
    layout = lay_out(steps)
    for place in layout.boxes.values():
        assert 0 <= place.x <= layout.width - WIDTH
        assert 0 <= place.y <= layout.height - HEIGHT
    for one, other in itertools.combinations(layout.boxes.values(), 2):
        assert abs(one.x - other.x) >= WIDTH or abs(one.y - other.y) >= HEIGHT
    for later in steps:
        for before in later.after:
            here, there = layout.boxes[later.name], layout.boxes[before]
            assert here.y > there.y if layout.is_upright else here.x > there.x


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_lines_leave_and_reach_their_boxes_and_pass_through_no_other(steps: list[Step]) -> None:
    layout = lay_out(steps)
    ways = [(before, one.name) for one in steps for before in one.after]
    assert len(layout.lines) == len(ways)
    for (before, name), points in zip(ways, layout.lines, strict=True):
        begin, end = layout.boxes[before], layout.boxes[name]
        if layout.is_upright:
            assert points[0] == (begin.x + WIDTH / 2, begin.y + HEIGHT)
            assert points[-1] == (end.x + WIDTH / 2, end.y)
        else:
            assert points[0] == (begin.x + WIDTH, begin.y + HEIGHT / 2)
            assert points[-1] == (end.x, end.y + HEIGHT / 2)
        for point in points[1:-1]:
            assert not any(
                box.x < point.x < box.x + WIDTH and box.y < point.y < box.y + HEIGHT
                for box in layout.boxes.values()
            )


def test_many_steps_side_by_side_stand_below_each_other() -> None:
    steps = [step("first"), *(step(f"w{number}", ("first",)) for number in range(10))]
    layout = lay_out(steps)
    assert not layout.is_upright
    assert layout.width < 3 * WIDTH


def test_a_chain_is_one_column() -> None:
    steps = [step("a"), step("b", ("a",)), step("c", ("b",))]
    assert lay_out(steps).width < WIDTH + 10


def test_a_box_is_a_link_that_says_all_of_it() -> None:
    odd = step("<b>")._replace(text='"><script>', label="<b>, waits: everything")
    (picture,) = draw_graph([odd], "the <graph>")
    assert 'aria-label="the &lt;graph&gt;"' in picture
    assert picture.count("<title>") == 2
    assert re.search(r'<a href="/x\?&lt;b&gt;" aria-label="&lt;b&gt;, waits: everything"', picture)
    assert "<script>" not in picture


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_in_a_column_every_line_is_there_once_and_no_two_run_over_each_other(
    steps: list[Step],
) -> None:
    rails = lay_out_column(steps).rails
    rows = {one.name: row for row, one in enumerate(steps)}
    wanted = sorted((rows[before], rows[one.name]) for one in steps for before in one.after)
    ways = [(one, other) for rail in rails for one in rail.sources for other in rail.targets]
    assert sorted(ways) == wanted
    for rail in rails:
        assert len(rail.sources) == 1 or len(rail.targets) == 1
    for one, other in itertools.combinations(rails, 2):
        if one.lane == other.lane:
            first, second = sorted((one, other), key=lambda rail: rail.sources[0])
            assert first.targets[-1] <= second.sources[0]


def fan(count: int) -> list[Step]:
    parts = tuple(f"part{number}" for number in range(count))
    return [step("start"), *(step(one, ("start",)) for one in parts), step("end", parts)]


def test_a_fan_of_fifty_takes_two_lines_and_a_chain_one() -> None:
    assert len(lay_out_column(fan(50)).rails) == 2
    chain = [step(f"w{n}", (f"w{n - 1}",) if n else ()) for n in range(50)]
    assert {rail.lane for rail in lay_out_column(chain).rails} == {0}


def looks(steps: list[Step]) -> list[str]:
    return [
        found
        for one in draw_graph(steps, "x")
        for found in re.findall('class="(graph.*?)"', str(one))
    ]


def test_a_phone_has_a_picture_of_its_own_where_the_wide_one_does_not_fit() -> None:
    grid = [
        step(f"w{layer}{n}", (f"w{layer - 1}{n}",) if layer else ())
        for layer in range(3)
        for n in range(3)
    ]
    assert looks(grid) == ["graph wide", "graph narrow"]
    assert looks([step("a"), step("b", ("a",))]) == ["graph"]
    assert looks(fan(50)) == ["graph"]
    assert lay_out_column(fan(50)).width < 300
