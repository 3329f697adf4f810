"""``/plan.ics``: the blocks of the plan as a calendar that a phone subscribes to, read-only.

Calendar programs send no headers of their own, so the key is part of the address (`feed_keys`). It
opens this and nothing else. What did not change since the last look has the same ETag and date
(RFC 9110 §8.8), whatever "now" it was planned at.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import threading
from collections.abc import Mapping, Sequence
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from iris_harness.bootstrap.feed import plan_feed
from iris_harness.bootstrap.setting import DaySetting
from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.ical import days_calendar
from iris_harness.curator.strings import find_language
from iris_harness.surfaces.desk import Desk

FEED_PATH = "/plan.ics"
DAYS = 7
REFRESH_MINUTES = 15
"""How often calendar programs are asked to look; they decide themselves."""


class Edition(NamedTuple):
    """The calendar as it was last given out."""

    content: bytes
    etag: str
    changed_at: dt.datetime
    """UTC, whole seconds."""

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Return whether a client that sends `headers` has it (RFC 9110 §13.2.2)."""
        if named := headers.get("if-none-match"):
            return named.strip() == "*" or self.etag in {
                one.strip().removeprefix("W/") for one in named.split(",")
            }
        since = _instant(headers.get("if-modified-since", ""))
        return since is not None and self.changed_at <= since


class PlanFeed:
    """Gives out the calendar, and remembers how it last was. Thread-safe."""

    def __init__(self, setting: DaySetting, days: int = DAYS) -> None:
        """Take what to plan from, and how many days, today among them."""
        self._setting = setting
        self._days = days
        self._lock = threading.Lock()
        self._shown: object = None
        self._last: Edition | None = None

    def look(self) -> Edition:
        """Return the calendar as it is now."""
        with self._lock:  # phones that look at once get the same
            plans = plan_feed(self._setting, self._days)
            shown = tuple((plan.date, plan.blocks) for plan in plans)
            if self._last is None or shown != self._shown:
                self._shown, self._last = shown, self._edition(plans)
            return self._last

    def _edition(self, plans: Sequence[DailyPlan]) -> Edition:
        language = find_language(self._setting.locale)
        content = days_calendar(plans, language, refresh_minutes=REFRESH_MINUTES).encode()
        return Edition(
            content=content,
            etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
            changed_at=plans[0].now.astimezone(dt.UTC).replace(microsecond=0),
        )


class FeedApi:
    """The handler."""

    def __init__(self, desk: Desk, feed: PlanFeed) -> None:
        """Take where work is done, and what is given out."""
        self._desk = desk
        self._feed = feed

    async def calendar(self, request: Request) -> Response:
        """Answer ``GET /plan.ics``."""
        edition = await self._desk.look(self._feed.look)
        headers = {
            "ETag": edition.etag,
            "Last-Modified": format_datetime(edition.changed_at, usegmt=True),
            "Cache-Control": "private, no-cache",
        }
        if edition.is_known(request.headers):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(edition.content, media_type="text/calendar", headers=headers)


def _instant(text: str) -> dt.datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)
