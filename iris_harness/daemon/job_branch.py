"""The work of a job as a clone has it: a copy of what the queue keeps, never ahead of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iris_harness.daemon.checkouts import Clone
from iris_harness.daemon.checkouts.packs import make_pack, take_pack
from iris_harness.errors import RepositoryError
from iris_harness.jobs.leasing import NewStep, Step

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")


@dataclass(frozen=True, kw_only=True, slots=True)
class JobBranch:
    """The branch ``iris/<job>`` of a clone, and the refs that tell which steps it has."""

    clone: Clone
    job_id: str

    @property
    def name(self) -> str:
        """The branch on which the job's work comes together."""
        return f"iris/{safe_name(self.job_id)}"

    @property
    def base(self) -> str:
        """The ref that keeps where the job began."""
        return f"refs/iris/{safe_name(self.job_id)}/base"

    @property
    def is_here(self) -> bool:
        """Whether the clone has any of it."""
        return self.clone.git.succeeds("rev-parse", "--verify", "--quiet", self.base)

    def follow(self, steps: Sequence[Step], fetch: Callable[[int], bytes]) -> None:
        """Bring the branch to the last of `steps`, wherever it was.

        Args:
            steps: all of the job, in order.
            fetch: returns what a step added to the one before; asked for what is not here.

        Raises:
            RepositoryError: the job began at a commit that cannot be had, or a step is broken.
        """
        here = self._here()
        if here.get(0) != steps[0].head:
            self.clone.need_commit(steps[0].head)
            self._keep(steps[0])
        for before, step in pairwise(steps):
            if here.get(step.number) != step.head:
                take_pack(self.clone.git, fetch(step.number), before.head, step.head)
                self._keep(step)
        self._move(self.base, steps[0].head)
        self._move(f"refs/heads/{self.name}", steps[-1].head)

    def next_step(self, last: Step, head: str) -> NewStep:
        """Return what leads from the last step to a commit of the clone."""
        pack = make_pack(self.clone.git, last.head, head)
        return NewStep(number=last.number + 1, built_on=last.head, head=head, pack=pack)

    def add(self, step: NewStep) -> None:
        """Go on to a step that was made here, and is kept by the queue."""
        self._keep(Step(step.number, step.head))
        self._move(f"refs/heads/{self.name}", step.head)

    def _here(self) -> dict[int, str]:
        """Return the steps that the clone has, by number."""
        listed = self.clone.git.run(
            "for-each-ref", "--format=%(refname:lstrip=-1) %(objectname)", self._step_ref("")
        )
        return {int(number): head for number, head in map(str.split, listed.splitlines())}

    def _keep(self, step: Step) -> None:
        self._move(self._step_ref(str(step.number)), step.head)

    def _move(self, ref: str, commit: str) -> None:
        self.clone.git.run("update-ref", ref, commit)

    def _step_ref(self, number: str) -> str:
        return f"refs/iris/{safe_name(self.job_id)}/steps/{number}"


def safe_name(text: str) -> str:
    """Return the id of a job or a worker, which is safe as a folder and in a ref.

    Raises:
        RepositoryError: it is not.
    """
    if not _SAFE.fullmatch(text) or ".." in text or text.endswith(".lock"):
        raise RepositoryError(f"{text!r} is no id of a job or a worker")
    return text
