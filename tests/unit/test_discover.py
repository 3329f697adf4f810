from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from iris_harness.contracts.sources import SourceKind
from iris_harness.sources.discover import Discovery, FoundSource, find_sources

EVENT = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
CARD = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n"
TODO = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def _write(home: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def _said(source: FoundSource, home: Path) -> tuple[str, str, str, str, bool]:
    path = str(source.path.relative_to(home))
    return (source.kind.value, source.name, path, source.found_in, source.exists)


def _listed(found: Discovery, home: Path) -> list[tuple[str, str, str, str, bool]]:
    return [_said(source, home) for source in found.sources]


def test_an_empty_home_has_nothing_and_no_warning(home: Path) -> None:
    assert find_sources(home, {}) == Discovery(sources=(), warnings=())


KHAL = """\
# a comment
[calendars]

  [[home]]
    path = ~/cal/home   # where it is
    color = dark green

  [[at work]]
  path = "$DATA/wo#rk"

  [[friends]]
  path = ~/contacts
  type = birthdays

  [[rest]]
  path = ~/synced/*
  type = discover

[locale]
timeformat = %H:%M
path = not/a/calendar
"""


def test_khals_calendars_are_found_with_their_names_and_lines(home: Path) -> None:
    _write(home, {".config/khal/config": KHAL})
    for folder in ("cal/home", "synced/one", "synced/two", "synced/.git", "contacts"):
        (home / folder).mkdir(parents=True)
    _write(home, {"synced/two/displayname": "Second\n", "synced/file.txt": ""})
    found = find_sources(home, {"DATA": str(home / "data")})
    assert _listed(found, home) == [
        ("calendar", "home", "cal/home", "~/.config/khal/config:5", True),
        ("calendar", "at work", "data/wo#rk", "~/.config/khal/config:9", False),
        ("contacts", "friends", "contacts", "~/.config/khal/config:12", True),
        ("calendar", "one", "synced/one", "~/.config/khal/config:16", True),
        ("calendar", "Second", "synced/two", "~/.config/khal/config:16", True),
    ]
    assert found.warnings == ()


VDIRSYNCER = """\
[general]
status_path = "~/.vdirsyncer/status/"

[pair cal]
a = "local"
b = "remote"
collections = ["from a",
  "from b"]

[storage local]
type = "filesystem"
path = "~/.sync/cal/"
fileext = ".ics"

[storage contacts]
type = "filesystem"
path = "~/.sync/contacts/"
fileext = ".vcf"

[storage one]
type = "singlefile"
path = "~/.sync/%s.ics"

[storage remote]
type = "caldav"
url = "https://example.org/"
password.fetch = ["command", "pass", "show", "dav"]
"""


def test_vdirsyncers_folders_are_told_apart_by_what_is_in_them(home: Path) -> None:
    _write(
        home,
        {
            ".vdirsyncer/config": VDIRSYNCER,
            ".sync/cal/work/a.ics": EVENT,
            ".sync/cal/chores/a.ics": TODO,
            ".sync/cal/mixed/a.ics": TODO,
            ".sync/cal/mixed/b.ics": EVENT.lower(),
            ".sync/cal/new/color": "#ff0000",
            ".sync/contacts/a.vcf": "BEGIN:VCARD",
            ".sync/single.ics": EVENT,
        },
    )
    found = find_sources(home, {})
    assert _listed(found, home) == [
        ("todo", "chores", ".sync/cal/chores", "~/.vdirsyncer/config:12", True),
        ("calendar", "mixed", ".sync/cal/mixed", "~/.vdirsyncer/config:12", True),
        ("todo", "mixed", ".sync/cal/mixed", "~/.vdirsyncer/config:12", True),
        ("calendar", "new", ".sync/cal/new", "~/.vdirsyncer/config:12", True),
        ("calendar", "work", ".sync/cal/work", "~/.vdirsyncer/config:12", True),
        ("contacts", "contacts", ".sync/contacts", "~/.vdirsyncer/config:17", True),
        ("calendar", "single", ".sync/single.ics", "~/.vdirsyncer/config:22", True),
    ]
    assert found.warnings == ()


def test_a_folder_that_was_never_synced_is_found_and_said_to_be_missing(home: Path) -> None:
    _write(home, {".config/vdirsyncer/config": VDIRSYNCER})
    calendars, contacts = find_sources(home, {}).sources
    assert (calendars.path, calendars.exists) == (home / ".sync" / "cal", False)
    assert (contacts.path, contacts.exists) == (home / ".sync" / "contacts", False)


KHARD = """\
[addressbooks]
[[family]]
path = ~/people/family/
[[the rest]]
path = ~/people/groups/
type = discover
[[nothing]]
[general]
default_action = list
"""


def test_khards_address_books_are_found_with_their_names_and_lines(home: Path) -> None:
    files = {
        ".config/khard/khard.conf": KHARD,
        "people/family/ada.vcf": CARD,
        "people/groups/club/b.vcf": CARD,
        "people/groups/choir/c.vcf": CARD,
    }
    _write(home, files)
    found = find_sources(home, {})
    assert _listed(found, home) == [
        ("contacts", "family", "people/family", "~/.config/khard/khard.conf:3", True),
        ("contacts", "choir", "people/groups/choir", "~/.config/khard/khard.conf:5", True),
        ("contacts", "club", "people/groups/club", "~/.config/khard/khard.conf:5", True),
    ]
    assert found.warnings == (
        "~/.config/khard/khard.conf:7: the address book 'nothing' has no path",
    )


def test_address_books_in_the_usual_folders_are_found_and_empty_ones_are_not(home: Path) -> None:
    _write(home, {".contacts/ada.vcf": CARD, ".local/share/contacts/club/a.vcf": CARD})
    (home / "contacts").mkdir()
    assert _listed(find_sources(home, {}), home) == [
        ("contacts", ".contacts", ".contacts", "~/.contacts", True),
        ("contacts", "club", ".local/share/contacts/club", "~/.local/share/contacts", True),
    ]


def test_an_address_book_that_is_a_database_is_said_and_not_offered(home: Path) -> None:
    _write(home, {".local/share/evolution/addressbook/system/contacts.db": "SQLite format 3"})
    found = find_sources(home, {})
    assert found.sources == ()
    (warning,) = found.warnings
    assert warning.startswith("~/.local/share/evolution/addressbook/system/contacts.db: ")


def test_todomans_settings_are_read_and_never_run(home: Path) -> None:
    code = 'raise SystemExit("this must not run")\npath = "~/lists/*"\ndefault_list = "a"\n'
    _write(home, {".config/todoman/config.py": code, "lists/a/x.ics": TODO, "lists/b/x.ics": TODO})
    assert _listed(find_sources(home, {}), home) == [
        ("todo", "a", "lists/a", "~/.config/todoman/config.py:2", True),
        ("todo", "b", "lists/b", "~/.config/todoman/config.py:2", True),
    ]


def test_todomans_older_settings_are_read_too(home: Path) -> None:
    _write(home, {"cfg/todoman/todoman.conf": "[main]\npath = ~/lists/*\n", "lists/a/x.ics": TODO})
    found = find_sources(home, {"XDG_CONFIG_HOME": str(home / "cfg")})
    assert _listed(found, home) == [("todo", "a", "lists/a", "~/cfg/todoman/todoman.conf:2", True)]


TODO_CFG = """\
# === EDIT FILE LOCATIONS BELOW ===
export TODO_DIR="$HOME/notes/todo"   # your folder
export TODO_FILE="${TODO_DIR}/todo.txt"
export DONE_FILE="$TODO_DIR/done.txt"
export COLOR=$(tput setaf 1)
"""


def test_todo_txt_is_found_through_the_variables_of_its_settings(home: Path) -> None:
    _write(home, {".todo/config": TODO_CFG, "notes/todo/todo.txt": "x\n", "todo.txt": "y\n"})
    found = find_sources(home, {})
    assert _listed(found, home) == [
        ("todo", "todo", "notes/todo/todo.txt", "~/.todo/config:3", True),
        ("todo", "todo-2", "todo.txt", "~/todo.txt", True),
    ]
    assert found.warnings == ()


def test_todo_file_in_the_environment_is_followed(home: Path) -> None:
    (source,) = find_sources(home, {"TODO_FILE": "~/elsewhere.txt"}).sources
    assert _said(source, home) == ("todo", "elsewhere", "elsewhere.txt", "$TODO_FILE", False)


def test_a_computed_todo_folder_is_a_warning(home: Path) -> None:
    _write(home, {".todo/config": 'TODO_DIR=$(dirname "$0")\nTODO_FILE="$TODO_DIR/todo.txt"\n'})
    found = find_sources(home, {})
    assert found.sources == ()
    assert found.warnings == ("~/.todo/config:1: TODO_DIR is the output of a command",)


def test_evolutions_calendars_have_the_names_their_user_gave_them(home: Path) -> None:
    data = ".local/share/evolution"
    _write(
        home,
        {
            f"{data}/calendar/system/calendar.ics": EVENT,
            f"{data}/calendar/1a2b/calendar.ics": EVENT,
            f"{data}/tasks/system/tasks.ics": TODO,
            ".config/evolution/sources/1a2b.source": (
                "[Data Source]\nDisplayName=Sport und Spiel\nDisplayName[en]=Sports\n[Calendar]\n"
            ),
        },
    )
    assert [(s.kind.value, s.name) for s in find_sources(home, {}).sources] == [
        ("calendar", "Sport und Spiel"),
        ("calendar", "personal"),
        ("todo", "personal"),
    ]


def test_plain_folders_are_found_at_any_usual_depth(home: Path) -> None:
    _write(
        home,
        {
            ".calendars/home/a.ics": EVENT,
            ".calendars/account/team/a.ics": EVENT,
            ".calendars/empty/readme": "",
            ".calendars/single.ics": EVENT,
            "cal/work.ics": EVENT,
        },
    )
    assert [str(s.path.relative_to(home)) for s in find_sources(home, {}).sources] == [
        ".calendars/account/team",
        ".calendars/home",
        ".calendars/single.ics",
        "cal/work.ics",
    ]


def test_a_calendar_that_two_programs_name_is_found_once_per_kind(home: Path) -> None:
    khal = "[calendars]\n[[mine]]\npath = ~/.calendars/home/\n"
    todoman = 'path = "~/.calendars/*"\n'
    _write(
        home,
        {
            ".config/khal/config": khal,
            ".config/todoman/config.py": todoman,
            ".calendars/home/a.ics": EVENT,
            ".calendars/home/b.ics": TODO,
        },
    )
    assert [(s.kind.value, s.name, s.program) for s in find_sources(home, {}).sources] == [
        ("calendar", "mine", "khal"),
        ("todo", "home", "todoman"),
    ]


BROKEN = {
    "section without end": (
        ".config/khal/config",
        "[calendars\n[[a]]\npath = ~/a\n",
        "~/.config/khal/config:1: a section without its end",
    ),
    "calendar without path": (
        ".config/khal/config",
        "[calendars]\n[[a]]\ncolor = red\n",
        "~/.config/khal/config:2: the calendar 'a' has no path",
    ),
    "words": (
        ".config/khal/config",
        "hello\n",
        "~/.config/khal/config:1: neither a section nor a value",
    ),
    "path that is no JSON": (
        ".vdirsyncer/config",
        '[storage a]\ntype = "filesystem"\npath = ~/a\n',
        "~/.vdirsyncer/config:3: path is not a text in double quotes",
    ),
    "no Python": (
        ".config/todoman/config.py",
        "path = (\n",
        "~/.config/todoman/config.py:1: not valid Python",
    ),
    "computed path": (
        ".config/todoman/config.py",
        "import os\npath = os.getcwd()\n",
        "~/.config/todoman/config.py:2: no path that can be read as text",
    ),
}


@pytest.mark.parametrize(("name", "text", "warning"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_settings_cost_a_warning_and_nothing_else(
    home: Path, name: str, text: str, warning: str
) -> None:
    _write(home, {name: text, "todo.txt": "x\n"})
    found = find_sources(home, {})
    assert found.warnings[0] == warning
    assert "todo.txt" in {source.path.name for source in found.sources}


PLACES = [
    ".config/khal/config",
    ".vdirsyncer/config",
    ".config/todoman/config.py",
    ".config/todoman/todoman.conf",
    ".todo/config",
    ".local/share/evolution/calendar/x/calendar.ics",
    ".config/evolution/sources/x.source",
    "todo.txt",
]


@pytest.mark.parametrize("seed", range(20))
def test_no_content_of_any_file_makes_discovery_fail(home: Path, seed: int) -> None:
    generator = random.Random(seed)  # noqa: S311 - made-up file contents
    parts = [KHAL, VDIRSYNCER, TODO_CFG, "\x00", "[[", "]]", "=", "path", '"', "[calendars]\n", "ü"]
    for place in PLACES:
        text = "".join(generator.choices(parts, k=6))
        start = generator.randrange(len(text))
        _write(home, {place: text[start : start + generator.randrange(400)]})
    (home / ".todo" / "config").write_bytes(generator.randbytes(50))
    find_sources(home, {})


def test_a_folder_in_place_of_a_settings_file_is_passed_over(home: Path) -> None:
    for place in PLACES[:5]:
        (home / place).mkdir(parents=True)
    assert find_sources(home, {}).warnings == ()


def test_every_found_kind_is_one_that_can_be_read(home: Path) -> None:
    _write(home, {".config/khal/config": KHAL, ".vdirsyncer/config": VDIRSYNCER, "todo.txt": ""})
    kinds = {source.kind for source in find_sources(home, {}).sources}
    assert kinds <= {SourceKind.CALENDAR, SourceKind.TODO, SourceKind.CONTACTS}
