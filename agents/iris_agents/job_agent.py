"""Larger work on a repository: what was said becomes a job, proposed and never begun by itself."""

from __future__ import annotations

from iris_harness.contracts.actions import Action, ActionKind
from iris_harness.contracts.canonical import Json
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Intent
from iris_harness.errors import TaskError


def agent(_ports: AgentPorts) -> Agent:
    """Return the agent that proposes jobs."""
    intent = Intent(
        name="job.submit",
        description="give work on a repository to workers",
        examples=(
            "fix the failing test in ~/code/site",
            "add dark mode to my site, repo https://example.org/me/site.git",
            "refactor parser.py in the repository ~/code/tool",
        ),
        writes=True,
    )
    return Agent(name="job", intents=(intent,), handler=_propose, read_only=True)


def _propose(task: AgentTask) -> HandlerResult:
    repo = task.slots.get("repo")
    if not repo:
        raise TaskError(
            "It is not said which repository is meant.",
            hint="name its folder or its address, as in “… in ~/code/site”",
        )
    arguments: dict[str, Json] = {"task": task.utterance, "repo": repo}
    if path := task.slots.get("path"):
        arguments["file"] = path
    return HandlerResult(actions=(Action(kind=ActionKind.JOB_SUBMIT, arguments=arguments),))
