"""The jobs of a running Iris: opened when somebody first asks, then kept open for the next."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from iris_harness.bootstrap.jobs import Jobs, open_jobs
from iris_harness.bootstrap.jobs_place import are_jobs_kept, jobs_file
from iris_harness.config.settings import JobsSettings
from iris_harness.errors import StorageError


class KeptOpen:
    """Lends the jobs of one person to whoever shows them. Thread-safe.

    To open a database and to prepare its statements takes several times as long as to read a job,
    and an open page reads one every other second.
    """

    def __init__(self, settings: JobsSettings, folder: Path) -> None:
        """Take where jobs are kept; nothing is opened yet."""
        self._settings = settings
        self._folder = folder
        self._open: tuple[Jobs, contextlib.ExitStack, object] | None = None
        self._lock = threading.Lock()

    def are_there(self) -> bool:
        """Return whether there may be any, without opening them."""
        return are_jobs_kept(self._settings, self._folder)

    @contextlib.contextmanager
    def lent(self) -> Iterator[Jobs]:
        """Lend what reads and steers them, to several at once.

        After an error of the database it is opened anew for the next one, and so it is once its
        file is another one: somebody has put a copy back.

        Raises:
            IrisError: as `iris_harness.bootstrap.jobs.open_jobs`.
        """
        try:
            yield self._opened()
        except StorageError:
            self.close()
            raise

    def _opened(self) -> Jobs:
        with self._lock:
            place = self._place()
            if self._open is not None and self._open[2] != place:
                self._shut()
            if self._open is None:
                stack = contextlib.ExitStack()
                found = stack.enter_context(open_jobs(self._settings, self._folder))
                self._open = (found, stack, self._place())
            return self._open[0]

    def _place(self) -> object:
        """Return what tells the file from another of its name; None where a server keeps them."""
        if self._settings.database_url is not None:
            return None
        try:
            found = jobs_file(self._folder).stat()
        except OSError:
            return "missing"
        return found.st_dev, found.st_ino

    def close(self) -> None:
        """Close them; whoever asks next opens them again."""
        with self._lock:
            self._shut()

    def _shut(self) -> None:
        if self._open is not None:
            _, stack, _ = self._open
            self._open = None
            stack.close()
