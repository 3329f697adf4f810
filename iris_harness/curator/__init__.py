"""Results become a reply: text, speech, and the strings they are made of.

`view` is what a day looks like before any layout; `sections` writes it, `text` and `speech` (and
the terminal among the surfaces) lay it out. `compose` makes one reply of many results. All texts
stand in `strings`. Everything here is pure.
"""

from __future__ import annotations
