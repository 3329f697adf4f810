from __future__ import annotations

from tests.jobs_support import clock, database, place, postgres

__all__ = ["clock", "database", "place", "postgres"]
