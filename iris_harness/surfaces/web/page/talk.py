"""The conversation: what is kept of it, and how a page shows it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from iris_harness.bootstrap.assistant import Turn
from iris_harness.bootstrap.day import open_store
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.reports import ActionState
from iris_harness.curator.clean import clean, clean_lines
from iris_harness.curator.language import Language
from iris_harness.curator.page.markup import Markup, element
from iris_harness.errors import RecordNotFoundError
from iris_harness.storage.records import EntryState, StoredTurn
from iris_harness.storage.store import IrisStore
from iris_harness.surfaces.web.page.forms import hidden

MOST_TURNS = 40
"""Turns of a conversation that a page shows."""

OPEN_TURNS = 3
"""The newest of them, which are not folded away."""

SHORT_LINES = 12
"""Lines of an answer that are shown; of a longer one the rest is folded away."""

FIRST_LINES = 4
_MOST_UNKEPT = 100
EXAMPLES = ("plan my day", "what is overdue", "when am I free tomorrow")


class Exchange(NamedTuple):
    """One turn as a page shows it."""

    said: str
    answer: str
    at: dt.datetime
    """Aware."""
    entry: int | None = None
    """The change it made that can be taken back now; None: there is none."""
    is_taken_back: bool = False
    """Whether what it did is that something was undone."""


class Latest(NamedTuple):
    """What is said of the newest turn only."""

    is_asking: bool
    """Whether something waits for a yes or a no."""
    moved: int
    """How many things of the day moved since it."""


class Unkept:
    """The newest turn of a conversation that could not be kept: it is shown all the same.

    Used by one thread only, that of the server's event loop, but for `of`.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._turns: dict[str, Exchange] = {}

    def note(self, turn: Turn) -> None:
        """Remember a turn that was not kept; one that was kept takes its place."""
        trace, reply = turn.trace, turn.reply
        self._turns.pop(trace.session_id, None)
        if reply.trace_id:
            return
        if len(self._turns) >= _MOST_UNKEPT:
            del self._turns[next(iter(self._turns))]  # the oldest
        lines = (reply.text, *reply.warnings)
        self._turns[trace.session_id] = Exchange(
            said=clean(trace.utterance), answer=clean_lines("\n".join(lines)), at=trace.asked_at
        )

    def of(self, session: str) -> tuple[Exchange, ...]:
        """Return the turn of a conversation, () when all are kept."""
        found = self._turns.get(session)
        return () if found is None else (found,)


def read_talk(folder: Path, session: str) -> tuple[Exchange, ...]:
    """Return the turns of a conversation that are kept, oldest first.

    Raises:
        StorageError: the database cannot be read.
    """
    with open_store(folder) as store:
        turns = store.list_turns(session=session, limit=MOST_TURNS)
        return tuple(_exchange(turn, store) for turn in reversed(turns))


def _exchange(turn: StoredTurn, store: IrisStore) -> Exchange:
    entry, kind = _last_done(turn.trace)
    if entry is not None and not _is_undoable(entry, store):
        entry = None
    return Exchange(
        said=clean(turn.utterance),
        answer=clean_lines(turn.reply),
        at=turn.asked_at,
        entry=entry,
        is_taken_back=kind == ActionKind.UNDO,
    )


def _last_done(trace: str) -> tuple[int | None, str]:
    actions = json.loads(trace).get("actions", [])
    done = [one for one in actions if one["state"] == ActionState.DONE.value and one["entry"]]
    return (done[-1]["entry"], done[-1]["kind"]) if done else (None, "")


def _is_undoable(entry: int, store: IrisStore) -> bool:
    try:
        found = store.journal.get(entry)
    except RecordNotFoundError:
        return False
    return found.undoable and found.state is EntryState.DONE


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
            self._yes_no() if latest and latest.is_asking else self._tools(one, latest),
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

    def _yes_no(self) -> Markup:
        buttons = (
            element("button", self._say(f"web.{word}"), name="text", value=word, class_=look)
            for word, look in (("yes", "main"), ("no", None))
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
