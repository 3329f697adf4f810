"""Channels made from the settings. Nothing is connected to before something is said."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from iris_harness.config.credentials import resolve_settings
from iris_harness.config.environment import session_bus
from iris_harness.config.settings import Channel as ChannelSetting
from iris_harness.errors import ConfigError, DeliveryError
from iris_harness.surfaces.briefing.message import Channel


def open_channels(settings: tuple[ChannelSetting, ...]) -> dict[str, Channel]:
    """Return the channels by name."""
    return {setting.name: _OPENERS[setting.type](setting) for setting in settings}


def _desktop(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.desktop import DesktopChannel

    return DesktopChannel(setting.name, session_bus)


def _terminal(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.terminal import TerminalChannel

    return TerminalChannel(setting.name, sys.stdout)


def _web(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.web import WebChannel

    return WebChannel(setting.name)


def _file(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.file import FileChannel

    return FileChannel(setting.name, _path(setting), append=setting.append)


def _path(setting: ChannelSetting) -> Path:
    if setting.path is None:
        raise ValueError(f"the settings let no {setting.type} be without a path")
    return setting.path


def _speech(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.speech import SpeechChannel

    return SpeechChannel(setting.name, _path(setting), setting.voice)


def _smtp(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.smtp import SmtpChannel

    password = None
    if setting.password is not None:
        password = partial(_fetched, setting.password, f"channels.{setting.name}.password")
    return SmtpChannel(setting, password)


def _apprise(setting: ChannelSetting) -> Channel:
    from iris_harness.surfaces.briefing.channels.services import ServicesChannel

    key = f"channels.{setting.name}.urls"
    return ServicesChannel(setting.name, [partial(_fetched, url, key) for url in setting.urls])


def _fetched(secret: Mapping[str, Any], key: str) -> str:
    """Return a secret, when it is needed.

    Raises:
        DeliveryError: it cannot be had now: a keyring may be locked.
    """
    if "text" in secret:
        return str(secret["text"])
    try:
        return str(resolve_settings({"secret": dict(secret)}, key)["secret"])
    except ConfigError as error:
        raise DeliveryError(error.message, may_retry=True) from error


_OPENERS: Mapping[str, Callable[[ChannelSetting], Channel]] = {
    "desktop": _desktop,
    "terminal": _terminal,
    "web": _web,
    "file": _file,
    "speech": _speech,
    "smtp": _smtp,
    "apprise": _apprise,
}
