"""What `iris serve` is made of: its settings, its addresses, and what runs beside HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.config.serving import Server, Voice
    from iris_harness.surfaces.briefing.service import BriefingService
    from iris_harness.surfaces.local.service import LocalService
    from iris_harness.surfaces.voice.announce import Announcement
    from iris_harness.surfaces.voice.service import VoiceService
    from iris_harness.surfaces.web.app import Endpoint

_ADDRESS = re.compile(r"https?://[^\s/?#]+/*")
LISTENING = ("host", "port", "voice_host", "voice_port", "voice_allow")


def server_settings(
    state: CliState, flags: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Server, Voice]:
    """Return the settings of the server and of voice, flags over what is configured.

    They count whatever day is served, the demonstration's too.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    given = {name: value for name, value in flags.items() if value not in {None, ()}}
    voice_given = {
        name.removeprefix("voice_"): value
        for name, value in given.items()
        if name.startswith("voice_")
    }
    server_given = {name: value for name, value in given.items() if not name.startswith("voice_")}
    server = state.config.server.model_copy(update=server_given)
    return server, state.config.voice.model_copy(update=voice_given)


def listening_address(server: Server, port: int) -> str:
    """Return where the server listens."""
    scheme = "https" if server.tls_certificate else "http"
    return f"{scheme}://{_in_url(server.host)}:{port}"


def public_address(server: Server, port: int) -> str:
    """Return where others reach the server, as far as the settings tell."""
    if not server.names:
        return listening_address(server, port)
    # A proxy has the usual port of TLS; a server of its own certificate the one it listens on.
    return f"https://{server.names[0]}" + (f":{port}" if server.tls_certificate else "")


url_option = click.option(
    "--url", metavar="ADDRESS",
    help="Where the server is reached, as http://127.0.0.1:8080; else what the settings say of it.",
)  # fmt: skip


def named_address(state: CliState, url: str | None) -> str:
    """Return the address that was given as `url`, else where the settings say the server is.

    Raises:
        UsageError: it is no address.
    """
    if url is None:
        server, _ = server_settings(state)
        return public_address(server, server.port)
    if not _ADDRESS.fullmatch(url):
        raise UsageError(f"{url!r} is no address", hint="as in: http://127.0.0.1:8080")
    return url.rstrip("/")


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def voice_service(voice: Voice) -> VoiceService:
    """Return what listens for voice assistants.

    Raises:
        UsageError: the package for it is not installed.
        ServerError: others would reach it, and nobody is listed.
    """
    try:
        from iris_harness.surfaces.voice.service import VoiceService
    except ImportError as error:
        raise UsageError(
            f"voice needs the package {error.name}", hint="pip install 'iris-harness[voice]'"
        ) from error
    return VoiceService(voice.host, voice.port or 0, voice.allow)


def announcement(voice: VoiceService) -> Announcement:
    """Return what tells Home Assistant of it.

    Raises:
        UsageError: the package for it is not installed.
    """
    try:
        from iris_harness.surfaces.voice.announce import Announcement
    except ImportError as error:
        raise UsageError(
            f"voice.zeroconf needs the package {error.name}",
            hint="pip install 'iris-harness[zeroconf]'",
        ) from error
    return Announcement(voice)


def local_service(state: CliState) -> LocalService:
    """Return what answers `iris ask`."""
    from iris_harness.surfaces.local.place import identity
    from iris_harness.surfaces.local.service import LocalService

    return LocalService(state.data_folder(), identity(state.settings, state.timezone()))


def briefing_service(state: CliState, setting: DaySetting) -> list[BriefingService]:
    """Return what says briefings and reminders; nothing for --demo and paths, which have none."""
    if setting.origin is not Origin.CONFIGURED:
        return []
    try:
        from iris_harness.surfaces.briefing.service import BriefingService
    except ImportError as error:
        click.echo(f"iris: nothing is said unasked: the package {error.name} is missing", err=True)
        return []
    return [BriefingService(state.settings)]


def mcp_endpoint() -> Endpoint | None:
    """Return what answers the Model Context Protocol, where its package is there."""
    try:
        from iris_harness.surfaces.mcp.service import McpEndpoint
    except ImportError:
        return None
    return McpEndpoint()
