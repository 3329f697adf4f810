"""The people a day belongs to, written and said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iris_harness.contracts.day import Birthday, DailyPlan, OccasionKind
from iris_harness.curator.clean import clean, cleaned, shorten, speakable
from iris_harness.curator.language import Language
from iris_harness.curator.view import Line, LineKind, Tone

SPOKEN_NAMES = 3
"""People who are named aloud; of more, only how many they are."""

NAME_WORDS = 4
"""Words of a name that are said."""

_LEAP_DAY = (2, 29)


def birthday_lines(plan: DailyPlan, language: Language) -> tuple[str, Iterable[Line]]:
    """Return the heading and the lines of a plan's birthdays, in the plan's order."""
    kinds = {birthday.kind is OccasionKind.BIRTHDAY for birthday in plan.birthdays}
    only = "heading.birthdays" if kinds == {True} else "heading.anniversaries"
    if len(kinds) > 1:
        return language.say("heading.birthdays_and_more"), birthday_notes(plan, language)
    return language.say(only), (_line(one, plan, language) for one in plan.birthdays)


def birthday_notes(plan: DailyPlan, language: Language) -> Iterable[Line]:
    """Return the lines of a plan's birthdays for a place where no heading says what they are."""
    return (_line(one, plan, language, is_named=True) for one in plan.birthdays)


def _line(
    birthday: Birthday, plan: DailyPlan, language: Language, *, is_named: bool = False
) -> Line:
    years = _years(birthday, language)
    needs_no_name = birthday.kind is OccasionKind.BIRTHDAY and (years or not is_named)
    return Line(
        kind=LineKind.NOTE,
        title=clean(birthday.person) or language.say("untitled"),
        tone=Tone.QUIET if birthday.is_deceased else Tone.PLAIN,
        notes=cleaned(
            "" if needs_no_name else _occasion(birthday, language),
            years,
            language.say("birthday.leap_day") if _is_moved(birthday, plan) else "",
            language.say("birthday.deceased") if birthday.is_deceased else "",
        ),
        sources=(birthday.source,),
    )


def _occasion(birthday: Birthday, language: Language) -> str:
    return birthday.label or language.say(f"birthday.{birthday.kind.value}")


def _years(birthday: Birthday, language: Language) -> str:
    """Return the age, or the years that have passed; nobody turns an age after death."""
    if not birthday.years:
        return ""
    key = "birthday.years"
    if birthday.kind is OccasionKind.BIRTHDAY:
        key = "birthday.born" if birthday.is_deceased else "birthday.turns"
    return language.say(key, count=birthday.years)


def _is_moved(birthday: Birthday, plan: DailyPlan) -> bool:
    day = (birthday.month, birthday.day)
    return day == _LEAP_DAY and day != (plan.date.month, plan.date.day)


def birthdays_spoken(plan: DailyPlan, language: Language) -> str:
    """Return whom to congratulate, said aloud; empty when there is nobody."""
    living = [birthday for birthday in plan.birthdays if not birthday.is_deceased]
    groups = (
        ("speech.birthdays", [b for b in living if b.kind is OccasionKind.BIRTHDAY]),
        ("speech.anniversaries", [b for b in living if b.kind is OccasionKind.ANNIVERSARY]),
    )
    return " ".join(_sentence(key, group, language) for key, group in groups if group)


def _sentence(key: str, group: Sequence[Birthday], language: Language) -> str:
    names = [_spoken_name(birthday, language) for birthday in group[:SPOKEN_NAMES]]
    rest = len(group) - SPOKEN_NAMES
    if rest > 0:
        names.append(language.say("speech.more", count=rest))
    return language.say(key, count=len(group), names=language.listing(names))


def _spoken_name(birthday: Birthday, language: Language) -> str:
    return shorten(speakable(birthday.person), NAME_WORDS) or language.say("speech.untitled")
