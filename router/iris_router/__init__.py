"""The router: words to routes."""

from __future__ import annotations
