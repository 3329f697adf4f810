"""The effective settings without reading them anew, where nothing that decides them differs.

Reading settings takes pydantic and YAML: a third of the time of ``iris plan``. So what they came
to is kept in ``settings.json``, in the folder of what can be rebuilt, under a digest of everything
they were made from: the bytes of the user's file and where it is, the overrides, the variables,
the home folder, the program and its libraries. The user's file is read each time; what is kept is
never trusted over it, holds no secret, and may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from iris_harness.config.paths import MAX_FILE_BYTES, cache_dir, config_path
from iris_harness.config.settings import Settings, settings_of
from iris_harness.contracts.decoding import from_json
from iris_harness.errors import StorageError
from iris_harness.files import read_regular_file, user_path
from iris_harness.storage.files import is_private, make_private_folder, write_atomically
from iris_harness.storage.stamp import program_stamp

if TYPE_CHECKING:
    from iris_harness.config.loader import LoadedConfig

FILE_NAME = "settings.json"
FORMAT = 1
"""Grows when what is kept, or what it is kept under, changes."""

_MOST_KEPT = 8  # a few files and overrides in turn
_LARGEST_FILE = 4 * 1024 * 1024
_HERE = Path(__file__).parent
_PROGRAM = (_HERE, _HERE.parent / "contracts")
_PREFIX = "IRIS_"
# Where another user's home is, is written in none of the things looked at here. YAML can also
# write the tilde as an escape, and what follows it.
_OTHERS_HOME = re.compile(rb"~[\w\\]|\\(?:x|u00|U000000)7e", re.IGNORECASE)


class _Question(NamedTuple):
    """All that decides what the settings come to."""

    file: Path
    content: bytes
    digest: str


def read_settings(
    path: Path | str | None = None,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Return the effective settings; arguments as `loader.load_config`.

    `folder` is that of what can be rebuilt; None means the platform's.

    Raises:
        ConfigError: the first mistake, in order of place and line.
    """
    given = dict(os.environ) if environ is None else environ
    kept_in = (cache_dir() if folder is None else folder) / FILE_NAME
    question = _question(path, overrides, given)
    if question is None:
        return settings_of(_loaded(path, overrides, given).config)
    entries = _read_entries(kept_in)
    found = _find(entries, question.digest)
    if found is not None:
        return found
    loaded = _loaded(question.file, overrides, given, question.content)
    settings = settings_of(loaded.config)
    if not _holds_secret(settings):
        _write_entries(kept_in, {question.digest: _dump(settings), **entries})
    return settings


def forget_settings(folder: Path) -> None:
    """Delete what is kept of settings in `folder`; nothing happens where there is nothing.

    Raises:
        OSError: it cannot be deleted.
    """
    (folder / FILE_NAME).unlink(missing_ok=True)


def _loaded(
    path: Path | str | None,
    overrides: Sequence[str],
    environ: Mapping[str, str],
    content: bytes | None = None,
) -> LoadedConfig:
    from iris_harness.config.loader import read_config

    return read_config(path, overrides=overrides, environ=environ, content=content)


# What decides


def _question(
    path: Path | str | None, overrides: Sequence[str], environ: Mapping[str, str]
) -> _Question | None:
    """Return what is asked; None where it cannot be told, or there is no file to ask about."""
    file = config_path(environ) if path is None else user_path(path)
    try:
        content = read_regular_file(file, MAX_FILE_BYTES).data
    except (OSError, ValueError):
        return None  # the loader says what is wrong with it
    said = sorted(f"{name}={environ[name]}" for name in environ if name.startswith(_PREFIX))
    texts = (*overrides, *said)
    if any(map(_OTHERS_HOME.search, (content, *map(os.fsencode, texts)))):
        return None
    here = str(Path.cwd()) if texts else ""
    facts = [
        program_stamp(FORMAT, _PROGRAM),
        str(file.absolute()),
        str(user_path("~")),
        here,
        *overrides,
        "",
        *said,
    ]
    digest = hashlib.sha256(os.fsencode("\0".join(facts)) + b"\0\0" + content)
    return _Question(file=file, content=content, digest=digest.hexdigest())


# What is kept


def _read_entries(file: Path) -> dict[str, str]:
    """Return what is kept, digest to text, the newest first; empty where that cannot be told."""
    try:
        if not is_private(file):
            return {}
        entries = json.loads(read_regular_file(file, _LARGEST_FILE).data)
    except (OSError, ValueError, RecursionError):
        return {}
    texts = entries.items() if isinstance(entries, dict) else ()
    return {digest: text for digest, text in texts if isinstance(text, str)}


def _find(entries: Mapping[str, str], digest: str) -> Settings | None:
    stated, _, text = entries.get(digest, "").partition(" ")
    if not text or stated != _checksum(text):
        return None
    try:
        return from_json(Settings, json.loads(text))
    except (TypeError, ValueError):
        return None


def _write_entries(file: Path, entries: Mapping[str, str]) -> None:
    newest = dict(list(entries.items())[:_MOST_KEPT])
    with contextlib.suppress(OSError, StorageError):  # it is only slower without
        make_private_folder(file.parent)
        write_atomically(file, json.dumps(newest).encode())


def settings_text(settings: Settings) -> str:
    """Return settings as JSON that `from_json` reads back; it may hold secrets."""
    return json.dumps(settings, default=_plain)


def _dump(settings: Settings) -> str:
    text = settings_text(settings)
    return f"{_checksum(text)} {text}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    """Return what stands for a value that JSON lacks, as `from_json` reads it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be kept")


def _holds_secret(settings: Settings) -> bool:
    return any(_secrets(settings))


def _secrets(settings: Settings) -> Iterator[bool]:
    from iris_harness.config.credentials import has_literal_secret

    yield has_literal_secret(settings.agent_settings)
    yield has_literal_secret(settings.jobs.database_url or {})
    for source in (*settings.calendars, *settings.todos, *settings.contacts):
        yield source.kind == "ics"  # its address may be all that protects it
        yield source.password is not None and "text" in source.password
    for model in settings.models:
        yield model.api_key is not None and "text" in model.api_key
    for channel in settings.channels:
        secrets = (*channel.urls, *([channel.password] if channel.password else []))
        yield any("text" in secret for secret in secrets)
