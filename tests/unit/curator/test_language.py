from __future__ import annotations

import ast
import datetime as dt
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from iris_harness.contracts.day import BlockKind, JobStage, OccasionKind, ProofLevel
from iris_harness.contracts.explain import Cause, ChangeKind, Outcome
from iris_harness.contracts.routing import OUT_OF_SCOPE
from iris_harness.contracts.sources import SourceKind, SourceState
from iris_harness.curator.figures import Knowledge
from iris_harness.curator.language import Language, Message
from iris_harness.curator.strings import AMERICAN_ENGLISH, ENGLISH, LANGUAGES, find_language
from iris_harness.jobs.tables import WorkerState
from iris_harness.jobs.views import JobState

PACKAGE = Path(__file__).resolve().parents[3] / "iris_harness"

ACTIONS = ("todo.add", "todo.done", "todo.due", "todo.no_due", "todo.list", "todo.rename",
           "todo.delete", "todo.set",
           "event.add", "event.move", "event.delete", "plan.pin", "plan.unpin", "plan.skip",
           "plan.unskip", "reminder.add", "reminder.add_untitled", "timer.add", "reminder.cancel",
           "reminder.cancel_all", "reminder.snooze", "reminder.move", "blocks.write", "undo",
           "redo")  # fmt: skip
# Keys that are put together from a value; every value must have its message.
DEEDS = ["done", "pin", "unpin", "skip", "unskip"]
COMPOSED = {
    "summary.calendar.": [k.value for k in Knowledge],
    "speech.calendar.": [k.value for k in Knowledge],
    "why.": [
        *(outcome.value for outcome in Outcome),
        *(
            c.value
            for c in Cause
            if c not in {Cause.DETAIL, Cause.LACKS, Cause.SETTING, Cause.COSTS}
        ),
    ],
    "why.costs.": [level.value for level in ProofLevel],
    "why.change.": [kind.value for kind in ChangeKind],
    "page.legend.": ["event", *(k.value for k in BlockKind), "rest"],
    "brief.calendar.": [k.value for k in Knowledge],
    "source.kind.": [k.value for k in SourceKind],
    "source.": ["failed", "stale", "empty"],
    "reply.": ["failed", "timed_out", "skipped", "cancelled"],
    "duration": [".hours", ".minutes", ".spoken.hours", ".spoken.minutes"],
    "birthday.": [kind.value for kind in OccasionKind],
    "intent.": [OUT_OF_SCOPE],
    "action.": [f"{key}.{form}" for key in ACTIONS for form in ("preview", "outcome")],
    "action.generic.": ["todo", "event", "reminder"],
    "ring.": ["reminder.title", "reminder.text", "timer.title", "timer.text"],
    "briefing.unsaid.": ["missed", "failed", "uncertain"],
    "web.": ["yes", "no"],
    "web.do.": DEEDS,
    "web.label.": DEEDS,
    "web.said.": DEEDS,
    "web.state.": [state.value for state in SourceState],
    "job.": [state.value for state in JobStage],
    "job.next.": ["failed", "review"],
    "speech.jobs.": ["failed", "review"],
    "jobs.state.": [state.value for state in JobState],
    "jobs.worker.": [*(state.value for state in WorkerState), "stopping"],
    "jobs.planned.": ["heuristic", "user"],
    "action.hint.": ["typed", "typed_again", "said", "said_again"],
    "action.settled.": ["done", "failed", "rolled_back", "changed", "unknown"],
}


def _placeholders(message: Message) -> set[str]:
    texts = [message] if isinstance(message, str) else list(message.values())
    fields = (name for text in texts for _, name, _, _ in string.Formatter().parse(text))
    return {name for name in fields if name}


def _literals() -> Iterator[str]:
    rooms = ("curator", "bootstrap/actions", "surfaces/briefing", "surfaces/web/page")
    folders = [PACKAGE / room for room in rooms]
    files = (path for folder in folders for path in sorted(folder.rglob("*.py")))
    for path in [*files, PACKAGE / "surfaces" / "terminal.py"]:
        if path.name != "strings.py":
            tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            yield from (
                node.value
                for node in tree
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.tag)
def test_every_language_has_every_message_with_its_placeholders(language: Language) -> None:
    assert set(language.messages) == set(ENGLISH.messages)
    for key, message in language.messages.items():
        assert isinstance(message, str) or "other" in message, key
        extra = _placeholders(message) - _placeholders(ENGLISH.messages[key])
        assert not extra or key.startswith(("date", "time")), key


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.tag)
def test_every_language_names_seven_days_and_twelve_months(language: Language) -> None:
    assert len(set(language.weekdays)) == len(set(language.weekdays_short)) == 7
    assert len(set(language.months)) == len(set(language.months_short)) == 12


def test_every_message_is_used_and_every_used_message_exists() -> None:
    composed = {prefix + value for prefix, values in COMPOSED.items() for value in values}
    intents = {key for key in ENGLISH.messages if key.startswith("intent.")}
    literals = set(_literals())
    assert composed <= set(ENGLISH.messages)
    assert set(ENGLISH.messages) - composed - intents <= literals
    looks_like_key = re.compile(
        r"(?:head|heading|summary|count|event|mark|todo|backlog|source|speech|reply|unplaced|brief|plan|page|ical|why|web)\.[a-z_]+"
    )
    used = {text for text in literals if looks_like_key.fullmatch(text)}
    assert used - set(ACTIONS) <= set(ENGLISH.messages)


def test_a_plural_follows_its_count() -> None:
    assert ENGLISH.say("count.events", count=1) == "1 event"
    assert ENGLISH.say("count.events", count=0) == "0 events"
    assert ENGLISH.say("count.events", count=2) == "2 events"


def test_a_language_with_more_plural_forms_uses_its_own_rule() -> None:
    def polish(count: int) -> str:
        few = count % 10 in {2, 3, 4} and count % 100 not in {12, 13, 14}
        return "one" if count == 1 else "few" if few else "many"

    forms = {"one": "{count} dzień", "few": "{count} dni?", "many": "{count} dni", "other": "-"}
    language = ENGLISH._replace(messages={"age.days": forms}, plural_category=polish, tag="pl")
    said = [language.say("age.days", count=count) for count in (1, 3, 12, 22)]
    assert said == ["1 dzień", "3 dni?", "12 dni", "22 dni?"]


def test_values_are_cleaned_and_never_formatted_again() -> None:
    said = ENGLISH.say("reply.not_set_up", intent="\x1b[31m{agent}\n{0}")
    assert "({agent} {0})" in said


def test_an_unknown_message_is_an_error() -> None:
    with pytest.raises(KeyError):
        ENGLISH.say("no.such.message")


@pytest.mark.parametrize(
    ("locale", "tag"),
    [
        ("en", "en"),
        ("en-US", "en-US"),
        ("en_us", "en-US"),
        ("en-US-u-hc-h23", "en-US"),
        ("en-GB", "en"),
        ("de", "en"),
        ("", "en"),
    ],
)
def test_the_best_table_is_found(locale: str, tag: str) -> None:
    assert find_language(locale).tag == tag


def test_dates_and_times_follow_the_table_and_not_the_machine() -> None:
    moment = dt.datetime(2026, 3, 12, 0, 5, tzinfo=dt.UTC)
    noon = dt.time(12)
    assert ENGLISH.date_long(moment.date()) == "Thursday 12 March 2026"
    assert AMERICAN_ENGLISH.date_long(moment.date()) == "Thursday, March 12, 2026"
    assert (ENGLISH.time(moment), AMERICAN_ENGLISH.time(moment)) == ("00:05", "12:05 am")
    assert (ENGLISH.time(noon), AMERICAN_ENGLISH.time(noon)) == ("12:00", "12:00 pm")
    assert ENGLISH.time_spoken(dt.time(9, 5)) == "9:05"


def test_a_date_of_another_year_says_its_year() -> None:
    near = dt.date(2026, 12, 30)
    assert ENGLISH.date_short(dt.date(2026, 12, 31), near) == "Thu 31 Dec"
    assert ENGLISH.date_short(dt.date(2027, 1, 1), near) == "Fri 1 Jan 2027"


def test_a_moment_a_week_away_says_its_date() -> None:
    moment = dt.datetime(2026, 3, 19, 8, tzinfo=dt.UTC)
    assert ENGLISH.day_and_time(moment, dt.date(2026, 3, 13)) == "Thu 08:00"
    assert ENGLISH.day_and_time(moment, dt.date(2026, 3, 12)) == "Thu 19 Mar 08:00"


@pytest.mark.parametrize(
    ("minutes", "written", "spoken"),
    [
        (0, "0 min", "0 minutes"),
        (1, "1 min", "1 minute"),
        (60, "1 h", "1 hour"),
        (135, "2 h 15 min", "2 hours 15 minutes"),
    ],
)
def test_lengths(minutes: int, written: str, spoken: str) -> None:
    assert ENGLISH.duration(minutes) == written
    assert ENGLISH.duration_spoken(minutes) == spoken


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (59, "0 minutes"),
        (60, "1 minute"),
        (7199, "119 minutes"),
        (7200, "2 hours"),
        (172799, "47 hours"),
        (172800, "2 days"),
    ],
)
def test_ages_use_their_largest_whole_unit(seconds: int, said: str) -> None:
    assert ENGLISH.age(seconds) == said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "today"),
        (1, "tomorrow"),
        (-1, "yesterday"),
        (2, "in 2 days"),
        (-9, "9 days ago"),
    ],
)
def test_far_off_days(days: int, said: str) -> None:
    assert ENGLISH.days_from_now(days) == said


@pytest.mark.parametrize(
    ("items", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")],
)
def test_listings(items: list[str], said: str) -> None:
    assert ENGLISH.listing(items) == said
