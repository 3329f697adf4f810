"""The registry: agents and router, found by entry point."""

from __future__ import annotations
