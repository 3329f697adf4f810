"""Whether an event stands, and whether it takes the user's time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from iris_harness.contracts.day import EventStatus

if TYPE_CHECKING:
    from iris_harness.sources.ical.entries import Entry

ATTENDANCE = ("STATUS", "TRANSP", "ATTENDEE", "X-MICROSOFT-CDO-BUSYSTATUS")
"""The properties that this module reads."""

_FREE_IN_OUTLOOK = frozenset({"FREE", "WORKINGELSEWHERE"})
_NOT_THERE = frozenset({"DECLINED", "DELEGATED"})
_MAILTO = re.compile(r"^mailto:", re.IGNORECASE)


def addresses(given: Iterable[str]) -> frozenset[str]:
    """Return mail addresses in the form they are compared in."""
    plain = (_MAILTO.sub("", text.strip()).strip().casefold() for text in given)
    return frozenset(filter(None, plain))


def status_of(entry: Entry, me: frozenset[str]) -> EventStatus:
    """Return the status, the user's own answer (RFC 5545 §3.2.12) included.

    Of several answers of the user the one that is no refusal counts.
    """
    answers = {
        attendee.parameters.get("PARTSTAT", "").upper()
        for attendee in entry.properties.all("ATTENDEE")
        if me & addresses((attendee.value, attendee.parameters.get("EMAIL", "")))
    }
    if answers and answers <= _NOT_THERE:
        return EventStatus.DECLINED
    said = {entry.properties.word("STATUS"), entry.properties.word("X-MICROSOFT-CDO-BUSYSTATUS")}
    tentative = "TENTATIVE" in said or answers == {"TENTATIVE"}
    return EventStatus.TENTATIVE if tentative else EventStatus.CONFIRMED


def takes_time(entry: Entry, status: EventStatus) -> bool:
    """Whether neither the user, nor TRANSP (§3.8.2.7), nor Outlook says the time stays free."""
    return (
        status is not EventStatus.DECLINED
        and entry.properties.word("TRANSP") != "TRANSPARENT"
        and entry.properties.word("X-MICROSOFT-CDO-BUSYSTATUS") not in _FREE_IN_OUTLOOK
    )
