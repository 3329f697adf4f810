"""`iris serve`: answer browsers, chat clients and other programs on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iris_harness.errors import ServerError, UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.loopback import is_loopback

if TYPE_CHECKING:
    from iris_harness.surfaces.local.service import LocalService
    from iris_harness.surfaces.voice.service import VoiceService
    from iris_harness.surfaces.web.app import Endpoint
    from iris_harness.surfaces.web.feed_keys import FeedKeys

DEFAULT_PORT = 7474
DEFAULT_ADDRESS = f"http://127.0.0.1:{DEFAULT_PORT}"


@click.group(invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes one that is free.",
)  # fmt: skip
@click.option(
    "--voice-port", type=click.IntRange(0, 65535),
    help="Also answer voice assistants (Wyoming) on this port; Home Assistant's own is 10500.",
)  # fmt: skip
@click.option(
    "--voice-host", default="127.0.0.1", show_default=True, help="Address to listen on for voice."
)
@click.option(
    "--voice-allow", multiple=True, metavar="ADDRESS",
    help="Address or network that may ask by voice, as 192.168.1.20 or 192.168.1.0/24.",
)  # fmt: skip
@setting_options
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    host: str,
    port: int,
    voice_port: int | None,
    voice_host: str,
    voice_allow: tuple[str, ...],
    **options: Any,  # noqa: ANN401 - click's keywords
) -> None:
    """Show Iris in a browser, and answer chat clients over HTTP.

    `iris serve link` prints the address for your browser. Chat clients need the token that
    `iris serve token` prints, and as the address http://127.0.0.1:7474/v1 (those that ask OpenAI's
    way) or http://127.0.0.1:7474 (Ollama's).
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
    from iris_harness.surfaces.web.app import LOOPBACK_HOSTS, build_app
    from iris_harness.surfaces.web.page.login import LINK_MINUTES

    _check_loopback(host)
    serving.start_log()
    described = SettingOptions(**options)
    setting = resolve_setting(state, described)
    gate = Gate(load_token(setting.data_folder))
    listener = serving.open_socket(host, port)
    address = f"http://{_in_url(host)}:{listener.getsockname()[1]}"
    with Iris(setting) as iris:
        voice = None if voice_port is None else _voice(voice_host, voice_port, voice_allow)
        local = _local(state) if described == SettingOptions() else None
        services = [service for service in (voice, local) if service is not None]
        hosts = (*LOOPBACK_HOSTS, host.lower())
        app = build_app(iris, gate, hosts=hosts, services=services, endpoints=_endpoints())

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

        serving.serve(app, listener, started=tell)


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


def _voice(host: str, port: int, allowed: Sequence[str]) -> VoiceService:
    try:
        from iris_harness.surfaces.voice.service import VoiceService
    except ImportError as error:
        raise UsageError(
            f"voice needs the package {error.name}", hint="pip install 'iris-harness[voice]'"
        ) from error
    return VoiceService(host, port, allowed)


def _local(state: CliState) -> LocalService:
    from iris_harness.surfaces.local.place import identity
    from iris_harness.surfaces.local.service import LocalService

    return LocalService(state.data_folder(), identity(state.settings, state.timezone()))


def _endpoints() -> dict[str, Endpoint]:
    """Return what answers paths of its own: MCP, where its package is there."""
    try:
        from iris_harness.surfaces.mcp.service import MCP_PATH, McpEndpoint
    except ImportError:
        return {}
    return {MCP_PATH: McpEndpoint()}


def _check_loopback(host: str) -> None:
    """Refuse an address that other machines reach: what they send would not be encrypted.

    Raises:
        ServerError: it is one.
    """
    if not is_loopback(host):
        raise ServerError(
            f"{host} is no address of this machine's own",
            hint="listen on 127.0.0.1 and put a reverse proxy with TLS in front of it",
        )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
