"""Voice assistants, against a running server: the real protocol, and a real voice."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import time
import wave
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pocketsphinx import Decoder
from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioChunkConverter
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong

from iris_harness.errors import ServerError
from iris_harness.surfaces.voice.service import MOST_CLIENTS, VoiceService
from tests.acceptance.web.conftest import Server, start_server
from tests.support import examples

PHRASES = (
    "plan my day", "what is overdue", "what time is it", "show my todos", "plan next week",
    "brief me", "hello", "thank you",
)  # fmt: skip
RATE = 16_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = start_server(tmp_path_factory.mktemp("home"), "--voice-port", "0")
    yield running
    if running.process.poll() is None:
        running.stop()


def connect(server: Server) -> AsyncTcpClient:
    host, _, port = server.voice.removeprefix("tcp://").partition(":")
    return AsyncTcpClient(host, int(port))


async def talk(server: Server, *events: Event) -> list[Event]:
    """Send events on one connection, and return an answer to each."""
    answers = []
    async with connect(server) as client:
        for event in events:
            await client.write_event(event)
            answer = await asyncio.wait_for(client.read_event(), 30)
            assert answer is not None
            answers.append(answer)
    return answers


def say(text: str, **context: object) -> Event:
    return Transcript(text=text, language="en", context=context or None).event()


def test_a_client_is_told_of_a_service_that_handles_text(server: Server) -> None:
    (answer,) = asyncio.run(talk(server, Describe().event()))
    info = Info.from_event(answer)
    (program,) = info.handle
    assert program.installed
    assert program.models[0].languages == ["en"]
    others = (info.asr, info.tts, info.intent, info.wake)
    assert not any(others)


def test_what_was_recognised_is_answered_aloud_with_its_context(server: Server) -> None:
    (answer,) = asyncio.run(talk(server, say("plan my day", conversation_id="kitchen-1")))
    handled = Handled.from_event(answer)
    assert Handled.is_type(answer.type)
    assert handled.context == {"conversation_id": "kitchen-1"}
    assert handled.text
    assert len(handled.text.split()) < 90
    assert not set("[]()|*") & set(handled.text)


@pytest.mark.parametrize(
    "text", ["who painted the mona lisa", "", "  ", "\u0645\u0631\u062d\u0628\u0627"]
)
def test_what_is_not_understood_is_said_not_to_be_handled(server: Server, text: str) -> None:
    (answer,) = asyncio.run(talk(server, say(text)))
    assert NotHandled.is_type(answer.type)


def test_many_utterances_are_answered_on_one_connection(server: Server) -> None:
    answers = asyncio.run(talk(server, *[say("what time is it")] * 20, Ping(text="here").event()))
    assert {Handled.is_type(answer.type) for answer in answers[:-1]} == {True}
    assert Pong.from_event(answers[-1]).text == "here"


def test_two_satellites_are_answered_at_once(server: Server) -> None:
    async def both() -> list[list[Event]]:
        return await asyncio.gather(*(talk(server, *[say("plan my day")] * 5) for _ in range(2)))

    first, second = asyncio.run(both())
    assert [event.data for event in first] == [event.data for event in second]


def test_events_of_other_services_are_let_pass(server: Server) -> None:
    sound = AudioChunk(rate=RATE, width=2, channels=1, audio=b"\0" * 1024).event()
    (answer,) = asyncio.run(_after(server, sound, Event("made-up", {"a": 1}), say("plan my day")))
    assert Handled.is_type(answer.type)


async def _after(server: Server, *events: Event) -> list[Event]:
    async with connect(server) as client:
        for event in events:
            await client.write_event(event)
        answer = await asyncio.wait_for(client.read_event(), 30)
    assert answer is not None
    return [answer]


EVENTS = st.one_of(
    st.binary(max_size=200),
    st.builds(
        lambda kind, data, length: (
            json.dumps({"type": kind, "data": data, "data_length": length}).encode() + b"\n"
        ),
        st.sampled_from(["transcript", "describe", "ping", "", "handled"]),
        st.one_of(st.none(), st.integers(), st.dictionaries(st.text(max_size=5), st.integers())),
        st.sampled_from([0, 3, -1, 10**9]),
    ),
    st.builds(
        lambda text: json.dumps({"type": "transcript", "data": {"text": text}}).encode() + b"\n",
        st.one_of(st.integers(), st.lists(st.integers(), max_size=2), st.text(max_size=50)),
    ),
)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(EVENTS, max_size=6))
def test_whatever_one_client_sends_the_next_one_is_answered(
    server: Server, parts: list[bytes]
) -> None:
    async def send() -> None:
        host, _, port = server.voice.removeprefix("tcp://").partition(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"".join(parts))
        await writer.drain()
        writer.close()

    asyncio.run(send())
    (answer,) = asyncio.run(talk(server, Describe().event()))
    assert answer.type == "info"
    assert server.process.poll() is None


@pytest.mark.parametrize(
    "said",
    [b"[" * 60_000 + b"\n", b"x" * 1_000_000, b"x" * 1_000_000 + b"\n", b'{"type": "tran'],
    ids=["deep", "a million letters", "a line of a million", "half"],
)
def test_a_client_that_breaks_the_protocol_is_hung_up_on_and_logged_in_a_line(
    tmp_path: Path, said: bytes
) -> None:
    own_server = start_server(tmp_path, "--voice-port", "0")

    async def send() -> bytes:
        host, _, port = own_server.voice.removeprefix("tcp://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(said)
            writer.write_eof()
            return await asyncio.wait_for(reader.read(), 30)
        except OSError:  # hung up on before all was said
            return b""
        finally:
            writer.close()

    assert asyncio.run(send()) == b""
    errors = own_server.stop()
    assert "Traceback" not in errors
    assert "never retrieved" not in errors


def open_voice(server: Server) -> socket.socket:
    host, _, port = server.voice.removeprefix("tcp://").partition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def test_who_opens_connections_without_end_is_hung_up_on_and_others_are_answered(
    server: Server,
) -> None:
    with ExitStack() as open_ones:
        for _ in range(MOST_CLIENTS):
            open_ones.enter_context(open_voice(server))
        with open_voice(server) as one_more, suppress(ConnectionResetError):
            assert one_more.recv(100) == b""
        with server.client() as http:
            assert http.get("/v1/models").status_code == 200
    (answer,) = asyncio.run(talk_again(server))
    assert answer.type == "info"


async def talk_again(server: Server) -> list[Event]:
    """Ask what is here, once the server has seen that others left."""
    while True:
        try:
            return await talk(server, Describe().event())
        except (AssertionError, ConnectionError):
            await asyncio.sleep(0.1)


def test_clients_that_left_or_broke_the_protocol_leave_nothing_open(server: Server) -> None:
    handles = Path(f"/proc/{server.process.pid}/fd")

    async def come_and_go() -> None:
        host, _, port = server.voice.removeprefix("tcp://").partition(":")
        for said in (b"", b"\xff\n", b'{"type": "transcript", "data_length": 1000000}\n', b"{"):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(said)
            writer.close()

    asyncio.run(come_and_go())
    asyncio.run(talk(server, Describe().event()))
    before = len(list(handles.iterdir()))
    for _ in range(20):
        asyncio.run(come_and_go())
    asyncio.run(talk(server, Describe().event()))
    give_up = time.perf_counter() + 20
    while len(list(handles.iterdir())) > before + 4 and time.perf_counter() < give_up:
        time.sleep(0.1)
    assert len(list(handles.iterdir())) <= before + 4


def test_voice_for_others_needs_a_list_of_them() -> None:
    with pytest.raises(ServerError, match="no login"):
        VoiceService("0.0.0.0", 0)  # noqa: S104 - refused
    with pytest.raises(ServerError, match="no address"):
        VoiceService("127.0.0.1", 0, ["kitchen"])
    service = VoiceService("0.0.0.0", 0, ["192.168.1.0/24", "10.0.0.7"])  # noqa: S104 - never started
    asked = ("192.168.1.20", "::ffff:10.0.0.7", "127.0.0.1", "192.168.2.1", "10.0.0.8", "", "x")
    assert [service.may_ask(address) for address in asked] == [True] * 3 + [False] * 4


def test_a_spoken_question_is_heard_answered_and_spoken(server: Server, tmp_path: Path) -> None:
    espeak = shutil.which("espeak-ng")
    if espeak is None:
        pytest.skip("espeak-ng is not installed; on Debian: apt install espeak-ng")
    speak(espeak, "plan my day", tmp_path / "question.wav")
    heard = recognise(tmp_path / "question.wav")
    assert heard == "plan my day"
    started = time.perf_counter()
    (answer,) = asyncio.run(talk(server, say(heard)))
    waited = time.perf_counter() - started
    text = Handled.from_event(answer).text
    assert text
    speak(espeak, text, tmp_path / "answer.wav")
    with wave.open(str(tmp_path / "answer.wav")) as sound:
        seconds = sound.getnframes() / sound.getframerate()
    assert waited < seconds  # it is spoken longer than it is waited for
    assert 3 < seconds < 60


def speak(espeak: str, text: str, path: Path) -> None:
    subprocess.run([espeak, "-v", "en-us", "-s", "150", "-w", str(path), text], check=True)


def recognise(path: Path) -> str:
    """Return what a recogniser hears that knows a few phrases, as those of voice assistants do."""
    decoder = Decoder(samprate=RATE, loglevel="FATAL")
    grammar = f"#JSGF V1.0; grammar iris; public <said> = {' | '.join(PHRASES)};"
    decoder.add_jsgf_string("iris", grammar)
    decoder.activate_search("iris")
    with wave.open(str(path)) as sound:
        frames = sound.readframes(sound.getnframes())
        chunk = AudioChunk(rate=sound.getframerate(), width=2, channels=1, audio=frames)
    converted = AudioChunkConverter(rate=RATE, width=2, channels=1).convert(chunk)
    decoder.start_utt()
    decoder.process_raw(converted.audio, full_utt=True)
    decoder.end_utt()
    guess = decoder.hyp()
    return str(guess.hypstr) if guess else ""
