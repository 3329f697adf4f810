"""Write a user's first settings file: only what differs from the defaults, with comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from iris_harness.config.document import Value, parse_document
from iris_harness.config.paths import MAX_FILE_BYTES, friendly
from iris_harness.config.schema import CURRENT_VERSION, entry_name
from iris_harness.errors import ConfigError
from iris_harness.files import read_regular_file
from iris_harness.storage.files import make_private_folder, write_atomically

_HEADER = """\
# Settings of Iris. `iris config show` lists every setting with its default and its unit;
# `iris config check` checks this file.
"""
_ENDLESS = 1_000_000  # columns


def build_user_config(
    *,
    timezone: str,
    working_hours: Mapping[str, Sequence[str]] | None = None,
    sources: Mapping[str, Sequence[tuple[str, Path]]] | None = None,
    me: Sequence[str] = (),
    base: Mapping[str, Value] | None = None,
) -> str:
    """Return the text of a settings file.

    Args:
        timezone: ``auto`` or an IANA name.
        working_hours: weekday (``mon`` …) to spans; None keeps the default, as a missing day does.
        sources: ``calendars``, ``todos``, ``contacts``: name and path of each; paths under the
            home folder are written with ``~``. Those that `base` has already stay as they are.
        me: the user's own addresses.
        base: settings the user has already; what is given here replaces theirs, the rest stays.
    """
    tree: dict[str, Value] = dict(base or {})
    tree |= {"version": CURRENT_VERSION, "timezone": timezone}
    if me:
        tree["me"] = list(me)
    if working_hours:
        tree["working_hours"] = {day: list(spans) for day, spans in working_hours.items()}
    for kind, named in (sources or {}).items():
        tree[kind] = _with_new(tree.get(kind), named)
    body = yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=_ENDLESS)
    return _HEADER + body


def read_user_tree(file: Path) -> dict[str, Value]:
    """Return what a user's settings file says, unchecked; empty when it says nothing usable."""
    try:
        text = read_regular_file(file, MAX_FILE_BYTES).data.decode("utf-8-sig")
    except (OSError, ValueError):
        return {}
    tree = parse_document(text, file.name).value
    return tree if isinstance(tree, dict) else {}


def _free_name(wanted: Path) -> Path:
    free, number = wanted, 1
    while free.exists():
        number += 1
        free = wanted.with_name(f"{wanted.name}-{number}")
    return free


def _with_new(before: Value, sources: Sequence[tuple[str, Path]]) -> Value:
    """Return the entries there are, as they are, and the sources whose names they do not have."""
    listed = before if isinstance(before, list) else [before] if before else []
    names = {entry_name(entry) for entry in listed}
    return [*listed, *_entries([(name, path) for name, path in sources if name not in names])]


def _entries(sources: Sequence[tuple[str, Path]]) -> list[Value]:
    return [{"name": name, "path": friendly(path)} for name, path in sources]


def write_user_config(file: Path, text: str, *, replace: bool = False) -> Path | None:
    """Write settings to `file`, for its owner only and never half; return where the old ones are.

    No earlier copy is ever replaced.

    Args:
        file: the settings file; its folder is created when missing.
        text: its content.
        replace: whether a file that is there may be replaced; it is kept under ``….before-setup``,
            with a number where there is one already.

    Raises:
        ConfigError: there is a file already and `replace` is False, or it cannot be written.
    """
    make_private_folder(file.parent)
    kept = None
    try:
        if file.exists():
            if not replace:
                raise ConfigError("there are settings already", file=friendly(file))
            kept = _free_name(file.with_name(file.name + ".before-setup"))
            write_atomically(kept, read_regular_file(file, MAX_FILE_BYTES).data)
        write_atomically(file, text.encode())
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", file=friendly(file)) from error
    return kept
