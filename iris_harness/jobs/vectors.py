"""Vectors of finished jobs, and which are nearest: numpy over blobs, or pgvector where it is.

Every statement takes an owner's finished jobs from `finished_jobs`, so that what is searched is
never more than what may be shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects import postgresql, sqlite

from iris_harness.errors import StorageError
from iris_harness.jobs.database import Database
from iris_harness.jobs.finished import finished_jobs
from iris_harness.jobs.migrating import lock_schema
from iris_harness.jobs.tables import job_vectors, jobs, manifests

Vector: TypeAlias = NDArray[np.float32]
"""Shape (dimension,), of length 1."""

_BLOB: Final = np.dtype("<f4")
_ROUNDING: Final = 1e-4
"""More than sums of float32 differ by, in whatever order they are added."""
_SPARE: Final = 8
"""Rows beyond those asked for that pgvector is asked for, since it rounds."""


class Neighbour(NamedTuple):
    """A finished job, and how near it is."""

    job_id: str
    cosine: float


class Unread(NamedTuple):
    """A finished job that has no vector of a model."""

    job_id: str
    manifest: str
    """Its body."""


class BlobVectors:
    """Vectors as bytes in an ordinary table, compared here. Thread-safe."""

    table: ClassVar[sa.Table] = job_vectors

    def __init__(self, database: Database, model_id: str, dimension: int) -> None:
        """Take the database, and the model whose vectors are meant."""
        self._database = database
        self._model_id = model_id
        self._dimension = dimension

    def unread(self, owner: str, most: int) -> list[Unread]:
        """Return finished jobs that have no vector, newest first, at most so many."""
        found = finished_jobs(owner).subquery()
        vectors = self.table
        query = (
            sa.select(found.c.id, manifests.c.body)
            .join(manifests, manifests.c.id == found.c.manifest_id)
            .outerjoin(vectors, self._of_this_model(found.c.id))
            .where(vectors.c.job_id.is_(None))
            .order_by(found.c.created_at.desc(), found.c.id)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [Unread(row.id, row.body) for row in connection.execute(query)]

    def add(self, vectors: Mapping[str, Vector]) -> None:
        """Keep the vectors of jobs; one that another has kept meanwhile is the same, and stays."""
        if not vectors:
            return
        kept = [
            {
                "job_id": job_id,
                "model_id": self._model_id,
                "dimension": self._dimension,
                "vector": self._packed(vector),
            }
            for job_id, vector in sorted(vectors.items())
        ]
        insert = postgresql.insert if self._database.is_postgresql else sqlite.insert
        with self._database.writing() as connection:
            connection.execute(insert(self.table).on_conflict_do_nothing(), kept)

    def nearest(self, owner: str, vector: Vector, count: int) -> tuple[Neighbour, ...]:
        """Return the nearest finished jobs, nearest first; equal ones newest first, then by id.

        The order is of exact sums: it is the same on every machine and database.
        """
        with self._database.reading() as connection:
            rows = connection.execute(self._candidates(owner, vector, count)).all()
        if not rows:
            return ()
        table = self._unpacked([row.vector for row in rows])
        rough = table @ vector
        least = np.sort(rough)[-min(count, len(rows))] - _ROUNDING
        exact = _ExactCosines(vector)
        ranked = sorted(
            (-exact.of(table[at]), -rows[at].created_at, rows[at].id)
            for at in np.flatnonzero(rough >= least).tolist()
        )
        return tuple(Neighbour(job_id, -cosine) for cosine, _, job_id in ranked[:count])

    def _candidates(self, owner: str, vector: Vector, count: int) -> sa.Select[Any]:
        """Return the statement that finds id, created_at and vector of what may be nearest."""
        del vector, count
        return self._vectors_of(owner)

    def _vectors_of(self, owner: str) -> sa.Select[Any]:
        found = finished_jobs(owner).subquery()
        return sa.select(found.c.id, found.c.created_at, self.table.c.vector).join(
            self.table, self._of_this_model(found.c.id)
        )

    def _of_this_model(self, job_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
        columns = self.table.c
        return sa.and_(
            columns.job_id == job_id,
            columns.model_id == self._model_id,
            columns.dimension == self._dimension,
        )

    def _packed(self, vector: Vector) -> bytes | str:
        return vector.astype(_BLOB).tobytes()

    def _unpacked(self, kept: Sequence[Any]) -> NDArray[np.float32]:
        """Return a row for each vector."""
        return np.frombuffer(b"".join(kept), _BLOB).reshape(len(kept), self._dimension)


class _PgVector(sa.types.UserDefinedType[str]):
    """pgvector's type, written and read as its text: ``[0.5,-0.25]``."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector"

    def bind_expression(self, bindvalue: sa.BindParameter[str]) -> sa.ColumnElement[str]:
        return sa.cast(bindvalue, self)


_pgvectors: Final = sa.Table(
    "job_pgvectors",
    sa.MetaData(),
    sa.Column("job_id", sa.ForeignKey(jobs.c.id), primary_key=True),
    sa.Column("model_id", sa.String(64), primary_key=True),
    sa.Column("dimension", sa.Integer, nullable=False),
    sa.Column("vector", _PgVector, nullable=False),
)


class PgVectors(BlobVectors):
    """Vectors in a table of pgvector's type, compared by the server; no more than needed travels.

    There is no index of nearest neighbours: one would miss some, and others' jobs would push an
    owner's out.
    """

    table: ClassVar[sa.Table] = _pgvectors

    def _candidates(self, owner: str, vector: Vector, count: int) -> sa.Select[Any]:
        query = self._vectors_of(owner)
        columns = query.selected_columns
        asked = sa.bindparam("asked", self._packed(vector), _PgVector)
        distance = self.table.c.vector.op("<=>", return_type=sa.Float)(asked)
        order = (distance, columns.created_at.desc(), columns.id)
        return query.order_by(*order).limit(count + _SPARE)

    def _packed(self, vector: Vector) -> bytes | str:
        return f"[{','.join(map(str, vector))}]"

    def _unpacked(self, kept: Sequence[Any]) -> NDArray[np.float32]:
        return np.array([text[1:-1].split(",") for text in kept], np.float32)


class _ExactCosines:
    """Cosines whose sums do not depend on the order of adding; each vector is summed once."""

    def __init__(self, asked: Vector) -> None:
        self._asked = asked.astype(np.float64)
        self._known: dict[bytes, float] = {}

    def of(self, vector: Vector) -> float:
        key = vector.tobytes()
        if key not in self._known:
            self._known[key] = math.fsum((self._asked * vector).tolist())
        return self._known[key]


def open_vectors(database: Database, model_id: str, dimension: int) -> BlobVectors:
    """Return where vectors of a model are: pgvector's table where the server has it, else blobs.

    Raises:
        StorageError: the database cannot be reached.
    """
    kind = PgVectors if _has_pgvector(database) else BlobVectors
    return kind(database, model_id, dimension)


def _has_pgvector(database: Database) -> bool:
    """Return whether pgvector's table is there, making it where the server and this user can."""
    if not database.is_postgresql:
        return False
    with database.reading() as connection:
        if _is_there(connection):
            return True
        if connection.scalar(_CAN_HAVE) is None:
            return False
    try:
        with database.writing() as connection:
            lock_schema(connection)
            if not _is_there(connection):  # another may have made it meanwhile
                connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS vector"))
                _pgvectors.drop(connection, checkfirst=True)
                _pgvectors.create(connection)
    except StorageError:
        return False  # only an administrator may, on this server
    return True


def _is_there(connection: sa.Connection) -> bool:
    """Return whether the table is; what goes with pgvector is its column alone."""
    return connection.scalar(_COLUMN, {"table": _pgvectors.name}) is not None


_COLUMN: Final = sa.text(
    "SELECT 1 FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid"
    " WHERE attrelid = to_regclass(:table) AND attname = 'vector' AND typname = 'vector'"
)
_CAN_HAVE: Final = sa.text(
    "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND (installed_version IS NOT"
    " NULL OR has_database_privilege(current_database(), 'CREATE'))"
)
