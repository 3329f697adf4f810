"""The executor: runs a task plan in a bounded thread pool."""

from __future__ import annotations
