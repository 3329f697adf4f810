"""Jobs in a conversation: which are meant, what is told of them, and what is done with them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from iris_agents.job_agent import agent
from iris_harness.contracts.actions import ActionKind
from iris_harness.contracts.day import DayPreferences
from iris_harness.contracts.jobs import JobReport, WorkerReport
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.testing import NOW, make_task

LATER = NOW + dt.timedelta(hours=1)


@dataclass(frozen=True)
class Jobs:
    """A `JobPort` in memory."""

    found: tuple[JobReport, ...] = ()

    def recent(self) -> tuple[JobReport, ...]:
        return self.found


def job(task: str, state: str, *, reviewed: bool = False) -> JobReport:
    ends = {"succeeded": "succeeded", "failed": "failed", "cancelled": "cancelled"}
    worker = WorkerReport(
        "w1", task, ends.get(state, "ready"), "two tests fail" if state == "failed" else ""
    )
    return JobReport(
        job_id=f"{sum(map(ord, task)) % 1000:03}0abc0def"[:12],
        task=task,
        repo_url="file:///site",
        state=state,
        created_at=NOW,
        finished_at=LATER if state in ends else None,
        workers=(worker,),
        is_reviewed=reviewed,
    )


QUEUED = job("rename Foo", "queued")
RUNNING = job("update the docs", "running")
PAUSED = job("tidy the tests", "paused")
FAILED = job("fix the login", "failed")
DONE = job("add dark mode", "succeeded")
SEEN = job("say hello in German", "succeeded", reviewed=True)
ALL = (QUEUED, RUNNING, PAUSED, FAILED, DONE, SEEN)


def asked(
    utterance: str, found: Sequence[JobReport] = ALL, intent: str = "job.query", **slots: str
) -> HandlerResult:
    ports = AgentPorts(sources=SourcePorts(), preferences=DayPreferences(), jobs=Jobs(tuple(found)))
    result = agent(ports).handler(
        replace(make_task(agent="job", intent=intent, utterance=utterance), slots=slots)
    )
    assert isinstance(result, HandlerResult)
    return result


def ids(result: HandlerResult) -> list[str]:
    """Return the jobs that an answer is about, in its order."""
    return list(dict.fromkeys(one.sources[0].locator for one in result.facts if one.sources))


def text(result: HandlerResult) -> str:
    return "\n".join(fact.text for fact in result.facts)


@pytest.mark.parametrize(
    ("utterance", "jobs"),
    [
        ("did any job fail", [FAILED]),
        ("did anything fail", [FAILED]),
        ("which jobs failed", [FAILED]),
        ("what failed", [FAILED]),
        ("do i have any jobs to review", [DONE]),
        ("which jobs are waiting for review", [DONE]),
        ("which jobs are running", [QUEUED, RUNNING, PAUSED]),
        ("how is my job going", [QUEUED, RUNNING, PAUSED]),
        ("show my jobs", [QUEUED, RUNNING, PAUSED, FAILED, DONE]),
        ("why did the login job fail", [FAILED]),
        ("how is the dark mode job going", [DONE]),
        (f"how is job {SEEN.job_id[:5]} going", [SEEN]),
    ],
)
def test_of_several_jobs_those_are_told_of_that_were_asked_about(
    utterance: str, jobs: list[JobReport]
) -> None:
    assert ids(asked(utterance)) == [one.job_id for one in jobs]


def test_where_no_job_goes_on_the_last_one_is_told_of() -> None:
    assert ids(asked("how is my job going", (DONE, FAILED))) == [DONE.job_id]


def test_a_job_waits_for_a_review_only_until_it_was_seen_to() -> None:
    assert "is done and waits for your review" in text(asked("what did the job do", (DONE,)))
    assert "is done, and you have seen to it" in text(asked("what did the job do", (SEEN,)))


def test_that_nothing_failed_is_said_with_what_is_still_to_go() -> None:
    assert text(asked("did any job fail", (RUNNING, DONE))) == "No job has failed; 1 still to go."
    assert text(asked("did any job fail", (DONE,))) == "No job has failed."


@pytest.mark.parametrize(
    "utterance",
    ["how was my job interview", "apply for the job at the bakery", "how is the kitchen job going"],
)
def test_what_is_no_job_of_iris_is_given_back(utterance: str) -> None:
    assert asked(utterance).declined


@pytest.mark.parametrize(
    ("utterance", "command", "meant"),
    [
        ("apply the job", "apply", DONE),
        ("merge the dark mode job", "apply", DONE),
        ("please open the job", "open", DONE),
        ("retry the job", "retry", FAILED),
        ("run the failed job again", "retry", FAILED),
        ("resume the job", "resume", PAUSED),
        ("pause the docs job", "pause", RUNNING),
        ("dismiss the login job", "dismiss", FAILED),
        ("apply the german job", "apply", SEEN),
    ],
)
def test_what_is_done_with_a_job_by_command_is_answered_with_the_command(
    utterance: str, command: str, meant: JobReport
) -> None:
    told = asked(utterance, intent="job.steer")
    assert ids(told) == [meant.job_id]
    assert f"`iris jobs {command} {meant.job_id}`" in text(told)
    assert not told.actions


def test_several_jobs_that_a_command_fits_are_each_named() -> None:
    told = asked("dismiss the job", intent="job.steer")
    assert ids(told) == [FAILED.job_id, DONE.job_id]
    assert not told.follow_ups


def test_where_no_job_fits_a_command_that_is_said() -> None:
    assert text(asked("resume the job", (RUNNING,), "job.steer")) == "No job is paused."
    still = text(asked("apply the docs job", (RUNNING,), "job.steer"))
    assert still.startswith("No job is done with something to take over. The job “update the docs”")


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("how is it going", "job.query"),
        ("and how's it going now", "job.query"),
        ("is it done yet", "job.query"),
        ("why did it fail", "job.query"),
        ("any news", "job.query"),
        ("cancel it", "job.cancel"),
        ("retry it", "job.steer"),
        ("apply it please", "job.steer"),
    ],
)
def test_what_is_said_next_is_about_the_job_that_was_spoken_of(said: str, intent: str) -> None:
    follow_ups = asked("how is the dark mode job going").follow_ups
    fits = [one for one in follow_ups if re.fullmatch(one.pattern, said)]
    assert [(one.intent, one.slots) for one in fits] == [(intent, {"job": DONE.job_id})]


@pytest.mark.parametrize(
    "said", ["how is the weather", "cancel the dentist", "is it going to rain"]
)
def test_other_words_are_a_new_request(said: str) -> None:
    follow_ups = asked("how is the dark mode job going").follow_ups
    assert not any(re.fullmatch(one.pattern, said) for one in follow_ups)


def test_after_a_job_was_proposed_the_newest_one_is_meant() -> None:
    slots = {"repo": "~/code/site"}
    proposed = asked("fix the tests in ~/code/site", ALL, "job.submit", **slots)
    assert {one.slots["job"] for one in proposed.follow_ups} == {"newest"}
    assert ids(asked("how is it going", job="newest")) == [QUEUED.job_id]


def test_a_job_that_has_ended_is_not_called_off_and_the_running_ones_are_asked_about() -> None:
    told = asked("cancel it", intent="job.cancel", job=DONE.job_id)
    assert not told.actions
    assert told.choice is not None
    assert len(told.choice.options) == 3
    (action,) = asked("cancel it", (RUNNING, DONE), "job.cancel", job=RUNNING.job_id).actions
    assert (action.kind, action.arguments) == (ActionKind.JOB_CANCEL, {"job": RUNNING.job_id})
