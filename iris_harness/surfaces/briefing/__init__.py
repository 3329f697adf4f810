"""What Iris says unasked: the morning briefing, on the days and at the times the user chose."""

from __future__ import annotations
