"""The files of a worktree as a model may see and change them: inside it, as text, never by a link."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from iris_harness.daemon.checkouts import Worktree
from iris_harness.daemon.languages import twin_paths
from iris_harness.daemon.loop.edits import replace_once
from iris_harness.errors import RepositoryError
from iris_harness.files import read_regular_file

_MAX_BYTES = 1024 * 1024
_MAX_LINES = 400
_MAX_FOUND = 100
_MAX_LISTED = 500
_MAX_LINE = 400
_PATTERN_LENGTH = 500


class Workspace:
    """Reads and edits. Every message of an error is one to answer a model with."""

    def __init__(self, worktree: Worktree) -> None:
        """Take the worktree."""
        self._worktree = worktree
        self._root = os.path.realpath(worktree.folder)

    def paths(self) -> list[str]:
        """Return what is tracked or was made; sorted."""
        listed = self._worktree.git.run("ls-files", "-z", "--cached")
        found = set(filter(None, listed.split("\0")))
        return sorted(path for path in found if os.path.lexists(self._place(path)))

    def list(self, folder: str) -> str:
        """Return the paths below a folder, one on each line."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/.") else ""
        found = [path for path in self.paths() if path.startswith(prefix)]
        if not found:
            raise ValueError(f"there is no folder {folder}")
        more = len(found) - _MAX_LISTED
        return "\n".join(found[:_MAX_LISTED]) + (f"\n… and {more} more" if more > 0 else "")

    def read(self, path: str, start: int, end: int) -> str:
        """Return lines of a file, numbered; `end` 0 is as many as are shown at once."""
        lines = self.text(path).splitlines()
        first = max(start, 1)
        last = min(end or first + _MAX_LINES - 1, first + _MAX_LINES - 1, len(lines))
        shown = [f"{number}\t{lines[number - 1]}" for number in range(first, last + 1)]
        rest = f"\n… {len(lines) - last} more lines" if last < len(lines) else ""
        return "\n".join(shown) + rest if shown else f"{path} has {len(lines)} lines"

    def grep(self, pattern: str, folder: str) -> str:
        """Return the lines that match a regular expression, as ``path:line: text``."""
        try:
            found = self._worktree.grep(pattern[:_PATTERN_LENGTH], folder.strip("/") or ".")
        except RepositoryError as error:
            raise ValueError(f"this cannot be searched for: {error.output}") from error
        lines = [f"{path}:{number}: {line[:_MAX_LINE]}" for path, number, line in found]
        more = ["… there are more"] if len(lines) > _MAX_FOUND else []
        return "\n".join((*lines[:_MAX_FOUND], *more)) or "nothing matches"

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace an exact string, which must be in the file exactly once."""
        text = self.text(path)
        self._write(path, replace_once(text, old, new), text)

    def create(self, path: str, content: str) -> None:
        """Make a new file; one that is there is never written over."""
        place = self._place(path)
        if os.path.lexists(place):
            raise ValueError(f"{path} is there already; use edit")
        self._check_alone(path)
        parent = Path(place).parent
        self._check_inside(path, str(parent))  # before a folder is made below a link
        try:
            parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"{path} cannot be made: {error.strerror}") from error
        self._write(path, content)

    def _check_alone(self, path: str) -> None:
        paths = self.paths()
        folded = path.casefold()
        if other := next((one for one in paths if one.casefold() == folded), None):
            raise ValueError(f"{other} differs from it in case only; use edit")
        if twins := sorted(set(twin_paths(path)).intersection(paths)):
            raise ValueError(f"{twins[0]} is the same under another extension; use edit")

    def text(self, path: str) -> str:
        """Return a file's text."""
        place = self._place(path)
        self._check_inside(path, place)
        try:
            data = read_regular_file(Path(place), _MAX_BYTES).data
        except FileNotFoundError as error:
            raise ValueError(f"there is no file {path}") from error
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from error
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is no text") from error

    def _write(self, path: str, text: str, before: str | None = None) -> None:
        """Write a file and make it a part of the work; `before` is what it was, None if it is new."""
        place = Path(self._place(path))
        data = text.encode()  # before the file is opened: half of a surrogate pair is no text
        try:
            place.write_bytes(data)
            self._worktree.stage(path)
        except OSError as error:
            self._undo(place, before)
            raise ValueError(f"{path} cannot be written: {error.strerror}") from error
        except RepositoryError as error:
            self._undo(place, before)
            ignored = "ignored by one of your .gitignore" in error.output
            why = "it would be no part of the work" if ignored else error.output
            raise ValueError(f"git {'ignores' if ignored else 'refuses'} {path}: {why}") from error

    def _undo(self, place: Path, before: str | None) -> None:
        with contextlib.suppress(OSError):
            if before is None:
                place.unlink()
            else:
                place.write_bytes(before.encode())

    def _place(self, path: str) -> str:
        parts = path.split("/")
        is_strange = not path.isprintable() or "\\" in path or any(map(_is_strange, parts))
        if is_strange:
            raise ValueError(f"{path!r} is no path in the repository, as src/app.py is")
        return os.path.join(self._root, *parts)  # noqa: PTH118 - compared with a real path

    def _check_inside(self, path: str, place: str) -> None:
        if os.path.realpath(place) != place:
            raise ValueError(f"{path} is a link, or below one")


def _is_strange(part: str) -> bool:
    """Return whether a file system, or git, takes a segment of a path for another one."""
    return (
        part.rstrip(". ") != part or part.lstrip() != part or part.lower() in {"", ".git", "git~1"}
    )
