"""Validate a graph of ids; order it in waves; follow its ready set.

A graph is given as ``id -> ids it depends on``. The order of the mapping is the order of the
result: within a wave nodes stand as they were given, so equal input gives equal output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from iris_harness.errors import GraphError


def build_graph(
    nodes: Iterable[tuple[str, Sequence[str]]],
) -> dict[str, tuple[str, ...]]:
    """Return ``id -> dependencies`` in input order.

    Raises:
        GraphError: an id twice, a dependency on an unknown id, or a cycle; `nodes` names them.
    """
    graph: dict[str, tuple[str, ...]] = {}
    for node, dependencies in nodes:
        if node in graph:
            raise GraphError(f"the id {node!r} is used twice", nodes=(node,))
        graph[node] = tuple(dict.fromkeys(dependencies))
    for node, dependencies in graph.items():
        for dependency in dependencies:
            if dependency not in graph:
                raise GraphError(
                    f"{node!r} depends on {dependency!r}, which does not exist",
                    nodes=(node, dependency),
                )
    check_acyclic(graph)
    return graph


def check_acyclic(graph: Mapping[str, Sequence[str]]) -> None:
    """Do nothing when the graph has no cycle.

    Raises:
        GraphError: the graph has a cycle; `nodes` lists it in order, closed.
    """
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = tuple(reversed(error.args[1]))
        raise GraphError(
            "the tasks depend on each other in a circle: " + " -> ".join(cycle), nodes=cycle
        ) from error


def waves(graph: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Group nodes so that each stands in the first wave after all its dependencies.

    `graph` must come from `build_graph`. Within a wave nodes keep the graph's order.
    """
    position = {node: index for index, node in enumerate(graph)}
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    result: list[tuple[str, ...]] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=position.__getitem__)
        result.append(tuple(ready))
        sorter.done(*ready)
    return tuple(result)
