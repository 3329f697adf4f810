"""The planner's version: on its own, so that a plan is checked without loading what made it."""

from __future__ import annotations

ALGORITHM_VERSION = 4
"""Part of every plan's id; raised whenever the same input may give another plan."""
