"""The user's jobs in the plan of today: what is news, in which order, and whether it is proved."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.day import DayPreferences, DaySnapshot, JobNews, JobStage
from iris_harness.contracts.ports import SourcePorts
from iris_harness.contracts.sources import SourceKind, SourceRef, SourceState
from iris_harness.contracts.zones import UserZones
from iris_harness.planner import build_daily_plan
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.diff import diff_plans
from iris_harness.planner.public_json import plan_to_json
from iris_harness.planner.snapshot import read_days
from iris_harness.planner.verify import ViolationKind, verify_plan
from iris_harness.testing import MemoryJobs
from tests.support import examples
from tests.unit.planner.samples import DAY, VIENNA, at, rich_snapshot, snapshot, status

OFFICE = DayPreferences()
READ = status("jobs", SourceKind.JOBS)
YESTERDAY = DAY - dt.timedelta(days=1)


def job(task: str, stage: JobStage, since: dt.datetime, why: str = "") -> JobNews:
    place = SourceRef(source="jobs", locator=task)
    return JobNews(task=task, stage=stage, done=1, workers=2, since=since, why=why, source=place)


def day_with(*jobs: JobNews) -> DaySnapshot:
    return dataclasses.replace(snapshot(), jobs=jobs, sources=(READ,))


def told(*jobs: JobNews) -> list[str]:
    return [one.task for one in build_daily_plan(day_with(*jobs), OFFICE).jobs]


def test_what_failed_comes_first_then_what_waits_for_a_review_then_what_goes_on() -> None:
    jobs = [
        job(stage.value, stage, at("06:00"))
        for stage in (
            JobStage.WAITING, JobStage.REVIEW, JobStage.PAUSED, JobStage.FAILED, JobStage.RUNNING,
        )
    ]  # fmt: skip
    assert told(*jobs) == ["failed", "review", "running", "paused", "waiting"]


def test_of_one_stage_the_newest_comes_first() -> None:
    old, new = (job(clock, JobStage.REVIEW, at(clock)) for clock in ("05:00", "06:00"))
    assert told(old, new) == ["06:00", "05:00"]


def test_what_failed_is_told_from_the_start_of_yesterday() -> None:
    midnight = job("yesterday", JobStage.FAILED, at("00:00", YESTERDAY))
    before = job("before", JobStage.FAILED, at("23:59", YESTERDAY - dt.timedelta(days=1)))
    assert told(midnight, before) == ["yesterday"]


def test_what_waits_for_a_review_is_told_for_a_week() -> None:
    days = (7, 8)
    jobs = [job(str(ago), JobStage.REVIEW, at("00:10", DAY - dt.timedelta(ago))) for ago in days]
    assert told(*jobs) == ["7"]


def test_yesterday_is_the_users_own_wherever_the_job_ran() -> None:
    late = at("00:30", YESTERDAY).astimezone(dt.UTC)  # the day before yesterday in UTC
    assert told(job("late", JobStage.FAILED, late)) == ["late"]


def test_what_goes_on_is_told_however_long_it_takes() -> None:
    assert told(job("long", JobStage.RUNNING, at("06:00", DAY - dt.timedelta(days=90)))) == ["long"]


def test_jobs_that_are_no_news_leave_nothing() -> None:
    old = job("old", JobStage.FAILED, at("06:00", DAY - dt.timedelta(days=3)))
    assert told(old) == []


_moments = st.integers(-12 * 24 * 60, 60).map(
    lambda minutes: at("06:00") + dt.timedelta(minutes=minutes)
)
_jobs = st.lists(
    st.builds(job, st.sampled_from("abcde"), st.sampled_from(JobStage), _moments), max_size=8
)


@given(_jobs, st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_the_order_and_the_zone_in_which_jobs_are_read_change_nothing_and_all_is_proved(
    jobs: list[JobNews], luck: random.Random
) -> None:
    mixed = [dataclasses.replace(one, since=one.since.astimezone(dt.UTC)) for one in jobs]
    luck.shuffle(mixed)
    first, second = (build_planned_day(day_with(*given), OFFICE) for given in (jobs, mixed))
    assert first == second
    assert verify_plan(first.snapshot, OFFICE, first.plan) == ()


def test_a_plan_that_hides_adds_or_misplaces_a_job_is_not_proved() -> None:
    failed = job("failed", JobStage.FAILED, at("06:00"))
    waiting = job("waiting", JobStage.WAITING, at("06:00"))
    day = build_planned_day(day_with(failed, waiting), OFFICE)

    def kinds(*jobs: JobNews) -> set[ViolationKind]:
        plan = dataclasses.replace(day.plan, jobs=jobs)
        return {one.kind for one in verify_plan(day.snapshot, OFFICE, plan)}

    assert kinds(failed, waiting) == set()
    assert kinds(failed) == {ViolationKind.MISSING}
    assert kinds(failed, waiting, job("x", JobStage.WAITING, at("05:00"))) == {
        ViolationKind.UNKNOWN
    }
    assert kinds(waiting, failed) == {ViolationKind.ORDER}
    assert kinds(failed, waiting, waiting) == {ViolationKind.UNKNOWN}


def test_a_job_from_a_source_that_was_not_read_is_a_violation() -> None:
    failed = status("jobs", SourceKind.JOBS, SourceState.FAILED, "no such file")
    given = dataclasses.replace(
        day_with(job("a", JobStage.RUNNING, at("06:00"))), sources=(failed,)
    )
    day = build_planned_day(given, OFFICE)
    assert [one.kind for one in verify_plan(day.snapshot, OFFICE, day.plan)] == [
        ViolationKind.SOURCE
    ]


def read(port: MemoryJobs, *days: dt.date) -> list[DaySnapshot]:
    zones = UserZones(home=VIENNA)
    return list(read_days(SourcePorts(jobs=port), days, zones, at("07:00")))


def test_only_today_has_jobs_and_their_source() -> None:
    port = MemoryJobs(jobs=(job("a", JobStage.RUNNING, at("06:00")),))
    today, tomorrow = read(port, DAY, DAY + dt.timedelta(days=1))
    assert ([one.task for one in today.jobs], today.sources) == (["a"], (READ,))
    assert (tomorrow.jobs, tomorrow.sources) == ((), ())


def test_jobs_that_cannot_be_read_are_said_to_be_and_the_plan_goes_on() -> None:
    (today,) = read(MemoryJobs(failure="the jobs database: disk I/O error"), DAY)
    plan = build_daily_plan(today, OFFICE)
    assert plan.jobs == ()
    assert [(one.name, one.was_read, one.detail) for one in plan.sources] == [
        ("jobs", False, "the jobs database: disk I/O error")
    ]


def test_a_day_without_jobs_reads_as_it_did_before_there_were_any() -> None:
    assert "jobs" not in plan_to_json(build_daily_plan(rich_snapshot(), OFFICE))


def test_what_became_of_a_job_is_one_change_between_plans() -> None:
    running = job("a", JobStage.RUNNING, at("06:00"))
    done = dataclasses.replace(running, stage=JobStage.REVIEW, done=2)
    old, new = (build_daily_plan(day_with(one), OFFICE) for one in (running, done))
    changes = [str(one) for one in diff_plans(old, new) if one.part == "jobs"]
    assert changes == ["jobs: a: stage running, done 1 -> stage review, done 2"]
