"""Iris' own database: plans and turns, in SQLite."""

from __future__ import annotations
