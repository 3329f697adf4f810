"""The ways to say something unasked: one module for each type of channel."""

from __future__ import annotations
