"""A whole Iris through its real constructor: bootstrap, the installed agents, the real router."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from iris_harness import Iris
from iris_harness.bootstrap.setting import DaySetting, Origin
from iris_harness.clock import FixedClock
from iris_harness.contracts.day import DayPreferences, Event
from iris_harness.contracts.ports import Reading, ReadWindow, SourcePorts
from iris_harness.contracts.reply import DayBlock
from iris_harness.contracts.results import TaskState
from iris_harness.contracts.tasks import AgentTask, TaskPlan
from iris_harness.contracts.zones import Journey, UserZones
from iris_harness.errors import StorageError
from iris_harness.storage.store import IrisStore
from iris_harness.testing import MemoryCalendar, MemoryTodoList, make_event, make_todo

NOW = dt.datetime(2026, 3, 26, 7, 0, tzinfo=dt.UTC)
TIMEZONE = "Europe/Berlin"


@dataclass(frozen=True, kw_only=True)
class MeetingCalendar:
    """A calendar that is only read when two readers are there at the same time."""

    barrier: threading.Barrier
    name: str = "shared"

    def read(self, window: ReadWindow) -> Reading[Event]:
        self.barrier.wait(timeout=20)
        return MemoryCalendar(name=self.name).read(window)


def setting(folder: Path, sources: SourcePorts) -> DaySetting:
    return DaySetting(
        sources=sources,
        preferences=DayPreferences(),
        zones=UserZones(home=TIMEZONE),
        clock=FixedClock(NOW),
        origin=Origin.CONFIGURED,
        data_folder=folder / "data",
    )


@pytest.fixture
def filled(tmp_path: Path) -> DaySetting:
    start = NOW + dt.timedelta(hours=3)
    event = make_event("Dentist", start, start + dt.timedelta(hours=1))
    sources = SourcePorts(
        calendars=(MemoryCalendar(events=(event,)),),
        todos=(MemoryTodoList(todos=(make_todo("Call mum", due=NOW.date()),)),),
    )
    return setting(tmp_path, sources)


@pytest.fixture
def iris(filled: DaySetting) -> Iterator[Iris]:
    with Iris(filled) as running:
        yield running


def task(name: str, agent: str, intent: str, *after: str) -> AgentTask:
    return AgentTask(
        id=name,
        agent=agent,
        intent=intent,
        utterance=intent,
        depends_on=after,
        asked_at=NOW,
        timezone=TIMEZONE,
    )


@pytest.mark.parametrize("schedule", ["waves", "ready"])
def test_the_agents_of_a_wave_overlap_in_time(tmp_path: Path, schedule: str) -> None:
    from iris_harness.executor import ExecutorSettings, Schedule

    sources = SourcePorts(calendars=(MeetingCalendar(barrier=threading.Barrier(2)),))
    wanted = replace(
        setting(tmp_path, sources), executor=ExecutorSettings(schedule=Schedule(schedule))
    )
    plan = TaskPlan(
        id="p",
        utterance="plan my day and show my calendar",
        tasks=(task("t1", "planner", "planner"), task("t2", "calendar", "calendar.query")),
    )
    with Iris(wanted) as running:
        results = running.run_plan(plan)
    # Each agent waits inside its reading for the other one: neither ends unless both run at once.
    assert [(result.agent, result.state) for result in results] == [
        ("planner", TaskState.OK),
        ("calendar", TaskState.OK),
    ]


def test_a_question_is_routed_planned_and_kept(iris: Iris, filled: DaySetting) -> None:
    turn = iris.turn("plan my day", "s1")
    assert "Dentist" in turn.reply.text
    assert "Call mum" in turn.reply.text
    assert not turn.reply.degraded
    with IrisStore.open(filled.data_folder, filled.clock) as store:
        (kept,) = store.list_turns(session="s1")
        assert kept.trace_id == turn.reply.trace_id
        assert store.get_plan(turn.reply.plan_id or "").summary.date == dt.date(2026, 3, 26)


@pytest.mark.parametrize(
    "utterance",
    [
        "plan my day",
        "what's on today",
        "what should I focus on",
        "priorities",
        "What's on today?",
        "plan tomorrow",
    ],
)
def test_questions_about_the_day_reach_the_planner(iris: Iris, utterance: str) -> None:
    (route,) = iris.route(utterance)
    assert (route.agent, route.intent) == ("planner", "planner")


def test_the_clock_tells_the_time_in_the_users_zone(iris: Iris) -> None:
    assert "8:00" in iris.ask("what time is it").text


def test_an_intent_without_its_agent_is_understood_but_not_set_up(iris: Iris) -> None:
    (route,) = iris.route("send an email to bob saying hi")
    assert (route.intent, route.agent) == ("email.send", None)
    assert "not set up" in iris.ask("send an email to bob saying hi").text


def test_nonsense_is_answered_with_what_can_be_asked(iris: Iris) -> None:
    reply = iris.ask("flurb the gnarl")
    assert "plan your day" in reply.text


def test_a_calendar_that_failed_is_never_called_clear(tmp_path: Path) -> None:
    sources = SourcePorts(calendars=(MemoryCalendar(name="work", failure="the disk is gone"),))
    with Iris(setting(tmp_path, sources)) as running:
        reply = running.ask("plan my day")
    assert reply.degraded
    assert "the disk is gone" in reply.text
    assert "clear" not in reply.text.lower()


def test_an_answer_is_given_though_it_cannot_be_kept(filled: DaySetting, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    with Iris(replace(filled, data_folder=blocked)) as running:
        reply = running.ask("plan my day")
    assert "Dentist" in reply.text
    assert any("not kept" in warning for warning in reply.warnings)
    with pytest.raises(StorageError):
        IrisStore.open(blocked, filled.clock)


def test_a_question_asked_for_another_now_does_not_age_what_is_kept(filled: DaySetting) -> None:
    far = replace(filled, clock=FixedClock(NOW + dt.timedelta(days=4000)), retain_days=30)
    for wanted in (filled, far):
        with Iris(wanted) as running:
            running.ask("plan my day", "s1")
    with IrisStore.open(filled.data_folder, filled.clock) as store:
        assert len(store.list_turns(session="s1")) == 2


def test_each_day_of_a_journey_is_planned_in_the_zone_it_is_spent_in(filled: DaySetting) -> None:
    abroad = Journey(
        first_on=dt.date(2026, 3, 27), last_on=dt.date(2026, 3, 28), timezone="America/New_York"
    )
    zones = UserZones(home=TIMEZONE, journeys=(abroad,))
    with Iris(replace(filled, zones=zones)) as running:
        turn = running.turn("plan this week")
    days = [block.plan for block in turn.reply.blocks if isinstance(block, DayBlock)]
    assert [(plan.date.day, plan.timezone) for plan in days[3:6]] == [
        (26, TIMEZONE),
        (27, "America/New_York"),
        (28, "America/New_York"),
    ]
    assert days[4].free[0].start.utcoffset() == dt.timedelta(hours=-4)
