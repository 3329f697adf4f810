from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.dag import build_graph, check_acyclic, waves
from iris_harness.errors import GraphError, PlanError
from iris_harness.testing import make_plan, make_task


def test_waves_keep_the_given_order_within_a_wave() -> None:
    graph = build_graph([("d", ("b", "c")), ("c", ("a",)), ("b", ("a",)), ("a", ())])
    assert waves(graph) == (("a",), ("c", "b"), ("d",))


def test_an_empty_graph_has_no_waves() -> None:
    assert waves(build_graph([])) == ()


def test_a_node_stands_in_the_first_wave_after_all_it_depends_on() -> None:
    graph = build_graph([("a", ()), ("b", ("a",)), ("c", ("b",)), ("d", ("a",)), ("e", ("a", "c"))])
    assert waves(graph) == (("a",), ("b", "d"), ("c",), ("e",))


def test_the_graph_keeps_input_order_and_names_each_dependency_once() -> None:
    graph = build_graph([("b", ("a", "a")), ("a", ())])
    assert list(graph.items()) == [("b", ("a",)), ("a", ())]


def test_a_cycle_is_named_in_order() -> None:
    edges = {"a": ("c",), "b": ("a",), "c": ("b",), "d": ("a",)}
    with pytest.raises(GraphError, match="in a circle: ") as caught:
        build_graph(edges.items())
    nodes = caught.value.nodes
    assert nodes[0] == nodes[-1]
    assert sorted(nodes[1:]) == ["a", "b", "c"]
    assert all(after in edges[before] for before, after in pairwise(nodes))


def test_a_node_that_depends_on_itself_is_a_cycle() -> None:
    with pytest.raises(GraphError) as caught:
        check_acyclic({"a": ("a",)})
    assert caught.value.nodes == ("a", "a")


def test_an_unknown_dependency_is_named_with_who_wants_it() -> None:
    with pytest.raises(GraphError, match="'a' depends on 'ghost', which does not exist") as caught:
        build_graph([("a", ("ghost",))])
    assert caught.value.nodes == ("a", "ghost")


def test_a_duplicate_id_is_named() -> None:
    with pytest.raises(GraphError, match="'a' is used twice") as caught:
        build_graph([("a", ()), ("b", ()), ("a", ("b",))])
    assert caught.value.nodes == ("a",)


def test_a_task_plan_reports_the_same_faults_as_its_own_error() -> None:
    for tasks, nodes in (
        ([make_task("x"), make_task("x")], ("x",)),
        ([make_task("x", depends_on=["y"])], ("x", "y")),
        ([make_task("x", depends_on=["x"])], ("x", "x")),
    ):
        with pytest.raises(PlanError) as caught:
            make_plan(*tasks).execution_groups()
        assert caught.value.nodes == nodes


def test_execution_groups_hold_the_tasks_themselves_in_plan_order() -> None:
    last, second, first = (
        make_task("last", depends_on=["first", "second"]),
        make_task("second"),
        make_task("first"),
    )
    assert make_plan(last, second, first).execution_groups() == ((second, first), (last,))


@given(st.data())
def test_every_node_stands_once_and_after_its_dependencies(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 20))
    edges = {
        str(node): tuple(str(n) for n in data.draw(st.sets(st.integers(0, node - 1))))
        if node
        else ()
        for node in range(count)
    }
    order = data.draw(st.permutations(list(edges)))
    result = waves(build_graph((node, edges[node]) for node in order))
    wave_of = {node: number for number, wave in enumerate(result) for node in wave}
    assert sorted(node for wave in result for node in wave) == sorted(edges)
    for node, needed in edges.items():
        assert wave_of[node] == 1 + max((wave_of[other] for other in needed), default=-1)
    for wave in result:
        assert list(wave) == [node for node in order if node in wave]
