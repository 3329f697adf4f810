from __future__ import annotations

import datetime as dt

import pytest

from iris_harness.contracts.day import DayPreferences, PlannedDay
from iris_harness.contracts.facts import FactKind
from iris_harness.contracts.ports import AgentPorts, SourcePorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.routing import IMPOSSIBLE_TIME
from iris_harness.contracts.scopes import Scope, ScopeKind
from iris_harness.contracts.sources import SourceRef, SourceState
from iris_harness.contracts.tasks import AgentTask
from iris_harness.errors import TaskError, UsageError
from iris_harness.planner import build_planner_handler
from tests.unit.planner.samples import DAY, VIENNA, ListCalendar, ListTodos, at, event, todo

MARCH = DAY.replace
SOURCES = SourcePorts(
    calendars=(
        ListCalendar(
            "work",
            [event("Meeting", "10:00", "11:00", calendar="work")],
            warnings=["work: line 9"],
        ),
        ListCalendar("club", state=SourceState.FAILED),
    ),
    todos=(ListTodos("list", [todo("Call", DAY)]),),
)


def ask(
    scope: Scope | None = None,
    *,
    asked_at: dt.datetime | None = None,
    timezone: str = VIENNA,
    impossible: str = "",
) -> HandlerResult:
    preferences = DayPreferences()
    handler = build_planner_handler(
        AgentPorts(sources=SOURCES, preferences=preferences), preferences
    )
    return handler(
        AgentTask(
            id="t1",
            agent="planner",
            intent="planner.day",
            utterance="plan my day",
            slots={IMPOSSIBLE_TIME: impossible} if impossible else {},
            scope=scope,
            asked_at=(asked_at or at("07:00")).astimezone(dt.UTC),
            timezone=timezone,
        )
    )


def scope_of(start: dt.datetime, end: dt.datetime, kind: ScopeKind = ScopeKind.DATE) -> Scope:
    return Scope(start=start, end=end, kind=kind, text="that time")


def days_of(result: HandlerResult) -> list[dt.date]:
    return [fact.value.plan.date for fact in result.facts if isinstance(fact.value, PlannedDay)]


def test_without_a_scope_the_day_of_the_question_in_the_users_zone_is_planned() -> None:
    result = ask(asked_at=at("00:30"))

    assert days_of(result) == [DAY]
    assert result.text == ""
    assert result.warnings == ("work: line 9",)


def test_a_day_is_one_fact_with_its_sources_and_a_sentence_that_stands_alone() -> None:
    (fact,) = ask().facts

    assert fact.kind is FactKind.DAY
    assert fact.text == "Wednesday 12 March 2025: 1 event, 1 due todo, 1 block; not read: club."
    assert fact.sources == (SourceRef(source="work"), SourceRef(source="list"))


def test_a_range_is_one_fact_per_day_in_order() -> None:
    week = scope_of(at("00:00", MARCH(day=10)), at("00:00", MARCH(day=17)), ScopeKind.WEEK)

    assert days_of(ask(week)) == [MARCH(day=number) for number in range(10, 17)]


def test_a_part_of_a_day_plans_the_whole_day() -> None:
    afternoon = scope_of(at("13:00"), at("18:00"), ScopeKind.DAY_PART)

    (fact,) = ask(afternoon).facts

    assert isinstance(fact.value, PlannedDay)
    assert [item.summary for item in fact.value.plan.events] == ["Meeting"]


def test_a_month_is_the_longest_range() -> None:
    month = scope_of(at("00:00", MARCH(day=1)), at("00:00", dt.date(2025, 4, 1)), ScopeKind.MONTH)

    assert len(days_of(ask(month))) == 31


@pytest.mark.parametrize(
    "end", [dt.date(2025, 4, 2), dt.date(2025, 4, 3), dt.date(9998, 1, 1)], ids=str
)
def test_a_longer_range_fails_with_what_can_be_asked_for(end: dt.date) -> None:
    with pytest.raises(TaskError, match="that time") as caught:
        ask(scope_of(at("00:00", MARCH(day=1)), at("00:00", end), ScopeKind.DATE_RANGE))

    assert caught.value.hint == "ask for at most 31 days"


def test_an_unknown_zone_fails_with_its_name() -> None:
    with pytest.raises(UsageError, match="Mars/Olympus"):
        ask(timezone="Mars/Olympus")


def test_a_day_that_does_not_exist_is_refused_and_no_other_day_is_planned() -> None:
    with pytest.raises(TaskError, match="there is no “31 february”"):
        ask(impossible="31 february")
