"""The page's addresses: each does one thing for who was let in.

Everything works with forms and links alone: a question is a form, its answer the page that the
browser is sent to. A script on the page asks for the same with a stream, to tell what is going on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from iris_harness.bootstrap.assistant import Turn
from iris_harness.bootstrap.shown import find_shown
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.reply import DayBlock
from iris_harness.curator.clean import clean
from iris_harness.curator.strings import find_language
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import until_gone
from iris_harness.surfaces.web.conversation import MOST_CHARACTERS
from iris_harness.surfaces.web.page.assets import load_assets
from iris_harness.surfaces.web.page.door import Door, Form, go
from iris_harness.surfaces.web.page.items import DayIndex
from iris_harness.surfaces.web.page.jobs.routes import JobPages
from iris_harness.surfaces.web.page.login import Logins
from iris_harness.surfaces.web.page.progress import LINES, progress_lines
from iris_harness.surfaces.web.page.shell import Shell
from iris_harness.surfaces.web.page.talk import Unkept
from iris_harness.surfaces.web.page.view import Asked, PageView

_MOST_DIGITS = 9
_UNBUFFERED = {"X-Accel-Buffering": "no"}  # tells proxies not to hold a stream back
_FIRST_DAY = dt.date(dt.MINYEAR + 2, 1, 1)
_LAST_DAY = dt.date(dt.MAXYEAR - 2, 12, 31)
_DEEDS = {
    "pin": ActionKind.PIN,
    "unpin": ActionKind.UNPIN,
    "skip": ActionKind.SKIP,
    "unskip": ActionKind.UNSKIP,
    "done": ActionKind.TODO_DONE,
}


def page_routes(desk: Desk, logins: Logins, note: Callable[[str], None]) -> tuple[Route, ...]:
    """Return every route of the page. They look themselves at who asks: no token opens them.

    `note` hears the cookie of each browser that was let in.
    """
    assets = load_assets()
    setting = desk.iris.setting
    shell = Shell(assets, find_language(setting.locale), has_jobs=setting.jobs is not None)
    door = Door(desk, logins, shell, note)
    page = _Page(desk, door, shell)
    gets = {"/": page.show, "/login": door.login}
    posts = {"/ask": page.ask, "/do": page.do, "/new": page.new, "/logout": door.logout}
    return (
        *(Route(path, door.guarded(handler)) for path, handler in gets.items()),
        *(Route(path, door.guarded(handler), methods=["POST"]) for path, handler in posts.items()),
        *JobPages(desk, door, shell).routes(),
        *assets.routes(),
    )


class _Page:
    """The handlers of who was let in."""

    def __init__(self, desk: Desk, door: Door, shell: Shell) -> None:
        self._desk = desk
        self._setting = desk.iris.setting
        self._door = door
        self._shell = shell
        self._language = find_language(self._setting.locale)
        self._unkept = Unkept()
        self._view = PageView(desk.iris, shell, self._unkept)

    async def show(self, request: Request) -> Response:
        """Answer ``GET /``: the conversation beside a day."""
        visitor = await self._door.visitor(request)
        given = request.query_params
        day = _read_day(given.get("day", ""))
        asked = Asked(
            day=day,
            is_known=day is not None or not given.get("day"),
            since=given.get("plan", ""),
            why=_number(given.get("why", "")),
        )
        return await self._desk.look(lambda: self._view.show(visitor, asked))

    async def ask(self, request: Request) -> Response:
        """Answer ``POST /ask``: a question, or the answer to one."""
        visitor, form = await self._door.form(request)
        said = form.get("text", "").strip()[:MOST_CHARACTERS]
        if not said:
            return go(self._address(form))
        question = Question(utterance=said, session=visitor.conversation)

        def address(turn: Turn) -> str:
            self._unkept.note(turn)
            return self._address(form, _day_of(turn))

        if LINES in request.headers.get("accept", ""):
            lines = progress_lines(self._desk, question, address, self._language)
            return StreamingResponse(lines, media_type=LINES, headers=_UNBUFFERED)
        return go(address(await until_gone(request, self._desk.answer(question))))

    async def do(self, request: Request) -> Response:
        """Answer ``POST /do``: a button of the day, or undo."""
        visitor, form = await self._door.form(request)
        chosen = await self._desk.look(lambda: self._chosen(form))
        if chosen is None:
            return self._shell.said("web.odd.gone", HTTPStatus.GONE)
        act = partial(self._desk.iris.act, *chosen, visitor.conversation)
        self._unkept.note(await self._desk.look(act))
        return go(self._address(form))

    def _chosen(self, form: Form) -> tuple[Action, str] | None:
        """Return the action that a button stands for, and what it says; None: it is gone."""
        deed = form.get("do", "")
        entry, number = (_number(form.get(name, "")) for name in ("entry", "item"))
        if deed == "undo" and entry is not None:
            action = Action(kind=ActionKind.UNDO, arguments={"entry": entry})
            return action, self._language.say("web.said.undo")
        before = None if number is None else find_shown(self._setting, form.get("plan", ""))
        if before is None or number is None:
            return None
        pointed = DayIndex(before.plan, may_act=True).get(number)
        if pointed is None or deed not in pointed.deeds:
            return None
        arguments: dict[str, Json] = {"item": pointed.item.title}
        if deed != "done":
            arguments["day"] = before.plan.date.isoformat()
        said = self._language.say(f"web.said.{deed}", title=clean(pointed.item.title))
        return Action(kind=_DEEDS[deed], target=pointed.item.source, arguments=arguments), said

    async def new(self, request: Request) -> Response:
        """Answer ``POST /new``: begin a new conversation; the old one stays in the history."""
        visitor, form = await self._door.form(request)
        await self._door.begin(visitor)
        return go(self._address(form, fragment="text"))

    def _address(self, form: Form, day: dt.date | None = None, *, fragment: str = "latest") -> str:
        """Return the page to go to: the day that is shown, compared with the plan it was.

        Today has no date in its address, so that the page shows tomorrow's today tomorrow.
        """
        shown = day or _read_day(form.get("day", "")) or self._setting.default_day()
        place = {} if shown == self._setting.default_day() else {"day": shown.isoformat()}
        if form.get("plan", "").isalnum():
            place["plan"] = form["plan"]
        return f"/?{urlencode(place)}#{fragment}"


def _read_day(text: str) -> dt.date | None:
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if _FIRST_DAY <= day <= _LAST_DAY else None


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None


def _day_of(turn: Turn) -> dt.date | None:
    """Return the day that an answer is about; None where it is none, or several."""
    days = {block.plan.date for block in turn.reply.blocks if isinstance(block, DayBlock)}
    return next(iter(days)) if len(days) == 1 else None
