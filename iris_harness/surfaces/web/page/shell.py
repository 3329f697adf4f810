"""What is around everything the page shows: the document, its policy, and short messages."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import HTMLResponse

from iris_harness.curator.language import Language
from iris_harness.curator.page.markup import Child, Markup, element
from iris_harness.curator.page.parts import patterns
from iris_harness.surfaces.web.page.assets import Asset, Assets
from iris_harness.surfaces.web.page.forms import hidden

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a browser may load and run: this server's own files, and nothing that stands in the page."""

_USUAL = "http://127.0.0.1:7474"
"""Where a server is that nothing was set for: `iris serve link` names it by itself."""


DAY = "/"
JOBS = "/jobs"


class Shell:
    """Writes documents."""

    def __init__(self, assets: Assets, language: Language, *, has_jobs: bool = False) -> None:
        """Take the files that a document names, and whether jobs have a page."""
        self._assets = assets
        self._has_jobs = has_jobs
        self._language = language
        self._say = language.say

    def page(self, title: str, talk: Markup, day: Markup, form_key: str) -> HTMLResponse:
        """Return the conversation beside the day."""
        return self._document(
            self._say("page.title", title=title),
            element(
                "nav",
                element("a", self._say("web.skip.ask"), href="#text"),
                element("a", self._say("web.skip.day"), href="#day-head"),
                aria_label=self._say("web.skip"),
                class_="skip",
            ),
            self._bar(form_key, DAY),
            element("main", talk, day, class_="app", between="\n"),
            script=self._assets.script,
        )

    def plain(self, title: str, main: Markup, form_key: str) -> HTMLResponse:
        """Return a page about jobs: `main`, which a script keeps as things are."""
        return self._document(
            self._say("page.title", title=title),
            self._bar(form_key, JOBS),
            main,
            script=self._assets.live,
        )

    def _bar(self, form_key: str, current: str) -> Markup:
        pages = self._pages(current) if self._has_jobs else None
        return element("header", self._brand(), pages, self._sign_out(form_key), class_="bar")

    def _pages(self, current: str) -> Markup:
        named = {DAY: self._say("web.pages.day"), JOBS: self._say("jobs.title")}
        links = (
            element("a", name, href=path, aria_current="page" if path == current else None)
            for path, name in named.items()
        )
        return element("nav", *links, aria_label=self._say("web.pages"), class_="pages")

    def _brand(self) -> Markup:
        icon = element("img", src=self._assets.icon.path, alt="", width=24, height=24)
        return element("h1", icon, self._say("web.title"))

    def _sign_out(self, form_key: str) -> Markup:
        return element(
            "form",
            hidden(key=form_key),
            element("button", self._say("web.sign_out"), class_="small"),
            method="post",
            action="/logout",
        )

    def locked(self, address: str, *, is_used: bool = False) -> HTMLResponse:
        """Return how to get in at `address`, which the browser reached the server by.

        `is_used`: it came with a link that opens nothing any more.
        """
        said = self._say("web.locked.used" if is_used else "web.locked.text")
        command = "iris serve link" + ("" if address == _USUAL else f" --url {address}")
        body = (element("p", said), element("pre", element("code", command)))
        return self._message("web.locked.title", body, HTTPStatus.UNAUTHORIZED)

    def said(self, key: str, status: HTTPStatus) -> HTMLResponse:
        """Return a message of the table: why nothing was done."""
        return self.odd(self._say(key), status)

    def odd(self, said: str, status: HTTPStatus) -> HTMLResponse:
        """Return why nothing was done, in words."""
        back = element("a", self._say("web.odd.back"), href="/", class_="button")
        return self._message("web.odd.title", (element("p", said), back), status)

    def _message(self, key: str, body: tuple[Child, ...], status: HTTPStatus) -> HTMLResponse:
        main = element(
            "main", self._brand(), element("h2", self._say(key)), *body, class_="message"
        )
        return self._document(self._say("page.title", title=self._say(key)), main, status=status)

    def _document(
        self,
        title: str,
        *body: Markup,
        status: HTTPStatus = HTTPStatus.OK,
        script: Asset | None = None,
    ) -> HTMLResponse:
        head = element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("title", title),
            element("link", rel="icon", href=self._assets.icon.path),
            element("link", rel="stylesheet", href=self._assets.style.path),
            element("script", src=script.path, defer="") if script else None,
            between="\n",
        )
        page = element(
            "html",
            head,
            element("body", patterns(), *body, between="\n"),
            lang=self._language.tag,
            between="\n",
        )
        headers: Mapping[str, str] = {"Content-Security-Policy": POLICY}
        return HTMLResponse(f"<!DOCTYPE html>\n{page}\n", status, headers=headers)
