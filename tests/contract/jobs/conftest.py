from __future__ import annotations

from tests.jobs_support import clock, database, pgvector, place, postgres

__all__ = ["clock", "database", "pgvector", "place", "postgres"]
