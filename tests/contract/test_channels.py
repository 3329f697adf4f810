"""What every channel keeps to, each against the real thing it delivers to."""

from __future__ import annotations

import datetime as dt
import io
import os
import ssl
import stat
import wave
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from iris_harness.config.settings import Channel as ChannelSetting
from iris_harness.errors import DeliveryError
from iris_harness.surfaces.briefing.channels.desktop import DesktopChannel
from iris_harness.surfaces.briefing.channels.file import FileChannel
from iris_harness.surfaces.briefing.channels.services import ServicesChannel
from iris_harness.surfaces.briefing.channels.smtp import SmtpChannel
from iris_harness.surfaces.briefing.channels.speech import SpeechChannel
from iris_harness.surfaces.briefing.channels.terminal import TerminalChannel
from iris_harness.surfaces.briefing.channels.web import WebChannel
from iris_harness.surfaces.briefing.message import Channel, Message
from tests.contract.conftest import Desktop, MailServer, Receiver

NOW = dt.datetime(2026, 4, 14, 7, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
HOSTILE = Message(
    key="briefing:morning:2026-04-14:x",
    title="Iris\x1b[31m, Tuesday\r\nBcc: all@example.org",
    text="09:00 <b>Tea</b> & cake\x1b]0;owned\x07 \u202eevil\n\nDue: caf\u00e9 \U0001f375",
    speech="Tea at 9. <b>Cake</b> after.",
    said_at=NOW,
)
RING = Message(
    key="reminder:1:x:y",
    title="Reminder",
    text="Call Ada",
    speech="Call Ada",
    said_at=NOW,
    is_ring=True,
)


@dataclass(frozen=True)
class Case:
    """A channel, what has arrived there, and a channel like it that cannot deliver."""

    channel: Channel
    arrived: Callable[[], str]
    broken: Channel


@pytest.fixture(params=["apprise", "desktop", "file", "smtp", "speech", "terminal"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    made: Case = getattr(Cases, request.param)(request, tmp_path)
    return made


class Cases:
    """One maker for each type."""

    @staticmethod
    def apprise(request: pytest.FixtureRequest, _folder: Path) -> Case:
        receiver: Receiver = request.getfixturevalue("receiver")

        def arrived() -> str:
            return "{title}\n{message}".format(**receiver.taken[-1])

        return Case(
            ServicesChannel("apprise", [lambda: receiver.url]),
            arrived,
            ServicesChannel("apprise", [lambda: "json://127.0.0.1:9/"]),
        )

    @staticmethod
    def smtp(request: pytest.FixtureRequest, _folder: Path) -> Case:
        server: MailServer = request.getfixturevalue("mail_server")

        def arrived() -> str:
            mail = parsed(server)
            return f"{mail['Subject']}\n{mail.get_content()}".replace("\r\n", "\n")

        return Case(mailing(server), arrived, mailing(server, word="wrong"))

    @staticmethod
    def speech(_request: pytest.FixtureRequest, folder: Path) -> Case:
        file = folder / "said.wav"

        def arrived() -> str:
            return f"Iris, Tuesday Bcc: all@example.org\nTea Call Ada {wave_seconds(file):.1f}"

        return Case(
            SpeechChannel("speech", file, "en"),
            arrived,
            SpeechChannel("speech", folder, "en"),
        )

    @staticmethod
    def desktop(request: pytest.FixtureRequest, _folder: Path) -> Case:
        desktop: Desktop = request.getfixturevalue("desktop")

        def arrived() -> str:
            shown = desktop.shown()
            return f"{shown['title']}\n{shown['body']}"

        return Case(
            DesktopChannel("desktop", lambda: desktop.address),
            arrived,
            DesktopChannel("desktop", lambda: None),
        )

    @staticmethod
    def file(_request: pytest.FixtureRequest, folder: Path) -> Case:
        file = folder / "new" / "said.txt"
        (folder / "taken").mkdir()
        return Case(
            FileChannel("file", file, append=True),
            file.read_text,
            FileChannel("file", folder / "taken", append=True),
        )

    @staticmethod
    def terminal(_request: pytest.FixtureRequest, _folder: Path) -> Case:
        stream, closed = io.StringIO(), io.StringIO()
        closed.close()
        return Case(
            TerminalChannel("terminal", stream),
            stream.getvalue,
            TerminalChannel("terminal", closed),
        )


def test_what_is_said_arrives_without_what_could_harm(case: Case) -> None:
    receipt = case.channel.deliver(HOSTILE)
    arrived = case.arrived()
    assert receipt.detail
    assert "Tea" in arrived
    assert arrived.startswith("Iris, Tuesday Bcc: all@example.org\n")
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(arrived)


def test_one_message_after_the_other_arrives(case: Case) -> None:
    case.channel.deliver(RING)
    assert "Call Ada" in case.arrived()
    case.channel.deliver(HOSTILE)
    assert "Tea" in case.arrived()


def test_a_channel_that_cannot_say_it_says_why_and_never_raises_anything_else(case: Case) -> None:
    with pytest.raises(DeliveryError) as caught:
        case.broken.deliver(RING)
    assert caught.value.message
    assert not caught.value.is_uncertain


# Mail


def parsed(server: MailServer) -> EmailMessage:
    content = server.taken[-1].content
    assert isinstance(content, bytes)
    mail = message_from_bytes(content, policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


def mailing(server: MailServer, *, word: str = "hunter2") -> SmtpChannel:
    setting = ChannelSetting(
        name="mail",
        type="smtp",
        host="localhost",
        port=server.port,
        username="ada",
        sender="iris@example.org",
        to="ada@example.org",
        timeout_seconds=5,
    )
    return SmtpChannel(setting, lambda: word, server.trusting)


def test_a_mail_goes_to_the_user_alone_and_says_that_a_program_wrote_it(
    mail_server: MailServer,
) -> None:
    receipt = mailing(mail_server).deliver(HOSTILE)
    assert receipt.detail == "taken by localhost: 250 OK queued as 7"
    assert mail_server.taken[0].rcpt_tos == ["ada@example.org"]
    mail = parsed(mail_server)
    assert (mail["To"], mail["From"]) == ("ada@example.org", "iris@example.org")
    assert (mail["Bcc"], mail["Auto-Submitted"]) == (None, "auto-generated")
    assert mail["Date"] == "Tue, 14 Apr 2026 07:00:00 +0200"
    assert "caf\u00e9 \U0001f375" in mail.get_content()
    mailing(mail_server).deliver(HOSTILE)
    assert parsed(mail_server)["Message-ID"] == mail["Message-ID"]


@pytest.mark.parametrize(
    ("answer", "may_retry"), [("451 later", True), ("552 too much", False)], ids=["4xx", "5xx"]
)
def test_a_mail_that_is_refused_was_surely_not_sent(
    mail_server: MailServer, answer: str, may_retry: bool
) -> None:
    mail_server.answer = answer
    with pytest.raises(DeliveryError, match=answer) as caught:
        mailing(mail_server).deliver(RING)
    assert (caught.value.may_retry, caught.value.is_uncertain) == (may_retry, False)


def test_a_server_that_goes_away_with_the_mail_leaves_it_uncertain(mail_server: MailServer) -> None:
    mail_server.is_hanging_up = True
    with pytest.raises(DeliveryError, match="went away") as caught:
        mailing(mail_server).deliver(RING)
    assert caught.value.is_uncertain


def test_a_server_that_is_not_there_is_tried_again(mail_server: MailServer) -> None:
    mail_server.close()
    with pytest.raises(DeliveryError, match="localhost cannot be reached") as caught:
        mailing(mail_server).deliver(RING)
    assert caught.value.may_retry


def test_a_login_that_is_refused_is_not_repeated_and_shows_no_password(
    mail_server: MailServer,
) -> None:
    with pytest.raises(DeliveryError, match="refused the login") as caught:
        mailing(mail_server, word="wrong-4711").deliver(RING)
    assert not caught.value.may_retry
    assert "4711" not in str(caught.value)


def test_nothing_is_sent_to_a_server_whose_certificate_is_not_believed(
    mail_server: MailServer,
) -> None:
    mail_server.trusting = ssl.create_default_context()
    with pytest.raises(DeliveryError, match="cannot be reached") as caught:
        mailing(mail_server).deliver(RING)
    assert not caught.value.may_retry
    assert mail_server.taken == []


# Services


def test_a_service_that_refuses_leaves_it_uncertain_and_its_address_is_never_told(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses.append(500)
    channel = ServicesChannel("phone", [lambda: receiver.url])
    with pytest.raises(DeliveryError, match="JSON did not say that it was taken") as caught:
        channel.deliver(RING)
    assert caught.value.is_uncertain
    assert "4711" not in str(caught.value) + caplog.text


def test_without_a_network_nothing_is_sent_so_it_is_tried_again() -> None:
    with pytest.raises(DeliveryError, match="cannot be reached") as caught:
        ServicesChannel("phone", [lambda: "json://127.0.0.1:9/4711"]).deliver(RING)
    assert caught.value.may_retry
    assert "4711" not in str(caught.value)


def test_an_address_that_means_nothing_is_not_repeated() -> None:
    with pytest.raises(DeliveryError, match="does not understand") as caught:
        ServicesChannel("phone", [lambda: "carrier://pigeon-4711"]).deliver(RING)
    assert "4711" not in str(caught.value)


# Speech


def wave_seconds(file: Path) -> float:
    with wave.open(str(file)) as sound:
        return float(sound.getnframes() / sound.getframerate())


def test_what_is_spoken_can_be_heard_and_only_the_newest_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "said.wav"
    SpeechChannel("speech", file, "en").deliver(RING)
    assert wave_seconds(file) > 0.3
    SpeechChannel("speech", file, "en-us").deliver(HOSTILE)
    assert wave_seconds(file) > 1
    assert list(tmp_path.iterdir()) == [file]


# Desktop


def test_a_reminder_stays_on_the_desktop_and_a_briefing_goes_by_itself(desktop: Desktop) -> None:
    channel = DesktopChannel("desktop", lambda: desktop.address)
    channel.deliver(RING)
    ring = desktop.shown()
    assert (ring["program"], ring["urgency"], ring["expires"]) == ("Iris", 2, 0)
    assert channel.deliver(HOSTILE).detail == "shown as notification 2"
    briefing = desktop.shown()
    assert (briefing["urgency"], briefing["expires"]) == (1, -1)
    assert briefing["body"] == "Tea at 9. &lt;b&gt;Cake&lt;/b&gt; after."


def test_a_desktop_without_markup_gets_the_text_as_it_is(place: Path) -> None:
    desktop = Desktop(place, "body")
    try:
        DesktopChannel("desktop", lambda: desktop.address).deliver(HOSTILE)
        assert desktop.shown()["body"] == HOSTILE.speech
    finally:
        desktop.close()


def test_a_session_in_which_nothing_shows_notifications_is_said_to_be_one(desktop: Desktop) -> None:
    desktop.stop_service()
    with pytest.raises(
        DeliveryError, match="nothing in this session shows notifications"
    ) as caught:
        DesktopChannel("desktop", lambda: desktop.address).deliver(RING)
    assert caught.value.may_retry


def test_a_session_that_is_gone_is_said_to_be(desktop: Desktop) -> None:
    desktop.close()
    with pytest.raises(DeliveryError, match="cannot be reached") as caught:
        DesktopChannel("desktop", lambda: desktop.address).deliver(RING)
    assert caught.value.may_retry


# File


def test_a_file_is_for_its_owner_and_keeps_what_was_said_before(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    channel = FileChannel("file", file, append=True)
    channel.deliver(RING)
    channel.deliver(RING)
    assert file.read_text() == "Reminder\nCall Ada\n\n" * 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_shows_the_newest_has_only_that(tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text("something else\n")
    FileChannel("file", file, append=False).deliver(RING)
    assert file.read_text() == "Reminder\nCall Ada\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_and_a_pipe_are_not_written(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("mine\n")
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(other)
    os.mkfifo(pipe)
    for path in (link, pipe):
        with pytest.raises(DeliveryError, match="cannot be written"):
            FileChannel("file", path, append=True).deliver(RING)
    assert other.read_text() == "mine\n"


# Web


def test_what_the_page_shows_is_kept_with_its_text() -> None:
    receipt = WebChannel("web").deliver(RING)
    assert receipt.content == "Reminder\nCall Ada"
