"""The planner: the day as one plan, from calendars and todos."""

from __future__ import annotations

from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.tasks import Agent, Intent, RoutingRule, Rule
from iris_harness.planner import build_planner_handler

_SPAN = r"(?:day|morning|afternoon|evening|week|weekend|month|schedule|time|work|tasks|todos)"
_MY = rf"(?:(?:my|the|our|out|me|for|of|rest|whole|entire|work|all) )*{_SPAN}"
_ARRANGE = (
    r"(?:plan|replan|organi[sz]e|structure|arrange|rearrange|prioriti[sz]e|sort out|block out|"
    r"time block|map out|lay out|set up|start|prepare|review|summari[sz]e)"
)

# Seen with the scope taken out ("plan tomorrow" is "plan") and with it still there.
_GIVE = r"(?:(?:make|create|give|draft|show|get|list)(?: me)? )?(?:(?:a|an|my|the) )?"
_SUMMARY = r"(?:briefing|brief|overview|summary|rundown|plan|agenda)"
_TASKS = r"(?:focus on|do|work on|tackle|start with|get done|prioriti[sz]e)"

_EXACT = (
    rf"(?:help me )?(?:to )?{_ARRANGE}(?: {_MY})?",
    rf"{_GIVE}(?:daily |morning |evening |weekly |day )?{_SUMMARY}(?: of| for| on)?(?: {_MY})?",
    r"what is (?:on|ahead|next|planned|coming up|in store|the plan)(?: for)?(?: me)?",
    r"what (?:have i got|do i have|have i)(?: (?:going )?on)?",
    r"(?:is there )?anything (?:going )?on",
    r"",  # a time alone ("tomorrow") asks for what it brings
    r"what (?:do|must) i (?:have|need) to (?:do|get done)",
    rf"what should i {_TASKS}(?: first| next)?",
    rf"(?:what are )?{_GIVE}(?:top )?(?:two |three |\d )?priorities(?: for)?",
    r"(?:what is )?(?:my |on my |on the )?(?:focus|agenda|to focus on|plate)",
    r"brief me(?: on| for| about)?",
    rf"how (?:does|is|will) {_MY} look(?:ing)?(?: like)?",
    rf"what (?:does|will|is) {_MY} (?:look(?:ing)? )?like",
    r"(?:how|what) does look(?: like)?",
)


def agent(ports: AgentPorts) -> Agent:
    """Return the planner with its own working hours and the user's sources."""
    return Agent(
        name="planner",
        intents=(_intent(),),
        handler=build_planner_handler(ports, ports.preferences),
        read_only=True,
    )


def _intent() -> Intent:
    return Intent(
        name="planner",
        description="plan your day or your week",
        examples=(
            "plan my day",
            "what's on today",
            "what should I focus on",
            "priorities",
            "what do I have to do today",
            "brief me",
            "how does my week look",
            "time to plan my day",
        ),
        rules=tuple(RoutingRule(pattern=pattern, kind=Rule.EXACT) for pattern in _EXACT),
        priority=60,
    )
