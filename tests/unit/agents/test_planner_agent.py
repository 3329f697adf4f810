from __future__ import annotations

from iris_harness.contracts.day import PlannedDay
from tests.unit.agents.world import Calendar, TodoList, ask, event, todo


def test_the_planner_plans_the_days_of_the_scope_from_the_users_sources() -> None:
    calendar = Calendar("home", (event("Dentist", "2026-05-14T15:00", "2026-05-14T16:00"),))
    result = ask("planner", "plan tomorrow", calendar, TodoList("todo", (todo("Buy milk"),)))
    (fact,) = result.facts
    assert isinstance(fact.value, PlannedDay)
    plan = fact.value.plan
    assert plan.date.isoformat() == "2026-05-14"
    assert [one.summary for one in plan.events] == ["Dentist"]
    assert [block.title for block in plan.blocks] == ["Buy milk"]
