"""Path hints: what a planner that never saw the repository said, and what it is in truth.

The rules, in order; the first that decides ends it:

1. refuse what leaves the repository, is inside ``.git`` or a home folder, uses a file as a folder,
   or is somebody else's absolute path without a tracked tail;
2. exact path, then the only path that differs in case;
3. the only file of that name, then the one that strictly shares most trailing segments; a tie is
   `UNRESOLVED` with its candidates. Names that every project has need a shared parent folder, or
   the intent to edit;
4. a file that would be the same thing under another extension: `UNRESOLVED`, never a second one;
5. a pattern is the only file it matches; of a pattern, a list and a placeholder nothing is made;
6. what discovery found in the tree; before discovery `UNRESOLVED`;
7. a new file. Where its extension names a language that no tracked file has, it gets that of the
   nearest folder; where that file exists, it is edited.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from iris_harness.daemon.hint_paths import HintPath, HintRefusal, parse_hint
from iris_harness.daemon.hint_patterns import (
    is_pattern,
    listed_files,
    matching,
    names_no_file,
)
from iris_harness.daemon.languages import (
    extension_of,
    language_of,
    languages_in,
    nearest_extension,
    stem_of,
    twin_paths,
)
from iris_harness.daemon.tree import Tree, fold, folder_of, name_of

_MAX_CANDIDATES = 20
# Stems of files that every project has, often in each of its folders.
_GENERIC_STEMS = frozenset(
    """
    readme license changelog changes contributing authors notice todo makefile dockerfile gemfile
    rakefile procfile justfile taskfile vagrantfile jenkinsfile
    index main mod lib init __init__ __main__ conftest setup manage app server client cli
    util utils helper helpers common constants config configuration settings options types
    errors exceptions models views urls admin apps forms routes schema
    package pyproject cargo go pom build tsconfig composer mix shard pubspec cmakelists
    .gitignore .gitattributes .editorconfig .env docker-compose compose
    """.split()  # noqa: SIM905 - a word list is read as words
)
# Folders at the root of a machine, whose files only by accident have the name of a tracked one.
_SYSTEM_FOLDERS = frozenset({"etc", "proc", "sys", "dev", "boot", "bin", "sbin", "usr", "root"})


class Outcome(enum.StrEnum):
    """What to do with a hint."""

    EDIT = "edit"
    CREATE = "create"
    UNRESOLVED = "unresolved"
    REFUSE = "refuse"


class Intent(enum.StrEnum):
    """What the planner means to do with the file."""

    EDIT = "edit"
    CREATE = "create"


class Kind(enum.StrEnum):
    """Which rule decided."""

    EXACT = "exact"
    CASE = "case"
    FILENAME = "filename"
    SUFFIX = "suffix"
    DISCOVERED = "discovered"
    CORRECTED = "corrected"
    CREATE = "create"
    AMBIGUOUS = "ambiguous"
    UNMATCHED = "unmatched"
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class HintAnswer:
    """What a hint is in truth."""

    outcome: Outcome
    kind: Kind
    path: str | None = None
    """The tracked file to edit, or the file to create; None when unresolved or refused."""
    candidates: tuple[str, ...] = ()
    """What it may mean when that is open; sorted, at most 20."""
    why: str = ""
    """The reason, in one clause."""


def resolve_hint(
    text: str,
    tree: Tree,
    *,
    intent: Intent | None = None,
    discovery: Sequence[str] | None = None,
) -> HintAnswer:
    """Return what the hint `text` means in `tree`; pure, never raises.

    Args:
        text: the hint as it was given.
        tree: the tracked files.
        intent: what is meant to be done; None when that was not said.
        discovery: paths a search of the tree found for this hint; None when it has not run, so
            that nothing may be created yet; empty when it ran and found nothing.
    """
    if text in tree.files:
        return _edit(Kind.EXACT, text, "it is a tracked file")
    hint = parse_hint(text)
    if isinstance(hint, HintRefusal):
        return _refused(hint.why)
    if hint.absolute:
        return _resolve_absolute(hint.path, tree)
    several = listed_files(hint.path, tree)
    if several:
        return _only(Kind.AMBIGUOUS, several, "it names several files")
    found = _find_tracked(hint, tree, intent)
    if found is None and is_pattern(hint.path):
        return _matched(hint.path, tree)
    return found or _resolve_new(hint.path, tree, intent, discovery)


def _resolve_absolute(path: str, tree: Tree) -> HintAnswer:
    segments = path.split("/")
    for start in range(len(segments)):
        tail = "/".join(segments[start:])
        if tail in tree.files and (start < len(segments) - 1 or len(segments) == 1):
            return _edit(Kind.SUFFIX, tail, "the tail of an absolute path is a tracked file")
    if segments[0].lower() not in _SYSTEM_FOLDERS:
        found = _by_name(path, tree)
        if found:
            return found
    return _refused("it is an absolute path, and no tracked file has that tail")


def _find_tracked(hint: HintPath, tree: Tree, intent: Intent | None) -> HintAnswer | None:
    """Return what the hint names among the tracked files; None when it names none."""
    for path in _readings(hint.path):
        if path in tree.files:
            return _edit(Kind.EXACT, path, "it is a tracked file")
    if hint.folder or hint.path in tree.folders:
        return _unresolved(Kind.UNMATCHED, "it is a folder, not a file")
    blocking = _file_used_as_folder(hint.path, tree)
    if blocking:
        return _refused(f"{blocking} is a file, not a folder")
    folded = tree.by_folded.get(fold(hint.path), ())
    if folded:
        return _only(Kind.CASE, folded, "it differs from a tracked file in case only")
    return _by_name(hint.path, tree, intent)


def _readings(path: str) -> Iterable[str]:
    """Yield the path, and without the prefix that diffs put before it."""
    yield path
    if path.startswith(("a/", "b/")):
        yield path[2:]


def _file_used_as_folder(path: str, tree: Tree) -> str | None:
    parent = folder_of(path)
    while parent:
        if parent in tree.files:
            return parent
        parent = folder_of(parent)
    return None


def _is_generic(path: str) -> bool:
    name = name_of(path).lower()
    return name in _GENERIC_STEMS or name.partition(".")[0] in _GENERIC_STEMS


def _by_name(path: str, tree: Tree, intent: Intent | None = None) -> HintAnswer | None:
    """Return the file of that name that shares most trailing segments with `path`.

    A name that every project has does not count where no folder is shared, singular and plural
    being one; with the intent to edit it does.
    """
    name = name_of(path)
    named = tree.by_name.get(name) or tree.by_folded_name.get(fold(name), ())
    if _is_generic(path) and intent is not Intent.EDIT:
        related = any(_shared(path, found, _singular) > 1 for found in named)
        if not related and (len(named) == 1 or intent is Intent.CREATE):
            return None
    if not named:
        return None
    if len(named) == 1:
        return _edit(Kind.FILENAME, named[0], "it is the only tracked file of that name")
    depths = {found: _shared(path, found, fold) for found in named}
    deepest = max(depths.values())
    best = [found for found in named if depths[found] == deepest]
    return _only(Kind.SUFFIX, best, f"of {len(named)} files of that name it shares most folders")


def _shared(one: str, other: str, form: Callable[[str], str]) -> int:
    """Return how many trailing segments two paths share, the name included."""
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    count = 0
    for left, right in pairs:
        if form(left) != form(right):
            break
        count += 1
    return count


def _singular(segment: str) -> str:
    return fold(segment).removesuffix("s")


def _resolve_new(
    path: str, tree: Tree, intent: Intent | None, discovery: Sequence[str] | None
) -> HintAnswer:
    """Return what becomes of a hint that names no tracked file."""
    twins = _twins(path, tree)
    if twins:
        why = f"{twins[0]} is the same under another extension"
        return _unresolved(Kind.UNMATCHED, why, twins)
    if discovery is None:
        return _unresolved(Kind.UNMATCHED, "no tracked file has this name; look before creating")
    discovered = sorted({found for found in discovery if found in tree.files})
    if discovered:
        return _only(Kind.DISCOVERED, discovered, "discovery found it")
    if intent is Intent.EDIT or names_no_file(path):
        return _unresolved(Kind.UNMATCHED, "there is no such file, and none is made of it")
    return _create(path, tree)


def _matched(pattern: str, tree: Tree) -> HintAnswer:
    found = matching(pattern, tree)
    if not found:
        return _unresolved(Kind.UNMATCHED, "no tracked file matches the pattern")
    return _only(Kind.SUFFIX, found, "it is the only tracked file that matches the pattern")


def _twins(path: str, tree: Tree) -> tuple[str, ...]:
    """Return tracked files that are the same thing: beside `path`, or under a shared folder."""
    beside = [twin for twin in twin_paths(path) if twin in tree.files]
    if beside or "/" not in path:
        return tuple(sorted(beside))
    return tuple(
        sorted(
            found
            for twin in twin_paths(path)
            for found in tree.by_name.get(name_of(twin), ())
            if _shared(twin, found, fold) > 1 and not _is_generic(twin)
        )
    )


def _create(path: str, tree: Tree) -> HintAnswer:
    corrected = _in_own_language(path, tree)
    if corrected == path:
        return HintAnswer(
            outcome=Outcome.CREATE, kind=Kind.CREATE, path=path, why="a new file, not found before"
        )
    why = f"no tracked file is .{extension_of(path)}; the folder's are .{extension_of(corrected)}"
    existing = tree.by_folded.get(fold(corrected), ())
    if existing:
        return _only(Kind.CORRECTED, existing, why)
    return HintAnswer(outcome=Outcome.CREATE, kind=Kind.CORRECTED, path=corrected, why=why)


def _in_own_language(path: str, tree: Tree) -> str:
    """Return `path`, its extension corrected where it names a language the repository lacks."""
    language = language_of(path)
    if language is None or language in languages_in(tree):
        return path
    stem = stem_of(path)
    same = [
        f for f in tree.below(folder_of(path)) if f.startswith(f"{stem}.") and stem_of(f) == stem
    ]
    code = [found for found in same if language_of(found)]
    if code:
        return code[0]
    extension = nearest_extension(tree, folder_of(path))
    return f"{stem}.{extension}" if extension else path


def _only(kind: Kind, found: Sequence[str], why: str) -> HintAnswer:
    """Return the only one of `found`; several stay open."""
    if len(found) == 1:
        return _edit(kind, found[0], why)
    why = f"{len(found)} tracked files answer it equally well"
    return _unresolved(Kind.AMBIGUOUS, why, tuple(sorted(found)))


def _edit(kind: Kind, path: str, why: str) -> HintAnswer:
    return HintAnswer(outcome=Outcome.EDIT, kind=kind, path=path, why=why)


def _unresolved(kind: Kind, why: str, candidates: tuple[str, ...] = ()) -> HintAnswer:
    shown = candidates[:_MAX_CANDIDATES]
    return HintAnswer(outcome=Outcome.UNRESOLVED, kind=kind, candidates=shown, why=why)


def _refused(why: str) -> HintAnswer:
    return HintAnswer(outcome=Outcome.REFUSE, kind=Kind.REFUSED, why=why)
