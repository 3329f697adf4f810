"""The fakes Iris ships for tests of agents and surfaces."""

from __future__ import annotations
