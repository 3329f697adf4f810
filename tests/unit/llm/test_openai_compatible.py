"""Servers of OpenAI's kind, well and badly behaved, over real sockets."""

from __future__ import annotations

import logging
import pickle
import ssl
import threading
import time
from dataclasses import replace

import pytest
import trustme

from iris_harness.contracts.canonical import Json
from iris_harness.contracts.model import (
    ChatMessage,
    FinishReason,
    TokenUsage,
    ToolCall,
    ToolSpec,
)
from iris_harness.contracts.progress import CURRENT_SIGNAL
from iris_harness.errors import (
    ModelAnswerError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    TurnCancelledError,
)
from iris_harness.executor import CancelToken
from iris_harness.llm.attempts import RetryPolicy
from tests.faulty_server import (
    USAGE,
    Step,
    chunk,
    complains,
    completion,
    drips,
    endless,
    faulty_server,
    half,
    nothing,
    says,
    silence,
    streams,
)
from tests.unit.llm.support import KEY, QUICK, REQUEST, drained, served, user

HELLO = says(completion("Hello!"))
SHORT = replace(REQUEST, timeout_seconds=0.4)
TOOL = ToolSpec(name="read", description="Read a file.", parameters={"type": "object"})


# Whole answers


def test_a_request_is_sent_as_the_protocol_says() -> None:
    with faulty_server(HELLO) as server:
        request = replace(REQUEST, temperature_percent=25, seed=7)
        response = served(server.base_url).complete(request)
    assert (response.text, response.finish_reason) == ("Hello!", FinishReason.STOP)
    assert response.usage == TokenUsage(prompt_tokens=11, completion_tokens=3)
    (asked,) = server.asked
    assert asked.line == "POST /v1/chat/completions HTTP/1.1"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "gpt-test",
        "messages": [{"role": "user", "content": "Say hello."}],
        "max_tokens": 50,
        "temperature": 0.25,
        "seed": 7,
    }


def test_no_key_is_sent_where_there_is_none() -> None:
    with faulty_server(HELLO) as server:
        served(server.base_url + "/", key="").complete(REQUEST)
    assert "authorization" not in server.asked[0].headers


def test_a_schema_is_strict_only_where_strict_mode_takes_it() -> None:
    closed: dict[str, Json] = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    with faulty_server(HELLO) as server:
        model = served(server.base_url)
        for schema in (closed, closed | {"required": []}, closed | {"additionalProperties": True}):
            model.complete(replace(REQUEST, json_schema=schema))
    formats = [asked.body["response_format"]["json_schema"] for asked in server.asked]
    assert [one["strict"] for one in formats] == [True, False, False]
    assert formats[0]["schema"] == closed


def test_calls_of_tools_travel_both_ways() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    with faulty_server(says(completion("", message=message, finish_reason="tool_calls"))) as server:
        model = served(server.base_url)
        response = model.complete(replace(REQUEST, tools=(TOOL,), must_call_tool=True))
        answered = (
            user("go"),
            ChatMessage(role="assistant", content="", tool_calls=response.tool_calls),
            ChatMessage(role="tool", content="text", tool_call_id="c1"),
        )
        model.complete(replace(REQUEST, messages=answered, tools=(TOOL,)))
    assert response.tool_calls == (ToolCall(id="c1", name="read", arguments='{"a": 1}'),)
    assert response.finish_reason is FinishReason.TOOL_CALLS
    first, second = (asked.body for asked in server.asked)
    assert (first["tool_choice"], second["tool_choice"]) == ("required", "auto")
    assert first["tools"][0]["function"]["name"] == "read"
    assert second["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
        ("tool_calls", FinishReason.STOP),  # without calls it is an answer
        ("eos_token", FinishReason.STOP),
    ],
)
def test_why_it_stopped_is_kept(said: str, reason: FinishReason) -> None:
    with faulty_server(says(completion("a", finish_reason=said))) as server:
        assert served(server.base_url).complete(REQUEST).finish_reason is reason


def test_what_a_server_does_not_count_is_estimated_and_said_to_be() -> None:
    with faulty_server(says(completion("Hello there!", usage=None))) as server:
        usage = served(server.base_url).complete(REQUEST).usage
    assert usage.estimated
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens == 4


def test_text_that_no_encoding_takes_is_sent_all_the_same() -> None:
    with faulty_server(HELLO) as server:
        served(server.base_url).complete(replace(REQUEST, messages=(user("a\udcffb"),)))
    assert server.asked[0].body["messages"][0]["content"] == "a\\udcffb"


# Failures, and trying again


@pytest.mark.parametrize(
    "first",
    [
        complains(500, "oops"),
        complains(429, "slow down"),
        complains(503),
        half(completion("Hello!")),
        nothing,
        says('{"choices": [{"mess'),
        says("<html>gateway</html>"),
        says({"choices": []}),
        says([1, 2]),
        says(completion("Hello!", finish_reason=None)),
    ],
    ids=["500", "429", "503", "half", "hang up", "cut JSON", "HTML", "empty", "list", "no reason"],
)
def test_what_may_pass_is_tried_again(first: Step) -> None:
    with faulty_server(first, HELLO) as server:
        assert served(server.base_url).complete(REQUEST).text == "Hello!"
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501, 302])
def test_what_will_not_pass_is_asked_once(status: int) -> None:
    with (
        faulty_server(complains(status, "no")) as server,
        pytest.raises(ModelRefusedError) as error,
    ):
        served(server.base_url).complete(REQUEST)
    assert (error.value.status, error.value.attempts, error.value.model) == (status, 1, "big")
    assert len(server.asked) == 1
    assert error.value.prompt_tokens == 0  # nobody charges for a refusal


def test_a_spent_account_is_not_asked_again() -> None:
    spent = complains(429, "You exceeded your quota", code="insufficient_quota")
    with faulty_server(spent) as server, pytest.raises(ModelRefusedError, match="spent"):
        served(server.base_url).complete(REQUEST)
    assert len(server.asked) == 1


def test_a_server_that_says_not_to_try_again_is_heard() -> None:
    stop = complains(500, "no", "x-should-retry: false")
    with faulty_server(stop) as server, pytest.raises(ModelUnavailableError):
        served(server.base_url).complete(REQUEST)
    assert len(server.asked) == 1


def test_attempts_end_and_the_last_failure_is_told_with_its_facts() -> None:
    with (
        faulty_server(complains(503, "busy")) as server,
        pytest.raises(ModelUnavailableError, match="big answers with status 503: busy") as error,
    ):
        served(server.base_url).complete(REQUEST)
    assert len(server.asked) == 3
    assert (error.value.attempts, error.value.status) == (3, 503)


@pytest.mark.parametrize("header", ["Retry-After: 0.3", "retry-after-ms: 300"])
def test_a_server_says_how_long_to_wait(header: str) -> None:
    with faulty_server(complains(429, "", header), HELLO) as server:
        began = time.monotonic()
        served(server.base_url).complete(REQUEST)
        assert 0.3 <= time.monotonic() - began < 5


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    with faulty_server(complains(429, "", "Retry-After: 3600")) as server:
        began = time.monotonic()
        with pytest.raises(ModelUnavailableError) as error:
            served(server.base_url).complete(REQUEST)
        assert time.monotonic() - began < 5
    assert error.value.retry_after_seconds == 3600


def test_a_date_may_say_how_long_to_wait() -> None:
    past = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"
    with faulty_server(complains(503, "", past), HELLO) as server:
        assert served(server.base_url).complete(REQUEST).text == "Hello!"


def test_a_parameter_that_is_not_taken_is_left_out_from_then_on() -> None:
    no_tokens = complains(
        400, "Unsupported parameter: 'max_tokens' is not supported", param="max_tokens"
    )
    no_seed = complains(400, "Unrecognized request argument supplied: 'seed'")
    with faulty_server(no_tokens, no_seed, HELLO) as server:
        model = served(server.base_url, retry=RetryPolicy(retries=0))
        model.complete(REQUEST)
        model.complete(REQUEST)
    bodies = [asked.body for asked in server.asked]
    assert len(bodies) == 4
    for body in bodies[2:]:
        assert "max_tokens" not in body
        assert "seed" not in body
        assert body["max_completion_tokens"] == 50


def test_a_server_that_is_not_there_is_named_with_what_to_do() -> None:
    with faulty_server(HELLO) as server:
        gone = server.base_url
    with pytest.raises(
        ModelUnavailableError, match=r"big cannot be reached at 127\.0\.0\.1"
    ) as error:
        served(gone).complete(REQUEST)
    assert "base_url" in error.value.hint
    assert error.value.attempts == 3
    assert error.value.prompt_tokens == 0


def test_attempts_that_may_be_charged_are_counted() -> None:
    with faulty_server(half(completion("Hello!")), HELLO) as server:
        usage = served(server.base_url).complete(REQUEST).usage
    assert usage.estimated
    assert usage.completion_tokens == 3 + 50  # a lost answer may have had all its tokens
    assert usage.prompt_tokens > 11


# Time


@pytest.mark.parametrize("step", [silence, drips], ids=["silence", "drips"])
def test_the_deadline_is_one_for_the_whole_call(step: Step) -> None:
    with faulty_server(step) as server:
        began = time.monotonic()
        with pytest.raises(
            ModelTimeoutError, match=r"big gave no complete answer in 0.4 s"
        ) as error:
            served(server.base_url).complete(SHORT)
        assert time.monotonic() - began < 5
    assert error.value.attempts == 1
    assert error.value.completion_tokens == 50


def test_retries_share_the_deadline() -> None:
    with faulty_server(complains(500)) as server:
        began = time.monotonic()
        # The last of them may be under way when the time is over.
        with pytest.raises((ModelUnavailableError, ModelTimeoutError)):
            served(server.base_url, retry=RetryPolicy(retries=100)).complete(SHORT)
        assert time.monotonic() - began < 20  # a hundred of them would take minutes


def test_an_answer_without_end_is_cut() -> None:
    with faulty_server(endless) as server, pytest.raises(ModelAnswerError, match="more than 32 MB"):
        served(server.base_url).complete(REQUEST)


@pytest.mark.parametrize("step", [silence, drips, complains(503, "", "Retry-After: 8")])
def test_a_cancelled_turn_ends_the_call(step: Step) -> None:
    signal = CancelToken()
    with faulty_server(step) as server:
        threading.Timer(0.3, signal.cancel).start()
        mark = CURRENT_SIGNAL.set(signal)
        began = time.monotonic()
        try:
            with pytest.raises(TurnCancelledError):
                served(server.base_url).complete(REQUEST)
        finally:
            CURRENT_SIGNAL.reset(mark)
        assert time.monotonic() - began < 5


def test_calls_run_side_by_side() -> None:
    def slow(exchange: object) -> None:
        time.sleep(1)
        HELLO(exchange)  # type: ignore[arg-type] # a step is called with an exchange

    with faulty_server(slow) as server:
        model = served(server.base_url)
        threads = [threading.Thread(target=model.complete, args=(REQUEST,)) for _ in range(5)]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - began < 4
    assert len(server.asked) == 5


# Streams


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_stream_gives_pieces_and_then_the_whole_answer(newline: str) -> None:
    step = streams(
        ": a comment", chunk("Hel"), chunk("lo, wörld"), chunk(finish_reason="stop"), USAGE,
        newline=newline,
    )  # fmt: skip
    with faulty_server(step) as server:
        said, answer = drained(served(server.base_url).stream(REQUEST))
    assert said == ["Hel", "lo, wörld"]
    assert answer.text == "Hello, wörld"
    assert answer.usage == TokenUsage(prompt_tokens=11, completion_tokens=3)
    assert server.asked[0].body["stream_options"] == {"include_usage": True}


def test_calls_of_tools_come_in_pieces_too() -> None:
    def part(index: int, **function: str) -> dict[str, object]:
        named = {"id": f"c{index}"} if "name" in function else {}
        call = {"index": index, "function": function, **named}
        return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}

    step = streams(
        part(0, name="read", arguments=""), part(0, arguments='{"a"'), part(1, name="list"),
        part(0, arguments=": 1}"), chunk(finish_reason="stop"),
    )  # fmt: skip
    with faulty_server(step) as server:
        said, answer = drained(served(server.base_url).stream(replace(REQUEST, tools=(TOOL,))))
    assert said == []
    assert answer.finish_reason is FinishReason.TOOL_CALLS
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [
        ("c0", "read", '{"a": 1}'),
        ("c1", "list", ""),
    ]


@pytest.mark.parametrize(
    "first",
    [
        complains(500),
        streams(done=False),
        streams({"error": {"message": "overloaded"}}),
        streams("data: {nonsense"),
    ],
    ids=["500", "nothing", "complaint", "nonsense"],
)
def test_a_stream_that_failed_before_its_first_piece_is_begun_again(first: Step) -> None:
    with faulty_server(first, streams(chunk("Hi"), chunk(finish_reason="stop"))) as server:
        assert drained(served(server.base_url).stream(REQUEST))[0] == ["Hi"]
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "step",
    [
        streams(chunk("Hel"), done=False),
        streams(chunk("Hel")),
        streams(chunk("Hel"), {"error": {"message": "overloaded"}}),
        streams(chunk("Hel"), "data: {nonsense"),
    ],
    ids=["hang up", "no reason", "complaint", "nonsense"],
)
def test_a_stream_that_breaks_later_fails_and_is_not_repeated(step: Step) -> None:
    with faulty_server(step) as server:
        pieces = served(server.base_url).stream(REQUEST)
        assert next(pieces) == "Hel"
        with pytest.raises(ModelUnavailableError) as error:
            next(pieces)
    assert len(server.asked) == 1
    assert error.value.completion_tokens == 1


def test_a_slow_stream_ends_at_the_deadline() -> None:
    with faulty_server(streams(*[chunk("x")] * 100, pause=0.1)) as server:
        began = time.monotonic()
        with pytest.raises(ModelTimeoutError):
            drained(served(server.base_url).stream(SHORT))
        assert time.monotonic() - began < 5


def test_a_stream_that_is_closed_early_ends_the_connection() -> None:
    with faulty_server(streams(*[chunk("x" * 1000)] * 1000, pause=0.01)) as server:
        pieces = served(server.base_url).stream(REQUEST)
        next(pieces)
        pieces.close()
        assert server.hung_up.wait(5)


# Secrets


@pytest.mark.parametrize(
    "step",
    [
        complains(401, f"Incorrect API key provided: {KEY}"),
        complains(400, f"bad header Bearer {KEY}"),
        complains(500, f"bad header Bearer {KEY}"),
        streams({"error": {"message": KEY}}),
        half(completion("x")),
    ],
    ids=["401", "400", "500", "stream", "half"],
)
def test_the_key_stands_in_no_error_and_no_log(
    step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with faulty_server(step) as server:
        model = served(server.base_url)
        with pytest.raises(ModelError) as error:
            drained(model.stream(REQUEST))
    assert KEY not in str(error.value) + repr(error.value) + repr(vars(error.value))
    assert KEY not in caplog.text
    assert KEY not in repr(model._settings)
    assert KEY.encode() not in pickle.dumps(error.value)


def test_a_key_that_would_break_the_header_is_refused_unsaid() -> None:
    with faulty_server(HELLO) as server, pytest.raises(ModelRefusedError) as error:
        served(server.base_url, key="sk-a\r\nX-Evil: 1").complete(REQUEST)
    assert "Evil" not in str(error.value)
    assert server.asked == []


def test_words_of_a_server_are_cleaned_and_cut() -> None:
    step = complains(400, "\x1b[31mred\n" + "long " * 100)
    with faulty_server(step) as server, pytest.raises(ModelRefusedError) as error:
        served(server.base_url).complete(REQUEST)
    assert "\x1b" not in error.value.message
    assert "red long" in error.value.message
    assert len(error.value.message) < 300


def test_the_words_of_a_server_are_found_in_a_list_too() -> None:
    step = says([{"error": {"code": 400, "message": "API key expired."}}], status=400)
    with faulty_server(step) as server, pytest.raises(ModelRefusedError, match="key expired"):
        served(server.base_url).complete(REQUEST)


def test_an_address_is_never_followed_elsewhere() -> None:
    with faulty_server(HELLO) as other:
        moved = says("", status=307, headers=[f"Location: {other.base_url}/chat/completions"])
        with (
            faulty_server(moved) as server,
            pytest.raises(ModelRefusedError, match="another address"),
        ):
            served(server.base_url).complete(REQUEST)
    assert other.asked == []


def test_the_models_of_a_server_are_listed() -> None:
    with faulty_server(says({"data": [{"id": "a"}, {"id": "b"}]}), says({"data": 1})) as server:
        model = served(server.base_url, retry=QUICK)
        assert model.served_models(5) == ("a", "b")
        with pytest.raises(ModelAnswerError):
            model.served_models(5)
    assert server.asked[0].line.startswith("GET /v1/models ")


# TLS


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def test_an_encrypted_server_is_asked_when_its_certificate_is_trusted(
    authority: trustme.CA,
) -> None:
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with faulty_server(HELLO, tls=_certificate(authority)) as server:
        assert served(server.base_url, trust=trusting).complete(REQUEST).text == "Hello!"


def test_an_encrypted_stream_ends_at_the_deadline_too(authority: trustme.CA) -> None:
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    slow = streams(*[chunk("x")] * 100, pause=0.2)
    with faulty_server(slow, tls=_certificate(authority)) as server:
        pieces = served(server.base_url, trust=trusting).stream(replace(REQUEST, timeout_seconds=3))
        assert next(pieces) == "x"
        with pytest.raises(ModelTimeoutError):
            drained(pieces)


def test_a_certificate_that_nobody_vouches_for_gets_no_key(authority: trustme.CA) -> None:
    server_side = faulty_server(HELLO, tls=_certificate(authority))
    with server_side as server, pytest.raises(ModelUnavailableError, match="trusted") as error:
        served(server.base_url).complete(REQUEST)
    assert server.asked == []
    assert error.value.attempts == 1


def _certificate(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context
