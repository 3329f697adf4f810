"""What keeps Iris from saying things unasked, and what leaves this machine for it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from iris_harness.bootstrap.day import open_store
from iris_harness.config.environment import session_bus
from iris_harness.config.settings import Channel, Settings
from iris_harness.errors import StorageError
from iris_harness.storage.health import Problem
from iris_harness.storage.ticker import find_ticker

_SPEAKER = "espeak-ng"
_EXTRA = {"desktop": ("jeepney", "briefing"), "apprise": ("apprise", "notify")}


def used_channels(settings: Settings) -> tuple[Channel, ...]:
    """Return the channels that briefings and reminders use, in their own order."""
    used = {name for one in settings.briefings for name in one.channels}
    return tuple(c for c in settings.channels if c.name in {*used, *settings.reminder_channels})


def what_is_sent(settings: Settings) -> tuple[str, ...]:
    """Return one line for each channel that sends something to other machines."""
    return tuple(line for channel in used_channels(settings) for line in _sent(channel))


def _sent(channel: Channel) -> Iterator[str]:
    if channel.type == "smtp":
        login = f", with your login {channel.username}" if channel.username else ""
        yield f"{channel.host}: sent what the channel {channel.name} says, to {channel.to}{login}"
    if channel.type == "apprise":
        count = len(channel.urls)
        services = "1 service" if count == 1 else f"{count} services"
        yield f"{services} of apprise: sent what the channel {channel.name} says"


def check_briefing(settings: Settings, folder: Path) -> Iterator[Problem]:
    """Yield what keeps briefings and reminders from being said."""
    waiting = _waiting(settings, folder)
    if waiting:
        for channel in used_channels(settings):
            yield from _missing(channel)
        if find_ticker(folder) is None:
            yield Problem(
                title=f"nobody says {waiting}",
                detail="neither `iris serve` nor `iris briefing watch` is running",
                fix="iris service install",
            )


def _waiting(settings: Settings, folder: Path) -> str:
    """Return what waits to be said, in words; empty when nothing does."""
    if settings.briefings:
        return "your briefings"
    if not (folder / "iris.db").exists():
        return ""
    try:
        with open_store(folder) as store:
            return "your reminders" if store.reminders.active() else ""
    except StorageError:
        return ""  # said by others


def _missing(channel: Channel) -> Iterator[Problem]:
    package, extra = _EXTRA.get(channel.type, ("", ""))
    title = f"the channel {channel.name} cannot say anything"
    if package and find_spec(package) is None:
        fix = f"pip install 'iris-harness[{extra}]'"
        yield Problem(title=title, detail=f"it needs the package {package}", fix=fix)
    elif channel.type == "desktop" and session_bus() is None:
        fix = "name another channel in the settings, or run it in your session"
        yield Problem(title=title, detail="there is no desktop session here", fix=fix)
    elif channel.type == "speech" and which(_SPEAKER) is None:
        fix = f"install {_SPEAKER}"
        yield Problem(title=title, detail=f"{_SPEAKER} is not installed", fix=fix)
