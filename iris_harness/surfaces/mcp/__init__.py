"""Iris as tools for other assistants, over the Model Context Protocol (MCP).

This package imports nothing by itself; it needs the extra `mcp`.
"""

from __future__ import annotations
