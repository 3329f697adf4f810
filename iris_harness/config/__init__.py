"""The configuration: schema, loader, paths; the only reader of the environment."""

from __future__ import annotations
