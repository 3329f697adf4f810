"""The hook for voice assistants: text in, a spoken sentence out, over the Wyoming protocol.

This package imports nothing by itself; it needs the extra `voice`.
"""

from __future__ import annotations
