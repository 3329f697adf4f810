"""Another machine whose worker was faster: it has a clone of its own, and hands in a commit."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from iris_harness.daemon.checkouts import CloneCache, add_worktree
from iris_harness.daemon.job_branch import JobBranch
from iris_harness.jobs.database import Database
from iris_harness.jobs.steps import JobSteps
from iris_harness.jobs.tables import job_steps, workers


def change_elsewhere(database: Database, job_id: str, origin: Path, path: str, text: str) -> str:
    """Change a file on top of a job's head, in a clone beside `origin`; return the new head."""
    folder = origin.parent / "elsewhere"
    kept = JobSteps(database, 2**20)
    steps = kept.of(job_id)
    clone = CloneCache(folder).open(origin.as_uri())
    branch = JobBranch(clone=clone, job_id=job_id)
    branch.follow(steps, lambda number: kept.pack(job_id, number))
    tree = add_worktree(clone, folder / "tree", "theirs", steps[-1].head)
    (tree.folder / path).write_text(text, encoding="utf-8")
    tree.stage_all()
    made = tree.commit("theirs")
    tree.remove()
    assert made is not None
    step = branch.next_step(steps[-1], made)
    with database.writing() as connection:
        some = sa.select(workers.c.id).where(workers.c.job_id == job_id).limit(1)
        worker = connection.execute(some).scalar_one()
        values = {"job_id": job_id, "number": step.number, "head": step.head, "pack": step.pack}
        connection.execute(sa.insert(job_steps).values(**values, worker_id=worker, made_at=0))
    return made
