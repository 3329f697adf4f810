"""A home with a day of its own, and what tests find in a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

NOW = "2026-03-26T08:00"
TODO_TXT = (
    "(A) Call mum due:2026-03-26\nBuy milk\nWrite report due:2026-03-26 est:2h\n"
    "Prepare slides due:2026-03-26 est:1h30m\n"
)
_EVENT = """\
BEGIN:VEVENT\r
UID:{uid}\r
DTSTAMP:20260101T000000Z\r
DTSTART:{start}\r
DTEND:{end}\r
SUMMARY:{summary}\r
LOCATION:{summary}\r
END:VEVENT\r
"""
_SETTINGS = "timezone: Europe/Berlin\ntodos: [~/todo.txt]\ncalendars: [~/work.ics]\n"


def make_home(home: Path, todo_txt: str = TODO_TXT, summary: str = "Stand-up") -> Path:
    """Fill a home with settings, a todo list and a calendar; return the list."""
    (home / ".config" / "iris").mkdir(parents=True)
    (home / ".config" / "iris" / "config.yaml").write_text(_SETTINGS)
    event = _EVENT.format(
        uid="standup", start="20260326T090000Z", end="20260326T091500Z", summary=summary
    )
    calendar = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n{event}END:VCALENDAR\r\n"
    (home / "work.ics").write_bytes(calendar.encode())
    file = home / "todo.txt"
    file.write_text(todo_txt)
    return file


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, object]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append({"action": given.get("action", ""), "fields": {}, "buttons": []})
        if tag == "input" and self.forms and given.get("type") == "hidden":
            fields = self.forms[-1]["fields"]
            assert isinstance(fields, dict)
            fields[given["name"]] = given["value"]
        if tag == "button" and self.forms:
            buttons = self.forms[-1]["buttons"]
            assert isinstance(buttons, list)
            buttons.append((given.get("aria-label", ""), given.get("name"), given.get("value")))


def form_fields(page: str, action: str, label: str = "") -> dict[str, str]:
    """Return what the browser sends for a form, and with `label` for that button of it."""
    parser = _Forms()
    parser.feed(page)
    for form in parser.forms:
        fields, buttons = form["fields"], form["buttons"]
        assert isinstance(fields, dict)
        assert isinstance(buttons, list)
        if form["action"] != action:
            continue
        if not label:
            return {str(key): str(value) for key, value in fields.items()}
        for name, key, value in buttons:
            if name == label:
                return {**fields, key: value}
    raise AssertionError(f"no form for {action} {label!r}")


def words(page: str) -> str:
    """Return the text of a page on one line, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
