"""Results become a reply: text, speech, and the strings they are made of.

`view` is what a day looks like before any layout; `sections` writes it, `text` and `speech` (and
the terminal among the surfaces) lay it out. `compose` makes one reply of many results. All texts
stand in `strings`. Everything here is pure.
"""

from __future__ import annotations

from iris_harness.curator.compose import Curator
from iris_harness.curator.sections import day_sections
from iris_harness.curator.speech import day_speech
from iris_harness.curator.text import day_text

__all__ = ["Curator", "day_sections", "day_speech", "day_text"]
