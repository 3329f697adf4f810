from __future__ import annotations

import pytest

from iris_harness.dag import build_graph, waves
from iris_harness.errors import GraphError


def test_waves_keep_the_given_order_within_a_wave() -> None:
    graph = build_graph([("d", ("b", "c")), ("c", ("a",)), ("b", ("a",)), ("a", ())])
    assert waves(graph) == (("a",), ("c", "b"), ("d",))


def test_a_cycle_is_named_in_order() -> None:
    with pytest.raises(GraphError) as caught:
        build_graph([("a", ("c",)), ("b", ("a",)), ("c", ("b",))])
    nodes = caught.value.nodes
    assert nodes[0] == nodes[-1]
    assert set(nodes) == {"a", "b", "c"}
