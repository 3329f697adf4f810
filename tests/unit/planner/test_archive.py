from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import rfc8785

from iris_harness.contracts.canonical import to_json
from iris_harness.contracts.day import (
    BlockKind,
    DayPreferences,
    JobNews,
    JobStage,
    Notice,
    NoticeKind,
    PlannedDay,
    PlanProof,
    ProofLevel,
    ShownBlock,
    SkippedTodo,
    Workload,
)
from iris_harness.contracts.sources import SourceRef
from iris_harness.errors import StorageError
from iris_harness.planner.archive import FORMAT, dump_planned_day, load_planned_day, recompute
from iris_harness.planner.build import build_planned_day
from iris_harness.planner.diff import diff_plans
from iris_harness.planner.shown import as_shown
from iris_harness.planner.verify import verify_plan
from tests.unit.planner.samples import DAY, at, event, rich_snapshot, snapshot, todo

DAY_PLANNED = build_planned_day(rich_snapshot(), DayPreferences())


def test_a_stored_day_loads_as_it_was_and_dumps_to_the_same_bytes() -> None:
    data = dump_planned_day(DAY_PLANNED)

    loaded = load_planned_day(data)

    assert loaded == DAY_PLANNED
    assert dump_planned_day(loaded) == data


def test_the_bytes_are_the_canonical_form_of_all_that_it_holds() -> None:
    content = to_json({"format": FORMAT, "planned_day": DAY_PLANNED})

    assert dump_planned_day(DAY_PLANNED) == rfc8785.dumps(content)


def test_a_date_stays_a_date_and_an_instant_keeps_its_offset() -> None:
    loaded = load_planned_day(
        dump_planned_day(
            build_planned_day(
                snapshot(
                    [event("Fair", DAY, DAY.replace(day=13)), event("Call", "09:00", "10:00")],
                    [todo("a", DAY), todo("b", at("15:00")), todo("c")],
                ),
                DayPreferences(),
            )
        )
    )

    assert [repr(type(item.start)) for item in loaded.plan.events] == [
        "<class 'datetime.date'>",
        "<class 'datetime.datetime'>",
    ]
    assert [item.todo.due for item in loaded.plan.todos] == [at("15:00"), DAY]
    assert loaded.snapshot.now.isoformat() == "2025-03-12T07:00:00+01:00"


def test_recomputing_a_stored_day_changes_nothing() -> None:
    stored = load_planned_day(dump_planned_day(DAY_PLANNED))

    assert diff_plans(stored.plan, recompute(stored)) == ()


def test_a_field_that_was_added_later_has_its_default() -> None:
    content = json.loads(dump_planned_day(DAY_PLANNED))
    del content["planned_day"]["preferences"]["fill_with_backlog"]

    assert load_planned_day(json.dumps(content).encode()) == DAY_PLANNED


def _without_date(content: dict[str, object]) -> None:
    day = content["planned_day"]
    assert isinstance(day, dict)
    del day["plan"]["date"]


def _with_unknown_field(content: dict[str, object]) -> None:
    day = content["planned_day"]
    assert isinstance(day, dict)
    day["plan"]["mood"] = "good"


def _with_number_for_text(content: dict[str, object]) -> None:
    day = content["planned_day"]
    assert isinstance(day, dict)
    day["plan"]["timezone"] = 1


def _with_text_for_list(content: dict[str, object]) -> None:
    day = content["planned_day"]
    assert isinstance(day, dict)
    day["plan"]["events"] = "none"


def _with_list_for_day(content: dict[str, object]) -> None:
    content["planned_day"] = []


def _with_number_for_date(content: dict[str, object]) -> None:
    day = content["planned_day"]
    assert isinstance(day, dict)
    day["plan"]["date"] = 20250312


@pytest.mark.parametrize(
    "damage",
    [
        _without_date,
        _with_unknown_field,
        _with_number_for_text,
        _with_text_for_list,
        _with_list_for_day,
        _with_number_for_date,
    ],
)
def test_a_damaged_day_is_refused_and_never_half_loaded(
    damage: Callable[[dict[str, object]], None],
) -> None:
    content = json.loads(dump_planned_day(DAY_PLANNED))
    damage(content)

    with pytest.raises(StorageError, match="damaged"):
        load_planned_day(json.dumps(content).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"format":1}'])
def test_what_is_no_stored_day_is_refused(data: bytes) -> None:
    with pytest.raises(StorageError, match="no plan"):
        load_planned_day(data)


def test_a_newer_format_is_refused_with_both_numbers() -> None:
    with pytest.raises(StorageError, match="format 2; this program reads format 1"):
        load_planned_day(b'{"format":2,"planned_day":{}}')


def _replan(**changes: object) -> PlannedDay:
    changed = dataclasses.replace(rich_snapshot(), **changes)  # type: ignore[arg-type]
    return build_planned_day(changed, DayPreferences())


def test_equal_plans_do_not_differ() -> None:
    assert diff_plans(DAY_PLANNED.plan, _replan().plan) == ()


def test_a_difference_names_what_moved_what_is_new_and_what_is_gone() -> None:
    new = _replan(
        todos=(
            *(item for item in rich_snapshot().todos if item.summary != "Renew passport"),
            todo("Buy flowers", DAY, priority=9, minutes=5),
        )
    )

    changes = [str(change) for change in diff_plans(DAY_PLANNED.plan, new.plan)]

    assert changes[0].startswith("plan_id: ")
    assert "blocks: Renew passport: gone, was kind todo, title Renew passport" in "\n".join(changes)
    assert any(change.startswith("blocks: Buy flowers: new, kind todo") for change in changes)
    moved = [change for change in changes if change.startswith("todos: Renew passport: gone")]
    assert len(moved) == 1


def test_a_block_that_moved_shows_only_its_times() -> None:
    new = _replan(now=at("09:58"))

    changes = {
        change.item: str(change)
        for change in diff_plans(DAY_PLANNED.plan, new.plan)
        if change.part == "blocks"
    }

    assert changes["Send the offer"] == (
        "blocks: Send the offer: "
        "start 2025-03-12T09:45:00+01:00, end 2025-03-12T10:30:00+01:00 -> "
        "start 2025-03-12T10:00:00+01:00, end 2025-03-12T10:45:00+01:00"
    )


def test_another_order_of_the_same_entries_is_a_difference() -> None:
    plan = DAY_PLANNED.plan
    turned = dataclasses.replace(plan, todos=tuple(reversed(plan.todos)))

    (change,) = diff_plans(plan, turned)

    assert (change.part, change.item) == ("todos", "order")


VERSION_3 = Path(__file__).with_name("version3.json").read_bytes()
"""A day that the program before pins, breaks and travel has kept."""


def test_a_plan_of_an_older_program_keeps_its_bytes_and_verifies() -> None:
    day = load_planned_day(VERSION_3)

    assert dump_planned_day(day) == VERSION_3
    assert verify_plan(day.snapshot, day.preferences, day.plan) == ()


def test_planning_an_older_program_s_day_again_differs_in_what_is_new_only() -> None:
    day = load_planned_day(VERSION_3)

    changes = diff_plans(day.plan, recompute(day))

    assert [change.part for change in changes] == ["plan_id", "workload"]


def test_fields_that_were_added_are_left_out_while_they_have_their_default() -> None:
    plain = dump_planned_day(build_planned_day(snapshot(todos=[todo("a")]), DayPreferences()))
    given = dataclasses.replace(todo("a"), energy="high")
    used = dump_planned_day(build_planned_day(snapshot(todos=[given]), DayPreferences()))

    assert b"energy" not in plain
    assert b'"energy":"high"' in used


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(DAY_PLANNED.plan)])
def test_no_field_of_a_plan_can_change_without_a_difference(field: str) -> None:
    other = build_planned_day(
        snapshot(
            [event("A", "09:00", "11:00"), event("B", "10:00", "10:30")],
            [todo("c", DAY), todo("d"), todo("e", DAY, minutes=900)],
            day=DAY.replace(day=13),
            zone="Europe/Paris",
        ),
        DayPreferences(),
    ).plan
    skipped = SkippedTodo(title="f", source=SourceRef(source="list", locator="f"))
    place = SourceRef(source="jobs", locator="i")
    job = JobNews(
        task="i", stage=JobStage.RUNNING, done=1, workers=2, since=at("07:00"), source=place
    )
    other = dataclasses.replace(
        other,
        proof=PlanProof(level=ProofLevel.VALUE, gap=3),
        workload=Workload(work_minutes=900, free_minutes=1),
        history=(ShownBlock(kind=BlockKind.TODO, title="g", start=at("07:00"), end=at("07:05")),),
        skipped=(skipped,),
        notices=(Notice(kind=NoticeKind.HOURS, item="h", text="odd hours"),),
        jobs=(job,),
    )
    changed = dataclasses.replace(DAY_PLANNED.plan, **{field: getattr(other, field)})

    assert {change.part for change in diff_plans(DAY_PLANNED.plan, changed)} == {field}


def test_a_replanned_day_survives_the_archive_exactly() -> None:
    first = build_planned_day(snapshot(todos=[todo("a", DAY), todo("b", DAY)]), DayPreferences())
    later = dataclasses.replace(first.snapshot, now=at("09:40"), shown=as_shown(first.plan))
    day = build_planned_day(later, DayPreferences())

    loaded = load_planned_day(dump_planned_day(day))

    assert loaded == day
    assert loaded.snapshot.shown is not None
    assert recompute(loaded) == day.plan
