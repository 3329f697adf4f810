"""How the server's threads take memory from the C library."""

from __future__ import annotations

import contextlib
import ctypes

_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's mallopt(3)."""
_ARENAS = 2


def share_arenas() -> None:
    """Let all threads use two arenas; before the first thread is started.

    glibc gives threads up to eight for each processor, and what a thread gave back stays in its
    own: the server grew with every burst of questions. Elsewhere nothing happens.
    """
    # Windows has no name for the running program, and other C libraries have no such option.
    with contextlib.suppress(TypeError, OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
