"""What Iris said unasked: briefings and reminders whose channel is the page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from iris_harness.bootstrap.day import open_store
from iris_harness.curator.clean import clean, clean_lines
from iris_harness.curator.language import Language
from iris_harness.curator.page.markup import Markup, element
from iris_harness.storage.records import Delivery
from iris_harness.surfaces.web.page.talk_view import answer_parts

SHOWN_HOURS = 24
_MOST = 5
_SHORT_LINES = 3


def read_news(folder: Path, now: dt.datetime) -> tuple[Delivery, ...]:
    """Return what was said lately, newest first; `now` is the machine's, aware.

    Raises:
        StorageError: the database cannot be read.
    """
    with open_store(folder) as store:
        return tuple(store.deliveries.shown(now - dt.timedelta(hours=SHOWN_HOURS), limit=_MOST))


def write_news(news: Sequence[Delivery], now: dt.datetime, language: Language) -> Markup | None:
    """Return it as a part of the page; None for nothing. `now` is in the user's zone."""
    if not news:
        return None
    return element(
        "section",
        element("h3", language.say("web.news"), id="news-head"),
        element("ul", *(_item(one, now, language) for one in news), class_="news"),
        id="news",
        class_="card panel",
        aria_labelledby="news-head",
    )


def _item(one: Delivery, now: dt.datetime, language: Language) -> Markup:
    title, _, text = clean_lines(one.content).partition("\n")
    at = one.due_at.astimezone(now.tzinfo)
    is_today = at.date() == now.date()
    when = language.time(at) if is_today else language.day_and_time(at, now.date())
    return element(
        "li",
        element("time", when, datetime=at.isoformat()),
        element("bdi", clean(title) or language.say("untitled"), class_="title"),
        *answer_parts(text, language.say("web.news.whole"), most=_SHORT_LINES, first=0),
        between=" ",
    )
