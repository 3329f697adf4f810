"""A CalDAV server, asked for nothing but reading (RFC 4791, 6578), through the caldav library.

The library builds and reads the XML; its HTTP session is replaced, so that every request keeps to
the bounds of `web`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import httpx
from caldav.davclient import DAVClient
from caldav.lib.error import DAVError
from caldav.response import SyncCollectionResult
from lxml import etree

from iris_harness.errors import SourceError
from iris_harness.sources.remote.refusals import refusal
from iris_harness.sources.remote.web import Web

_MULTISTATUS = 207
_OK, _UNAUTHORIZED, _NOT_FOUND, _GONE = 200, 401, 404, 410
_MAX_PAGES = 1000
_LONGEST_NAME = 80
_SAFE_IN_PATH = "/:@!$&'()*+,;=~"
_CALENDAR = "{urn:ietf:params:xml:ns:caldav}calendar"
_NAME = "{DAV:}displayname"
_KIND = "{DAV:}resourcetype"
_TOKEN = "{DAV:}sync-token"  # noqa: S105 - the name of a property
_ETAG = "{DAV:}getetag"
_PRINCIPAL = "{DAV:}current-user-principal"
_CTAG = "{http://calendarserver.org/ns/}getctag"
_HOME = "{urn:ietf:params:xml:ns:caldav}calendar-home-set"
_MULTIGET = "{urn:ietf:params:xml:ns:caldav}calendar-multiget"
_DATA = "{urn:ietf:params:xml:ns:caldav}calendar-data"
_COMPONENTS = "{urn:ietf:params:xml:ns:caldav}supported-calendar-component-set"
_PREFIXES = {"D": "DAV:", "C": "urn:ietf:params:xml:ns:caldav"}
_ABOUT_COLLECTIONS = (_KIND, _NAME, _COMPONENTS, _CTAG, _TOKEN)


class RefusedError(SourceError):
    """The server answered, and not with what was asked for.

    Attributes:
        status: code of HTTP.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """A calendar or a todo list of the server."""

    url: str
    name: str
    """What its owner calls it; else the last part of its path."""
    components: tuple[str, ...] | None
    """Names of what it may hold; None: anything."""
    marker: str | None
    """Another value whenever anything in it has changed; None: the server has none."""
    token: str | None
    """Where the changes since now begin; None: the server keeps no record of changes."""

    @property
    def last_segment(self) -> str:
        """The last part of its path."""
        return last_segment(self.url)


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What became of a collection since a token was given out."""

    changed: Mapping[str, str | None]
    """Path of an item to its ETag; None: the server gives none."""
    deleted: tuple[str, ...]
    """Paths of items."""
    token: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One item as the server has it."""

    etag: str | None
    data: bytes


def last_segment(url: str) -> str:
    """Return the last part of a path, decoded."""
    return unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]


class DavServer:
    """Reads collections. Not thread-safe."""

    def __init__(self, web: Web, url: str) -> None:
        """Take the connection and the address the user gave."""
        self._url = url
        self._web = web
        self._session = _Session(web)
        self._client = DAVClient(url, enable_rfc6764=False)
        self._client.session.close()
        self._client.session = self._session  # type: ignore[assignment] # all it uses of one

    def find_home(self) -> str:
        """Return the address whose collections are meant.

        That is the address given, when it is a collection or holds some; else the home of the
        user that the server knows (RFC 4791 §6.2.1), asked for there and at the server's
        well-known address (RFC 6764 §5).

        Raises:
            SourceError: there is nothing of that kind.
        """
        for start in dict.fromkeys((self._url, urljoin(self._url, "/.well-known/caldav"))):
            home = self._home_from(start)
            if home is not None:
                return home
        raise SourceError("there is no calendar at this address, and no way from it to one")

    def _home_from(self, start: str) -> str | None:
        try:
            found = self._properties(start, (_KIND, _PRINCIPAL, _HOME), depth=0)
        except RefusedError as error:
            if error.status == _UNAUTHORIZED:
                raise
            return None
        base = self._session.answered_at
        about = next(iter(found.values()), {})
        if _CALENDAR in _texts(about.get(_KIND)) or self._holds_collections(base):
            return base
        return self._home_named_in(about, base)

    def _holds_collections(self, url: str) -> bool:
        try:
            return bool(self.collections(url))
        except RefusedError:
            return False

    def _home_named_in(self, about: Mapping[str, Any], base: str) -> str | None:
        if not _texts(about.get(_HOME)) and (principals := _texts(about.get(_PRINCIPAL))):
            found = self._properties(urljoin(base, principals[0]), (_HOME,), depth=0)
            base = self._session.answered_at
            about = next(iter(found.values()), {})
        homes = _texts(about.get(_HOME))
        return urljoin(base, homes[0]) if homes else None

    def collections(self, home: str) -> tuple[Collection, ...]:
        """Return the collection at `home`, or else those directly in it, by address."""
        found = self._properties(home, _ABOUT_COLLECTIONS, depth=0)
        if not _calendars(found):
            found = self._properties(home, _ABOUT_COLLECTIONS, depth=1)
        base = self._session.answered_at
        made = [_collection(absolute_url(base, path), about) for path, about in _calendars(found)]
        return tuple(sorted(made, key=lambda collection: collection.url))

    def list_items(self, collection: Collection) -> dict[str, str | None]:
        """Return the path of every item with its ETag."""
        found = self._properties(collection.url, (_ETAG, _KIND), depth=1)
        return {
            path: about.get(_ETAG)
            for path, about in found.items()
            if _is_item(path, collection) and "{DAV:}collection" not in _texts(about.get(_KIND))
        }

    def changes(self, collection: Collection, token: str) -> Changes | None:
        """Return what changed since `token`; None: the server does not (or no longer) know it."""
        changed: dict[str, str | None] = {}
        deleted: dict[str, None] = {}
        for _ in range(_MAX_PAGES):
            try:
                page = self._changes_page(collection, token)
            except RefusedError as error:
                if error.status == _UNAUTHORIZED:
                    raise
                return None
            for result in page.changed:
                changed[result.href] = result.etag
                deleted.pop(result.href, None)
            for path in page.deleted:
                deleted[path] = None
                changed.pop(path, None)
            if not page.truncated:
                kept = {path: etag for path, etag in changed.items() if _is_item(path, collection)}
                return Changes(changed=kept, deleted=tuple(deleted), token=page.sync_token)
            if not page.sync_token or page.sync_token == token:
                return None
            token = page.sync_token
        return None

    def fetch(self, collection: Collection, paths: Sequence[str]) -> dict[str, Item]:
        """Return the items at `paths` that are still there.

        One calendar-multiget asks for all; what a server leaves out of its answer, or names in
        another spelling, is asked for by itself.

        Raises:
            SourceError: an item that is there is not given out.
        """
        body = _multiget_body(paths)
        with _understood():
            found = self._client.report(collection.url, body, None).parse_calendar_query()
        gone = {result.href for result in found if result.status == _NOT_FOUND}
        items = {
            result.href: Item(etag=result.etag, data=result.calendar_data.encode())
            for result in found
            if result.calendar_data and result.href in paths
        }
        for path in paths:
            if path not in items and path not in gone:
                item = self._fetch_alone(absolute_url(collection.url, path))
                if item is not None:
                    items[path] = item
        return items

    def _fetch_alone(self, url: str) -> Item | None:
        response = self._web.request("GET", url, headers={"Accept": "text/calendar"})
        if response.status_code in {_NOT_FOUND, _GONE}:
            return None
        if response.status_code != _OK:
            raise SourceError(f"an item is not given out: {refusal(response.status_code)}")
        return Item(etag=response.headers.get("etag"), data=response.content)

    def _changes_page(self, collection: Collection, token: str) -> SyncCollectionResult:
        with _understood():
            return self._client.report(collection.url, _sync_body(token)).parse_sync_collection()

    def _properties(
        self, url: str, names: tuple[str, ...], *, depth: int
    ) -> dict[str, dict[str, Any]]:
        with _understood():
            answer = self._client.propfind(url, _propfind_body(names), depth)
            found = answer.parse_propfind()
        if not found:  # what was asked about is always part of the answer (RFC 4918 §9.1)
            raise RefusedError("the answer is not one of a CalDAV server", status=_MULTISTATUS)
        return {result.href: result.properties for result in found}


class _Session:
    """What the caldav library needs of an HTTP session; lets only multistatus answers through."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.answered_at = ""
        """The address of the latest answer, after redirects."""

    def request(
        self,
        method: str,
        url: str,
        *,
        data: bytes,
        headers: Mapping[str, str],
        **_: object,  # proxies, auth, timeout, verify, cert: `Web` decides
    ) -> httpx.Response:
        response = self._web.request(method, url, headers=headers, content=data)
        self.answered_at = str(response.url)
        if response.status_code != _MULTISTATUS:
            status = response.status_code
            raise RefusedError(refusal(status), status=status)
        if not _is_multistatus(response.content):
            raise RefusedError("the answer is not one of a CalDAV server", status=_MULTISTATUS)
        return response

    def close(self) -> None:
        """Do nothing: the connection belongs to its maker."""


def _is_multistatus(body: bytes) -> bool:
    # Looked at first: the library writes what it cannot read to the log.
    try:
        root = etree.XML(body, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return False
    return bool(root.tag == "{DAV:}multistatus")


@contextmanager
def _understood() -> Iterator[None]:
    try:
        yield
    except (DAVError, etree.LxmlError, AssertionError, ValueError, TypeError) as error:
        raise RefusedError("the answer cannot be understood", status=_MULTISTATUS) from error


def _propfind_body(names: Iterable[str]) -> str:
    return _xml(_element("{DAV:}propfind", _wanted(names)))


def _sync_body(token: str) -> str:
    parts = (_text("{DAV:}sync-token", token), _text("{DAV:}sync-level", "1"), _wanted([_ETAG]))
    return _xml(_element("{DAV:}sync-collection", *parts))


def _multiget_body(paths: Iterable[str]) -> str:
    hrefs = [_text("{DAV:}href", quote(path, safe=_SAFE_IN_PATH)) for path in paths]
    return _xml(_element(_MULTIGET, _wanted([_ETAG, _DATA]), *hrefs))


def _wanted(names: Iterable[str]) -> etree._Element:
    return _element("{DAV:}prop", *(_element(name) for name in names))


def _text(tag: str, text: str) -> etree._Element:
    element = _element(tag)
    element.text = text
    return element


def _element(tag: str, *children: etree._Element) -> etree._Element:
    element = etree.Element(tag, nsmap=_PREFIXES)
    element.extend(children)
    return element


def _xml(root: etree._Element) -> str:
    return str(etree.tostring(root, encoding="unicode"))


def _texts(value: object) -> list[str]:
    """Return a property's value as texts, however many the server gave."""
    parts = value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, str) and part]


def _calendars(found: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(path, about) for path, about in found.items() if _CALENDAR in _texts(about.get(_KIND))]


def absolute_url(base: str, path: str) -> str:
    """Return the address of a path of the server, decoded as its answers have it."""
    return urljoin(base, quote(path, safe=_SAFE_IN_PATH))


def _collection(url: str, about: Mapping[str, Any]) -> Collection:
    token = next(iter(_texts(about.get(_TOKEN))), None)
    ctag = next(iter(_texts(about.get(_CTAG))), None)
    components = about.get(_COMPONENTS)
    return Collection(
        url=url,
        name=_plain(next(iter(_texts(about.get(_NAME))), "")) or _plain(last_segment(url)),
        components=None if components is None else tuple(_texts(components)),
        marker=ctag or token,
        token=token,
    )


def _plain(name: str) -> str:
    """Return a name as it may be shown: without what would steer a terminal, and not endless."""
    return "".join(letter for letter in name if letter.isprintable())[:_LONGEST_NAME].strip()


def _is_item(path: str, collection: Collection) -> bool:
    folder = unquote(urlsplit(collection.url).path).rstrip("/") + "/"
    return path.startswith(folder) and path != folder
