"""The server: chat clients, browsers and other programs on this machine ask over HTTP.

This package imports nothing by itself; it needs the extra `serve`.
"""

from __future__ import annotations
