"""One .ics file at an address (`RemoteKind.ICS`)."""

from __future__ import annotations

import datetime as dt
import hashlib
from pathlib import Path

import httpx

from iris_harness.contracts.canonical import Json
from iris_harness.errors import SourceError
from iris_harness.sources.files import SourceFile
from iris_harness.sources.remote.kept_copy import FILE, Copy, CopyState
from iris_harness.sources.remote.outcome import Outcome
from iris_harness.sources.remote.refusals import refusal
from iris_harness.sources.remote.settings import RemoteSource
from iris_harness.sources.remote.web import Web
from iris_harness.sources.streams import parse_stream
from iris_harness.storage.files import write_atomically

_ACCEPT = "text/calendar, */*;q=0.1"
_OK, _NOT_MODIFIED = 200, 304
_CONDITIONS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


def refresh_ics(source: RemoteSource, copy: Copy, web: Web, now: dt.datetime) -> Outcome:
    """Fetch the file unless the server says that it has not changed.

    Raises:
        SourceError: it cannot be fetched, or what is there is no whole calendar. The copy stays.
    """
    known = copy.state()
    headers = {"Accept": _ACCEPT, **_conditions(known, copy.folder / FILE)}
    response = web.request("GET", source.http_url, headers=headers)
    if response.status_code == _NOT_MODIFIED and known is not None:
        _store(copy, known, CopyState(read_at=now, facts=known.facts), None)
        return Outcome()
    if response.status_code != _OK:
        raise SourceError(refusal(response.status_code))
    _check_whole(response.content)
    _store(copy, known, CopyState(read_at=now, facts=_facts(response)), response.content)
    return Outcome()


def _conditions(known: CopyState | None, file: Path) -> dict[str, str]:
    """Return the headers that ask for changes only, if the file is the one they speak of."""
    if known is None or known.facts.get("digest") != _digest_of(file):
        return {}
    return {
        header: value
        for fact, header in _CONDITIONS.items()
        if isinstance(value := known.facts.get(fact), str)
    }


def _digest_of(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def _facts(response: httpx.Response) -> dict[str, Json]:
    facts: dict[str, Json] = {"digest": hashlib.sha256(response.content).hexdigest()}
    return facts | {key: response.headers[key] for key in _CONDITIONS if key in response.headers}


def _check_whole(data: bytes) -> None:
    stream = parse_stream(SourceFile(label="the answer", data=data, modified_at=0.0))
    if not stream.closed:
        raise SourceError("the answer was cut off: it has no END:VCALENDAR")


def _store(copy: Copy, known: CopyState | None, state: CopyState, data: bytes | None) -> None:
    with copy.exclusive():
        if copy.state() != known:
            return
        if data is not None:
            write_atomically(copy.folder / FILE, data)
        copy.store_state(state)
