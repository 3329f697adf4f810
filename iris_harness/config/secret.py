"""Secrets as settings: a text, or the command that prints it."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator

from iris_harness.config.credentials import FETCH
from iris_harness.config.sections import problem


def check_secret(value: object) -> object:
    """Accept a text, or the command that prints it; the value is never repeated."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, dict) and set(value) == {FETCH}:
        command = value[FETCH]
        if isinstance(command, list) and command and all(isinstance(w, str) for w in command):
            return value
    raise problem("not a password")


Secret = Annotated[str | dict[str, list[str]], PlainValidator(check_secret)]
