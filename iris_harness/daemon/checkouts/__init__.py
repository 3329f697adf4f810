"""Clones and worktrees: what a job works on, apart from every checkout of the user's."""

from __future__ import annotations

from iris_harness.daemon.checkouts.clones import Clone, CloneCache
from iris_harness.daemon.checkouts.worktrees import Worktree, add_worktree

__all__ = ["Clone", "CloneCache", "Worktree", "add_worktree"]
