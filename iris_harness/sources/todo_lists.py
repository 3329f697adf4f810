"""Lists of VTODOs in files: one .ics file, or a vdir. Implements `TodoPort`."""

from __future__ import annotations

from pathlib import Path

from iris_harness.contracts.day import Todo
from iris_harness.contracts.ports import Reading, ReadWindow
from iris_harness.contracts.sources import SourceKind
from iris_harness.files import is_folder
from iris_harness.sources.ical.todos import TodoReader
from iris_harness.sources.status import age_at, failed, read_status
from iris_harness.sources.streams import bounded, load_files, load_folder


class VtodoList:
    """The VTODOs of an .ics file or a vdir. Reads it anew each time; thread-safe."""

    def __init__(self, name: str, path: Path, *, stale_after_hours: float | None = None) -> None:
        """Take the list's name (unique among lists) and its file or folder."""
        self.name = name
        self._path = path
        self._stale_after_hours = stale_after_hours

    def read(self, window: ReadWindow) -> Reading[Todo]:
        """Return the open todos; see `TodoPort.read`."""
        try:
            return self._read(window)
        except Exception as error:  # noqa: BLE001 - the source's boundary: a reading never raises
            detail = f"could not be read ({type(error).__name__}: {error})"
            return Reading(status=failed(self.name, SourceKind.TODO, detail))

    def _read(self, window: ReadWindow) -> Reading[Todo]:
        if is_folder(self._path):
            loaded = load_folder(self.name, self._path)
        else:
            loaded = load_files(self.name, (self._path,))
        if loaded.failures:
            status = failed(self.name, SourceKind.TODO, "; ".join(loaded.failures))
            return Reading(status=status, warnings=bounded(loaded.warnings))
        reader = TodoReader(self.name, loaded.streams, window)
        todos = tuple(reader.read())
        status = read_status(
            self.name,
            SourceKind.TODO,
            empty=not (reader.holds_anything or loaded.unread),
            age=age_at(window.now, loaded.modified_at),
            stale_after_hours=self._stale_after_hours,
            detail=loaded.detail,
        )
        warnings = bounded((*loaded.warnings, *reader.warnings))
        return Reading(status=status, items=todos, warnings=warnings)
