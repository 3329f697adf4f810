"""The agents that come with Iris, one file each."""

from __future__ import annotations
