"""Alembic's migrations of the jobs database, in order of their numbers."""
