"""What frozen dataclasses have in common: equality, a hash and a readable form.

Python's own `dataclass` writes these anew for each class and compiles them, which is a third of
what declaring one costs. The values of a day are imported by every `iris plan`, so they take them
from here: ``@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)``.
"""

from __future__ import annotations


class Value:
    """Two are equal when they are of one class and all their fields are. Fields are its slots."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Return whether both are of one class with equal fields."""
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or _fields(self) == _fields(other)

    def __hash__(self) -> int:
        """Return the hash of all fields."""
        return hash(_fields(self))

    def __repr__(self) -> str:
        """Return it as it would be written in Python."""
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(shown)})"


def _fields(value: Value) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value.__slots__])
