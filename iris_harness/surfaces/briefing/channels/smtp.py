"""A mail to the user, by a mail server of theirs.

RFC 5321 for what is said to the server; RFC 3834 for a mail that a program wrote.
"""

from __future__ import annotations

import hashlib
import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime

from iris_harness.config.settings import Channel as ChannelSetting
from iris_harness.curator.clean import clean, clean_lines
from iris_harness.errors import DeliveryError
from iris_harness.surfaces.briefing.message import Message, Receipt

_ACCEPTED = 250
_PERMANENT = 500


class SmtpChannel:
    """Sends mail to one address, the user's own."""

    def __init__(
        self,
        setting: ChannelSetting,
        password: Callable[[], str] | None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """Take where to, and what fetches the password; None: there is no login.

        `context` says which certificates are believed; None: those this machine believes.
        """
        self.name = setting.name
        self._setting = setting
        self._password = password
        self._context = context

    def deliver(self, message: Message) -> Receipt:
        """Send it.

        Raises:
            DeliveryError: the server did not take it, or went away while it was taking it.
        """
        mail = self._mail(message)
        password = self._password() if self._password is not None else ""
        try:
            with self._connected() as server:
                if password:
                    server.login(self._setting.username or "", password)
                answer = _sent(server, self._setting, mail)
        except smtplib.SMTPAuthenticationError as error:
            hint = "try the name and the password in a mail program"
            raise DeliveryError("the mail server refused the login", hint=hint) from error
        except smtplib.SMTPResponseException as error:
            raise _refused(error.smtp_code, error.smtp_error) from error
        except (smtplib.SMTPException, OSError) as error:
            raise DeliveryError(
                f"{self._setting.host} cannot be reached: {_reason(error)}",
                hint="is there a network?",
                may_retry=not isinstance(error, ssl.SSLCertVerificationError),
            ) from error
        return Receipt(f"taken by {self._setting.host}: {answer}")

    def _connected(self) -> smtplib.SMTP:
        setting, context = self._setting, self._context or ssl.create_default_context()
        if setting.security == "tls":
            return smtplib.SMTP_SSL(
                setting.host, setting.port, timeout=setting.timeout_seconds, context=context
            )
        server = smtplib.SMTP(setting.host, setting.port, timeout=setting.timeout_seconds)
        if setting.security == "starttls":
            try:
                server.starttls(context=context)  # raises where the server has none
            except BaseException:
                server.close()
                raise
        return server

    def _mail(self, message: Message) -> EmailMessage:
        mail = EmailMessage(policy=SMTP_POLICY)
        mail["From"] = self._setting.sender
        mail["To"] = self._setting.to
        mail["Subject"] = clean(message.title)
        mail["Date"] = format_datetime(message.said_at)
        # The same for the same message, so that a mail program would know it again.
        digest = hashlib.sha256(message.key.encode()).hexdigest()[:32]
        mail["Message-ID"] = f"<{digest}@{self._setting.to.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(clean_lines(message.text) + "\n")
        return mail


def _sent(server: smtplib.SMTP, setting: ChannelSetting, mail: EmailMessage) -> str:
    """Hand the mail over, and return what the server said to it."""
    server.ehlo_or_helo_if_needed()
    for code, said in (server.mail(setting.sender), server.rcpt(setting.to)):
        if code != _ACCEPTED:
            raise _refused(code, said)
    try:
        code, said = server.data(mail.as_bytes())
    except (smtplib.SMTPServerDisconnected, OSError) as error:
        raise DeliveryError(
            "the mail server went away while it took the mail", is_uncertain=True
        ) from error
    if code != _ACCEPTED:
        raise _refused(code, said)
    return f"{code} {_text(said)}"


def _refused(code: int, said: bytes | str) -> DeliveryError:
    return DeliveryError(
        f"the mail server refused it: {code} {_text(said)}", may_retry=0 < code < _PERMANENT
    )


def _text(said: bytes | str) -> str:
    text = said.decode("ascii", errors="replace") if isinstance(said, bytes) else said
    return clean(text)[:200]


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or clean(str(error))[:200]
