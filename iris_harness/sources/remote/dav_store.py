"""The items of a CalDAV server as resources that can be written. Implements `Store`.

Every write says which version it replaces (RFC 4918 §10.4, RFC 4791 §5.3.2): a server that has
another one by then refuses it, and the item is looked at again. What was written is put into the
copy at once, so that the next reading has it without asking.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from iris_harness.errors import ChangedOutsideError, ReadOnlySourceError, SourceError, WriteError
from iris_harness.sources.remote.deadline import Deadline
from iris_harness.sources.remote.kept_copy import Copy, CopyState
from iris_harness.sources.remote.refusals import refusal
from iris_harness.sources.remote.settings import RemoteSource, missing_extra
from iris_harness.sources.writing.stores import Rewrite, item_name, may_hold

if TYPE_CHECKING:
    from iris_harness.sources.remote.web import Web

_TRIES = 5
_OK, _CREATED, _NO_CONTENT = 200, 201, 204
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _NOT_ALLOWED, _GONE = 401, 403, 404, 405, 410
_PRECONDITION_FAILED, _LOCKED, _FULL = 412, 423, 507
_LONG_AGO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Version:
    """An item as the server has it; without data: it has none."""

    data: bytes | None
    etag: str | None


class DavStore:
    """One CalDAV source. Thread-safe: it keeps nothing between two calls."""

    is_single = False
    keeps_bytes = False

    def __init__(self, source: RemoteSource, copy: Copy, monotonic: Callable[[], float]) -> None:
        """Take where the server is, its copy here, and a clock that never goes back."""
        self._source = source
        self._copy = copy
        self._monotonic = monotonic

    def candidates(self, uid: str) -> Iterator[str]:
        """Yield the items whose copy has the UID in it; see `Store.candidates`."""
        from iris_harness.sources.remote.dav_copy import kept_items

        with self._copy.shared():
            found = [path for path, data in kept_items(self._copy) if may_hold(data, uid)]
        yield from found

    def new_resource(self, uid: str) -> str:
        """Return a path in the only collection, or in the first that the settings name."""
        from iris_harness.sources.remote.dav import DavServer
        from iris_harness.sources.remote.dav_sync import find_collections

        with self._web() as web:
            server = DavServer(web, self._source.http_url)
            _, found = find_collections(self._source, self._copy, server)
        names = [name.casefold() for name in self._source.collections]
        if names:
            found = [
                collection
                for collection in found
                if names[0] in {collection.name.casefold(), collection.last_segment.casefold()}
            ]
        if len(found) != 1:
            there = ", ".join(collection.name for collection in found) or "none"
            raise WriteError(
                f"has several collections ({there}); where new items belong cannot be told",
                hint="name it first in `collections:` of this source",
            )
        folder = unquote(urlsplit(found[0].url).path)
        return f"{folder.rstrip('/')}/{item_name(uid)}"

    def check_open(self, resource: str) -> None:
        """Do nothing: only the server knows, and says so when it is written."""

    def read(self, resource: str) -> bytes | None:
        """Return what the server has now; see `Store.read`."""
        with self._web() as web:
            return self._get(web, resource).data

    def rewrite(self, resource: str, rewrite: Rewrite) -> bytes | None:
        """Replace, make or remove an item; see `Store.rewrite`."""
        with self._web() as web:
            for _ in range(_TRIES):
                version = self._get(web, resource)
                after = rewrite(version.data)
                if after == version.data:
                    return after
                if self._put(web, resource, version, after):
                    kept = self._get(web, resource)
                    self._keep(resource, kept)
                    return kept.data
        raise ChangedOutsideError(
            "is written by another program again and again", hint="try again when that is done"
        )

    def _get(self, web: Web, resource: str) -> _Version:
        response = web.request("GET", self._url(resource), headers={"Accept": "text/calendar"})
        if response.status_code in {_NOT_FOUND, _GONE}:
            return _Version(data=None, etag=None)
        if response.status_code != _OK:
            raise WriteError(f"cannot be read: {refusal(response.status_code)}")
        return _Version(data=response.content, etag=response.headers.get("etag"))

    def _put(self, web: Web, resource: str, version: _Version, after: bytes | None) -> bool:
        """Write an item; False when the server has another version of it by now."""
        if version.data is None:
            headers = {"If-None-Match": "*"}
        elif version.etag:
            headers = {"If-Match": version.etag.removeprefix("W/")}
        else:
            raise WriteError("cannot be written safely: the server does not number its versions")
        if after is None:
            headers["Schedule-Reply"] = "F"  # RFC 6638 §8.1: nobody is sent a refusal for it
            response = web.request("DELETE", self._url(resource), headers=headers)
        else:
            headers["Content-Type"] = "text/calendar; charset=utf-8"
            response = web.request("PUT", self._url(resource), headers=headers, content=after)
        status = response.status_code
        if status == _PRECONDITION_FAILED:
            return False
        if status not in {_OK, _CREATED, _NO_CONTENT}:
            raise _refused(status)
        return True

    def _keep(self, resource: str, version: _Version) -> None:
        """Put what the server has into the copy; where that fails have it asked again soon."""
        from iris_harness.sources.remote.dav import Item
        from iris_harness.sources.remote.dav_copy import OvertakenError, keep_item

        data = version.data
        item = None if data is None else Item(etag=version.etag, data=data)
        collection = self._url(f"{resource.rpartition('/')[0]}/")
        try:
            keep_item(self._copy, collection, resource, item)
        except (OvertakenError, SourceError):
            known = self._copy.state()
            if known is not None:
                with contextlib.suppress(SourceError, OSError), self._copy.exclusive():
                    self._copy.store_state(CopyState(read_at=_LONG_AGO, facts=known.facts))

    def _url(self, resource: str) -> str:
        from iris_harness.sources.remote.dav import absolute_url

        if not resource.startswith("/") or resource.startswith("//"):
            raise WriteError(
                f"has no item {resource!r}"
            )  # it comes from a journal, which is a file
        known = self._copy.state()
        home = known.facts.get("home") if known else None
        return absolute_url(home if isinstance(home, str) else self._source.http_url, resource)

    @contextmanager
    def _web(self) -> Iterator[Web]:
        if missing := missing_extra(self._source.kind):
            raise WriteError(missing)
        from iris_harness.sources.remote.web import Web

        deadline = Deadline(self._monotonic, self._source.timeout_seconds)
        try:
            if self._source.login is not None:
                self._source.login.password()  # may take a person's time, not the server's
            with Web(self._source, deadline) as web:
                yield web
        except WriteError:
            raise
        except SourceError as error:
            raise WriteError(error.message, hint=error.hint) from error


def _refused(status: int) -> WriteError:
    if status in {_UNAUTHORIZED, _FORBIDDEN, _NOT_ALLOWED}:
        return ReadOnlySourceError(
            f"may not be written: {refusal(status)}", hint="ask who shares this calendar with you"
        )
    if status == _FULL:
        return WriteError("cannot be written: the server has no room left")
    if status == _LOCKED:
        return WriteError("cannot be written: another program has locked it", hint="try again soon")
    return WriteError(f"cannot be written: {refusal(status)}")
