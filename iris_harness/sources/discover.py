"""Find calendars, todo lists and address books that other programs on this machine use.

Reads, never writes, and never runs anything: khal, vdirsyncer, khard, todoman (its Python
settings are parsed, not executed), todo.txt, Evolution and GNOME Calendar, and plain folders. A
settings file that cannot be understood costs a warning.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from iris_harness.contracts.sources import SourceKind
from iris_harness.contracts.unicode import well_formed
from iris_harness.files import is_file, read_regular_file

SNIFFED_FILES = 50
"""Files of a folder that are looked into, in order of name, to tell events from todos."""
MAX_SETTINGS_BYTES = 1024 * 1024
SNIFFED_BYTES = 65_536
"""Bytes of each of them."""

_VCF = ".vcf"
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_WILDCARD = re.compile(r"[*?\[]")
_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?(\w+)=(.*)")
_TODO_TXT_PLACES = (
    "todo.txt",
    ".todo/todo.txt",
    "todo/todo.txt",
    "Documents/todo.txt",
    "Documents/todo/todo.txt",
    ".config/todo.txt",
    "Dropbox/todo/todo.txt",
    "Nextcloud/todo.txt",
)
_TODO_TXT_SETTINGS = (".todo/config", "todo.cfg", ".todo.cfg")


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundSource:
    """A source that another program names, or that lies where one would."""

    kind: SourceKind
    """`CALENDAR`, `TODO` or `CONTACTS`."""
    name: str
    """Suggestion, unique among the found sources of its kind."""
    path: Path
    """File or folder, absolute."""
    program: str
    """Whose it is."""
    found_in: str
    """Where it is named, ``file:line``, or the folder it was found in; ``~`` is the home."""
    exists: bool
    """Whether there is anything at `path` now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Discovery:
    """What was found, program by program, each in the order of its settings."""

    sources: tuple[FoundSource, ...]
    warnings: tuple[str, ...]
    """One line per settings file, or part of one, that could not be understood."""


def find_sources(home: Path, environ: Mapping[str, str]) -> Discovery:
    """Look in the usual places under `home`, and where `environ` (`XDG_…`, `TODO…`) says.

    A place that several programs name is reported once per kind, for the first that names it.
    """
    search = _Search(home=home, environ=environ)
    finders: tuple[Callable[[_Search], None], ...] = (
        _find_khal,
        _find_vdirsyncer,
        _find_khard,
        _find_todoman,
        _find_todo_txt,
        _find_evolution,
        _find_plain_folders,
    )
    for finder in finders:
        finder(search)
    return Discovery(sources=tuple(search.found), warnings=tuple(search.warnings))


@dataclass(kw_only=True, slots=True)
class _Search:
    """Where to look, and what has been found so far."""

    home: Path
    environ: Mapping[str, str]
    found: list[FoundSource] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _seen: set[tuple[SourceKind, str]] = field(default_factory=set)

    def add(
        self, kind: SourceKind, path: Path, program: str, found_in: str, name: str = ""
    ) -> None:
        key = (kind, os.path.realpath(path))
        if key in self._seen:
            return
        self._seen.add(key)
        wanted = name or _display_name(path)
        self.found.append(
            FoundSource(
                kind=kind,
                name=self._unique(kind, wanted),
                path=path,
                program=program,
                found_in=found_in,
                exists=path.exists(),
            )
        )

    def _unique(self, kind: SourceKind, name: str) -> str:
        taken = {source.name for source in self.found if source.kind is kind}
        number, unique = 1, name
        while unique in taken:
            number += 1
            unique = f"{name}-{number}"
        return unique

    def folder(self, variable: str, default: str) -> Path:
        """Return an XDG base folder; a relative one is ignored, as its specification says."""
        given = self.environ.get(variable, "")
        return Path(given) if Path(given).is_absolute() else self.home / default

    def expand(self, text: str, variables: Mapping[str, str] | None = None) -> Path:
        """Return the path behind ``~`` and ``$VARIABLE``; relative ones start at home."""
        known = {"HOME": str(self.home), **self.environ, **(variables or {})}
        text = _VARIABLE.sub(lambda match: known.get(match[1] or match[2], match[0]), text)
        if text == "~" or text.startswith("~/"):
            text = str(self.home) + text[1:]
        return self.home / text

    def show(self, path: Path, line: int | None = None) -> str:
        place = str(path)
        if path.is_relative_to(self.home):
            place = str(Path("~") / path.relative_to(self.home))
        return place if line is None else f"{place}:{line}"

    def read(self, path: Path) -> str | None:
        """Return a settings file's text; None, with a warning, when it is there but unreadable."""
        if not is_file(path):
            return None
        try:
            return read_regular_file(path, MAX_SETTINGS_BYTES).data.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
            self.warnings.append(f"{self.show(path)} cannot be read: {reason}")
            return None


# Settings in sections (khal, vdirsyncer, older todoman)


@dataclass(kw_only=True, slots=True)
class _Section:
    names: tuple[str, ...]
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def place(self, key: str) -> int:
        return self.lines.get(key, self.line)


def _sections(search: _Search, file: Path, text: str) -> list[_Section]:
    """Read ``[section]``, ``[[subsection]]`` and ``key = value``; values are left as written."""
    sections = [_Section(names=(), line=1)]
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            names = _section_names(line, sections[-1].names)
            if names is None:
                search.warnings.append(f"{search.show(file, number)}: a section without its end")
            sections.append(_Section(names=names or ("",), line=number))
        elif "=" in line:
            key, _, value = line.partition("=")
            sections[-1].values[key.strip()] = value.strip()
            sections[-1].lines[key.strip()] = number
        elif not raw[0].isspace():  # an indented line goes on with the value before it
            search.warnings.append(f"{search.show(file, number)}: neither a section nor a value")
    return sections


def _section_names(line: str, current: tuple[str, ...]) -> tuple[str, ...] | None:
    match = re.fullmatch(r"(\[+)\s*(.*?)\s*(\]+)\s*(?:#.*)?", line)
    if match is None or len(match[1]) != len(match[3]) or len(match[1]) > len(current) + 1:
        return None
    return (*current[: len(match[1]) - 1], _unquoted(match[2]))


def _unquoted(text: str) -> str:
    for quote in ('"', "'"):
        if text.startswith(quote) and quote in text[1:]:
            return text[1:].partition(quote)[0]
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


# khal

_KHAL_DEPTH = 2  # [calendars] [[name]]


def _find_khal(search: _Search) -> None:
    places = (
        search.folder("XDG_CONFIG_HOME", ".config") / "khal" / "config",
        search.home / ".khal" / "khal.conf",
    )
    for file in places:
        text = search.read(file)
        for section in _sections(search, file, text) if text is not None else ():
            if len(section.names) == _KHAL_DEPTH and section.names[0] == "calendars":
                _add_khal_calendar(search, file, section, section.names[1])


def _add_khal_calendar(search: _Search, file: Path, section: _Section, name: str) -> None:
    kind = _unquoted(section.values.get("type", "calendar"))
    place = search.show(file, section.place("path"))
    written = _unquoted(section.values.get("path", ""))
    if not written:
        search.warnings.append(f"{place}: the calendar {name!r} has no path")
        return
    path = search.expand(written)
    if kind == "birthdays":  # the path is that of an address book
        search.add(SourceKind.CONTACTS, path, "khal", place, name)
    elif kind == "discover":
        for folder in _matching_folders(path):
            search.add(SourceKind.CALENDAR, folder, "khal", place)
    else:
        search.add(SourceKind.CALENDAR, path, "khal", place, name)


# vdirsyncer


def _find_vdirsyncer(search: _Search) -> None:
    named = search.environ.get("VDIRSYNCER_CONFIG", "")
    places = [search.expand(named)] if named else []
    places.append(search.home / ".vdirsyncer" / "config")
    places.append(search.folder("XDG_CONFIG_HOME", ".config") / "vdirsyncer" / "config")
    for file in places:
        text = search.read(file)
        for section in _sections(search, file, text) if text is not None else ():
            if section.names and section.names[0].startswith("storage "):
                _add_vdirsyncer_storage(search, file, section)


def _add_vdirsyncer_storage(search: _Search, file: Path, section: _Section) -> None:
    kind = _json_text(search, file, section, "type")
    if kind not in {"filesystem", "singlefile"}:
        return
    suffix = _json_text(search, file, section, "fileext")
    written = _json_text(search, file, section, "path")
    place = search.show(file, section.place("path"))
    if not written:
        search.warnings.append(f"{place}: the storage has no path")
        return
    path = search.expand(written)
    if kind == "singlefile":
        files = _matching(search.expand(written.replace("%s", "*")))
        paths = [file for file in files if file.suffix in {".ics", _VCF}]
    else:
        paths = _collections(path, suffix or ".ics") if path.is_dir() else [path]
    for found in paths:
        is_book = _VCF in {suffix, found.suffix}
        for source_kind in (SourceKind.CONTACTS,) if is_book else _kinds(found):
            search.add(source_kind, found, "vdirsyncer", place)


def _json_text(search: _Search, file: Path, section: _Section, key: str) -> str:
    if key not in section.values:
        return ""
    try:
        value = json.loads(section.values[key])
    except ValueError:
        value = None
    if isinstance(value, str):
        return value
    place = search.show(file, section.place(key))
    search.warnings.append(f"{place}: {key} is not a text in double quotes")
    return ""


# khard

_KHARD_DEPTH = 2  # [addressbooks] [[name]]


def _find_khard(search: _Search) -> None:
    file = search.folder("XDG_CONFIG_HOME", ".config") / "khard" / "khard.conf"
    text = search.read(file)
    for section in _sections(search, file, text) if text is not None else ():
        if len(section.names) == _KHARD_DEPTH and section.names[0] == "addressbooks":
            _add_khard_book(search, file, section, section.names[1])


def _add_khard_book(search: _Search, file: Path, section: _Section, name: str) -> None:
    place = search.show(file, section.place("path"))
    written = _unquoted(section.values.get("path", ""))
    if not written:
        search.warnings.append(f"{place}: the address book {name!r} has no path")
    elif _unquoted(section.values.get("type", "vdir")) == "discover":
        for folder in _matching_folders(search.expand(written), _VCF):
            search.add(SourceKind.CONTACTS, folder, "khard", place)
    else:
        search.add(SourceKind.CONTACTS, search.expand(written), "khard", place, name)


# todoman


def _find_todoman(search: _Search) -> None:
    folder = search.folder("XDG_CONFIG_HOME", ".config") / "todoman"
    readers = {"config.py": _todoman_python, "todoman.conf": _todoman_sections}
    for file_name, reader in readers.items():
        file = folder / file_name
        text = search.read(file)
        if text is None:
            continue
        written, line = reader(search, file, text)
        if not written:
            search.warnings.append(f"{search.show(file, line)}: no path that can be read as text")
            continue
        for path in _matching_folders(search.expand(written)):
            search.add(SourceKind.TODO, path, "todoman", search.show(file, line))


def _todoman_python(search: _Search, file: Path, text: str) -> tuple[str, int | None]:
    """Return the constant assigned to ``path`` and its line, without running the file."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        search.warnings.append(f"{search.show(file, line)}: not valid Python")
        return "", line
    found: tuple[str, int | None] = ("", None)
    for node in module.body:
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
            continue
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "path":
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            found = (value if isinstance(value, str) else "", node.lineno)
    return found


def _todoman_sections(search: _Search, file: Path, text: str) -> tuple[str, int | None]:
    for section in _sections(search, file, text):
        if section.names == ("main",) and "path" in section.values:
            return _unquoted(section.values["path"]), section.place("path")
    return "", None


# The todo.txt programs


def _find_todo_txt(search: _Search) -> None:
    config = search.folder("XDG_CONFIG_HOME", ".config") / "todo" / "config"
    named = search.environ.get("TODOTXT_CFG_FILE", "")
    places = [search.expand(named)] if named else []
    places += [*(search.home / place for place in _TODO_TXT_SETTINGS), config]
    for file in places:
        text = search.read(file)
        if text is not None:
            _add_todo_txt_settings(search, file, text)
    if search.environ.get("TODO_FILE"):
        path = search.expand(search.environ["TODO_FILE"])
        search.add(SourceKind.TODO, path, "todo.txt", "$TODO_FILE")
    for place in _TODO_TXT_PLACES:
        path = search.home / place
        if path.is_file():
            search.add(SourceKind.TODO, path, "todo.txt", search.show(path))


def _add_todo_txt_settings(search: _Search, file: Path, text: str) -> None:
    """Follow the plain assignments of a shell file down to ``TODO_FILE``."""
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = _ASSIGNMENT.fullmatch(line)
        if match is None:
            continue
        name, written = match[1], _unquoted(match[2])
        if "$(" in written or "`" in written:
            if name in {"TODO_DIR", "TODO_FILE"}:
                place = search.show(file, number)
                search.warnings.append(f"{place}: {name} is the output of a command")
            continue
        value = str(search.expand(written, variables)) if "/" in written else written
        variables[name] = value
        if name == "TODO_FILE" and "$" not in value:
            path = search.home / value
            search.add(SourceKind.TODO, path, "todo.txt", search.show(file, number))


# Evolution, GNOME Calendar, GNOME To Do


def _find_evolution(search: _Search) -> None:
    data = search.folder("XDG_DATA_HOME", ".local/share") / "evolution"
    for folder, file_name, kind in (
        ("calendar", "calendar.ics", SourceKind.CALENDAR),
        ("tasks", "tasks.ics", SourceKind.TODO),
    ):
        for path in _matching(data / folder / "*" / file_name):
            name = _evolution_name(search, path.parent.name)
            search.add(kind, path, "Evolution", search.show(path), name)
    for path in _matching(data / "addressbook" / "*" / "contacts.db"):
        search.warnings.append(
            f"{search.show(path)}: Evolution's and GNOME's address book, a database; "
            "save it as vCard (.vcf) in Evolution to use it"
        )


def _evolution_name(search: _Search, identity: str) -> str:
    if identity == "system":
        return "personal"
    settings = search.folder("XDG_CONFIG_HOME", ".config") / "evolution" / "sources"
    file = settings / f"{identity}.source"
    for section in _sections(search, file, search.read(file) or ""):
        if section.names == ("Data Source",) and "DisplayName" in section.values:
            return section.values["DisplayName"]
    return identity


# Folders of calendars and address books


def _find_plain_folders(search: _Search) -> None:
    roots = (
        search.home / ".calendars",
        search.home / "calendars",
        search.home / "cal",
        search.folder("XDG_DATA_HOME", ".local/share") / "calendars",
    )
    for root in roots:
        for path in _calendars_below(root):
            for kind in _kinds(path):
                search.add(kind, path, "folder", search.show(root))

    books = (
        search.home / ".contacts",
        search.home / "contacts",
        search.folder("XDG_DATA_HOME", ".local/share") / "contacts",
    )
    for root in books:
        for path in _collections(root, _VCF) if root.is_dir() else ():
            if _files(path, _VCF):
                search.add(SourceKind.CONTACTS, path, "folder", search.show(root))


def _calendars_below(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        return
    for folder in _collections(root):
        if folder != root and _files(folder):
            yield folder
    yield from _files(root)


def _matching(pattern: Path) -> list[Path]:
    root = Path(pattern.anchor)
    matches = root.glob(str(pattern.relative_to(root)))
    return sorted(path for path in matches if not path.name.startswith("."))


def _matching_folders(pattern: Path, suffix: str = ".ics") -> list[Path]:
    """Return the folders a glob matches; the collections below a folder without a glob in it."""
    if not _WILDCARD.search(str(pattern)):
        return _collections(pattern, suffix) if pattern.is_dir() else [pattern]
    return [path for path in _matching(pattern) if path.is_dir()]


def _collections(folder: Path, suffix: str = ".ics", depth: int = 2) -> list[Path]:
    """Return the innermost folders, down to `depth`: in a vdir each is one collection."""
    below = _subfolders(folder)
    if not below or depth == 0:
        return [folder]
    inner = [leaf for child in below for leaf in _collections(child, suffix, depth - 1)]
    return [folder, *inner] if _files(folder, suffix) else inner


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in _entries(folder) if path.is_dir() and not path.is_symlink()]


def _files(folder: Path, suffix: str = ".ics") -> list[Path]:
    return [path for path in _entries(folder) if path.suffix == suffix and path.is_file()]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []  # not a folder, or closed to us: nothing to suggest in it


def _kinds(path: Path) -> tuple[SourceKind, ...]:
    """Return what a calendar file or folder holds; an empty one is taken for a calendar."""
    files = _files(path)[:SNIFFED_FILES] if path.is_dir() else [path]
    marks = {b"BEGIN:VEVENT": SourceKind.CALENDAR, b"BEGIN:VTODO": SourceKind.TODO}
    found = {kind for file in files for mark, kind in marks.items() if mark in _head(file)}
    return tuple(kind for kind in marks.values() if kind in found) or (SourceKind.CALENDAR,)


def _head(file: Path) -> bytes:
    try:
        if not is_file(file):
            return b""
        with file.open("rb") as stream:
            return stream.read(SNIFFED_BYTES).upper()
    except OSError:
        return b""


def _display_name(path: Path) -> str:
    """Return a vdir's own name for itself, or else the last part of its path."""
    try:
        said = read_regular_file(path / "displayname", SNIFFED_BYTES).data
        named = well_formed(said.decode("utf-8")).strip()
    except (OSError, UnicodeDecodeError):
        named = ""
    return named or (path.stem if path.suffix in {".ics", ".txt", _VCF} else path.name)
