"""What Iris keeps on this machine: plans and turns, in one SQLite file of its own.

This package imports nothing by itself: `store` is where to start.
"""

from __future__ import annotations
