"""Chat clients of OpenAI's and Ollama's kind, against a running server."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
from openai import OpenAI

from tests.acceptance.web.conftest import Server

QUESTION = "what is overdue"
ANSWER = "You have 2 overdue todos."
TITLE_TASK = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: { "title": "your concise title here" }
### Chat History:
<chat_history>
USER: plan my day please and tell me what is overdue
ASSISTANT: Thursday ...
</chat_history>"""


@pytest.fixture
def client(server: Server) -> OpenAI:
    return OpenAI(base_url=f"{server.url}/v1", api_key=server.token, max_retries=0)


def test_the_models_are_iris_and_each_of_its_agents(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert names[0] == "iris"
    assert {"iris-planner", "iris-todo", "iris-calendar"} <= set(names)
    assert client.models.retrieve("iris-planner").id == "iris-planner"


def test_a_question_is_answered_whole(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model="iris", messages=[{"role": "user", "content": QUESTION}]
    )
    content = answer.choices[0].message.content
    assert content is not None
    assert content.startswith(ANSWER)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_a_stream_says_the_same_as_the_whole_and_ends_with_the_usage(client: OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="iris",
            messages=[{"role": "user", "content": QUESTION}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas).startswith(ANSWER)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_stream_without_options_tells_no_usage_and_is_marked_as_done(server: Server) -> None:
    body = {
        "model": "iris", "stream": True, "messages": [{"role": "user", "content": QUESTION}],
    }  # fmt: skip
    with server.client() as http, http.stream("POST", "/v1/chat/completions", json=body) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    assert not any("usage" in line for line in lines)


def test_parts_of_a_message_are_read_and_pictures_are_not(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model="iris",
        messages=[
            {"role": "system", "content": "You are a pirate."},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                    {"type": "text", "text": QUESTION},
                ],
            },
        ],
    )
    assert (answer.choices[0].message.content or "").startswith(ANSWER)


def test_a_model_that_is_an_agent_answers_only_what_that_agent_does(client: OpenAI) -> None:
    def ask(model: str) -> str:
        answer = client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": QUESTION}]
        )
        return answer.choices[0].message.content or ""

    assert ask("iris-todo").startswith(ANSWER)
    assert ask("iris-clock").startswith("I can't do that")


def test_what_is_wrong_is_said_in_the_protocols_own_way(server: Server, client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="iris-planner"):
        client.chat.completions.create(
            model="gpt-4", messages=[{"role": "user", "content": QUESTION}]
        )
    with pytest.raises(openai.BadRequestError, match="any text"):
        client.chat.completions.create(model="iris", messages=[{"role": "user", "content": " "}])
    stranger = OpenAI(base_url=f"{server.url}/v1", api_key="wrong", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        stranger.models.list()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'{"model": 3}', b"\xff\xfe", b'{"model": "iris"}',
        b'{"model": "iris", "messages": []}',
        b'{"model": "iris", "messages": [{"role": "nobody", "content": "x"}]}',
        b'{"model": "iris", "messages": [{"role": "user", "content": {"a": 1}}]}',
        b'{"model": "iris", "messages": "' + b"[" * 100_000 + b'"}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_body_that_is_none_is_refused_with_what_is_wrong(server: Server, body: bytes) -> None:
    with server.client() as http:
        answer = http.post("/v1/chat/completions", content=body)
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


def test_a_clients_own_requests_are_answered_from_the_conversation(client: OpenAI) -> None:
    answer = client.chat.completions.create(
        model="iris", messages=[{"role": "user", "content": TITLE_TASK}]
    )
    content = answer.choices[0].message.content or ""
    assert json.loads(content) == {"title": "Plan my day please and tell\u2026"}


def test_many_questions_at_once_are_all_answered(client: OpenAI) -> None:
    def ask(number: int) -> str:
        answer = client.chat.completions.create(
            model="iris",
            messages=[{"role": "user", "content": QUESTION}],
            extra_headers={"X-OpenWebUI-Chat-Id": f"chat-{number}"},
        )
        return answer.choices[0].message.content or ""

    with ThreadPoolExecutor(20) as pool:
        answers = set(pool.map(ask, range(40)))
    assert len(answers) == 1
    assert answers.pop().startswith(ANSWER)


def test_ollamas_clients_find_and_ask_iris(server: Server) -> None:
    question = {"model": "iris", "messages": [{"role": "user", "content": QUESTION}]}
    with server.client() as http:
        tags = http.get("/api/tags").json()["models"]
        assert tags[0]["model"] == "iris:latest"
        assert http.get("/api/version").json()["version"]
        shown = http.post("/api/show", json={"model": "iris:latest"}).json()
        assert shown["capabilities"] == ["completion"]
        lines = [json.loads(line) for line in http.post("/api/chat", json=question).iter_lines()]
        whole = http.post("/api/chat", json={**question, "stream": False}).json()
        unknown = http.post("/api/chat", json={**question, "model": "llama3"})
    assert "".join(line["message"]["content"] for line in lines).startswith(ANSWER)
    assert [line["done"] for line in lines] == [False, False, True]
    assert whole["message"]["content"].startswith(ANSWER)
    assert unknown.status_code == 404
    assert "iris-planner" in unknown.json()["error"]
