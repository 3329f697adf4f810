"""The documented default: the text of ``config.yaml`` as it comes with Iris."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from iris_harness.errors import ConfigError

_PACKAGED = "default.yaml"
_IN_SOURCE_TREE = "config.yaml"


def default_text() -> str:
    """Return the commented default settings.

    A wheel carries them in this package; in a checkout they are ``config.yaml`` at its root.

    Raises:
        ConfigError: this installation has lost its file.
    """
    packaged = resources.files("iris_harness.config").joinpath(_PACKAGED)
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    root = Path(__file__).resolve().parents[2] / _IN_SOURCE_TREE
    if root.is_file():
        return root.read_text(encoding="utf-8")
    raise ConfigError("the default settings are missing from this installation; reinstall Iris")
