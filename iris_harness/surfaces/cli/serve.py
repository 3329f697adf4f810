"""`iris serve`: answer browsers, chat clients and other programs on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.serve_feed import feed
from iris_harness.surfaces.cli.serve_parts import (
    LISTENING,
    announcement,
    briefing_service,
    listening_address,
    local_service,
    mcp_endpoint,
    named_address,
    public_address,
    server_settings,
    url_option,
    voice_service,
)
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.config.serving import Server, Voice


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
    """Show Iris in a browser, answer chat clients, and say briefings and reminders when due.

    `iris serve link` prints the address for your browser. Chat clients need the token that
    `iris serve token` prints, and as the address http://127.0.0.1:7474/v1 (those that ask OpenAI's
    way) or http://127.0.0.1:7474 (Ollama's). Everything in `server:` and `voice:` of the settings
    counts, and can be given with `iris --set`, too.
    """
    if ctx.invoked_subcommand is not None:
        return
    state: CliState = ctx.obj
    listening = {name: options.pop(name) for name in LISTENING}
    described = SettingOptions(**options)
    server, voice = server_settings(state, listening)
    _serve(state, described, server, voice)


def _serve(state: CliState, described: SettingOptions, server: Server, voice: Voice) -> None:
    try:
        from iris_harness.surfaces.web import serving
    except ImportError as error:
        raise UsageError(
            f"the server needs the package {error.name}", hint="pip install 'iris-harness[serve]'"
        ) from error
    from iris_harness.bootstrap.assistant import Iris
    from iris_harness.surfaces.web.access import Gate, load_token
    from iris_harness.surfaces.web.app import Service, build_app
    from iris_harness.surfaces.web.log import start_log
    from iris_harness.surfaces.web.memory import share_arenas

    serving.check_exposure(server)
    share_arenas()
    start_log(as_json=server.log == "json")
    setting = resolve_setting(state, described)
    gate = Gate(load_token(setting.data_folder))
    listener = serving.open_socket(server.host, server.port)
    port = listener.getsockname()[1]
    with Iris(setting) as iris:
        voices = [] if voice.port is None else [voice_service(voice)]
        announced = [announcement(one) for one in voices if voice.zeroconf]
        is_plain = described == SettingOptions()
        local = [local_service(state)] if server.socket and is_plain else []
        said = briefing_service(state, setting)
        services: list[Service] = [*voices, *announced, *local, *said]
        app = build_app(iris, gate, server=server, services=services, mcp=mcp_endpoint())

        def tell() -> None:
            click.echo(f"Iris listens on {listening_address(server, port)}")
            for one in voices:
                click.echo(f"Iris listens for voice on {one.address}")
            configured, _ = server_settings(state)
            usual = public_address(configured, configured.port)
            _tell_of_the_page(setting.data_folder, public_address(server, port), usual)

        stopping = app.state.desk.take_no_more
        serving.serve(app, listener, server, started=tell, stopping=stopping)


def _tell_of_the_page(folder: Path, address: str, usual: str) -> None:
    """Say how a browser is let in; `usual` is what `iris serve link` names by itself."""
    from iris_harness.surfaces.web.page.login import LINK_MINUTES

    # What a service writes goes to a log, where no secret belongs.
    if sys.stdout.isatty():
        click.echo(f"In a browser, once and within {LINK_MINUTES} minutes:")
        click.echo(f"  {_new_link(folder, address)}")
    else:
        own = "" if address == usual else f" --url {address}"
        click.echo(f"In a browser: open what `iris serve link{own}` prints")


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
@url_option
@setting_options
@click.pass_obj
def link(state: CliState, /, url: str | None, **options: Any) -> None:  # noqa: ANN401 - click's keywords
    """Print an address that lets one browser in.

    It works once, and for a few minutes. The browser stays signed in for a month, until it signs
    out, or until `iris serve token --renew` signs every browser out.
    """
    setting = resolve_setting(state, SettingOptions(**options))
    click.echo(_new_link(setting.data_folder, named_address(state, url)))


def _new_link(folder: Path, address: str) -> str:
    from iris_harness.clock import SystemClock
    from iris_harness.surfaces.web.access import Gate, load_token
    from iris_harness.surfaces.web.page.login import Logins

    secret = Logins(folder, Gate(load_token(folder)), SystemClock()).make_link()
    return f"{address}/login?once={secret}"


serve.add_command(feed)
