"""Secrets in agents' settings: fetched from a command when needed, never shown."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping

from iris_harness.contracts.canonical import Json
from iris_harness.errors import ConfigError
from iris_harness.files import user_path

FETCH = "fetch"
ENV = "env"
FETCH_TIMEOUT_SECONDS = 60.0  # long enough for a person to unlock a keyring
MASK = "********"

_SECRET_KEY = re.compile(r"token|passw|passphrase|secret|api_?key|credential", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"(?<=://)([^/@\s:]*):[^/@\s]*@")


def resolve_settings(
    settings: Mapping[str, Json],
    key: str = "",
    *,
    timeout_seconds: float = FETCH_TIMEOUT_SECONDS,
) -> dict[str, Json]:
    """Return settings with every ``{fetch: [command, argument, …]}`` replaced by its secret.

    The secret is the first line of the command's standard output. The command runs without a
    shell. Behind the name of a secret (see `masked`), ``{env: NAME}`` is that variable. `key` is
    the dotted path of `settings`, for messages.

    Raises:
        ConfigError: a variable that is not set, or a command that is missing, fails, times out or
            prints nothing. What it printed is never repeated.
    """
    return {
        name: _resolved(value, f"{key}.{name}".lstrip("."), timeout_seconds)
        for name, value in settings.items()
    }


def resolve_key(value: str | Mapping[str, Json], key: str) -> str:
    """Return a secret that is a text, ``{fetch: [command, …]}`` or ``{env: NAME}``.

    `key` is its dotted path, for messages.

    Raises:
        ConfigError: as `resolve_settings`, or the variable is not set.
    """
    return value if isinstance(value, str) else str(_resolved(dict(value), key))


def _resolved(value: Json, key: str, timeout_seconds: float = FETCH_TIMEOUT_SECONDS) -> Json:
    if isinstance(value, dict):
        if set(value) == {ENV} and _is_secret(key.rpartition(".")[2]):
            return _variable(value[ENV], key)
        if set(value) == {FETCH}:
            return _fetch(_command(value[FETCH], key), key, timeout_seconds)
        return resolve_settings(value, key, timeout_seconds=timeout_seconds)
    if isinstance(value, list):
        return [
            _resolved(item, f"{key}.{index}", timeout_seconds) for index, item in enumerate(value)
        ]
    return value


def _variable(name: Json, key: str) -> str:
    found = os.environ.get(name, "").strip() if isinstance(name, str) else ""
    if not found:
        expected = f"the name of a variable that is set: export {name}=…"
        raise ConfigError(f"the variable {name} is not set", key=key, expected=expected)
    return found


def _command(value: Json, key: str) -> list[str]:
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if not words or len(words) != len(value if isinstance(value, list) else ()):
        raise ConfigError(
            "not a command", key=f"{key}.{FETCH}", expected="a list of texts, as [pass, show, mail]"
        )
    return [str(user_path(words[0])), *words[1:]]


def _fetch(command: list[str], key: str, timeout_seconds: float) -> str:
    program = command[0]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Not chained: the error would carry what the command printed so far.
        raise _failed(f"{program} gave no answer in {timeout_seconds:g} s", key) from None
    except OSError as error:
        raise _failed(f"{program} cannot be run: {error.strerror}", key) from error
    if done.returncode != 0:
        raise _failed(f"{program} ended with exit code {done.returncode}", key)
    lines = done.stdout.decode("utf-8", errors="surrogateescape").splitlines()
    if not lines or not lines[0]:
        raise _failed(f"{program} printed nothing", key)
    return lines[0]


def _failed(message: str, key: str) -> ConfigError:
    expected = "a command whose first line of output is the secret; try it in a shell"
    return ConfigError(message, key=key, expected=expected)


def masked(value: Json, key: str = "") -> Json:
    """Return `value` as it may be shown: literal secrets, and what fetches one, are hidden.

    A text is secret when the name of its key says so (token, password, secret, api_key, …).
    """
    if isinstance(value, dict):
        if set(value) == {FETCH}:
            return {FETCH: _masked_command(value[FETCH])}
        if set(value) == {ENV} and _is_secret(key):
            return value  # the name of a variable tells nothing
        return {
            name: masked(item, key if _is_secret(key) else name) for name, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, key) for item in value]
    if value is not None and not isinstance(value, bool) and _is_secret(key):
        is_count = isinstance(value, int) and key.endswith("tokens")  # of a language model
        return value if is_count else MASK
    return _PASSWORD_IN_ADDRESS.sub(rf"\1:{MASK}@", value) if isinstance(value, str) else value


def _is_secret(key: str) -> bool:
    return bool(_SECRET_KEY.search(key))


def _masked_command(value: Json) -> Json:
    # The program says where the secret comes from; an argument may be one itself.
    return [value[0], MASK] if isinstance(value, list) and value else MASK


def has_literal_secret(value: Json | Mapping[str, Json], key: str = "") -> bool:
    """Return whether a secret is written out in `value`."""
    if isinstance(value, Mapping):
        inside = key if _is_secret(key) else ""
        return set(value) not in ({FETCH}, {ENV}) and any(
            has_literal_secret(item, inside or name) for name, item in value.items()
        )
    if isinstance(value, list):
        return any(has_literal_secret(item, key) for item in value)
    return isinstance(value, str) and bool(value) and masked(value, key) != value
