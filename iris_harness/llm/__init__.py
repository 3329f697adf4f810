"""Language-model backends; the only room that imports them."""

from __future__ import annotations
