"""What is said next in a conversation is about what was spoken of, until something else is."""

from __future__ import annotations

from iris_harness.bootstrap.follow_ups import FollowUps
from iris_harness.contracts.results import AgentResult, FollowUp, HandlerResult, TaskState

HOW = FollowUp(pattern="how is it going|how's it going", intent="job.query", slots={"job": "1"})


def answer(*follow_ups: FollowUp, agent: str = "job") -> AgentResult:
    result = HandlerResult(follow_ups=follow_ups)
    return AgentResult(task_id="t1", agent=agent, state=TaskState.OK, result=result)


def test_words_that_fit_are_a_request_to_the_agent_that_named_them() -> None:
    spoken = FollowUps()
    spoken.remember("s", [answer(HOW)])
    for said in ("How is it going?", "how\N{RIGHT SINGLE QUOTATION MARK}s it  going"):
        route = spoken.take(said, "s")
        assert route is not None
        assert (route.agent, route.intent, route.slots) == ("job", "job.query", {"job": "1"})
        assert route.utterance == said
    assert spoken.take("how is the weather", "s") is None


def test_another_answer_ends_it_and_a_turn_without_answers_does_too() -> None:
    spoken = FollowUps()
    for other in ([answer()], [answer(HOW), answer(HOW)], []):
        spoken.remember("s", [answer(HOW)])
        spoken.remember("s", other)
        assert spoken.take("how is it going", "s") is None


def test_conversations_are_apart_and_outside_of_one_nothing_is_kept() -> None:
    spoken = FollowUps()
    spoken.remember("", [answer(HOW)])
    spoken.remember("a", [answer(HOW)])
    assert spoken.take("how is it going", "") is None
    assert spoken.take("how is it going", "b") is None
    assert spoken.take("how is it going", "a") is not None


def test_the_conversation_that_was_quiet_longest_is_forgotten_first() -> None:
    spoken = FollowUps()
    for number in range(1001):
        spoken.remember(str(number), [answer(HOW)])
    assert spoken.take("how is it going", "0") is None
    assert spoken.take("how is it going", "1") is not None
