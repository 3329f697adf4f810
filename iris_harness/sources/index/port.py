"""A calendar read through an index. Implements `CalendarPort`."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from typing import NamedTuple

from iris_harness.contracts.clock import Clock
from iris_harness.contracts.day import Event
from iris_harness.contracts.ports import CalendarPort, Reading, ReadWindow
from iris_harness.sources.calendar_reading import Found, reading_of
from iris_harness.sources.files import modified_at, none_read
from iris_harness.sources.index.database import CacheFile, is_damage
from iris_harness.sources.index.files import SourceFiles, Sweep, reading_order
from iris_harness.sources.index.index import Answer, CalendarIndex
from iris_harness.sources.index.manifest import Manifest
from iris_harness.sources.streams import EMPTY_FOLDER, Loaded

_PATIENCE_SECONDS = 2.0
_MOST_ANSWERS = 8


class _Window(NamedTuple):
    """What of a window an answer depends on."""

    start: dt.datetime
    end: dt.datetime
    timezone: str


class IndexedCalendar:
    """Gives what `plain` gives, from the index where that is certain. Thread-safe."""

    def __init__(
        self,
        plain: Callable[[], CalendarPort],
        files: SourceFiles,
        index: CalendarIndex,
        cache: CacheFile,
        clock: Clock,
        *,
        stale_after_hours: float | None = None,
    ) -> None:
        """Take who opens the calendar without an index, its files, its index, and the clock.

        The clock must be the machine's even when the plan is for another "now": it is compared
        with times of files.
        """
        self.name = index.name
        self.bypassed = ""
        """Why the last reading did without the index; empty when it did not."""
        self._plain = plain
        self._files = files
        self._index = index
        self._cache = cache
        self._clock = clock
        self._stale_after_hours = stale_after_hours
        self._lock = threading.Lock()
        self._seen: Sweep | None = None
        self._answers: dict[_Window, Answer] = {}

    def read(self, window: ReadWindow) -> Reading[Event]:
        """Return the occurrences that overlap `window`; see `CalendarPort.read`."""
        found = self._try(window)
        return self._plain().read(window) if found is None else found

    def _try(self, window: ReadWindow) -> Reading[Event] | None:
        # One who waits for a folder that hangs must not hold up all the others for ever.
        if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
            return None
        try:
            self.bypassed = ""
            return self._read(window)
        except Exception as error:  # noqa: BLE001 - a cache: what is wrong in it costs time only
            self.bypassed = f"{type(error).__name__}: {error}"
            if is_damage(error):
                self._cache.discard()
            return None
        finally:
            self._lock.release()

    def _read(self, window: ReadWindow) -> Reading[Event]:
        now_ns = int(self._clock.now().timestamp() * 1e9)
        sweep = self._files.sweep()
        if sweep != self._seen:
            self._seen, self._answers = sweep, {}
        asked = _Window(window.start, window.end, window.timezone)
        answer = self._answers.get(asked)
        if answer is None:
            answer = self._index.answer(window, sweep, now_ns)
            self._keep(asked, answer)
        found = Found(answer.events, answer.warnings, answer.manifest.holds_anything)
        loaded = self._loaded(answer.manifest)
        return reading_of(self.name, loaded, found, window, self._stale_after_hours)

    def _keep(self, asked: _Window, answer: Answer) -> None:
        if answer.manifest.untrusted:
            return
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers.pop(next(iter(self._answers)))
        self._answers[asked] = answer

    def _loaded(self, manifest: Manifest) -> Loaded:
        notes = [manifest.notes[name] for name in sorted(manifest.notes, key=reading_order)]
        problems = tuple(note.problem for note in notes if note.problem)
        if self._files.must_be_readable:
            return Loaded(
                warnings=tuple(text for note in notes for text in note.doubts),
                failures=problems,
                modified_at=self._modified_at(manifest),
            )
        said = (text for note in notes for text in (*note.doubts, note.problem) if text)
        nothing_read = problems and len(problems) == manifest.items
        return Loaded(
            warnings=tuple(said),
            failures=(none_read(problems),) if nothing_read else (),
            unread=problems,
            modified_at=self._modified_at(manifest),
            detail="" if manifest.items else EMPTY_FOLDER,
        )

    def _modified_at(self, manifest: Manifest) -> float | None:
        if self._stale_after_hours is None:
            return None  # nobody will look at it
        changes = [
            modified_at(identity[0])
            for name, identity in manifest.sweep.items().items()
            if name not in manifest.notes or not manifest.notes[name].problem
        ]
        changed_at = self._files.folder_modified_at()
        if changed_at is not None:
            changes.append(changed_at)
        return max(changes, default=None)
