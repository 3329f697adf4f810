"""Iris: a personal assistant on your own machine whose daily plan you can check."""

from __future__ import annotations
