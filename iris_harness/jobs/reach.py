"""Which workers come before and after which, however many lie between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iris_harness.dag import waves


def ancestors_of(graph: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return, for each id, all ids it waits for. `graph` is ``id -> dependencies``, acyclic."""
    found: dict[str, frozenset[str]] = {}
    for wave in waves(graph):
        for node in wave:
            direct = graph[node]
            found[node] = frozenset(direct).union(*(found[one] for one in direct))
    return found


def in_order(graph: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the ids, each after all it waits for; otherwise as they were given."""
    return tuple(node for wave in waves(graph) for node in wave)
