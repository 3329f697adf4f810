"""A day told by a model, or in Iris' own words where the model's do not hold."""

from __future__ import annotations

from dataclasses import dataclass

from iris_harness.contracts.day import DailyPlan
from iris_harness.contracts.model import (
    Ability,
    ChatMessage,
    ChatModel,
    ChatRequest,
    FinishReason,
)
from iris_harness.curator.clean import clean
from iris_harness.curator.language import Language
from iris_harness.curator.speech import day_speech
from iris_harness.errors import ModelError
from iris_harness.llm.narrative.check import find_untruth
from iris_harness.llm.narrative.sentences import day_grammar, longest_telling, sentences
from iris_harness.llm.narrative.story import Part, day_story

_ENGLISH = "en"
_MOST_PARTS = 40
"""Parts of a day that a model is asked to tell; nobody listens to more."""
_WARMTH = 80
"""Sampling temperature in hundredths: without any, all sentences have one form."""
_LONGEST_REASON = 200  # characters
_INSTRUCTION = """\
Tell the user their day in plain, friendly sentences, one for each line, in this order, with its \
times and nothing else. Put each title in double quotes, exactly as given. Begin with a sentence \
such as "Here is your day." and leave out nothing. Sentences look like these:
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Telling:
    """A day in words."""

    text: str
    model: str
    """Whose words they are; empty: Iris' own."""
    reason: str = ""
    """Why they are Iris' own; empty for a model's."""


def tell_day(model: ChatModel, plan: DailyPlan, language: Language) -> Telling:
    """Return a day in the words of `model`, checked; in Iris' own where they do not hold.

    Raises:
        TurnCancelledError: the turn was cancelled meanwhile.
    """
    parts = day_story(plan, language)
    if reason := _untellable(parts, language):
        return _own(plan, language, reason)
    try:
        response = model.complete(_request(model, parts))
    except ModelError as error:
        return _own(plan, language, str(error))
    text = " ".join(response.text.split())
    if response.finish_reason is not FinishReason.STOP:
        return _own(plan, language, f"{model.name} was cut off")
    if untruth := find_untruth(text, parts):
        return _own(plan, language, f"{model.name} said {untruth}")
    return Telling(text=text, model=model.name)


def _untellable(parts: tuple[Part, ...], language: Language) -> str:
    if language.tag.partition("-")[0] != _ENGLISH:
        return "models are checked in English only"
    if not parts:
        return "there is nothing to tell"
    return f"there are more than {_MOST_PARTS} things to tell" if len(parts) > _MOST_PARTS else ""


def _own(plan: DailyPlan, language: Language, reason: str) -> Telling:
    said = clean(reason)  # it may quote the model
    if len(said) > _LONGEST_REASON:
        said = said[:_LONGEST_REASON].rstrip() + "…"
    return Telling(text=day_speech(plan, language), model="", reason=said)


def _request(model: ChatModel, parts: tuple[Part, ...]) -> ChatRequest:
    grammar = day_grammar(parts) if Ability.GRAMMAR in model.abilities else None
    return ChatRequest(
        messages=(
            ChatMessage(role="system", content=_INSTRUCTION + _examples(parts)),
            ChatMessage(role="user", content="\n".join(map(_line, parts))),
        ),
        max_tokens=longest_telling(parts),  # a token has a character at least
        grammar=grammar,
        temperature_percent=_WARMTH,
    )


def _examples(parts: tuple[Part, ...]) -> str:
    shapes = {bool(part.start) * 2 + bool(part.end): part for part in parts}
    return "\n".join(
        one for _, part in sorted(shapes.items()) for one in sentences(part, first=True)
    )


def _line(part: Part) -> str:
    times = "-".join(part.times) or "all day"
    return f'{times} "{part.title}"'
