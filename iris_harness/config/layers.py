"""The places settings come from, and one tree made of them that remembers each value's origin."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iris_harness.config.document import DEEPEST, KeyPath, Origin, Value, dotted, parse_document
from iris_harness.errors import ConfigError

PREFIX = "IRIS_"
NESTING = "__"
COMMAND_LINE = "command line"

_NOT_SETTINGS = frozenset({"IRIS_CONFIG"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """What one place says about some keys."""

    tree: dict[str, Value]
    origins: Mapping[KeyPath, Origin]
    base: Path
    """The folder that relative paths in it start at."""
    problems: tuple[ConfigError, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """All layers as one tree."""

    tree: dict[str, Value]
    origins: Mapping[KeyPath, Origin]

    def origin(self, path: KeyPath) -> Origin | None:
        """Return where the value at `path`, or what holds it, was read; None: a default."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return None


def file_layer(text: str, place: str, base: Path) -> Layer:
    """Return what a settings file says. A file without a mapping in it is a problem."""
    document = parse_document(text, place)
    problems = document.problems
    if document.value is not None and not isinstance(document.value, dict):
        wrong = ConfigError("the file holds no settings", file=place, line=1, expected="key: value")
        problems = (*problems, wrong)
    tree = document.value if isinstance(document.value, dict) else {}
    return Layer(tree=tree, origins=document.origins, base=base, problems=problems)


def environment_layers(
    environ: Mapping[str, str], sections: Collection[str], base: Path
) -> tuple[Layer, ...]:
    """Return one layer per variable that sets a key, sorted by name.

    Other programs have variables that begin with ``IRIS_`` too. One is taken for a setting when
    it is nested (``IRIS_A__B``) or its name is, or nearly is, one of `sections`.
    """
    return tuple(
        _value_layer(_variable_path(name), environ[name], f"${name}", base)
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in _NOT_SETTINGS and _is_setting(name, sections)
    )


def _variable_path(name: str) -> KeyPath:
    return tuple(name.removeprefix(PREFIX).lower().split(NESTING))


def _is_setting(name: str, sections: Collection[str]) -> bool:
    path = _variable_path(name)
    return len(path) > 1 or bool(
        difflib.get_close_matches(str(path[0]), sorted(sections), n=1, cutoff=0.8)
    )


def override_layers(overrides: Sequence[str], base: Path) -> tuple[Layer, ...]:
    """Return one layer per ``key.path=value``, in order; the value is read as YAML."""
    return tuple(_override_layer(override, base) for override in overrides)


def _override_layer(override: str, base: Path) -> Layer:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        wrong = ConfigError("not a setting", file=COMMAND_LINE, key=key, expected="key=value")
        return Layer(tree={}, origins={}, base=base, problems=(wrong,))
    return _value_layer(tuple(key.strip().split(".")), text, COMMAND_LINE, base)


def _value_layer(path: KeyPath, text: str, place: str, base: Path) -> Layer:
    if len(path) > DEEPEST:
        wrong = ConfigError("nested too deep to be settings", file=place, key=dotted(path[:2]))
        return Layer(tree={}, origins={}, base=base, problems=(wrong,))
    document = parse_document(text, place, lines=False)
    tree: Value = document.value
    for part in reversed(path):
        tree = {str(part): tree}
    origins = {path[:length]: Origin(place=place) for length in range(1, len(path))}
    origins |= {(*path, *below): origin for below, origin in document.origins.items()}
    problems = tuple(_below(problem, path) for problem in document.problems)
    return Layer(tree=_as_tree(tree), origins=origins, base=base, problems=problems)


def _as_tree(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _below(problem: ConfigError, path: KeyPath) -> ConfigError:
    key = dotted(path) + (f".{problem.key}" if problem.key else "")
    return ConfigError(problem.message, file=problem.file, line=problem.line, key=key)


def apply_renames(layer: Layer, renamed: Mapping[str, str]) -> Layer:
    """Return the layer with old keys (``old.path -> new.path``) under their new names.

    Each one found adds a warning that names the new key; both names at once are a problem.
    """
    for old, new in renamed.items():
        layer = _rename(layer, tuple(old.split(".")), tuple(new.split(".")))
    return layer


def _rename(layer: Layer, old: tuple[str, ...], new: tuple[str, ...]) -> Layer:
    if old not in layer.origins:
        return layer
    origin = layer.origins[old]
    tree, value = _without(layer.tree, old)
    if new in layer.origins:
        both = ConfigError(
            f"the old name of {dotted(new)!r}, which is set too",
            file=origin.place,
            line=origin.line,
            key=dotted(old),
            expected="only the new name",
        )
        return replace(layer, tree=tree, problems=(*layer.problems, both))
    said = f"{origin}: {dotted(old)} is now {dotted(new)}; the old name works in this version only"
    return replace(
        layer,
        tree=_with(tree, new, value),
        origins=_moved(layer.origins, old, new, origin),
        warnings=(*layer.warnings, said),
    )


def _without(tree: dict[str, Value], path: tuple[str, ...]) -> tuple[dict[str, Value], Value]:
    head, rest = path[0], path[1:]
    if not rest:
        return {key: value for key, value in tree.items() if key != head}, tree[head]
    below, value = _without(_as_tree(tree[head]), rest)
    smaller = {key: below if key == head else item for key, item in tree.items()}
    if not below:
        del smaller[head]
    return smaller, value


def _with(tree: dict[str, Value], path: tuple[str, ...], value: Value) -> dict[str, Value]:
    head, rest = path[0], path[1:]
    return {**tree, head: _with(_as_tree(tree.get(head)), rest, value) if rest else value}


def _moved(
    origins: Mapping[KeyPath, Origin], old: KeyPath, new: KeyPath, origin: Origin
) -> dict[KeyPath, Origin]:
    moved = {new[:length]: origin for length in range(1, len(new))}
    moved |= {
        (*new, *path[len(old) :]) if path[: len(old)] == old else path: place
        for path, place in origins.items()
    }
    return moved


def merge_layers(layers: Sequence[Layer]) -> Merged:
    """Merge layers, lowest precedence first: mappings key by key, anything else as a whole.

    A key without a value says nothing, so it neither sets nor removes anything.
    """
    tree: dict[str, Value] = {}
    origins: dict[KeyPath, Origin] = {}
    for layer in layers:
        _merge(tree, layer.tree, (), layer.origins, origins)
    return Merged(tree=tree, origins=origins)


def _merge(
    into: dict[str, Value],
    tree: Mapping[str, Value],
    path: KeyPath,
    given: Mapping[KeyPath, Origin],
    origins: dict[KeyPath, Origin],
) -> None:
    for key, value in tree.items():
        here = (*path, key)
        if value is None:
            continue
        if isinstance(value, dict):
            below = into.get(key)
            if not isinstance(below, dict):
                _forget(origins, here, below)
                below = into[key] = {}
            origins[here] = given[here]
            _merge(below, value, here, given, origins)
        else:
            _forget(origins, here, into.get(key))
            into[key] = value
            origins |= {at: given[at] for at in _paths(here, value) if at in given}


def _forget(origins: dict[KeyPath, Origin], path: KeyPath, value: Value) -> None:
    for at in _paths(path, value):
        origins.pop(at, None)


def _paths(path: KeyPath, value: Value) -> Iterator[KeyPath]:
    """Yield the path of a value and of everything in it."""
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths((*path, key), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths((*path, index), item)


def empty_layer(base: Path, problem: ConfigError | None = None) -> Layer:
    """Return a layer that sets nothing."""
    return Layer(tree={}, origins={}, base=base, problems=() if problem is None else (problem,))
