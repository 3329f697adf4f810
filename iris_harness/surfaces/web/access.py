"""Who may ask: the token that clients send, and where it is kept.

The token is in a file of the data folder that only its owner can read. Whoever can read that file
can read the calendars, too.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from iris_harness.errors import ServerError
from iris_harness.files import read_regular_file
from iris_harness.storage.secret import new_secret, opens, secret_digest

TOKEN_FILE = "server-token"  # noqa: S105 - a file's name
_MOST_BYTES = 4096
_OTHERS = 0o077


def load_token(data_folder: Path) -> str:
    """Return the token of this installation; the first call makes one.

    Raises:
        ServerError: the file cannot be made or read, is empty, or others can read it.
    """
    path = data_folder / TOKEN_FILE
    if not path.exists():
        _make_token(path)
    return _read_token(path)


def renew_token(data_folder: Path) -> str:
    """Replace the token; from the next start of the server on the old one opens nothing.

    Raises:
        ServerError: the file cannot be made.
    """
    path = data_folder / TOKEN_FILE
    path.unlink(missing_ok=True)
    _make_token(path)
    return _read_token(path)


def _make_token(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Complete before it has its name, so that nobody ever reads half of it.
        own = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(new_secret() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(own, path)  # of two servers that start at once the first one's stays
        except FileExistsError:
            pass
        finally:
            own.unlink()
    except OSError as error:
        raise ServerError(f"{path}: the server's token cannot be kept: {error.strerror}") from error


def _read_token(path: Path) -> str:
    try:
        if os.name == "posix" and path.stat().st_mode & _OTHERS:
            raise ServerError(
                f"{path}: others can read the server's token", hint=f"chmod 600 {path}"
            )
        token = read_regular_file(path, _MOST_BYTES).data.decode("ascii", "replace").strip()
    except OSError as error:
        raise ServerError(f"{path}: {error.strerror or error}") from error
    if not token:
        raise ServerError(f"{path}: the server's token is empty", hint="delete the file")
    return token


class Gate:
    """Tells whether a token opens the server."""

    def __init__(self, token: str) -> None:
        """Keep a digest of `token`, so that it is in no dump of this object."""
        self._digest = secret_digest(token)

    @property
    def name(self) -> str:
        """What this gate is called where secrets are kept that it made: says nothing of them."""
        return hashlib.sha256(b"gate" + bytes.fromhex(self._digest)).hexdigest()

    def opens(self, token: str | None) -> bool:
        """Return whether `token` is the right one, in a time that does not depend on it."""
        return opens(token or "", self._digest)
