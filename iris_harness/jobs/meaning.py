"""Finished jobs that mean much the same as a new one.

They are read when a plan wants them, never while a queue works: a finished job that has no vector
of the present model gets one then, and keeps it.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from iris_harness.jobs.database import Database
from iris_harness.jobs.embedding import Embedder
from iris_harness.jobs.vectors import BlobVectors, Neighbour, open_vectors

MOST_READ: Final = 200
"""Jobs that are read for one plan: a second or two, ten where all are long; later plans read the
rest."""


class Neighbours(NamedTuple):
    """What was found."""

    nearest: tuple[Neighbour, ...]
    """Nearest first."""
    all_read: bool
    """Whether all finished jobs have been compared; False: the oldest have no vector yet."""


def find_neighbours(
    database: Database, owner: str, task: str, embedder: Embedder, count: int
) -> Neighbours:
    """Return the owner's finished jobs nearest to a task.

    Raises:
        ConfigError: the embedder does not load.
        StorageError: the database cannot be reached, or refused.
    """
    vectors = open_vectors(database, embedder.model_id, embedder.dimension)
    all_read = _read(vectors, owner, embedder)
    return Neighbours(vectors.nearest(owner, embedder.embed([task])[0], count), all_read)


def _read(vectors: BlobVectors, owner: str, embedder: Embedder) -> bool:
    """Give vectors to jobs that have none, newest first; return whether none is left.

    No transaction is open meanwhile: it takes milliseconds for each.
    """
    found = vectors.unread(owner, MOST_READ + 1)
    tasks = {job.job_id: str(json.loads(job.manifest)["task"]) for job in found[:MOST_READ]}
    texts = tuple(dict.fromkeys(tasks.values()))
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    vectors.add({job_id: rows[task] for job_id, task in tasks.items()})
    return len(found) <= MOST_READ
