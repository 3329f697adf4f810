"""Small talk, in fixed words: short, honest, and the same every time."""

from __future__ import annotations

import re
from typing import NamedTuple

from iris_harness.contracts.facts import Fact, FactKind
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.results import HandlerResult
from iris_harness.contracts.tasks import Agent, AgentTask, Intent, RoutingRule, Rule


class _Answer(NamedTuple):
    """What to say to utterances that a pattern is found in."""

    pattern: str
    text: str


_WHAT_I_DO = (
    "I read your calendars and todo lists on this machine and make a plan of your day that you "
    "can check. Ask me to plan your day, what is in your calendar, which todos are open, or what "
    "time it is somewhere. `iris agents` lists everything that is set up here."
)

# The first one found answers: what is asked stands before how it is greeted.
_ANSWERS = (
    _Answer(
        r"\bwhat (?:all |else )?(?:can|do) (?:you|u) (?:do|know)(?! for fun)\b|^help\b|\bhelp me\b|"
        r"\bhow (?:do|can) i use you|\b(?:questions|things|topics|subjects)\b.*\b(?:ask|you)\b|"
        r"\byour (?:skills|purpose|job)\b|\bcan you help\b",
        _WHAT_I_DO,
    ),
    _Answer(
        r"\bwho are you\b|\bwhat are you\b|\byour (?:\w+ )?name\b|\bcall you\b|\byourself\b|"
        r"\bare you (?:\w+ )*(?:bot|robot|ai|human|person|real|computer|alive)\b|\bhuman\b",
        "I am Iris, a program that plans your day on your own machine. I am no person and no "
        "language model: the same question about the same data gets the same answer.",
    ),
    _Answer(
        r"\bwho (?:made|built|created|programmed|designed|invented|developed|owns)\b|"
        r"\byour (?:creator|maker|programmer|boss|developer)\b|\bwho do you (?:work|answer)\b|"
        r"\bcreated you\b|\bmade you\b",
        "I am free software, written by people who wanted a plan they can check. I work for you "
        "alone: what I read stays on this machine unless you set it up otherwise.",
    ),
    _Answer(
        r"\bhow old\b|\bwhen were you\b|\byour (?:age|birthday)\b|\bwhere (?:are|were|do) you\b",
        "I am a program on your machine: no birthday, no birthplace.",
    ),
    _Answer(
        r"\bhow (?:are|is|do|was) (?:you|things|it|your)\b|\byou (?:ok|okay|feel|feeling)\b",
        "All in order, thank you. Shall I plan your day?",
    ),
    _Answer(
        r"\bjokes?\b|\bfunny\b|\blaugh\b",
        "A meeting walks into a calendar. It overlaps.",
    ),
    _Answer(
        r"\bmeaning of\b|\bpoint of\b|\blife\b",
        "I cannot answer that one. I can make room in your day to think about it.",
    ),
    _Answer(
        r"\bthank|\bthanks\b|\bappreciat|\bgrateful\b|\bcheers\b",
        "You are welcome.",
    ),
    _Answer(
        r"\b(?:bye|goodbye|farewell|see you|good night|later|take care)\b",
        "Goodbye.",
    ),
    _Answer(
        r"\b(?:bored|tired|sad|stressed|rough|bad|lonely|exhausted|overwhelmed|angry)\b",
        "I am sorry to hear that. I can show what in your day may wait: ask me to plan it.",
    ),
    _Answer(
        r"\b(?:hi|hello|hey|howdy|greetings|morning|evening|afternoon|nice to meet)\b",
        "Hello. Ask me to plan your day, or what is on today.",
    ),
    _Answer(
        r"\byou(?:'re| are| were) (?:\w+ )?(?:great|good|the best|awesome|smart|helpful)\b|"
        r"\bwell done\b|\bgood job\b",
        "That is kind, thank you.",
    ),
    _Answer(r"\bare you there\b|\bstill there\b", "Yes."),
)

_ANYTHING_ELSE = "I am not made for small talk. " + _WHAT_I_DO

_EXACT = (
    r"(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there)?(?: iris)?",
    r"(?:many )?(?:thanks|thank you)(?: (?:so|very) much| a lot| a bunch)?(?: iris)?",
    r"(?:good ?bye|bye|bye bye|good night|see you(?: later)?)(?: iris)?",
    r"(?:who|what) are you|what is your name|how are you(?: doing)?(?: today)?",
    r"what (?:else )?can you do|help|help me|what can i ask(?: you)?",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the small-talk agent; it reads nothing."""
    del ports
    intent = Intent(
        name="chat",
        description="",
        examples=(
            "hello",
            "thank you",
            "who are you",
            "what can you do",
            "how are you",
            "goodbye",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=20,
    )
    return Agent(name="chat", intents=(intent,), handler=_Chat().handle, read_only=True)


class _Chat:
    """Answers from the table. Pure and thread-safe."""

    def __init__(self) -> None:
        self._answers = tuple((re.compile(answer.pattern), answer.text) for answer in _ANSWERS)

    def handle(self, task: AgentTask) -> HandlerResult:
        words = task.utterance.replace("\u2019", "'").lower()
        found = (text for pattern, text in self._answers if pattern.search(words))
        text = next(found, _ANYTHING_ELSE)
        return HandlerResult(facts=(Fact(kind=FactKind.STATEMENT, text=text),))
