"""What the global options mean, resolved when a command asks for it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from iris_harness.files import user_path

if TYPE_CHECKING:
    from iris_harness.config.loader import LoadedConfig
    from iris_harness.config.schema import Config
    from iris_harness.config.settings import Settings


class CliState:
    """The global options of one run; the configuration is read at most once, when needed."""

    def __init__(self, *, config_path: str | None, overrides: tuple[str, ...]) -> None:
        """Keep the options as typed."""
        self.config_path = config_path
        self.overrides = overrides

    @cached_property
    def loaded(self) -> LoadedConfig:
        """The effective settings and where each comes from.

        Raises:
            ConfigError: a value in them cannot be used.
        """
        from iris_harness.config.loader import read_config

        return read_config(self.config_path, overrides=self.overrides)

    @property
    def config(self) -> Config:
        """The effective settings.

        Raises:
            ConfigError: a value in them cannot be used.
        """
        return self.loaded.config

    @cached_property
    def settings(self) -> Settings:
        """The effective settings as plain values; quicker to have than `config`.

        Raises:
            ConfigError: a value in them cannot be used.
        """
        from iris_harness.config.remembered import read_settings

        return read_settings(self.config_path, overrides=self.overrides)

    def config_file(self) -> Path:
        """Return the user's settings file, whether or not it exists."""
        from iris_harness.config.paths import config_path

        return user_path(self.config_path) if self.config_path else config_path()

    def data_folder(self) -> Path:
        """Return the folder of the user's database."""
        from iris_harness.bootstrap.setting import configured_folder

        return configured_folder(self.settings)

    def data_folders(self) -> tuple[Path, ...]:
        """Return where plans may be kept: the configured folder first, then the default.

        Plans of the demonstration and of paths given on the command line go to the default one.
        """
        from iris_harness.config.paths import data_dir

        return (self.data_folder(), data_dir())

    def timezone(self) -> str:
        """Return the user's zone."""
        from iris_harness.config.zone import resolve_zone

        return resolve_zone(self.settings.timezone)
