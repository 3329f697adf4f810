"""The colours of a page, by day and by night.

Every pair of text and ground in `PAIRS` keeps the contrast of WCAG 2.2 (4.5 for text, 3 for the
edges that tell one thing from another); a test computes it. Colour is never the only carrier: each
kind of thing also differs by a word, a box or a pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "page": "#f7f7f5",
        "card": "#ffffff",
        "rest": "#eeeeea",  # hours off work
        "text": "#1c2026",
        "muted": "#59606b",
        "rule": "#e2e2dd",
        "frame": "#d2d2cb",
        "event": "#dfe9fb",
        "event-edge": "#2c66cf",
        "event-text": "#123063",
        "todo": "#dcf0e3",
        "todo-edge": "#1f7a45",
        "todo-text": "#0d3c21",
        "break": "#f4ead9",
        "break-edge": "#96702a",
        "break-text": "#4d390f",
        "travel": "#ece5f8",
        "travel-edge": "#7552bd",
        "travel-text": "#392266",
        "past": "#f1f1ee",
        "caution": "#7a5200",
        "caution-ground": "#fdf1d8",
        "alarm": "#a8201a",
        "alarm-ground": "#fce9e7",
        "now": "#c9252d",
    }
)

DARK: Mapping[str, str] = MappingProxyType(
    {
        "page": "#121417",
        "card": "#1b1e23",
        "rest": "#15171b",
        "text": "#e8eaed",
        "muted": "#a3aab5",
        "rule": "#2b2f36",
        "frame": "#383d46",
        "event": "#1c3156",
        "event-edge": "#6c9ff2",
        "event-text": "#d8e5fd",
        "todo": "#17382a",
        "todo-edge": "#54bd82",
        "todo-text": "#cdf1db",
        "break": "#3a2f1a",
        "break-edge": "#cfa35a",
        "break-text": "#f3e3c6",
        "travel": "#2f2450",
        "travel-edge": "#a98bea",
        "travel-text": "#e6dbfc",
        "past": "#22252b",
        "caution": "#f0c069",
        "caution-ground": "#332a17",
        "alarm": "#ff9d94",
        "alarm-ground": "#3b1f1e",
        "now": "#ff6b6b",
    }
)

TEXT_CONTRAST = 4.5
EDGE_CONTRAST = 3.0

PAIRS: tuple[tuple[str, str, float], ...] = (
    *((ink, ground, TEXT_CONTRAST) for ink in ("text", "muted") for ground in ("page", "card")),
    *((ink, "card", TEXT_CONTRAST) for ink in ("caution", "alarm", "now")),
    *((ink, "rest", TEXT_CONTRAST) for ink in ("muted", "now")),
    *((f"{kind}-text", kind, TEXT_CONTRAST) for kind in ("event", "todo", "break", "travel")),
    *((f"{kind}-edge", kind, EDGE_CONTRAST) for kind in ("event", "todo", "break", "travel")),
    *(
        (f"{kind}-edge", ground, EDGE_CONTRAST)
        for kind in ("event", "todo", "break", "travel")
        for ground in ("card", "rest")
    ),
    ("alarm", "event", TEXT_CONTRAST),
    ("alarm", "past", TEXT_CONTRAST),
    ("muted", "past", TEXT_CONTRAST),
    ("text", "caution-ground", TEXT_CONTRAST),
    ("text", "alarm-ground", TEXT_CONTRAST),
    ("alarm", "alarm-ground", TEXT_CONTRAST),
    ("caution", "caution-ground", TEXT_CONTRAST),
)
"""Ink, ground, and the contrast they have to keep."""
