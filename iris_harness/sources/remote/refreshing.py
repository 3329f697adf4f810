"""When the copy of a source is refreshed, and how several are at once."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from pathlib import Path

from iris_harness.errors import IrisError, SourceError
from iris_harness.sources.remote.deadline import Deadline
from iris_harness.sources.remote.kept_copy import Copy
from iris_harness.sources.remote.outcome import Outcome
from iris_harness.sources.remote.settings import RemoteKind, RemoteSource

Monotonic = Callable[[], float]


def refresh_if_due(
    source: RemoteSource, copy: Copy, now: dt.datetime, monotonic: Monotonic
) -> Outcome:
    """Ask the server, unless the copy is younger than `source.refresh_every`.

    Raises:
        IrisError: it cannot be reached or understood, or the login cannot be had.
    """
    known = copy.state()
    if known is not None and known.is_fresh(now, source.refresh_every):
        return Outcome()
    if source.login is not None:
        source.login.password()  # a person may have to unlock a keyring: not on the server's time
    # httpx and caldav are loaded when a server is really asked, not with every plan.
    from iris_harness.sources.remote.web import Web  # noqa: PLC0415

    with Web(source, Deadline(monotonic, source.timeout_seconds)) as web:
        if source.kind is RemoteKind.ICS:
            from iris_harness.sources.remote.ics_url import refresh_ics  # noqa: PLC0415

            return refresh_ics(source, copy, web, now)
        from iris_harness.sources.remote.dav_sync import refresh_caldav  # noqa: PLC0415

        return refresh_caldav(source, copy, web, now)


class Refresher:
    """Refreshes several sources at once, each at most once for one "now".

    The first source that is read makes all of them refresh, so that reading them one after
    another takes as long as the slowest, not as long as all together. Thread-safe.
    """

    def __init__(self, cache_folder: Path, monotonic: Monotonic) -> None:
        """Take the folder that holds the copies, and a clock that never goes back."""
        self._cache_folder = cache_folder
        self._monotonic = monotonic
        self._sources: dict[str, RemoteSource] = {}
        self._lock = threading.Lock()
        self._now: dt.datetime | None = None
        self._running: dict[str, _Running] = {}

    def add(self, source: RemoteSource) -> Copy:
        """Take a source and return its copy; call it before anything is read."""
        self._sources.setdefault(source.cache_key(), source)
        return self._copy(source)

    def refresh(self, source: RemoteSource, now: dt.datetime) -> Outcome:
        """Return how the refresh of `source` for `now` went, once it is over.

        Raises:
            SourceError: it failed as a whole.
        """
        with self._lock:
            if now != self._now:
                self._now = now
                self._running = {key: self._start(one, now) for key, one in self._sources.items()}
            running = self._running[source.cache_key()]
        return running.result()

    def _copy(self, source: RemoteSource) -> Copy:
        return Copy(self._cache_folder / source.cache_key())

    def _start(self, source: RemoteSource, now: dt.datetime) -> _Running:
        copy, monotonic = self._copy(source), self._monotonic
        return _Running(lambda: refresh_if_due(source, copy, now, monotonic))


class _Running:
    """One refresh on a thread of its own, which does not keep the program from ending."""

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self._work = work
        self._outcome = Outcome()
        self._failure = ""
        self._thread = threading.Thread(target=self._run, name="iris-refresh", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome = self._work()
        except IrisError as error:
            self._failure = error.message
        except Exception as error:  # noqa: BLE001 - the boundary of the source: said as its state
            # Its own words may hold an address, which may be a secret.
            self._failure = f"cannot be read ({type(error).__name__})"

    def result(self) -> Outcome:
        self._thread.join()  # every step of the work has its bound in time
        if self._failure:
            raise SourceError(self._failure)
        return self._outcome
