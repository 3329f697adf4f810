"""Secrets as settings: a text, or the command that prints it."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator

from iris_harness.config.sections import problem
from iris_harness.config.shapes import is_fetched


def check_secret(value: object) -> object:
    """Accept a text, or the command that prints it; the value is never repeated."""
    if (isinstance(value, str) and value) or is_fetched(value):
        return value
    raise problem("not a password")


Secret = Annotated[str | dict[str, list[str]], PlainValidator(check_secret)]
