"""Write the effective settings as YAML, each with where it came from and secrets masked."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from iris_harness.config.addresses import address_type, shown_address
from iris_harness.config.credentials import FETCH, MASK, masked
from iris_harness.config.document import KeyPath
from iris_harness.config.loader import LoadedConfig
from iris_harness.contracts.canonical import Json

_ENDLESS = 1_000_000  # columns: a value stays on its line, so that its comment can follow
_SETTINGS_OF_AGENTS = ("agents", "settings")


def render_config(loaded: LoadedConfig) -> str:
    """Return YAML that, apart from masked secrets, loads to the same settings."""
    tree = loaded.config.model_dump(mode="json")
    return "".join(f"{line}\n" for line in _lines(tree, (), loaded))


def _lines(tree: dict[str, Json], path: KeyPath, loaded: LoadedConfig) -> Iterator[str]:
    indent = "  " * len(path)
    for key, value in tree.items():
        here = (*path, key)
        if isinstance(value, dict) and set(value) == {FETCH}:
            yield f"{indent}{_inline(key)}: {_inline(masked(value))}  # {_origin(here, loaded)}"
        elif isinstance(value, dict) and value and here != _SETTINGS_OF_AGENTS:
            yield f"{indent}{_inline(key)}:"
            yield from _lines(value, here, loaded)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield f"{indent}{_inline(key)}:"
            yield from (
                f"{indent}  - {_inline(_masked_source(item))}  # {_origin((*here, index), loaded)}"
                for index, item in enumerate(value)
            )
        elif here == _SETTINGS_OF_AGENTS and isinstance(value, dict) and value:
            yield f"{indent}{_inline(key)}:"
            yield from _agent_lines(value, here, loaded)
        else:
            yield f"{indent}{_inline(key)}: {_inline(masked(value))}  # {_origin(here, loaded)}"


def _masked_source(item: Json) -> Json:
    shown = masked(item)
    if isinstance(shown, dict) and isinstance(url := shown.get("url"), str):
        kind = str(shown.get("type") or address_type(url))
        return {**shown, "url": shown_address(url, kind)}
    if isinstance(shown, dict) and isinstance(urls := shown.get("urls"), list):
        return {**shown, "urls": [_masked_service(url) for url in urls]}
    return shown


def _masked_service(url: Json) -> Json:
    """Show of a service's address only what kind it is: the rest tells who may use it."""
    return f"{url.partition('://')[0]}://{MASK}" if isinstance(url, str) else url


def _agent_lines(agents: dict[str, Json], path: KeyPath, loaded: LoadedConfig) -> Iterator[str]:
    indent = "  " * len(path)
    for agent, settings in agents.items():
        yield f"{indent}{_inline(agent)}:"
        for key, value in (settings if isinstance(settings, dict) else {}).items():
            origin = _origin((*path, agent, key), loaded)
            yield f"{indent}  {_inline(key)}: {_inline(masked(value, key))}  # {origin}"


def _origin(path: KeyPath, loaded: LoadedConfig) -> str:
    # An entry of a list comes from where its list does; a key beside others only from itself.
    origin = loaded.origin(path) if isinstance(path[-1], int) else loaded.origins.get(path)
    return "default" if origin is None else str(origin)


def _inline(value: Json) -> str:
    text = yaml.safe_dump(
        value, default_flow_style=True, width=_ENDLESS, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")
