"""Who somebody is: what the user's address books say of a name."""

from __future__ import annotations

from collections.abc import Sequence

from iris_harness.contracts.contacts import Contact
from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import ContactsPort
from iris_harness.contracts.resolution import Match
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import AgentTask, Handler
from iris_harness.planner import words
from iris_harness.planner.persons import build_person_finder, which_person

WHO_IS = (
    r"(?:do you know )?who(?:'s|s| is| was)? (?P<whom>.+)",
    r"what(?:'s|s| is) (?P<whom>.+?)(?:'s|s)? e-?mail(?: address)?",
    r"what(?:'s|s| is) the e-?mail(?: address)? (?:of|for) (?P<whom>.+)",
    (
        r"(?:(?:look|find) up|find|show(?: me)?) (?:the )?(?:contact|card)(?: details)? "
        r"(?:of |for )?(?P<whom>.+)"
    ),
)
"""Questions about one person, as rules of evidence: the slot says whom."""


def build_card_reader(books: Sequence[ContactsPort]) -> Handler:
    """Return what says who the person in the slot ``whom`` is.

    The result is declined where nobody is called that, and asks back where several are.
    """
    find = build_person_finder(books)

    def answer(task: AgentTask) -> HandlerResult:
        said = task.slots.get("whom", "")
        person = find(task, said)
        if person is None or person.said.casefold() != said.casefold():
            return HandlerResult(declined=True)  # "who is Grace meeting" is another question
        if person.resolution.match is Match.AMBIGUOUS:
            asked = which_person(person.said, person.resolution.candidates, _named)
            return HandlerResult(facts=(asked.fact,), choice=asked.choice)
        contact = person.resolution.contact
        return (
            HandlerResult(declined=True)
            if contact is None
            else HandlerResult(facts=(_card(contact),))
        )

    return answer


def _named(name: str) -> dict[str, str]:
    return {"whom": name}


def _card(contact: Contact) -> Fact:
    dates = [f"{date.label or date.kind.value} {words.day_and_month(date.month, date.day)}"
             for date in contact.dates]  # fmt: skip
    known = [*(contact.emails or ("no mail address",)), *dates]
    return Fact(
        kind=FactKind.STATEMENT,
        text=f"{contact.name} is in your address book: {', '.join(known)}.",
        value={"name": contact.name, "emails": list(contact.emails)},
        sources=(contact.source,),
    )
