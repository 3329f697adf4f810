from __future__ import annotations

import datetime as dt
import time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_harness.contracts.routing import OUT_OF_SCOPE, Tier
from iris_router import load_router
from iris_router.builtin import KNOWN_INTENTS
from iris_router.english import build_english
from iris_router.scopes import ScopeGrammar
from tests.support import examples

ROUTER = load_router(())
KNOWN = set(KNOWN_INTENTS)
ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia")]
)
REFERENCES = st.datetimes(timezones=ZONES)
SCOPES = build_english().scopes
PHRASES = ("plan my", "day", "what is", "on", "of", "in the", "add", "to my list", "31", "2026")
WORDS = sorted({
    *PHRASES, *SCOPES.relative_days, *SCOPES.weekdays, *SCOPES.months, *SCOPES.which, *SCOPES.parts,
})  # fmt: skip
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
TEXTS = st.text() | SENTENCES | st.text(alphabet=st.characters(categories=["Cc", "Cf", "Zs", "Mn"]))


@given(text=TEXTS, reference=REFERENCES, locale=st.sampled_from(["en", "en-GB", "de-AT", ""]))
@settings(deadline=None, max_examples=examples(300))
def test_every_text_has_exactly_one_sound_route(
    text: str, reference: dt.datetime, locale: str
) -> None:
    routes = ROUTER.route(text, reference, locale)
    assert routes == ROUTER.route(text, reference, locale)
    (route,) = routes
    assert route.utterance == text
    assert route.intent in KNOWN
    assert route.agent is None
    assert 0.0 <= route.confidence <= 1.0
    assert (route.tier is Tier.NONE) <= (route.intent == OUT_OF_SCOPE)
    intents = [route.intent, *(one.intent for one in route.alternatives)]
    assert len(set(intents)) == len(intents)
    if route.scope is not None:
        start, end = (t.astimezone(dt.UTC) for t in (route.scope.start, route.scope.end))
        assert start < end
        assert route.scope.start.tzinfo is reference.tzinfo
        assert route.scope.text


@given(text=SENTENCES, reference=REFERENCES)
@settings(deadline=None)
def test_case_blanks_and_final_punctuation_change_nothing(
    text: str, reference: dt.datetime
) -> None:
    plain = ROUTER.route(text, reference, "en")[0]
    loud = ROUTER.route("  " + text.upper().replace(" ", "   ") + " !", reference, "en")[0]
    assert (loud.intent, loud.confidence) == (plain.intent, plain.confidence)
    assert (loud.scope and loud.scope.start) == (plain.scope and plain.scope.start)


@pytest.mark.parametrize(
    "piece",
    [
        "add to my list ",
        "plan my the rest of ",
        "how does my ",
        "what do i have ",
        "send mail to ",
        "in the ",
        "hey iris ",
        "please ",
        "what's ",
        "12 ",
        " ",
        "a",
        "-'-",
        "\u0130",
    ],
)
def test_no_long_utterance_is_slow(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    reference = dt.datetime(2026, 5, 13, tzinfo=dt.UTC)
    start = time.process_time()
    ROUTER.route(text, reference, "en")
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "piece",
    ["week of ", "two weeks from ", "from 3 to ", "12 ", "may ", "friday ", "between 1 and ", "1/",
     "before ", "2 weeks from the week of ", "9", "in the ", "31 february "],
)  # fmt: skip
def test_the_time_to_read_scopes_grows_with_the_length_of_the_text(piece: str) -> None:
    grammar, reference = ScopeGrammar(SCOPES), dt.datetime(2026, 5, 13, tzinfo=dt.UTC)
    start = time.process_time()
    grammar.read((piece * 10_000)[:10_000], reference)
    assert time.process_time() - start < 2.0


@given(text=TEXTS | st.text(alphabet="0123456789:/.-' apm"), reference=REFERENCES)
@settings(deadline=None)
def test_a_scope_is_a_true_span_and_stands_in_the_text(text: str, reference: dt.datetime) -> None:
    grammar = ScopeGrammar(SCOPES)
    reading = grammar.read(text, reference)
    assert reading == grammar.read(text, reference)
    for impossible in reading.impossible:
        assert text[impossible.start : impossible.end] == impossible.text
    found = reading.found
    if found is not None:
        assert text[found.start :].startswith(found.scope.text)
        assert 0 <= found.outer_start <= found.start < found.end <= len(text)
        assert found.scope.start.astimezone(dt.UTC) < found.scope.end.astimezone(dt.UTC)
