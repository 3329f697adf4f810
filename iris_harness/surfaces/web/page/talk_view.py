"""The conversation as HTML: turns, what waits for an answer, and the field to ask in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.curator.page.markup import Markup, element
from iris_harness.surfaces.web.page.forms import hidden
from iris_harness.surfaces.web.page.talk import Exchange

OPEN_TURNS = 3
"""The newest turns, which are not folded away."""

SHORT_LINES = 12
"""Lines of an answer that are shown; of a longer one all but the first few are folded away."""

FIRST_LINES = 4
EXAMPLES = ("plan my day", "what is overdue", "when am I free tomorrow")


class Latest(NamedTuple):
    """What is said of the newest turn only."""

    is_asking: bool
    """Whether something waits for a yes or a no."""
    moved: int
    """How many things of the day moved since it."""
    choices: tuple[str, ...] = ()
    """What the user is asked to choose from, by name; () when nothing is."""


class TalkWriter:
    """Writes the conversation as HTML."""

    def __init__(self, language: Language, form_key: str, place: dict[str, str]) -> None:
        """Take the key of the visitor's forms, and what each tells of the day that is shown."""
        self._say = language.say
        self._language = language
        self._hidden = hidden(key=form_key, **place)

    def talk(self, talk: Sequence[Exchange], now: dt.datetime, latest: Latest) -> Markup:
        """Return the whole section: turns, what waits for an answer, and the field to ask in.

        `now` is the machine's, in the user's zone. A script replaces the log and what asks.
        """
        turns = self._turns(talk, now, latest)
        return element(
            "section",
            element("h2", self._say("web.talk"), id="talk-head", class_="hushed"),
            element("div", *turns, id="log", between="\n"),
            self._status(),
            element(
                "div",
                self._ask_form(),
                self._new_form() if talk else self._examples(),
                id="asking",
                between="\n",
            ),
            id="talk",
            aria_labelledby="talk-head",
            between="\n",
        )

    def _status(self) -> Markup:
        """Return where a script tells what is going on, and what a screen reader then says."""
        said = element(
            "span",
            role="status",
            id="status",
            data_thinking=self._say("web.thinking"),
            data_failed=self._say("web.failed"),
            data_stopped=self._say("web.stopped"),
        )
        stop = element(
            "button", self._say("web.stop"), type="button", id="stop", class_="small", hidden=""
        )
        heard = element("span", role="status", id="heard", class_="hushed")
        return element("div", said, stop, heard, class_="status")

    def _turns(
        self, talk: Sequence[Exchange], now: dt.datetime, latest: Latest
    ) -> Iterator[Markup]:
        if not talk:
            yield element("p", self._say("web.welcome"), class_="welcome")
            return
        older, newest = talk[:-OPEN_TURNS], talk[-OPEN_TURNS:]
        if older:
            yield element(
                "details",
                element("summary", self._say("web.earlier", count=len(older))),
                element("ol", *(self._turn(one, now) for one in older), class_="turns"),
                class_="earlier",
            )
        shown = [self._turn(one, now) for one in newest[:-1]]
        shown.append(self._turn(newest[-1], now, latest))
        yield element("ol", *shown, class_="turns", between="\n")

    def _turn(self, one: Exchange, now: dt.datetime, latest: Latest | None = None) -> Markup:
        """Return one turn; the last one with what is only said of it."""
        local = one.at.astimezone(now.tzinfo)
        is_last = latest is not None
        return element(
            "li",
            element(
                "p",
                element("span", self._say("web.you"), class_="hushed"),
                element("bdi", one.said),
                element("time", self._when(local, now.date()), datetime=local.isoformat()),
                class_="said",
            ),
            element(
                "div",
                element("span", self._say("web.iris"), class_="hushed"),
                *answer_parts(one.answer, self._say("web.whole")),
                class_="answer",
                id="answer" if is_last else None,
                tabindex="-1" if is_last else None,
            ),
            self._answers(latest) or self._tools(one, latest),
            id="latest" if is_last else None,
        )

    def _when(self, at: dt.datetime, today: dt.date) -> str:
        is_today = at.date() == today
        return self._language.time(at) if is_today else self._language.day_and_time(at, today)

    def _tools(self, one: Exchange, latest: Latest | None) -> Markup | None:
        moved = latest.moved if latest else 0
        if one.entry is None and not moved:
            return None
        return element(
            "div",
            self._undo_form(one.entry, is_again=one.is_taken_back) if one.entry else None,
            element("a", self._say("web.moved", count=moved), href="#moves") if moved else None,
            class_="tools",
        )

    def _undo_form(self, entry: int, *, is_again: bool) -> Markup:
        label = self._say("web.do.again" if is_again else "web.do.undo")
        return element(
            "form",
            self._hidden,
            hidden(entry=entry),
            element("button", label, name="do", value="undo", class_="small"),
            method="post",
            action="/do",
        )

    def _answers(self, latest: Latest | None) -> Markup | None:
        """Return a button for each answer to what was asked back; None when nothing was."""
        if latest is None or not (latest.is_asking or latest.choices):
            return None
        answers = [(clean(name), name, "chip") for name in latest.choices]
        if latest.is_asking:
            yes, no = self._say("web.yes"), self._say("web.no")
            answers += [(yes, "yes", "main"), (no, "no", "plain")]
        buttons = (
            element("button", label, name="text", value=value, class_=look)
            for label, value, look in answers
        )
        return element(
            "form", self._hidden, *buttons, method="post", action="/ask", class_="tools answer-form"
        )

    def _ask_form(self) -> Markup:
        return element(
            "form",
            self._hidden,
            element("label", self._say("web.ask.label"), for_="text", class_="hushed"),
            element(
                "input",
                type="text",
                id="text",
                name="text",
                required="",
                autocomplete="off",
                enterkeyhint="send",
                maxlength=2000,
                placeholder=self._say("web.ask.placeholder"),
            ),
            element("button", self._say("web.ask"), class_="main"),
            method="post",
            action="/ask",
            class_="ask",
            id="ask",
        )

    def _examples(self) -> Markup:
        buttons = (
            element("button", one, name="text", value=one, class_="chip") for one in EXAMPLES
        )
        return element(
            "form",
            self._hidden,
            element("p", self._say("web.examples"), id="examples"),
            element("div", *buttons, role="group", aria_labelledby="examples", class_="examples"),
            method="post",
            action="/ask",
        )

    def _new_form(self) -> Markup:
        button = element("button", self._say("web.new"), class_="small")
        return element("form", self._hidden, button, method="post", action="/new", class_="new")


def answer_parts(
    text: str, whole: str, *, most: int = SHORT_LINES, first: int = FIRST_LINES
) -> Iterator[Markup]:
    """Yield an answer's paragraphs and lists.

    Of one with more than `most` lines all but the `first` are folded away under `whole`.
    """
    lines = text.splitlines()
    if len(lines) <= most:
        yield from _paragraphs(lines)
        return
    yield from _paragraphs(lines[:first])
    rest = _paragraphs(lines[first:])
    yield element("details", element("summary", whole), *rest, class_="whole")


def _paragraphs(lines: Iterable[str]) -> Iterator[Markup]:
    """Yield lines as paragraphs; those that are set in are items of a list."""
    items: list[Markup] = []
    for line in lines:
        if line.startswith("  "):
            items.append(element("li", element("bdi", line.strip())))
            continue
        if items:
            yield element("ul", *items)
            items = []
        if line:
            yield element("p", element("bdi", line))
    if items:
        yield element("ul", *items)
