"""A day in a model's words: told truly, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.clock import SystemClock
from iris_harness.contracts.day import DailyPlan, EventStatus
from iris_harness.contracts.model import Ability, ChatResponse, FinishReason, TokenUsage
from iris_harness.curator.speech import day_speech
from iris_harness.curator.strings import find_language
from iris_harness.errors import ModelUnavailableError
from iris_harness.llm.llama.model import LlamaModel, LlamaSettings
from iris_harness.llm.narrative.check import find_untruth
from iris_harness.llm.narrative.sentences import CLOSINGS, OPENINGS, longest_telling, sentences
from iris_harness.llm.narrative.story import Part, day_story
from iris_harness.llm.narrative.telling import tell_day
from iris_harness.testing import ScriptedModel
from tests.day_plans import DayBuilder, busy_day, crowded_day, empty_day, odd_titles_day
from tests.support import examples
from tests.tiny_gguf import write_tiny_gguf

ENGLISH = find_language("en")
DAY = DayBuilder()
REPORT = DAY.todo('Write “the” "report"', 5, "undated", minutes=110)


def small_day() -> DailyPlan:
    return DAY.plan(
        events=(
            DAY.all_day("Fair"),
            DAY.event("Night train", "22:00-", "06:30"),
            DAY.event("Standup", "09:00", "09:15"),
            DAY.event("Vendor demo", "09:05", "10:00", status=EventStatus.DECLINED),
            DAY.event("Party", "21:00", "02:00+"),
        ),
        blocks=(DAY.block(REPORT, "09:10", "11:00"),),
    )


TRUE = (
    'Here is your day. "Fair" is all day. Also, you have "Night train" until 06:30. '
    'Then at 09:00 you have "Standup", until 09:15. '
    "Besides, from 09:10 to 11:00 you have \"Write “the” 'report'\". "
    'After that, "Party" starts at 21:00. That is all.'
)


def test_a_story_is_what_takes_place_in_order_with_the_times_of_the_day() -> None:
    assert day_story(small_day(), ENGLISH) == (
        Part(title="Fair", start="", end="", follows=False),
        Part(title="Night train", start="", end="06:30", follows=False),
        Part(title="Standup", start="09:00", end="09:15", follows=True),
        Part(title="Write “the” 'report'", start="09:10", end="11:00", follows=False),
        Part(title="Party", start="21:00", end="", follows=True),
    )


def test_times_are_written_as_the_language_does() -> None:
    parts = day_story(small_day(), find_language("en-US"))
    assert parts[2].times == ("9:00 am", "9:15 am")
    said = " ".join(
        [OPENINGS[0], *(sentences(part, first=not at)[0] for at, part in enumerate(parts))]
    )
    assert find_untruth(said, parts) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at 09:00 you", "at 09:15 you"),
        ("at 09:00 you", "at 10:00 you"),
        ("until 09:15", "until 11:00"),
        ("from 09:10 to 11:00", "from 11:00 to 09:10"),
        ("at 09:00 you have", "until 09:00 you have"),
        ("starts at 21:00", "ends at 21:00"),
        ("starts at 21:00", "starts"),
        ("until 06:30", "from 06:30"),
        ("until 06:30", "at 06:30"),
        ('"Standup"', '"Stand-up"'),
        ('"Standup"', "Standup"),
        ('"Standup"', '"Party"'),
        ('you have "Standup"', 'you do not have "Standup"'),
        ('"Standup"', 'no "Standup"'),
        ('"Fair" is all day', '"Fair" is'),
        ('"Party" starts', 'all day "Party" starts'),
        ("Besides, from", "After that, from"),
        ("until 09:15.", 'until 09:15 and "Party".'),
        ("until 09:15.", "until 09:15 in room 4."),
        ("That is all.", "That is all. You are free until 12."),
        ("That is all.", "Your flight is cancelled."),
        ("That is all.", ""),
        (' After that, "Party" starts at 21:00.', ""),
        ('Then at 09:00 you have "Standup", until 09:15. ', ""),
        ("Here is your day.", "Here is your day?"),
    ],
)  # fmt: skip
def test_what_is_not_true_is_refused(old: str, new: str) -> None:
    parts = day_story(small_day(), ENGLISH)
    assert find_untruth(TRUE, parts) == ""
    assert old in TRUE
    harmless = new == "" and old == "That is all."
    assert (find_untruth(TRUE.replace(old, new), parts) == "") == harmless


# Any day, any way to tell it, and any way to get it wrong

TITLES = st.text(st.sampled_from("ab .!,:90'“ü"), min_size=1, max_size=8).map(
    lambda text: text.strip() or "untitled"
)
MINUTES = st.integers(0, 24 * 60 - 1)


@st.composite
def days(draw: st.DrawFn) -> tuple[Part, ...]:
    def clock(minute: int) -> str:
        return f"{minute // 60:02}:{minute % 60:02}"

    spans = sorted(draw(st.lists(st.tuples(MINUTES, MINUTES, TITLES), min_size=1, max_size=5)))
    parts = (
        [Part(title=draw(TITLES), start="", end="", follows=False)] if draw(st.booleans()) else []
    )
    over: int | None = None
    for start, other, title in spans:
        end = max(start, other)
        ends = draw(st.integers(0, 4)) > 0
        follows = over is not None and over <= start
        parts.append(
            Part(title=title, start=clock(start), end=clock(end) if ends else "", follows=follows)
        )
        over = max(over or 0, end) if ends else 24 * 60
    return tuple(parts)


def tell(parts: tuple[Part, ...], random: Random) -> list[str]:
    said = [random.choice(sentences(part, first=at == 0)) for at, part in enumerate(parts)]
    return [random.choice(OPENINGS), *said, *random.sample(CLOSINGS, random.randint(0, 1))]


@settings(max_examples=examples(200))
@given(days(), st.randoms(use_true_random=False))
def test_every_way_the_grammar_allows_is_true(parts: tuple[Part, ...], random: Random) -> None:
    said = tell(parts, random)
    assert find_untruth(" ".join(said), parts) == ""
    assert len(" ".join(said)) <= longest_telling(parts)


Corruption = Callable[[list[str], tuple[Part, ...], Random], list[str]]


def _drop(said: list[str], parts: tuple[Part, ...], random: Random) -> list[str]:
    at = random.randrange(1, 1 + len(parts))
    return said[:at] + said[at + 1 :]


def _double(said: list[str], parts: tuple[Part, ...], random: Random) -> list[str]:
    at = random.randrange(1, 1 + len(parts))
    return said[: at + 1] + said[at:]


def _other_time(said: list[str], parts: tuple[Part, ...], random: Random) -> list[str]:
    times = [time for part in parts for time in part.times]
    if not times:
        return said
    old = random.choice(times)
    new = random.choice([time for time in (*times, "23:59", "9:00", "12") if time != old] or [old])
    at = next(i for i, one in enumerate(said) if old in _outside(one))
    return [*said[:at], _replaced(said[at], old, new), *said[at + 1 :]]


def _word(said: list[str], parts: tuple[Part, ...], random: Random) -> list[str]:
    at = random.randrange(1, 1 + len(parts))
    words = said[at].split(" ")
    word = random.choice(["not", "no", "maybe", "cancelled", "3", "tomorrow", "before", "Bob", "—"])
    quoted = said[at].index('"')
    front = len(said[at][:quoted].split(" ")) - 1
    words.insert(random.randint(0, front), word)
    return [*said[:at], " ".join(words), *said[at + 1 :]]


def _title(said: list[str], parts: tuple[Part, ...], random: Random) -> list[str]:
    at = random.randrange(1, 1 + len(parts))
    first = said[at].index('"')
    changed = said[at][: first + 1] + "x" + said[at][first + 1 :]
    return [*said[:at], changed, *said[at + 1 :]]


def _outside(sentence: str) -> str:
    before, _, rest = sentence.partition('"')
    return before + rest.partition('"')[2]


def _replaced(sentence: str, old: str, new: str) -> str:
    before, _, rest = sentence.partition('"')
    title, _, after = rest.partition('"')
    if old in before:
        return f'{before.replace(old, new, 1)}"{title}"{after}'
    return f'{before}"{title}"{after.replace(old, new, 1)}'


@settings(max_examples=examples(200))
@given(
    days(),
    st.randoms(use_true_random=False),
    st.sampled_from([_drop, _double, _other_time, _word, _title]),
)
def test_no_corruption_of_a_true_telling_passes(
    parts: tuple[Part, ...], random: Random, corrupt: Corruption
) -> None:
    said = tell(parts, random)
    corrupted = corrupt(said, parts, random)
    if corrupted != said:
        assert find_untruth(" ".join(corrupted), parts) != ""


# Asking


def test_a_model_that_tells_the_truth_is_quoted() -> None:
    model = ScriptedModel([TRUE.replace(". ", ".\n")], name="big")
    told = tell_day(model, small_day(), ENGLISH)
    assert (told.text, told.model, told.reason) == (TRUE, "big", "")
    (request,) = model.requests
    assert request.grammar is not None
    assert request.messages[1].content.splitlines()[2] == '09:00-09:15 "Standup"'


def test_a_model_without_grammars_is_held_to_the_truth_as_well() -> None:
    model = ScriptedModel(["Your day is free!"], name="big", abilities={Ability.TOOLS})
    told = tell_day(model, small_day(), ENGLISH)
    assert told.text == day_speech(small_day(), ENGLISH)
    assert told.model == ""
    assert told.reason.startswith("big said a sentence that tells not exactly one thing")
    assert model.requests[0].grammar is None


def test_a_quote_of_a_model_cannot_hurt_the_terminal() -> None:
    model = ScriptedModel(["\x1b[2J\u202eyou are free" * 100], name="big")
    reason = tell_day(model, small_day(), ENGLISH).reason
    assert reason.isprintable()
    assert len(reason) <= 201


def test_what_goes_wrong_is_said_and_the_day_is_told_all_the_same() -> None:
    usage = TokenUsage(prompt_tokens=1, completion_tokens=1)
    cut = ChatResponse(text=TRUE, finish_reason=FinishReason.LENGTH, usage=usage)
    model = ScriptedModel([cut, ModelUnavailableError("it is asleep")], name="big")
    tellings = [tell_day(model, small_day(), ENGLISH) for _ in range(2)]
    assert [told.reason for told in tellings] == ["big was cut off", "it is asleep"]
    assert {told.text for told in tellings} == {day_speech(small_day(), ENGLISH)}


@pytest.mark.parametrize(
    ("plan", "locale", "reason"),
    [
        (empty_day(), "en", "there is nothing to tell"),
        (small_day(), "de", "models are checked in English only"),
    ],
)
def test_what_no_model_can_tell_is_asked_of_none(plan: DailyPlan, locale: str, reason: str) -> None:
    model = ScriptedModel([])
    assert tell_day(model, plan, ENGLISH._replace(tag=locale)).reason == reason
    assert model.requests == []


@pytest.mark.parametrize(
    "plan", [small_day(), busy_day(), odd_titles_day(), crowded_day()], ids=range(4)
)
def test_a_model_that_knows_no_language_tells_every_day_truly(
    tmp_path: Path, plan: DailyPlan
) -> None:
    file = write_tiny_gguf(tmp_path / "tiny.gguf", context=16_384)
    settings = LlamaSettings(name="tiny", path=file, context_tokens=16_384, engine="xllamacpp")
    model = LlamaModel(settings, SystemClock())
    try:
        told = tell_day(model, plan, ENGLISH)
    finally:
        model.close()
    too_many = len(day_story(plan, ENGLISH)) > 40
    assert (told.model == "tiny", told.reason[:18]) == (
        (False, "there are more tha") if too_many else (True, "")
    )


def test_a_story_of_the_same_plan_is_the_same_whatever_the_order_of_its_lists() -> None:
    plan = small_day()
    turned = replace(plan, events=plan.events[::-1])
    assert day_story(turned, ENGLISH) == day_story(plan, ENGLISH)
