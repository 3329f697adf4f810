"""Frozen values and Protocols that every room speaks.

Import from the module that holds the name (``from iris_harness.contracts.tasks import AgentTask``).
This package imports nothing by itself, so a plugin that needs one contract loads one contract.
"""

from __future__ import annotations
