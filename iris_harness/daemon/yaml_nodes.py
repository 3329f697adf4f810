"""YAML as nodes with line numbers, read bounded: aliases are never multiplied out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import yaml

_MAX_CHARACTERS = 400_000
_MAX_DEPTH = 40
_MAX_NODES = 40_000


class Value(NamedTuple):
    """One scalar."""

    text: str
    line: int
    """1-based line of the file where its text begins."""


Node = dict[str, "Node"] | list["Node"] | Value
"""A mapping, a sequence or a scalar; keys are texts."""


def parse_yaml(text: str) -> Node | None:
    """Return the first document of `text`; None where it is no YAML, or too large or deep."""
    if len(text) > _MAX_CHARACTERS:
        return None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = next(iter(yaml.compose_all(text, Loader=loader)), None)
        return _convert(node, _MAX_DEPTH, [_MAX_NODES]) if node is not None else None
    except (yaml.YAMLError, RecursionError, ValueError, _TooLargeError):
        return None


class _TooLargeError(Exception):
    """More nodes than a CI file has, through aliases of aliases."""


def _convert(node: yaml.Node, depth: int, budget: list[int]) -> Node:
    budget[0] -= 1
    if depth <= 0 or budget[0] <= 0:
        raise _TooLargeError
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Node] = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value == "<<":
                    merged = _convert(value, depth - 1, budget)
                    for part in merged if isinstance(merged, list) else [merged]:
                        found = {**(part if isinstance(part, dict) else {}), **found}
                else:
                    found[str(key.value)] = _convert(value, depth - 1, budget)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_convert(item, depth - 1, budget) for item in node.value]
    block = getattr(node, "style", None) in {"|", ">"}
    return Value(str(node.value), node.start_mark.line + (2 if block else 1))


def at(node: Node | None, *keys: str) -> Node | None:
    """Return what stands under a path of keys; None where there is nothing."""
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    return node


def text_of(node: Node | None) -> str:
    """Return a scalar's text; empty for everything else."""
    return node.text if isinstance(node, Value) else ""


def items(node: Node | None) -> Iterator[Node]:
    """Yield the items of a sequence, or a single value."""
    if isinstance(node, list):
        yield from node
    elif node is not None:
        yield node


def texts_of(node: Node | None) -> Iterator[str]:
    """Yield the scalars of a sequence, or of a single value."""
    for item in items(node):
        if isinstance(item, Value):
            yield item.text


def pairs(node: Node | None) -> Iterator[tuple[str, Node]]:
    """Yield the entries of a mapping."""
    if isinstance(node, dict):
        yield from node.items()
