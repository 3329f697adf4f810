"""Actions performed: items found, previews made, changes journaled, applied and taken back."""

from __future__ import annotations
