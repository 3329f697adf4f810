"""Time zones: which names are zones, and which one this machine is set to."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from pathlib import Path

from iris_harness.config.environment import variables
from iris_harness.errors import ConfigError

AUTO = "auto"
_LOCALTIME = Path("/etc/localtime")


def is_zone(name: str) -> bool:
    """Return whether `name` is in the IANA data base, spelled exactly so."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False  # unknown; an absolute or escaping path; a folder such as "Europe"
    return True


def nearest_zone(name: str) -> str | None:
    """Return the zone a misspelled `name` most likely means; None when nothing is close."""
    import difflib

    zones = sorted(zoneinfo.available_timezones())
    wanted = name.casefold().replace(" ", "_")
    by_folded = {zone.casefold(): zone for zone in zones}
    by_city = {zone.rpartition("/")[2].casefold(): zone for zone in reversed(zones)}
    close = difflib.get_close_matches(wanted, by_folded, n=1, cutoff=0.75)
    if close:
        return by_folded[close[0]]
    city = difflib.get_close_matches(wanted.rpartition("/")[2], by_city, n=1, cutoff=0.8)
    return by_city[city[0]] if city else None


def system_zone(environ: Mapping[str, str] | None = None) -> str:
    """Return the IANA name of the zone this machine is set to (`TZ` first, then the system).

    A system without any zone setting runs on UTC.

    Raises:
        ConfigError: the system's settings contradict each other or name no IANA zone.
    """
    given = (variables() if environ is None else environ).get("TZ", "").removeprefix(":")
    if given and is_zone(given):
        return given
    import tzlocal

    try:
        name = tzlocal.get_localzone_name()
    except zoneinfo.ZoneInfoNotFoundError as error:
        raise _untold(str(error).splitlines()[0].strip("'\" ")) from error
    if name:
        return name
    if _LOCALTIME.exists():
        raise _untold("it is set to a file without a name")
    return "UTC"


def resolve_zone(setting: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the zone that a checked ``timezone`` setting means.

    Raises:
        ConfigError: it is ``auto`` and the system's zone cannot be told.
    """
    return system_zone(environ) if setting == AUTO else setting


def other_machine_zone(timezone: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the machine's zone where it is not `timezone`; empty where it is, or is unknown."""
    try:
        machine = system_zone(environ)
    except ConfigError:
        return ""
    return "" if machine == timezone else machine


def _untold(why: str) -> ConfigError:
    return ConfigError(
        f"this system's time zone cannot be told: {why}",
        key="timezone",
        expected="an Area/City name, as Europe/Berlin",
    )
