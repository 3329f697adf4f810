"""Where people meet Iris: the command line and its views."""

from __future__ import annotations
