"""Load settings: command line, environment, the user's file, defaults; the first that says wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from iris_harness.config.document import KeyPath, Origin, Value
from iris_harness.config.environment import variables
from iris_harness.config.explain import explain_errors
from iris_harness.config.layers import (
    Layer,
    Merged,
    apply_renames,
    empty_layer,
    environment_layers,
    file_layer,
    merge_layers,
    override_layers,
)
from iris_harness.config.paths import MAX_FILE_BYTES, config_path, friendly, named_config
from iris_harness.config.schema import CURRENT_VERSION, Config
from iris_harness.errors import ConfigError
from iris_harness.files import is_file, read_regular_file, user_path

RENAMED: Mapping[str, str] = MappingProxyType({})
"""Old dotted key -> new dotted key. An entry stays for one release."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedConfig:
    """Settings with where each of them came from."""

    config: Config
    origins: Mapping[KeyPath, Origin]
    """Key path -> place; a key that is not in it has its default."""
    warnings: tuple[str, ...]
    """One line per old key that still works, in file order."""
    file: Path | None
    """The user's file that was read; None when there is none."""

    def origin(self, path: KeyPath) -> Origin | None:
        """Return where the value at `path` was read; None means it is a default."""
        return Merged(tree={}, origins=self.origins).origin(path)


def load_config(
    path: Path | str | None = None,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Return the effective settings.

    Args:
        path: the user's file; None means `IRIS_CONFIG`, or else the platform's place. A file
            that was named must exist, the platform's may be missing.
        overrides: ``key.path=value``; the value is YAML.
        environ: environment variables; None means the process's own.

    Raises:
        ConfigError: the first mistake, in order of place and line.
    """
    return read_config(path, overrides=overrides, environ=environ).config


def read_config(
    path: Path | str | None = None,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    renamed: Mapping[str, str] = RENAMED,
    content: bytes | None = None,
) -> LoadedConfig:
    """Return the effective settings with their origins; arguments as `load_config`.

    `content` is what the user's file holds where somebody has just read it.

    Raises:
        ConfigError: the first mistake, in order of place and line.
    """
    loaded, problems = _load(path, overrides, environ, renamed, content)
    if loaded is None:
        raise problems[0]
    return loaded


def check_config(
    path: Path | str | None = None,
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    renamed: Mapping[str, str] = RENAMED,
) -> tuple[ConfigError, ...]:
    """Return every mistake, in order of place and line; empty when the settings are fine."""
    return tuple(_load(path, overrides, environ, renamed)[1])


def _load(
    path: Path | str | None,
    overrides: Sequence[str],
    environ: Mapping[str, str] | None,
    renamed: Mapping[str, str],
    content: bytes | None = None,
) -> tuple[LoadedConfig | None, list[ConfigError]]:
    given = variables() if environ is None else environ
    file = _user_file(path, given)
    must_exist = path is not None or named_config(given) is not None
    here = Path.cwd()
    layers = [
        apply_renames(layer, renamed)
        for layer in (
            _file_layer(file, content, must_exist=must_exist),
            *environment_layers(given, Config.model_fields, here),
            *override_layers(overrides, here),
        )
    ]
    merged = merge_layers([_anchored(layer) for layer in layers])
    config, problems = _validated(merged, [p for layer in layers for p in layer.problems])
    if config is None:
        return None, _in_order(problems, layers)
    warnings = tuple(warning for layer in layers for warning in layer.warnings)
    read = file if is_file(file) else None
    return LoadedConfig(config=config, origins=merged.origins, warnings=warnings, file=read), []


def _user_file(path: Path | str | None, environ: Mapping[str, str]) -> Path:
    return config_path(environ) if path is None else user_path(path)


def _file_layer(file: Path, content: bytes | None, *, must_exist: bool) -> Layer:
    base, place = file.absolute().parent, friendly(file)
    try:
        data = read_regular_file(file, MAX_FILE_BYTES).data if content is None else content
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        missing = ConfigError("there is no such file", file=place) if must_exist else None
        return empty_layer(base, missing)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return empty_layer(base, ConfigError("not text in UTF-8", file=place, line=line))
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "is no path that can exist"
        reason = f"cannot be read: {said or error}"
        return empty_layer(base, ConfigError(reason, file=place))
    return file_layer(text, place, base)


def _anchored(layer: Layer) -> Layer:
    """Make relative paths start at the folder of the place that names them."""
    tree = dict(layer.tree)
    for kind in ("calendars", "todos", "contacts", "channels"):
        entries = tree.get(kind)
        if isinstance(entries, list):
            tree[kind] = [_anchored_entry(entry, layer.base) for entry in entries]
        elif isinstance(entries, str):
            tree[kind] = _anchored_path(entries, layer.base)
    storage = tree.get("storage")
    if isinstance(storage, dict):
        tree["storage"] = _anchored_key(storage, "data_dir", layer.base)
    server = tree.get("server")
    if isinstance(server, dict):
        certified = _anchored_key(server, "tls_certificate", layer.base)
        tree["server"] = _anchored_key(certified, "tls_key", layer.base)
    models = tree.get("models")
    if isinstance(models, dict) and isinstance(entries := models.get("available"), list):
        files = [
            _anchored_key(entry, "path", layer.base) if isinstance(entry, dict) else entry
            for entry in entries
        ]
        tree["models"] = {**models, "available": files}
    return replace(layer, tree=tree)


def _anchored_entry(entry: Value, base: Path) -> Value:
    if isinstance(entry, dict):
        return _anchored_key(entry, "path", base)
    return _anchored_path(entry, base)


def _anchored_key(mapping: dict[str, Value], key: str, base: Path) -> dict[str, Value]:
    if key not in mapping:
        return mapping
    return {**mapping, key: _anchored_path(mapping[key], base)}


def _anchored_path(value: Value, base: Path) -> Value:
    if not isinstance(value, str) or not value.strip() or "://" in value or value[0] == "~":
        return value
    return str(base / value)


def _validated(
    merged: Merged, problems: list[ConfigError]
) -> tuple[Config | None, list[ConfigError]]:
    version = merged.tree.get("version")
    if isinstance(version, int) and version > CURRENT_VERSION:
        return None, [_too_new(version, merged)]  # its other keys are unknown here for good reason
    try:
        config = Config.model_validate(merged.tree)
    except ValidationError as error:
        return None, [*problems, *explain_errors(error, merged)]
    return (None, problems) if problems else (config, [])


def _too_new(version: int, merged: Merged) -> ConfigError:
    origin = merged.origin(("version",))
    return ConfigError(
        f"the file is of version {version}, written for a newer Iris",
        file=origin.place if origin else "",
        line=origin.line if origin else None,
        key="version",
        expected=f"at most {CURRENT_VERSION}: upgrade Iris, or use the file of this version",
    )


def _in_order(problems: Sequence[ConfigError], layers: Sequence[Layer]) -> list[ConfigError]:
    places = [origin.place for layer in layers for origin in layer.origins.values()]
    rank = {place: index for index, place in reversed(list(enumerate(places)))}
    return sorted(
        problems, key=lambda p: (rank.get(p.file, -1), p.line if p.line is not None else 0)
    )
