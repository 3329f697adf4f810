"""The page in a browser: the conversation beside the day, and how a browser is let in."""

from __future__ import annotations
