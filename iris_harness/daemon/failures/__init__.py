"""The first failure of a test command: whose fault it is, and the one thing to do about it.

`classify.load_classifier` is the door. `rules.toml` holds what tools print, `names.toml` what names
stand for; both are data, read once when the classifier is made.
"""

from __future__ import annotations
