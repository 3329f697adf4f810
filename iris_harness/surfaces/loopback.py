"""Which addresses are this machine's own."""

from __future__ import annotations

from iris_harness.config.addresses import is_loopback

__all__ = ["is_loopback"]
