"""`iris briefing`: what Iris says unasked."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Sequence
from contextlib import closing
from zoneinfo import ZoneInfo

import click

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.day import open_store
from iris_harness.bootstrap.setting import DaySetting, configured_setting
from iris_harness.config.settings import Briefing, Settings
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.timetable import next_time, parse_timetable
from iris_harness.curator.clean import clean
from iris_harness.curator.strings import find_language
from iris_harness.errors import DeliveryError, UsageError
from iris_harness.storage.records import Delivery, DeliveryState
from iris_harness.storage.store import IrisStore
from iris_harness.storage.ticker import RUN_ONCE, WATCH, RunningTicker, find_ticker
from iris_harness.surfaces.briefing.agenda import briefing_now
from iris_harness.surfaces.briefing.channels.opening import open_channels
from iris_harness.surfaces.briefing.composing import trial_message
from iris_harness.surfaces.briefing.courier import Courier
from iris_harness.surfaces.briefing.ticking import TickingIris, settings_digest
from iris_harness.surfaces.cli.output import EXIT_ERROR, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState

_PATIENCE_SECONDS = 90.0
_LOOK_SECONDS = 0.2
_EVERY_ONE = 1_000_000
_NO_BRIEFING = "no briefing is set up"
_HOW = 'add to your settings, as in  briefing: [{name: morning, when: "weekdays 07:00"}]'
_NOBODY = (
    "Nobody is there to say it: `iris serve` or `iris briefing watch` has to run;"
    " `iris service install` starts Iris with your session."
)


@click.group()
def briefing() -> None:
    """Say your briefings, and see when they come and what became of them.

    They are set up in the settings (`briefing:`) and come by themselves while `iris serve` or
    `iris briefing watch` runs.
    """


@briefing.command()
@click.argument("name", required=False)
@click.option("--due", "only_due", is_flag=True, help="Only what is due, reminders too; for cron.")
@click.option("--again", is_flag=True, help="By channels too that have said it today.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def run(state: CliState, /, name: str | None, only_due: bool, again: bool, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Say today's briefing now, by each of its channels.

    A channel that has said it today does not say it again.
    """
    setting = configured_setting(state.settings)
    wanted = () if only_due else _named(state.settings, name)
    started = setting.clock.now()
    logging.disable()  # what became of each is printed
    ended = _Run(state.settings, setting).run(wanted, again=again)
    if as_json:
        print_json([_delivery_json(one) for one in ended])
    else:
        for one in ended:
            click.echo(_line(one, setting))
        if not ended:
            click.echo("Nothing is due.")
        elif not any(one.changed_at and one.changed_at >= started for one in ended):
            click.echo("It was said today already; --again says it once more.")
    is_fine = all(one.state is DeliveryState.DELIVERED for one in ended)
    return EXIT_OK if is_fine else EXIT_ERROR


def _named(settings: Settings, name: str | None) -> tuple[Briefing, ...]:
    found = tuple(one for one in settings.briefings if name in {None, one.name})
    if found:
        return found
    if name is None or not settings.briefings:
        raise UsageError(_NO_BRIEFING, hint=_HOW)
    known = ", ".join(one.name for one in settings.briefings)
    raise UsageError(f"no briefing is named {name!r}", hint=f"there is {known}")


class _Run:
    """One round of deliveries, by this process or by the one that is at it already."""

    def __init__(self, settings: Settings, setting: DaySetting) -> None:
        self._settings = settings
        self._setting = setting
        self._now = setting.clock.now()

    def run(self, wanted: Sequence[Briefing], *, again: bool) -> tuple[Delivery, ...]:
        """Deliver what is wanted, or else all that is due, and return how it ended."""
        zones = self._setting.zones
        asked = [one for each in wanted for one in briefing_now(each, self._now, zones)]
        with open_store(self._setting.data_folder) as store:
            store.deliveries.enter(asked, self._now)
            for one in asked:
                store.deliveries.reopen(one, self._now, again=again)
            with Iris(self._setting) as iris:
                ticking = TickingIris(iris, self._settings, RUN_ONCE)
                with closing(ticking):
                    self._say(store, ticking, asked)
            if asked:
                found = (store.deliveries.find(one.key) for one in asked)
                return tuple(one for one in found if one is not None)
            return store.deliveries.changed_since(self._now)

    def _say(self, store: IrisStore, ticking: TickingIris, asked: Sequence[Delivery]) -> None:
        """Deliver, unless a process that is at it already has tried what was asked for."""
        pause = threading.Event()
        for _ in range(int(_PATIENCE_SECONDS / _LOOK_SECONDS)):
            if ticking.take_over(self._now) and ticking.courier is not None:
                self._deliver(store, ticking.courier, asked)
                return
            found = (store.deliveries.find(one.key) for one in asked)
            if not any(one is not None and _is_untried(one) for one in found):
                return
            pause.wait(_LOOK_SECONDS)

    def _deliver(self, store: IrisStore, courier: Courier, asked: Sequence[Delivery]) -> None:
        if asked:
            keys = {one.key for one in asked}
            now = self._setting.clock.now()  # another may have asked for it a moment ago
            due = store.deliveries.due(now, limit=_EVERY_ONE)
            courier.deliver([one for one in due if one.key in keys], now)
            courier.wait(_PATIENCE_SECONDS)
            return
        courier.tick(self._now)
        while courier.wait(_PATIENCE_SECONDS) and courier.has_more(self._now):
            courier.tick(self._now)


def _is_untried(one: Delivery) -> bool:
    return one.state is DeliveryState.CLAIMED or (
        one.state is DeliveryState.DUE and one.attempts == 0
    )


@briefing.command(name="next")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def next_(state: CliState, /, as_json: bool) -> None:  # noqa: FBT001 - click's keywords
    """Say when each briefing comes next, and whether anybody will say it."""
    setting = configured_setting(state.settings)
    now, zone = setting.clock.now(), ZoneInfo(setting.timezone)
    coming = sorted(
        (next_time(parse_timetable(one.when), zone, now), one.name, one)
        for one in state.settings.briefings
    )
    ticker = find_ticker(setting.data_folder)
    if as_json:
        print_json(
            {
                "briefings": [
                    {"name": name, "at": at.isoformat(), "say": one.say, "by": list(one.channels)}
                    for at, name, one in coming
                ],
                "said_by": ticker.place if ticker else None,
            }
        )
        return
    language = find_language(setting.locale)
    for at, name, one in coming:
        when = language.day_and_time(at, now.astimezone(zone).date())
        click.echo(f"{name}: {when}, by {language.listing(one.channels)}: “{clean(one.say)}”")
    if not coming:
        click.echo(f"{_NO_BRIEFING.capitalize()}; {_HOW}")
    elif ticker is None or not ticker.stays:
        click.echo(_NOBODY)
    elif ticker.settings not in {"", settings_digest(state.settings)}:
        click.echo(
            f"`{ticker.place}` runs by older settings; start it again to have it follow these."
        )


@briefing.command()
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 1_000_000), help="How many."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def history(state: CliState, /, limit: int, as_json: bool) -> None:  # noqa: FBT001 - click's keywords
    """List what was said unasked, reminders too, and what became of it; newest first."""
    setting = configured_setting(state.settings)
    with open_store(setting.data_folder) as store:
        found = store.deliveries.list(limit=limit)
    if as_json:
        print_json([_delivery_json(one) for one in found])
        return
    for one in found:
        click.echo(_line(one, setting))
    if not found:
        click.echo("Nothing was said unasked yet.")


@briefing.command()
@click.argument("channels", nargs=-1)
@click.pass_obj
def test(state: CliState, /, channels: tuple[str, ...]) -> int:
    """Say a word by each channel that briefings and reminders use, or by those named.

    Nothing is counted as said.
    """
    used = [*(name for one in state.settings.briefings for name in one.channels)]
    names = channels or tuple(dict.fromkeys([*used, *state.settings.reminder_channels]))
    opened = open_channels(state.settings.channels)
    if unknown := [name for name in names if name not in opened]:
        hint = f"there is {', '.join(sorted(opened))}"
        raise UsageError(f"no channel is named {unknown[0]!r}", hint=hint)
    language = find_language(state.settings.locale)
    now = configured_setting(state.settings).local_now()
    failed = False
    for name in names:
        try:
            receipt = opened[name].deliver(trial_message(name, language, now))
            click.echo(f"{name}: {receipt.detail}")
        except DeliveryError as error:
            failed = True
            click.echo(f"{name}: {error}", err=True)
    return EXIT_ERROR if failed else EXIT_OK


@briefing.command()
@click.pass_obj
def watch(state: CliState, /) -> None:
    """Say briefings and reminders when they are due, until stopped.

    `iris serve` does the same beside answering; one of the two is enough.
    """
    try:
        from iris_harness.scheduling import Ticker
    except ImportError as error:
        raise UsageError(
            f"this needs the package {error.name}", hint="pip install 'iris-harness[briefing]'"
        ) from error
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    setting = configured_setting(state.settings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    with Iris(setting) as iris, closing(TickingIris(iris, state.settings, WATCH)) as ticking:
        other = find_ticker(setting.data_folder)
        ticker = Ticker(ticking.tick, setting.clock)
        ticker.start()
        click.echo(_watching(state.settings, other))
        stop.wait()
        ticker.stop()


def _watching(settings: Settings, other: RunningTicker | None) -> str:
    count = len(settings.briefings)
    what = "1 briefing" if count == 1 else f"{count} briefings"
    said = f"Iris watches over {what} and your reminders; Ctrl-C ends it."
    if other is not None and other.stays:
        return f"{said}\n{other.place} is at it already; this one takes over when that one ends."
    return said


def _line(one: Delivery, setting: DaySetting) -> str:
    zone = ZoneInfo(setting.timezone)
    at = (one.changed_at or one.due_at).astimezone(zone)
    what = f"“{clean(one.title)}”" if one.title else f"{one.name} of {one.day}"
    detail = f"; {clean(one.detail)}" if one.detail else ""
    state = _STATES[one.state]
    if one.state is DeliveryState.DUE and one.attempts:
        state = "not said yet, and tried again by an Iris that runs"
    return f"{at:%Y-%m-%d %H:%M}  {one.kind.value}  {what} by {one.channel}: {state}{detail}"


_STATES = {
    DeliveryState.DUE: "due",
    DeliveryState.CLAIMED: "being said",
    DeliveryState.DELIVERED: "said",
    DeliveryState.FAILED: "not said",
    DeliveryState.UNCERTAIN: "perhaps said",
    DeliveryState.MISSED: "missed",
    DeliveryState.CANCELLED: "cancelled",
}


def _delivery_json(one: Delivery) -> dict[str, Json]:
    return {
        "kind": one.kind.value,
        "name": one.name,
        "channel": one.channel,
        "day": one.day.isoformat(),
        "due_at": one.due_at.isoformat(),
        "title": one.title,
        "state": one.state.value,
        "attempts": one.attempts,
        "changed_at": one.changed_at.isoformat() if one.changed_at else None,
        "detail": one.detail,
    }
