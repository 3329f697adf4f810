"""Settings: what they may be, where they come from, and what is wrong with them.

This package imports nothing by itself: `paths` and `environment` stay free of pydantic and YAML,
so that a command which needs no settings does not pay for reading them.
"""

from __future__ import annotations
