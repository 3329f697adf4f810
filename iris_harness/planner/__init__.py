"""The day, pure: read into a snapshot, build, explain; as JSON."""

from __future__ import annotations
