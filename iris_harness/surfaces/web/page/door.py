"""Who asks for the page: links and cookies, and whether a form was sent by a page of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iris_harness.curator.clean import clean
from iris_harness.errors import StorageError
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.web.page.forms import is_own, read_form
from iris_harness.surfaces.web.page.login import SESSION_DAYS, Logins, Visitor
from iris_harness.surfaces.web.page.shell import Shell

Form: TypeAlias = Mapping[str, str]
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

_SAFE_COOKIE = "__Host-iris"  # browsers take one of this name over TLS only, from this host alone


class Refused(Exception):  # noqa: N818 - an answer on its way out, no error
    """What is answered instead: the visitor may not, or cannot, have what was asked for."""

    def __init__(self, answer: Response) -> None:
        """Take the answer."""
        super().__init__()
        self.answer = answer


class Door:
    """Lets browsers in and out, and says who they are."""

    def __init__(
        self, desk: Desk, logins: Logins, shell: Shell, note: Callable[[str], None]
    ) -> None:
        """Take where work is done, who may pass, what others are told, and who hears of guests."""
        self._desk = desk
        self._logins = logins
        self._shell = shell
        self._note = note

    def guarded(self, handler: Handler) -> Handler:
        """Return a handler whose refusals are answered, and so is a database that is of no use."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except Refused as refused:
                return refused.answer
            except StorageError as error:
                return self._shell.odd(clean(str(error)), HTTPStatus.SERVICE_UNAVAILABLE)

        return answer

    async def visitor(self, request: Request) -> Visitor:
        """Return who asks.

        Raises:
            Refused: nobody that was let in.
        """
        found = await self._find(request)
        if found is None:
            raise Refused(self._shell.locked(_address(request)))
        return found

    async def _find(self, request: Request) -> Visitor | None:
        secret = request.cookies.get(_cookie_name(request), "")
        found = await self._desk.look(lambda: self._logins.find(secret)) if secret else None
        if found is not None:
            self._note(secret)
        return found

    async def form(self, request: Request) -> tuple[Visitor, Form]:
        """Return who sent which form.

        Raises:
            Refused: nobody that was let in, or it is no form of this visitor's pages.
        """
        visitor = await self.visitor(request)
        form = await read_form(request)
        if not is_own(request, form, visitor):
            raise Refused(self._shell.said("web.odd.form", HTTPStatus.FORBIDDEN))
        return visitor, form

    async def login(self, request: Request) -> Response:
        """Answer ``GET /login?once=…``: let a browser in, once for each link."""
        if request.method == "HEAD":  # who only looks at a link does not use it up
            return Response()
        link = request.query_params.get("once", "")
        secret = await self._desk.look(lambda: self._logins.enter(link))
        if secret is None and await self._find(request) is not None:
            return go("/")  # the same link once more, by whom it has let in
        if secret is None:
            return self._shell.locked(_address(request), is_used=bool(link))
        self._note(secret)
        answer = go("/")
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
        visitor, _form = await self.form(request)
        await self._desk.look(lambda: self._logins.end(visitor))
        answer = go("/")
        answer.delete_cookie(_cookie_name(request), path="/", secure=_is_safe(request))
        return answer

    async def begin(self, visitor: Visitor) -> None:
        """Let the visitor's next question be the first of a new conversation."""
        await self._desk.look(lambda: self._logins.begin_conversation(visitor))


def go(address: str) -> RedirectResponse:
    """Return the answer that sends a browser to a page."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


def _is_safe(request: Request) -> bool:
    return request.url.scheme == "https"


def _address(request: Request) -> str:
    """Return the address that the browser reached this server by; the host was looked at before."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def _cookie_name(request: Request) -> str:
    """Return the cookie's name: browsers keep one set for all ports of a host."""
    return _SAFE_COOKIE if _is_safe(request) else f"iris-{request.url.port or 80}"
