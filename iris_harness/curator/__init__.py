"""Results become a reply: text, speech, and the strings they are made of."""

from __future__ import annotations
