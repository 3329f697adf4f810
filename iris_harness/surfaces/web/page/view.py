"""The page as it is shown: what is read for it, and its parts put together."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from starlette.responses import Response

from iris_harness.bootstrap.assistant import Iris
from iris_harness.bootstrap.setting import Origin
from iris_harness.bootstrap.shown import ShownDay, find_shown, show_day
from iris_harness.clock import SystemClock
from iris_harness.contracts.explain import Explanation
from iris_harness.curator.page.markup import Markup
from iris_harness.curator.strings import find_language
from iris_harness.planner.explain import explain
from iris_harness.surfaces.web.page.day import DayWriter
from iris_harness.surfaces.web.page.items import DayIndex
from iris_harness.surfaces.web.page.login import Visitor
from iris_harness.surfaces.web.page.news import read_news, write_news
from iris_harness.surfaces.web.page.shell import Shell
from iris_harness.surfaces.web.page.talk import Unkept, read_talk
from iris_harness.surfaces.web.page.talk_view import Latest, TalkWriter


class Asked(NamedTuple):
    """What the page is to show."""

    day: dt.date | None = None
    """None: the day that is planned when none is named."""
    is_known: bool = True
    """Whether the day that was named exists."""
    since: str = ""
    """Id of the plan that was looked at before; empty: none."""
    why: int | None = None
    """Number in that plan of what is asked about; None: nothing is."""


class PageView:
    """Puts the page together."""

    def __init__(self, iris: Iris, shell: Shell, unkept: Unkept) -> None:
        """Take who answers, what is around the page, and the turns that no database has."""
        self._iris = iris
        self._setting = iris.setting
        self._shell = shell
        self._unkept = unkept
        self._language = find_language(iris.setting.locale)

    def show(self, visitor: Visitor, asked: Asked) -> Response:
        """Return the page; it plans the day.

        Raises:
            StorageError: the conversation cannot be read.
        """
        today = self._setting.default_day()
        shown = show_day(self._setting, asked.day or today, since=asked.since)
        if not asked.is_known:
            shown = shown._replace(notes=(self._language.say("web.day.unknown"), *shown.notes))
        now = SystemClock().now().astimezone(shown.plan.now.tzinfo)
        news = read_news(self._setting.data_folder, now)
        index = DayIndex(shown.plan, may_act=self._setting.origin is Origin.CONFIGURED)
        writer = DayWriter(shown, index, self._language, visitor.form_key)
        return self._shell.page(
            self._language.date_long(shown.plan.date),
            self._talk(visitor, shown, now),
            writer.day(today, self._told(asked), write_news(news, now, self._language)),
            visitor.form_key,
        )

    def _talk(self, visitor: Visitor, shown: ShownDay, now: dt.datetime) -> Markup:
        kept = read_talk(self._setting.data_folder, visitor.conversation)
        latest = Latest(
            is_asking=self._iris.is_asking(visitor.conversation),
            moved=len(shown.moves),
            choices=self._iris.choices(visitor.conversation),
        )
        place = {"day": shown.plan.date.isoformat(), "plan": shown.kept_id}
        writer = TalkWriter(self._language, visitor.form_key, place)
        return writer.talk((*kept, *self._unkept.of(visitor.conversation)), now, latest)

    def _told(self, asked: Asked) -> Explanation | None:
        """Return why something is where it is in the plan that was looked at."""
        before = None if asked.why is None else find_shown(self._setting, asked.since)
        if before is None or asked.why is None:
            return None
        pointed = DayIndex(before.plan, may_act=False).get(asked.why)
        return None if pointed is None else explain(before, pointed.item)
