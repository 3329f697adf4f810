"""Forms of a plan for other programs: Markdown, a web page, a calendar to import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from iris_harness.contracts.day import DailyPlan
from iris_harness.curator.language import Language
from iris_harness.curator.runs import FULL_DAYS
from iris_harness.curator.strings import find_language
from iris_harness.errors import IrisError, UsageError
from iris_harness.files import user_path

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class ViewOption(NamedTuple):
    """The view that the user asked for, and where it goes."""

    name: str
    """One of "markdown", "html", "ical"."""
    file: str
    """Empty: to standard output."""

    @classmethod
    def take(cls, options: dict[str, Any]) -> ViewOption | None:
        """Take these options out of a command's keywords; None when none is given.

        Raises:
            UsageError: more than one is given.
        """
        given = {name: options.pop(name) for name in _VIEWS}
        wanted = [cls(name, file) for name, file in given.items() if file is not None]
        if len(wanted) > 1:
            both = " and ".join(f"--{one.name}" for one in wanted)
            raise UsageError(f"{both} are two forms of one plan", hint="ask for one at a time")
        return wanted[0] if wanted else None


def view_options(command: CommandT) -> CommandT:
    """Add the options of `ViewOption` to a command; it receives them as keywords."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_VIEWS = {
    "markdown": "Print Markdown, or write it to a file.",
    "html": "Print a web page that needs nothing else, or write it to a file.",
    "ical": "Print the blocks as a calendar to import, or write it to a file.",
}

_OPTIONS: tuple[Callable[[Any], Any], ...] = tuple(
    click.option(f"--{name}", is_flag=False, flag_value="", metavar="[FILE]", help=text)
    for name, text in _VIEWS.items()
)


def show_view(
    plans: Sequence[DailyPlan], view: ViewOption, *, locale: str = "en", full: bool = False
) -> None:
    """Print plans, at least one, in the form asked for, or write them to its file.

    Raises:
        IrisError: the file cannot be written.
    """
    text = _rendered(plans, view.name, find_language(locale), full=full)
    if not view.file:
        click.echo(text.encode(), nl=False)  # as bytes: a calendar has line ends of its own
        return
    path = user_path(view.file)
    _write(path, text)
    click.echo(f"iris: wrote {path}", err=True)


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise IrisError(f"the file was not written: {error.strerror}: {path}") from error


def _rendered(plans: Sequence[DailyPlan], name: str, language: Language, *, full: bool) -> str:
    brief = len(plans) > FULL_DAYS and not full
    match name:
        case "markdown":
            from iris_harness.curator.markdown import days_markdown

            return days_markdown(plans, language, brief=brief, full=full) + "\n"
        case "html":
            from iris_harness.curator.page.document import days_page

            return days_page(plans, language, brief=brief, full=full)
        case _:
            from iris_harness.curator.ical import days_calendar

            return days_calendar(plans, language)
