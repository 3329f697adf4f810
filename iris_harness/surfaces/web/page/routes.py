"""The page's addresses: each looks at who asks, then at the form, then does one thing.

Everything works with forms and links alone: a question is a form, its answer the page that the
browser is sent to. A script on the page asks for the same with a stream, to tell what is going on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from iris_harness.bootstrap.assistant import Turn
from iris_harness.bootstrap.setting import Origin
from iris_harness.bootstrap.shown import find_shown, show_day
from iris_harness.clock import SystemClock
from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.explain import Explanation
from iris_harness.contracts.reply import DayBlock
from iris_harness.curator.clean import clean
from iris_harness.curator.strings import find_language
from iris_harness.errors import StorageError
from iris_harness.planner.explain import explain
from iris_harness.surfaces.desk import Desk, Question
from iris_harness.surfaces.web.answers import until_gone
from iris_harness.surfaces.web.conversation import MOST_CHARACTERS
from iris_harness.surfaces.web.page.assets import load_assets
from iris_harness.surfaces.web.page.day import DayWriter
from iris_harness.surfaces.web.page.forms import is_own, read_form
from iris_harness.surfaces.web.page.items import DayIndex
from iris_harness.surfaces.web.page.login import SESSION_DAYS, Logins, Visitor
from iris_harness.surfaces.web.page.progress import LINES, progress_lines
from iris_harness.surfaces.web.page.shell import Shell
from iris_harness.surfaces.web.page.talk import Latest, TalkWriter, Unkept, read_talk

Form: TypeAlias = Mapping[str, str]
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

_MOST_DIGITS = 9
_UNBUFFERED = {"X-Accel-Buffering": "no"}  # tells proxies not to hold a stream back
_SAFE_COOKIE = "__Host-iris"  # browsers take one of this name over TLS only, from this host alone
_FIRST_DAY = dt.date(dt.MINYEAR + 2, 1, 1)
_LAST_DAY = dt.date(dt.MAXYEAR - 2, 12, 31)
_DEEDS = {
    "pin": ActionKind.PIN,
    "unpin": ActionKind.UNPIN,
    "skip": ActionKind.SKIP,
    "unskip": ActionKind.UNSKIP,
    "done": ActionKind.TODO_DONE,
}


def page_routes(desk: Desk, logins: Logins) -> tuple[Route, ...]:
    """Return every route of the page. They look themselves at who asks: no token opens them."""
    assets = load_assets()
    page = _Page(desk, logins, Shell(assets, find_language(desk.iris.setting.locale)))
    return (
        Route("/", page.told(page.show)),
        Route("/login", page.told(page.login)),
        Route("/ask", page.told(page.ask), methods=["POST"]),
        Route("/do", page.told(page.do), methods=["POST"]),
        Route("/new", page.told(page.new), methods=["POST"]),
        Route("/logout", page.told(page.logout), methods=["POST"]),
        *assets.routes(),
    )


class _Asked(NamedTuple):
    """What the page is to show."""

    day: dt.date
    is_known: bool = True
    """Whether the day that was named exists."""
    since: str = ""
    """Id of the plan that was looked at before; empty: none."""
    why: int | None = None
    """Number in that plan of what is asked about; None: nothing is."""


class _Page:
    """The handlers."""

    def __init__(self, desk: Desk, logins: Logins, shell: Shell) -> None:
        self._desk = desk
        self._setting = desk.iris.setting
        self._logins = logins
        self._shell = shell
        self._language = find_language(self._setting.locale)
        self._unkept = Unkept()

    def told(self, handler: Handler) -> Handler:
        """Return a handler that tells people when the database cannot be used, and what helps."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except StorageError as error:
                return self._shell.odd(clean(str(error)), HTTPStatus.SERVICE_UNAVAILABLE)

        return answer

    # Who asks

    async def login(self, request: Request) -> Response:
        """Answer ``GET /login?once=…``: let a browser in, once for each link."""
        if request.method == "HEAD":  # who only looks at a link does not use it up
            return Response()
        link = request.query_params.get("once", "")
        secret = await self._desk.look(lambda: self._logins.enter(link))
        if secret is None:
            return self._shell.locked(is_used=bool(link))
        answer = _go("/")
        answer.set_cookie(
            _cookie_name(request),
            secret,
            max_age=SESSION_DAYS * 24 * 60 * 60,
            path="/",
            secure=_is_safe(request),
            httponly=True,
            samesite="strict",
        )
        return answer

    async def logout(self, request: Request) -> Response:
        """Answer ``POST /logout``."""
        asked = await self._form(request)
        if isinstance(asked, Response):
            return asked
        visitor, _ = asked
        await self._desk.look(lambda: self._logins.end(visitor))
        answer = _go("/")
        answer.delete_cookie(_cookie_name(request), path="/", secure=_is_safe(request))
        return answer

    async def _visitor(self, request: Request) -> Visitor | None:
        secret = request.cookies.get(_cookie_name(request))
        if not secret:
            return None
        return await self._desk.look(lambda: self._logins.find(secret))

    async def _form(self, request: Request) -> tuple[Visitor, Form] | Response:
        """Return who sent which form; a refusal where it is nobody, or no form of ours."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._shell.locked()
        form = await read_form(request)
        if not is_own(request, form, visitor):
            return self._shell.odd(self._language.say("web.odd.form"), HTTPStatus.FORBIDDEN)
        return visitor, form

    # What is shown

    async def show(self, request: Request) -> Response:
        """Answer ``GET /``: the conversation beside a day."""
        visitor = await self._visitor(request)
        if visitor is None:
            return self._shell.locked()
        asked = self._asked(request.query_params)
        return await self._desk.look(lambda: self._shown(visitor, asked))

    def _asked(self, given: Mapping[str, str]) -> _Asked:
        today = self._setting.default_day()
        day = _read_day(given.get("day", ""))
        return _Asked(
            day=day or today,
            is_known=day is not None or not given.get("day"),
            since=given.get("plan", ""),
            why=_number(given.get("why", "")),
        )

    def _shown(self, visitor: Visitor, asked: _Asked) -> Response:
        shown = show_day(self._setting, asked.day, since=asked.since)
        if not asked.is_known:
            shown = shown._replace(notes=(self._language.say("web.day.unknown"), *shown.notes))
        talk = read_talk(self._setting.data_folder, visitor.conversation)
        talk = (*talk, *self._unkept.of(visitor.conversation))
        plan = shown.plan
        place = {"day": plan.date.isoformat(), "plan": plan.plan_id}
        index = DayIndex(plan, may_act=self._setting.origin is Origin.CONFIGURED)
        day = DayWriter(shown, index, self._language, visitor.form_key)
        latest = Latest(
            is_asking=self._desk.iris.is_asking(visitor.conversation), moved=len(shown.moves)
        )
        return self._shell.page(
            self._language.date_long(plan.date),
            TalkWriter(self._language, visitor.form_key, place).talk(
                talk, SystemClock().now().astimezone(plan.now.tzinfo), latest
            ),
            day.day(self._setting.default_day(), self._told(asked)),
            visitor.form_key,
        )

    def _told(self, asked: _Asked) -> Explanation | None:
        """Return why something is where it is in the plan that was looked at."""
        before = None if asked.why is None else find_shown(self._setting, asked.since)
        if before is None or asked.why is None:
            return None
        pointed = DayIndex(before.plan, may_act=False).get(asked.why)
        return None if pointed is None else explain(before, pointed.item)

    # What is done

    async def ask(self, request: Request) -> Response:
        """Answer ``POST /ask``: a question, or the answer to one."""
        asked = await self._form(request)
        if isinstance(asked, Response):
            return asked
        visitor, form = asked
        said = form.get("text", "").strip()[:MOST_CHARACTERS]
        if not said:
            return _go(self._address(form))
        question = Question(utterance=said, session=visitor.conversation)

        def address(turn: Turn) -> str:
            self._unkept.note(turn)
            return self._address(form, _day_of(turn))

        if LINES in request.headers.get("accept", ""):
            lines = progress_lines(self._desk, question, address, self._language)
            return StreamingResponse(lines, media_type=LINES, headers=_UNBUFFERED)
        return _go(address(await until_gone(request, self._desk.answer(question))))

    async def do(self, request: Request) -> Response:
        """Answer ``POST /do``: a button of the day, or undo."""
        asked = await self._form(request)
        if isinstance(asked, Response):
            return asked
        visitor, form = asked
        chosen = await self._desk.look(lambda: self._chosen(form))
        if chosen is None:
            return self._shell.odd(self._language.say("web.odd.gone"), HTTPStatus.GONE)
        action, said = chosen
        act = partial(self._desk.iris.act, action, said, visitor.conversation)
        self._unkept.note(await self._desk.look(act))
        return _go(self._address(form))

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
        asked = await self._form(request)
        if isinstance(asked, Response):
            return asked
        visitor, form = asked
        await self._desk.look(lambda: self._logins.begin_conversation(visitor))
        return _go(self._address(form, fragment="text"))

    def _address(self, form: Form, day: dt.date | None = None, *, fragment: str = "latest") -> str:
        """Return the page to go to: the day that is shown, compared with the plan it was.

        Today has no date in its address, so that the page shows tomorrow's today tomorrow.
        """
        shown = day or _read_day(form.get("day", "")) or self._setting.default_day()
        place = {} if shown == self._setting.default_day() else {"day": shown.isoformat()}
        if form.get("plan", "").isalnum():
            place["plan"] = form["plan"]
        return f"/?{urlencode(place)}#{fragment}"


def _is_safe(request: Request) -> bool:
    return request.url.scheme == "https"


def _cookie_name(request: Request) -> str:
    """Return the cookie's name: browsers keep one set for all ports of a host."""
    return _SAFE_COOKIE if _is_safe(request) else f"iris-{request.url.port or 80}"


def _go(address: str) -> RedirectResponse:
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


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
