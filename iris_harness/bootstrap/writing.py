"""Who writes the sources of a configuration."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from iris_harness.contracts.changes import Writers
from iris_harness.sources.writing.opening import open_event_writer, open_todo_writer

if TYPE_CHECKING:
    from iris_harness.config.schema import Config


def configured_writers(config: Config) -> Writers:
    """Return the writers of the sources that `config` names; nothing is opened yet."""
    todos = {s.name: open_todo_writer(s.name, s.path) for s in config.todos if s.path}
    calendars = {
        s.name: open_event_writer(s.name, s.path, config.me) for s in config.calendars if s.path
    }
    return Writers(todos=MappingProxyType(todos), calendars=MappingProxyType(calendars))
