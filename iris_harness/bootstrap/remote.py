"""Sources on other machines: from the settings to ports, and what leaves this machine for them."""

from __future__ import annotations

import datetime as dt
import functools
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from iris_harness.config.addresses import host_of
from iris_harness.config.credentials import FETCH, resolve_settings
from iris_harness.config.paths import cache_dir
from iris_harness.config.settings import Settings, Source
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.ports import CalendarPort, TodoPort
from iris_harness.sources.index.opening import IndexOpener
from iris_harness.sources.remote.ports import RemoteCalendar, RemoteTodos
from iris_harness.sources.remote.refreshing import Refresher
from iris_harness.sources.remote.settings import (
    Component,
    Login,
    RemoteKind,
    RemoteSource,
    missing_extra,
)
from iris_harness.storage.health import Problem

_MEGABYTE = 2**20


def copies_folder() -> Path:
    """Return the folder of the copies of remote sources."""
    return cache_dir() / "remote"


def remove_copies() -> None:
    """Delete the copies of all remote sources; they are fetched again when they are read."""
    shutil.rmtree(copies_folder(), ignore_errors=True)


class RemotePorts:
    """Opens the remote sources of one configuration; nothing is asked before one is read."""

    def __init__(self, clock: Clock, index: IndexOpener, *, always_ask: bool = False) -> None:
        """Take the clock that bounds each refresh, and the index that calendars' copies have.

        Args:
            clock: its monotonic time is used.
            index: opens calendars.
            always_ask: whether to ask the servers however young the copies are.
        """
        self._index = index
        self._refresher = Refresher(copies_folder(), clock.monotonic)
        self._always_ask = always_ask

    def calendar(self, settings: Source, me: Collection[str] = ()) -> CalendarPort:
        """Return the calendar that `settings` with a url describe."""
        source = remote_source(settings, Component.EVENT, always_ask=self._always_ask)
        return RemoteCalendar(source, self._refresher, me, self._index)

    def todos(self, settings: Source) -> TodoPort:
        """Return the todo list that `settings` with a url describe."""
        source = remote_source(settings, Component.TODO, always_ask=self._always_ask)
        return RemoteTodos(source, self._refresher)


def remote_source(
    settings: Source, component: Component, *, always_ask: bool = False
) -> RemoteSource:
    """Return `settings` with a url in the words of the sources room."""
    if settings.url is None or settings.kind is None:
        raise ValueError("the settings of a remote source have a url")
    minutes = 0.0 if always_ask else settings.refresh_minutes
    return RemoteSource(
        name=settings.name,
        url=settings.url,
        kind=RemoteKind(settings.kind),
        component=component,
        login=_login(settings),
        collections=settings.collections,
        timeout_seconds=settings.timeout_seconds,
        max_bytes=int(settings.max_megabytes * _MEGABYTE),
        refresh_every=dt.timedelta(minutes=minutes),
        allow_private_addresses=settings.allow_private_addresses,
        stale_after_hours=settings.stale_after_hours,
    )


def _login(settings: Source) -> Login | None:
    if settings.username is None or settings.password is None:
        return None
    return Login(username=settings.username, password=_password(settings))


def _password(settings: Source) -> Callable[[], str]:
    given = settings.password or {}
    secret: Json = {FETCH: [*given[FETCH]]} if FETCH in given else given["text"]

    @functools.cache  # a keyring is unlocked once, not for every turn
    def fetched() -> str:
        found = resolve_settings({"password": secret}, settings.name)
        return str(found["password"])

    return fetched


def what_leaves(settings: Settings) -> tuple[str, ...]:
    """Return one line for each server that is asked: its name, what for, and what it is told."""
    return tuple(
        f"{host_of(source.url or '')}: asked for the {what} {source.name}{_told(source)}"
        for what, source in _remote(settings)
    )


def _told(source: Source) -> str:
    told = f", with your login {source.username}" if source.username else ""
    if source.may_write:
        return f"{told}, and sent the changes you make in it; nothing else is sent"
    return f"{told}; nothing of your plans or other sources is sent"


def check_remote(settings: Settings) -> tuple[Problem, ...]:
    """Return the remote sources that this installation cannot read."""
    return tuple(
        Problem(
            title=f"{what} {source.name} cannot be read",
            detail=missing,
            fix="pip install 'iris-harness[remote]'",
        )
        for what, source in _remote(settings)
        if (missing := missing_extra(RemoteKind(source.kind or RemoteKind.ICS)))
    )


def _remote(settings: Settings) -> Iterator[tuple[str, Source]]:
    yield from (("calendar", source) for source in settings.calendars if source.url)
    yield from (("todo list", source) for source in settings.todos if source.url)
