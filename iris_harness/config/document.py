"""Read YAML into plain values, keeping the line of every key.

The dialect is the safe core of YAML 1.2: ``true``/``false`` only, decimal numbers, no dates, no
base-60 numbers, no tags. So ``no`` is a country, ``09:00`` a time of day and ``1_000`` a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from iris_harness.contracts.unicode import well_formed
from iris_harness.errors import ConfigError

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

_TEXT_TAG = "tag:yaml.org,2002:str"
_PLAIN_TAGS = {_TEXT_TAG, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]+([eE][-+]?[0-9]+)?")
_MOST_VALUES = 20_000  # aliases can make a few lines stand for billions
DEEPEST = 30  # levels; deeper is no setting, and would be too much for what reads it next
_LONGEST_INTEGER = 18  # digits; more is an identifier, not a number


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where a value was read."""

    place: str
    """File, variable or "command line", as the user would name it."""
    line: int | None = None
    """1-based; None when the place has no lines."""

    def __str__(self) -> str:
        return self.place if self.line is None else f"{self.place}:{self.line}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """What one place says. Broken parts are left out of `value` and named in `problems`."""

    value: Value
    origins: dict[KeyPath, Origin]
    problems: tuple[ConfigError, ...] = ()


def dotted(path: KeyPath) -> str:
    """Return a key path as users write it: ``calendars.0.name``."""
    return ".".join(str(part) for part in path)


def parse_document(text: str, place: str, *, lines: bool = True) -> Document:
    """Parse one YAML document; never raises. `lines` False is for values without a file."""
    reader = _Reader(place=place, lines=lines)
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
        value = reader.value(node, ()) if node is not None else None
    except yaml.YAMLError as error:
        problem = _syntax_problem(error, place, lines=lines)
        return Document(value=None, origins={}, problems=(problem,))
    except RecursionError:
        problem = ConfigError("nested too deep to be settings", file=place)
        return Document(value=None, origins={}, problems=(problem,))
    except _TooMuchError as error:
        return Document(value=None, origins={}, problems=(error.problem,))
    return Document(value=value, origins=reader.origins, problems=tuple(reader.problems))


def _syntax_problem(error: yaml.YAMLError, place: str, *, lines: bool) -> ConfigError:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    return ConfigError(
        f"not valid YAML: {what}",
        file=place,
        line=mark.line + 1 if mark is not None and lines else None,
    )


class _TooMuchError(Exception):
    """The document is too large to be looked at any further."""

    def __init__(self, problem: ConfigError) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(kw_only=True, slots=True)
class _Reader:
    """Walks a node tree once, collecting origins and problems on the way."""

    place: str
    lines: bool
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    problems: list[ConfigError] = field(default_factory=list)
    _open: list[int] = field(default_factory=list)
    _values: int = 0

    def value(self, node: yaml.Node, path: KeyPath) -> Value:
        self._check_size(node, path)
        self.origins.setdefault(path, self._origin(node))
        if node.tag not in _PLAIN_TAGS:
            self._problem(node, path, f"the tag {node.tag!r} means nothing here")
            return None
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node) if self._is_text(node, path) else None
        return self._collection(node, path)

    def _collection(self, node: yaml.Node, path: KeyPath) -> Value:
        if id(node) in self._open:
            self._problem(node, path, "the value contains itself")
            return None
        self._open.append(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, path)
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        finally:
            self._open.pop()

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Value]:
        result: dict[str, Value] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._problem(key_node, path, "a key is a list or a mapping; expected text")
                continue
            if not self._is_text(key_node, path):
                continue
            here = (*path, str(key_node.value))
            if here[-1] in result:
                first = self.origins[here]
                again = f"the key stands twice, first in line {first.line}"
                self._problem(key_node, here, again if self.lines else "the key stands twice")
                continue
            self.origins[here] = self._origin(key_node)
            result[str(key_node.value)] = self.value(value_node, here)
        return result

    def _check_size(self, node: yaml.Node, path: KeyPath) -> None:
        """Count one value more.

        Raises:
            _TooMuchError: it is one too many, or too deep.
        """
        self._values += 1
        said = f"more than {_MOST_VALUES} values" if self._values > _MOST_VALUES else ""
        if len(path) > DEEPEST:
            said = "nested too deep to be settings"
        if said:
            raise _TooMuchError(ConfigError(said, file=self.place, line=self._line(node)))

    def _is_text(self, node: yaml.ScalarNode, path: KeyPath) -> bool:
        """Whether a scalar can be written down again; names a problem when it cannot."""
        if str(node.value) == well_formed(str(node.value)):
            return True
        self._problem(node, path, "the text is no valid Unicode")
        return False

    def _origin(self, node: yaml.Node) -> Origin:
        return Origin(place=self.place, line=self._line(node))

    def _line(self, node: yaml.Node) -> int | None:
        return node.start_mark.line + 1 if self.lines and node.start_mark is not None else None

    def _problem(self, node: yaml.Node, path: KeyPath, message: str) -> None:
        self.problems.append(
            ConfigError(message, file=self.place, line=self._line(node), key=dotted(path))
        )


def _scalar(node: yaml.ScalarNode) -> Value:
    text = str(node.value)
    if node.style:  # quoted or a block: text, whatever it looks like
        return text
    word = text if text == "" else text.lower()
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(text) and len(text) <= _LONGEST_INTEGER:
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text
