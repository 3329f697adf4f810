"""`iris serve`: answer chat clients and other programs on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.errors import ServerError, UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.state import CliState
from iris_harness.surfaces.loopback import is_loopback

if TYPE_CHECKING:
    from iris_harness.surfaces.briefing.service import BriefingService
    from iris_harness.surfaces.voice.service import VoiceService

DEFAULT_PORT = 7474


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
    """Answer chat clients over HTTP, and say briefings and reminders when they are due.

    Chat clients ask in OpenAI's or Ollama's way.

    Clients need the token that `iris serve token` prints, and as the address
    http://127.0.0.1:7474/v1 (OpenAI) or http://127.0.0.1:7474 (Ollama).
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
    from iris_harness.surfaces.web.app import LOOPBACK_HOSTS, Service, build_app

    _check_loopback(host)
    setting = resolve_setting(state, SettingOptions(**options))
    gate = Gate(load_token(setting.data_folder))
    listener = serving.open_socket(host, port)
    address = f"http://{_in_url(host)}:{listener.getsockname()[1]}"
    with Iris(setting) as iris:
        voices = [] if voice_port is None else [_voice(voice_host, voice_port, voice_allow)]
        services: list[Service] = [*voices, *_briefings(state, setting)]
        app = build_app(iris, gate, hosts=(*LOOPBACK_HOSTS, host.lower()), services=services)

        def tell() -> None:
            click.echo(f"Iris listens on {address}")
            for voice in voices:
                click.echo(f"Iris listens for voice on {voice.address}")

        serving.serve(app, listener, started=tell)


@serve.command()
@click.option("--renew", is_flag=True, help="Make a new one; the old one opens nothing any more.")
@setting_options
@click.pass_obj
def token(state: CliState, /, renew: bool, **options: Any) -> None:  # noqa: ANN401, FBT001 - click's keywords
    """Print the token that clients send."""
    from iris_harness.surfaces.web.access import load_token, renew_token

    folder = resolve_setting(state, SettingOptions(**options)).data_folder
    click.echo(renew_token(folder) if renew else load_token(folder))


def _briefings(state: CliState, setting: DaySetting) -> list[BriefingService]:
    """Return what says briefings and reminders; () for --demo and paths, which have none."""
    if setting.origin is not Origin.CONFIGURED:
        return []
    try:
        from iris_harness.surfaces.briefing.service import BriefingService
    except ImportError as error:
        click.echo(f"iris: nothing is said unasked: the package {error.name} is missing", err=True)
        return []
    return [BriefingService(state.settings)]


def _voice(host: str, port: int, allowed: Sequence[str]) -> VoiceService:
    try:
        from iris_harness.surfaces.voice.service import VoiceService
    except ImportError as error:
        raise UsageError(
            f"voice needs the package {error.name}", hint="pip install 'iris-harness[voice]'"
        ) from error
    return VoiceService(host, port, allowed)


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
