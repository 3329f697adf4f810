"""The composition root: configuration -> a running Iris."""

from __future__ import annotations
