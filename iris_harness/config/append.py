"""Add one source to a settings file and leave every other character of it as it is."""

from __future__ import annotations

from pathlib import Path

import yaml

from iris_harness.config.document import Value, parse_document
from iris_harness.config.paths import friendly
from iris_harness.config.write import build_user_config
from iris_harness.errors import ConfigError
from iris_harness.storage.files import make_private_folder, write_atomically

_ENDLESS = 1_000_000  # columns


def entry_text(entry: dict[str, Value]) -> str:
    """Return a list entry as one line of YAML."""
    text = yaml.safe_dump(
        entry, default_flow_style=True, width=_ENDLESS, allow_unicode=True, sort_keys=False
    )
    return text.rstrip("\n")


def append_source(file: Path, section: str, entry: dict[str, Value]) -> None:
    """Add `entry` to the list `section` (``calendars`` or ``todos``) of a settings file.

    A file that is not there is made. The file is for its owner only afterwards, and is written
    through a link to it.

    Raises:
        ConfigError: it cannot be read or written, or has a form in which there is no one place to
            add to; `expected` is what to write by hand.
    """
    target = file.resolve()
    try:
        old = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("cannot be read", file=friendly(file)) from error
    new = with_source(old, section, entry)
    if new is None:
        raise ConfigError(
            "is written in a form that is left alone",
            file=friendly(file),
            key=section,
            expected=f"this line among its {section}:\n  - {entry_text(entry)}",
        )
    make_private_folder(target.parent)
    try:
        write_atomically(target, new.encode())
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", file=friendly(file)) from error


def with_source(text: str, section: str, entry: dict[str, Value]) -> str | None:
    """Return `text` with `entry` at the end of the list `section`; None when that cannot be done.

    What is returned was read back: it says what it said before, and the entry.
    """
    before = parse_document(text, "settings")
    if before.problems or not isinstance(before.value, dict | None):
        return None
    tree = before.value or {}
    listed = tree.get(section)
    if not isinstance(listed, list | None):
        return None
    changed = _inserted(text or _first_lines(), section, entry_text(entry))
    after = parse_document(changed, "settings").value
    wanted = {**_without_version(tree), section: [*(listed or []), entry]}
    return changed if _without_version(after) == wanted else None


def _without_version(tree: Value) -> dict[str, Value]:
    """Leave out the one key that a new file has beside the entry."""
    found = tree if isinstance(tree, dict) else {}
    return {key: value for key, value in found.items() if key != "version"}


def _first_lines() -> str:
    whole = build_user_config(timezone="auto")
    return whole[: whole.index("timezone:")]


def _inserted(text: str, section: str, entry: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    node = _section_node(text, section)
    if node is None:
        gap = "" if not text or text.endswith("\n") else end
        return f"{text}{gap}{section}:{end}  - {entry}{end}"
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        return _into_brackets(text, node, entry)
    if isinstance(node, yaml.SequenceNode):
        line, indent = _last_line(node), " " * node.start_mark.column
    else:  # a key without a value
        line, indent = node.start_mark.line, "  "
    lines = text.splitlines(keepends=True)
    if not lines[line].endswith(("\n", "\r")):
        lines[line] += end
    return "".join([*lines[: line + 1], f"{indent}- {entry}{end}", *lines[line + 1 :]])


def _section_node(text: str, section: str) -> yaml.Node | None:
    root = yaml.compose(text, Loader=yaml.BaseLoader)
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == section and isinstance(value, yaml.Node):
            return value
    return None


def _into_brackets(text: str, node: yaml.SequenceNode, entry: str) -> str:
    close = node.end_mark.index - 1
    inside = text[:close].rstrip()
    comma = "" if inside.endswith(("[", ",")) else ","
    blank = "" if inside.endswith("[") else " "
    return f"{inside}{comma}{blank}{entry}{text[len(inside) :]}"


def _last_line(node: yaml.Node) -> int:
    """Return the 0-based line on which the content of `node` ends, comments after it left out."""
    children = node.value if isinstance(node, yaml.SequenceNode | yaml.MappingNode) else []
    if not children or getattr(node, "flow_style", None):
        return int(node.end_mark.line)
    last = children[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)
