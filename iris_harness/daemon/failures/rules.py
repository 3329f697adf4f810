"""The rules and names of the classifier, read from their files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

Names = Mapping[str, Mapping[str, Any]]
"""The tables of names.toml."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One wording of one tool; the keys are explained in rules.toml."""

    line: re.Pattern[str]
    has: str = ""
    decide: str = ""
    failure: str = ""
    detail: str = ""
    remedy: Mapping[str, str]
    version: str = ""
    version_spec: str = ""
    service: str = ""
    port: str = ""
    indented: bool = False
    tests: bool = False
    weak: bool = False


def load_rules() -> tuple[Rule, ...]:
    """Return the rules in their order."""
    return tuple(map(_rule, tomllib.loads(_read("rules.toml"))["rule"]))


def load_names() -> Names:
    """Return the tables of names."""
    found: Names = tomllib.loads(_read("names.toml"))
    return found


def begins_with(table: Mapping[str, str], text: str) -> str | None:
    """Return the value of the longest key that `text` begins with; None where none does."""
    keys: Iterable[str] = (key for key in table if text.startswith(key))
    best = max(keys, key=len, default=None)
    return table[best] if best is not None else None


def listed(names: Names, table: str) -> Sequence[str]:
    """Return the list of names in a table."""
    found: Sequence[str] = names[table]["names"]
    return found


def _read(name: str) -> str:
    return resources.files("iris_harness.daemon.failures").joinpath(name).read_text("utf-8")


def _rule(entry: Mapping[str, Any]) -> Rule:
    given = {key: value for key, value in entry.items() if key not in {"class", "line", "remedy"}}
    return Rule(
        line=re.compile(entry["line"]),
        failure=entry.get("class", ""),
        remedy=entry.get("remedy", {}),
        **given,
    )
