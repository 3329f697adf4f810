"""What every section of the settings is made from: frozen, strict, mistakes in our own words."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

SAID = "iris"
"""Type of the errors whose message is ours and complete; ctx may hold `nearest` and `at`."""


class Section(BaseModel):
    """A mapping with known keys only."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def problem(
    message: str, *, nearest: str | None = None, at: tuple[str | int, ...] = ()
) -> Exception:
    """Return the exception a validator raises to say `message` about the value, or part of it."""
    # The message travels in the context: pydantic would read braces in it as placeholders.
    return PydanticCustomError(SAID, "{said}", {"said": message, "nearest": nearest, "at": at})
