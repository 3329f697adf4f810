"""How long one look at what is due takes, with many briefings and reminders set.

A tick is everything that happens each second: reading what is stored, finding what has come due,
and handing it to the channels. The bar is 20 ms with 1,000 scheduled entries, also where all of
them have come due at once: then the slowest of the ticks counts that it takes to hand them out.
"""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _support import describe_machine, measure_ms, print_table

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import configured_setting
from iris_harness.config.schema import Config
from iris_harness.config.settings import settings_of
from iris_harness.contracts.reminders import Reminder, ReminderChange, ReminderKind
from iris_harness.storage.reminders import apply_reminder_change
from iris_harness.storage.store import IrisStore
from iris_harness.surfaces.briefing.courier import Courier
from iris_harness.surfaces.briefing.ticking import build_courier
from iris_harness.testing import ManualClock

_COUNT = 1_000
_BAR_MS = 20
_TIMES = 200
_NIGHT = dt.datetime(2026, 4, 14, 1, 0, tzinfo=dt.UTC)
_RULES = ("", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=TU,FR", "FREQ=HOURLY;INTERVAL=9")


def main() -> int:
    """Measure, print, and return 1 where the bar is missed."""
    print(describe_machine())
    rows, slowest = [], 0.0
    for briefings, reminders in ((0, 0), (_COUNT, 0), (0, _COUNT), (_COUNT // 2, _COUNT // 2)):
        with ticking(briefings, reminders) as (courier, clock):
            idle = measure_ms(lambda: courier.tick(clock.now()), _TIMES)
            anew = measure_ms(lambda: _look_anew(courier, clock), _TIMES)
        slowest = max(slowest, idle, anew)
        name = f"{briefings:,} briefings, {reminders:,} reminders"
        rows.append((name, f"{idle:.2f} ms", f"{anew:.2f} ms"))
    for briefings, reminders in ((_COUNT, 0), (0, _COUNT)):
        with ticking(briefings, reminders) as (courier, clock):
            clock.advance(18 * 3600)
            busy = max(_hand_out(courier, clock))
        slowest = max(slowest, busy)
        what = "briefings" if briefings else "reminders"
        rows.append((f"all of {_COUNT:,} {what} have come due at once", "", f"{busy:.2f} ms"))
    print_table(("a tick with", "nothing new", "all looked at"), rows)
    print(f"bar: {_BAR_MS} ms; slowest: {slowest:.2f} ms")
    return int(slowest > _BAR_MS)


def _hand_out(courier: Courier, clock: ManualClock) -> Iterator[float]:
    """Tick until nothing is left that has come due; yield what each tick took."""
    is_left = True
    while is_left:
        yield measure_ms(lambda: courier.tick(clock.now()), 1)
        courier.wait()
        is_left = courier.has_more(clock.now())


def _look_anew(courier: Courier, clock: ManualClock) -> None:
    """Tick as after a change of anything: nothing that was computed before is used."""
    courier._agenda._quiet = None  # noqa: SLF001 - as the first tick of a process
    courier._book._schedules = None  # noqa: SLF001 - the same
    courier.tick(clock.now())


@contextmanager
def ticking(briefings: int, reminders: int) -> Iterator[tuple[Courier, ManualClock]]:
    """Yield what ticks, in the night before everything is due."""
    clock = ManualClock(_NIGHT)
    with tempfile.TemporaryDirectory() as name:
        settings = settings_of(Config.model_validate(_config(Path(name), briefings)))
        setting = configured_setting(settings, clock=clock)
        with IrisStore.open(setting.data_folder, clock) as store, Iris(setting) as iris:
            _remind(store, reminders)
            courier = build_courier(iris, settings, store)
            courier.tick(clock.now())  # the briefings are seen for the first time
            yield courier, clock
            courier.close()


def _config(folder: Path, briefings: int) -> dict[str, object]:
    return {
        "timezone": "Europe/Berlin",
        "storage": {"data_dir": str(folder / "data")},
        "briefing": [
            {"name": f"b{n}", "when": f"weekdays {6 + n % 12:02}:{n % 60:02}", "channels": "note"}
            for n in range(briefings)
        ],
        "reminders": {"channels": "note"},
        "channels": {"name": "note", "type": "file", "path": str(folder / "said.txt")},
    }


def _remind(store: IrisStore, count: int) -> None:
    session = store.deliveries._session  # noqa: SLF001 - a thousand journal entries would say nothing here
    with session.writing():
        for number in range(count):
            at = _NIGHT + dt.timedelta(hours=1, minutes=number % 600)
            rule = _RULES[number % len(_RULES)]
            one = Reminder(f"{number:08x}", ReminderKind.REMINDER, f"errand {number}", at, rule)
            apply_reminder_change(session, ReminderChange(before=None, after=one), _NIGHT)


if __name__ == "__main__":
    sys.exit(main())
