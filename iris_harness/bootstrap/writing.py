"""Who writes the sources of a configuration."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from iris_harness.contracts.changes import TodoWriter, Writers

if TYPE_CHECKING:
    from iris_harness.config.schema import Config


def configured_writers(config: Config) -> Writers:
    """Return the writers of the sources that `config` names; nothing is opened yet."""
    from iris_harness.sources.writing.todotxt import TodoTxtWriter

    todos: dict[str, TodoWriter] = {
        source.name: TodoTxtWriter(source.name, source.path)
        for source in config.todos
        if source.path is not None and source.path.suffix == ".txt"
    }
    return Writers(todos=MappingProxyType(todos))
