from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iris_router.clauses import ClauseReader
from iris_router.english import build_english
from iris_router.slots import SlotReader, load_slot_reader
from tests.support import examples

NOW = dt.datetime(2026, 5, 13, 9, 0, tzinfo=dt.UTC)
CLAUSES = ClauseReader({"en": build_english()}, default="en")
INTENTS = (
    "calendar.change", "calendar.create", "calendar.query", "email.query", "email.send",
    "finance.query", "job.submit", "planner", "reminder.set", "todo.add", "todo.change",
    "todo.query",
)  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> SlotReader:
    return load_slot_reader("en")


def slots(reader: SlotReader, intent: str, text: str) -> dict[str, str]:
    clause = CLAUSES.read(text, NOW, "en")
    return reader.read(intent, clause.text, clause.scope_span)


TODOS = [
    ("add buy milk to my shopping list by friday", {"list": "shopping", "title": "buy milk"}),
    ("add eggs, milk and ham to my list", {"title": "eggs, milk and ham"}),
    ("put laundry on my chore list", {"list": "chore", "title": "laundry"}),
    ("can you add a trip to the post office to my to do list, please",
     {"title": "a trip to the post office"}),
    ("i\u2019m out of kleenex so will you put that on my shopping list",
     {"list": "shopping", "title": "kleenex"}),
    ("add 'plan tomorrow' to my list", {"title": "plan tomorrow"}),
    ("Add a todo: call Dr. Weiss for 20 minutes, priority 2",
     {"duration_minutes": "20", "priority": "2", "title": "call Dr. Weiss"}),
    ("add prepare slides, 1h30, high priority, due tomorrow",
     {"duration_minutes": "90", "priority": "1", "title": "prepare slides"}),
    ("new task: pay 20 euros to Selim", {"title": "pay 20 euros to Selim"}),
    ("note down that i need to water the plants", {"title": "i need to water the plants"}),
    ("don't let me forget to buy bread", {"title": "buy bread"}),
    ("add water the plants every friday", {"repeat": "every friday", "title": "water the plants"}),
    ("add a todo", {}),
]  # fmt: skip
CHANGES = [
    ("mark buy milk as done", {"change": "done", "title": "buy milk"}),
    ("Mark 'buy milk' as done", {"change": "done", "title": "buy milk"}),
    ("check off apples from my shopping list",
     {"list": "shopping", "change": "done", "title": "apples"}),
    ("complete the task call mom", {"change": "done", "title": "call mom"}),
    ("Pay the electricity bill is done", {"change": "done", "title": "Pay the electricity bill"}),
    ("take watering the plants off of my to do list",
     {"change": "delete", "title": "watering the plants"}),
    ("delete the report", {"change": "delete", "title": "report"}),
    ("move the report to friday", {"change": "move", "title": "report"}),
]  # fmt: skip
REST = [
    ("reminder.set", "remind me at five to call Anna", {"title": "call Anna"}),
    ("reminder.set", "set a 5 minute timer", {"duration_minutes": "5"}),
    ("reminder.set", "set a timer for half an hour", {"duration_minutes": "30"}),
    ("reminder.set", "set a timer for an hour and a half", {"duration_minutes": "90"}),
    ("reminder.set", "wake me up at 7", {}),
    ("reminder.set", "remind me every other friday to water the plants",
     {"repeat": "every other friday", "title": "water the plants"}),
    ("calendar.create", "schedule a meeting with saul at noon for an hour",
     {"duration_minutes": "60", "person": "saul", "title": "meeting with saul"}),
    ("calendar.create", "add final exams to my calendar for may 2", {"title": "final exams"}),
    ("calendar.create", "put Dentist on my calendar tomorrow at 15:00 for 45m",
     {"duration_minutes": "45", "title": "Dentist"}),
    ("calendar.create", "add 'prepare slides' for the first free hour",
     {"first_free": "60", "title": "prepare slides"}),
    ("calendar.create", "book a walk in the next free slot tomorrow for 45 minutes",
     {"first_free": "0", "duration_minutes": "45", "title": "walk"}),
    ("calendar.change", "move my dentist appointment to friday",
     {"change": "move", "title": "dentist appointment"}),
    ("calendar.change", "cancel dinner with Kim",
     {"person": "Kim", "change": "delete", "title": "dinner with Kim"}),
    ("email.send", "send email to heather about car", {"person": "heather", "title": "car"}),
    ("email.send", "email anna that I'm late", {"person": "anna", "text": "I'm late"}),
    ("email.send", "email to part.two@example.org", {"person": "part.two@example.org"}),
    ("email.query", "any mail from Dr. Weiss?", {"person": "Dr. Weiss"}),
    ("finance.query", "did i spend more than $1,200.50 this month", {"amount": "1200.50 USD"}),
    ("finance.query", "who owes me 20 euros", {"amount": "20 EUR"}),
    ("job.submit", "fix the bug in parser.py",
     {"path": "parser.py", "title": "fix the bug in parser.py"}),
    ("job.submit", "fix the failing test in ~/code/site",
     {"repo": "~/code/site", "title": "fix the failing test in ~/code/site"}),
    ("job.submit", "refactor src/app/main.ts in https://example.org/a/b.git",
     {"repo": "https://example.org/a/b.git", "path": "src/app/main.ts",
      "title": "refactor src/app/main.ts in https://example.org/a/b.git"}),
    ("todo.query", "what's on my shopping list", {"list": "shopping"}),
    ("todo.query", "show my to do list", {}),
    ("planner", "plan my day", {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("intent", "text", "expected"),
    [
        *(("todo.add", *one) for one in TODOS),
        *(("todo.change", *one) for one in CHANGES),
        *REST,
    ],
)
def test_slots_hold_what_was_said(
    reader: SlotReader, intent: str, text: str, expected: dict[str, str]
) -> None:
    assert slots(reader, intent, text) == expected


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(INTENTS), st.text(max_size=200))
def test_any_text_gives_slots_with_a_value_each(reader: SlotReader, intent: str, text: str) -> None:
    found = slots(reader, intent, text)
    assert all(value.strip() for value in found.values())


@settings(max_examples=examples(100), deadline=None)
@given(st.text(st.characters(categories=["L", "N", "Zs", "P"]), min_size=1, max_size=60))
@example("0 ,")
def test_a_quoted_title_is_taken_as_it_stands(reader: SlotReader, title: str) -> None:
    quoted = " ".join(
        "".join(
            c for c in title if c not in "\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u02bc"
        ).split()
    )
    if quoted:
        assert slots(reader, "todo.add", f'add "{quoted}" to my list') == {"title": quoted}
