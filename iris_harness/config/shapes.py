"""Forms that values of several sections have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from iris_harness.config.credentials import FETCH
from iris_harness.config.sections import problem


class Named(Protocol):
    """What is told apart by its name."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


NamedT = TypeVar("NamedT", bound=Sequence[Named])


def as_list(value: object) -> object:
    """Return a text as a list of itself, and anything else as it is."""
    return [value] if isinstance(value, str) else value


def one_or_several(value: object) -> object:
    """Return a text or a mapping as a list of itself, and anything else as it is."""
    return [value] if isinstance(value, (str, dict)) else value


def is_fetched(value: object) -> bool:
    """Return whether a value is ``{fetch: [command, argument, …]}``."""
    if not isinstance(value, dict) or set(value) != {FETCH}:
        return False
    command = value[FETCH]
    return isinstance(command, list) and bool(command) and all(isinstance(w, str) for w in command)


def all_named(kind: str) -> Callable[[NamedT], NamedT]:
    """Return a validator that lets no two of a `kind` (as in ``sources``) have one name."""

    def check(values: NamedT) -> NamedT:
        seen: set[str] = set()
        for index, value in enumerate(values):
            if value.name in seen:
                raise problem(f"two {kind} are named {value.name!r}", at=(index, "name"))
            seen.add(value.name)
        return values

    return check
