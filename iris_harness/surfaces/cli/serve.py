"""`iris serve`: answer browsers, chat clients and other programs on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.config.serving import Server, Voice
    from iris_harness.surfaces.local.service import LocalService
    from iris_harness.surfaces.voice.announce import Announcement
    from iris_harness.surfaces.voice.service import VoiceService
    from iris_harness.surfaces.web.app import Endpoint
    from iris_harness.surfaces.web.feed_keys import FeedKeys

DEFAULT_PORT = 7474
DEFAULT_ADDRESS = f"http://127.0.0.1:{DEFAULT_PORT}"


@click.group(invoke_without_command=True)
@click.option("--host", help="Address to listen on; else server.host (127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes one that is free; else server.port (7474).",
)  # fmt: skip
@click.option(
    "--voice-port", type=click.IntRange(0, 65535),
    help="Also answer voice assistants (Wyoming) on this port; Home Assistant's own is 10500.",
)  # fmt: skip
@click.option("--voice-host", help="Address to listen on for voice; else voice.host (127.0.0.1).")
@click.option(
    "--voice-allow", multiple=True, metavar="ADDRESS",
    help="Address or network that may ask by voice, as 192.168.1.20 or 192.168.1.0/24.",
)  # fmt: skip
@setting_options
@click.pass_context
def serve(ctx: click.Context, /, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Show Iris in a browser, and answer chat clients over HTTP.

    `iris serve link` prints the address for your browser. Chat clients need the token that
    `iris serve token` prints, and as the address http://127.0.0.1:7474/v1 (those that ask OpenAI's
    way) or http://127.0.0.1:7474 (Ollama's). Everything in `server:` and `voice:` of the settings
    counts, and can be given with `iris --set`, too.
    """
    if ctx.invoked_subcommand is not None:
        return
    state: CliState = ctx.obj
    try:
        from iris_harness.surfaces.web import serving
    except ImportError as error:
        raise UsageError(
            f"the server needs the package {error.name}", hint="pip install 'iris-harness[serve]'"
        ) from error
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.surfaces.web.access import Gate, load_token
    from iris_harness.surfaces.web.app import build_app
    from iris_harness.surfaces.web.page.login import LINK_MINUTES

    listening = {name: options.pop(name) for name in _LISTENING}
    described = SettingOptions(**options)
    server, voice_settings = _settings(state, described, listening)
    serving.check_exposure(server)
    serving.start_log()
    setting = resolve_setting(state, described)
    gate = Gate(load_token(setting.data_folder))
    listener = serving.open_socket(server.host, server.port)
    address = f"{_scheme(server)}://{_in_url(server.host)}:{listener.getsockname()[1]}"
    with Iris(setting) as iris:
        voice = None if voice_settings.port is None else _voice(voice_settings)
        local = _local(state) if server.socket and described == SettingOptions() else None
        announced = _announced(voice) if voice and voice_settings.zeroconf else None
        services = [service for service in (voice, announced, local) if service is not None]
        app = build_app(iris, gate, server=server, services=services, mcp=_mcp())

        def tell() -> None:
            click.echo(f"Iris listens on {address}")
            if voice is not None:
                click.echo(f"Iris listens for voice on {voice.address}")
            # What a service writes goes to a log, where no secret belongs.
            if sys.stdout.isatty():
                click.echo(f"In a browser, once and within {LINK_MINUTES} minutes:")
                click.echo(f"  {_new_link(setting.data_folder, address)}")
            else:
                own = "" if address == DEFAULT_ADDRESS else f" --url {address}"
                click.echo(f"In a browser: open what `iris serve link{own}` prints")

        serving.serve(app, listener, server, started=tell)


_LISTENING = ("host", "port", "voice_host", "voice_port", "voice_allow")


def _settings(
    state: CliState, described: SettingOptions, flags: dict[str, Any]
) -> tuple[Server, Voice]:
    """Return the settings of the server and of voice, flags over what is configured.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    from iris_harness.config.serving import Server, Voice

    is_configured = not (described.demo or described.paths)
    server, voice = (
        (state.config.server, state.config.voice) if is_configured else (Server(), Voice())
    )
    given = {name: value for name, value in flags.items() if value not in {None, ()}}
    voice_given = {
        name.removeprefix("voice_"): value
        for name, value in given.items()
        if name.startswith("voice_")
    }
    server_given = {name: value for name, value in given.items() if not name.startswith("voice_")}
    return server.model_copy(update=server_given), voice.model_copy(update=voice_given)


@serve.command()
@click.option(
    "--renew",
    is_flag=True,
    help="Make a new one; the old one ends with the server, browsers are signed out.",
)
@setting_options
@click.pass_obj
def token(state: CliState, /, renew: bool, **options: Any) -> None:  # noqa: ANN401, FBT001 - click's keywords
    """Print the token that clients send."""
    from iris_harness.surfaces.web.access import load_token, renew_token

    folder = resolve_setting(state, SettingOptions(**options)).data_folder
    if not renew:
        click.echo(load_token(folder))
        return
    from iris_harness.surfaces.web.page.login import end_all_logins

    click.echo(renew_token(folder))
    end_all_logins(folder)


@serve.command()
@click.option(
    "--url", default=DEFAULT_ADDRESS, show_default=True, metavar="ADDRESS",
    help="Where your browser reaches the server.",
)  # fmt: skip
@setting_options
@click.pass_obj
def link(state: CliState, /, url: str, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Print an address that lets one browser in.

    It works once, and for a few minutes. The browser stays signed in for a month, until it signs
    out, or until `iris serve token --renew` signs every browser out.
    """
    folder = resolve_setting(state, SettingOptions(**options)).data_folder
    click.echo(_new_link(folder, url.rstrip("/")))


def _new_link(folder: Path, address: str) -> str:
    from iris_harness.clock import SystemClock
    from iris_harness.surfaces.web.access import Gate, load_token
    from iris_harness.surfaces.web.page.login import Logins

    secret = Logins(folder, Gate(load_token(folder)), SystemClock()).make_link()
    return f"{address}/login?once={secret}"


@serve.group()
def feed() -> None:
    """Let your phone's calendar show the plan: one address for each device."""


@feed.command()
@click.argument("name")
@setting_options
@click.pass_obj
def new(state: CliState, /, name: str, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Print a new address to subscribe to, for a device called NAME. It is shown this once."""
    from iris_harness.clock import SystemClock
    from iris_harness.surfaces.web.feed import FEED_PATH

    secret = _feed_keys(state, options).new(name, SystemClock().now())
    click.echo(f"http://127.0.0.1:{DEFAULT_PORT}{FEED_PATH}?token={secret}")


@feed.command("list")
@setting_options
@click.pass_obj
def list_(state: CliState, /, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """List the devices that have an address, oldest first."""
    keys = _feed_keys(state, options).list()
    for key in keys:
        click.echo(f"{key.made_at.date().isoformat()}  {key.name}")
    if not keys:
        click.echo("There is none; `iris serve feed new phone` makes one.")


@feed.command()
@click.argument("name")
@setting_options
@click.pass_obj
def revoke(state: CliState, /, name: str, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Close the address of a device at once."""
    _feed_keys(state, options).revoke(name)
    click.echo(f"The address of {name} opens nothing any more.")


def _feed_keys(state: CliState, options: dict[str, Any]) -> FeedKeys:
    from iris_harness.surfaces.web.feed_keys import FeedKeys

    return FeedKeys(resolve_setting(state, SettingOptions(**options)).data_folder)


def _voice(voice: Voice) -> VoiceService:
    try:
        from iris_harness.surfaces.voice.service import VoiceService
    except ImportError as error:
        raise UsageError(
            f"voice needs the package {error.name}", hint="pip install 'iris-harness[voice]'"
        ) from error
    return VoiceService(voice.host, voice.port or 0, voice.allow)


def _announced(voice: VoiceService) -> Announcement:
    try:
        from iris_harness.surfaces.voice.announce import Announcement
    except ImportError as error:
        raise UsageError(
            f"voice.zeroconf needs the package {error.name}",
            hint="pip install 'iris-harness[zeroconf]'",
        ) from error
    return Announcement(voice)


def _local(state: CliState) -> LocalService:
    from iris_harness.surfaces.local.place import identity
    from iris_harness.surfaces.local.service import LocalService

    return LocalService(state.data_folder(), identity(state.settings, state.timezone()))


def _mcp() -> Endpoint | None:
    """Return what answers the Model Context Protocol, where its package is there."""
    try:
        from iris_harness.surfaces.mcp.service import McpEndpoint
    except ImportError:
        return None
    return McpEndpoint()


def _scheme(server: Server) -> str:
    return "https" if server.tls_certificate else "http"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
