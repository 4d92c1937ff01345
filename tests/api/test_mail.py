"""Mail: what reaches a mail server, over which connection, and what happens if the server refuses it."""

import ssl
import subprocess
from asyncio.base_events import Server
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session
from fastapi.testclient import TestClient

from people import join, new_person
from stowage.api.app import create_app
from stowage.api.mail import SmtpMailer
from stowage.platform.database.database import Database
from stowage.platform.outside import MailFailed
from stowage.web.services import Services

SENDER = "Stowage <stowage@example.org>"
RESET = "/api/v1/account/reset"
_OPENSSL = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]


@dataclass(slots=True)
class Mailbox:
    """Handler of a mail server: the messages that it accepted, and its refusal of further ones."""

    messages: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    over_tls: list[bool] = field(default_factory=list)
    refuses: str | None = None

    async def handle_DATA(self, _server: object, session: Session, envelope: Envelope) -> str:  # noqa: N802 - its name
        if self.refuses is not None:
            return self.refuses
        content = envelope.content
        assert isinstance(content, bytes)
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        self.recipients += envelope.rcpt_tos
        self.over_tls.append(session.ssl is not None)
        return "250 taken"


def text_of(message: EmailMessage) -> str:
    content = message.get_content()
    assert isinstance(content, str)
    return content.replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Certificate:
    """Certificate of the mail server, and a client context that trusts it."""

    served: ssl.SSLContext
    believed: ssl.SSLContext


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    folder: Path = tmp_path_factory.mktemp("certificate")
    key, written = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [*_OPENSSL, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", written],
        check=True,
        capture_output=True,
    )
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(written, key)
    return Certificate(served, ssl.create_default_context(cafile=written))


class AnyPort(Controller):
    """A mail server on a free port."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


def serving(mailbox: Mailbox, **how: Any) -> Iterator[int]:
    controller = AnyPort(mailbox, hostname="127.0.0.1", port=0, ready_timeout=20, **how)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def plain(mailbox: Mailbox) -> Iterator[int]:
    """Yield the port of a server on this machine without TLS."""
    yield from serving(mailbox)


@pytest.fixture
def closed(mailbox: Mailbox, certificate: Certificate) -> Iterator[int]:
    """Yield the port of a server that requires STARTTLS and then a password."""

    def check(_server: object, _session: object, _envelope: object, _mechanism: str, said: Any) -> AuthResult:
        assert isinstance(said, LoginPassword)
        # Unhandled here: the server answers by itself.
        return AuthResult(success=(said.login, said.password) == (b"stowage", b"p@ss: word"), handled=False)

    yield from serving(
        mailbox, tls_context=certificate.served, require_starttls=True, authenticator=check, auth_required=True
    )


def test_a_message_says_who_sends_it_and_nothing_of_this_machine(plain: int, mailbox: Mailbox) -> None:
    SmtpMailer(f"smtp://127.0.0.1:{plain}", SENDER).send("ada@example.org", "Grüße", "Zeile eins\n\nhttps://s/x#y\n")
    [message] = mailbox.messages
    assert mailbox.recipients == ["ada@example.org"]
    assert (message["From"], message["To"], message["Subject"]) == (SENDER, "ada@example.org", "Grüße")
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"].endswith("@example.org>")
    assert message["Date"].endswith("+0000")
    assert text_of(message) == "Zeile eins\n\nhttps://s/x#y\n"


def test_a_server_elsewhere_is_talked_to_over_tls_and_believed_by_its_certificate(
    closed: int, mailbox: Mailbox, certificate: Certificate
) -> None:
    url = f"smtp://stowage:p%40ss%3A%20word@localhost:{closed}"
    SmtpMailer(url, SENDER, certificate.believed).send("ada@example.org", "Hello", "text")
    assert mailbox.over_tls == [True]
    with pytest.raises(MailFailed, match="CERTIFICATE_VERIFY_FAILED"):
        SmtpMailer(url, SENDER).send("ada@example.org", "Hello", "text")
    assert len(mailbox.messages) == 1


def test_a_wrong_password_fails_and_is_not_told(closed: int, certificate: Certificate) -> None:
    mailer = SmtpMailer(f"smtp://stowage:s3cret-word@127.0.0.1:{closed}", SENDER, certificate.believed)
    with pytest.raises(MailFailed) as failed:
        mailer.send("ada@example.org", "Hello", "text")
    assert "535" in str(failed.value)
    assert "s3cret" not in str(failed.value)


def test_tls_from_the_first_byte(mailbox: Mailbox, certificate: Certificate) -> None:
    for port in serving(mailbox, ssl_context=certificate.served):
        SmtpMailer(f"smtps://127.0.0.1:{port}", SENDER, certificate.believed).send("ada@example.org", "Hello", "text")
        with pytest.raises(MailFailed):
            SmtpMailer(f"smtps://127.0.0.1:{port}", SENDER).send("ada@example.org", "Not believed", "text")
    assert [message["Subject"] for message in mailbox.messages] == ["Hello"]


def test_no_message_leaves_the_machine_in_the_clear(
    plain: int, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mail with a one-time link is not sent to a server without TLS, unless it is on this machine."""
    monkeypatch.setattr("stowage.api.mail._is_here", lambda _host: False)
    with pytest.raises(MailFailed, match="SMTPNotSupportedError"):
        SmtpMailer(f"smtp://127.0.0.1:{plain}", SENDER).send("ada@example.org", "Hello", "text")
    assert mailbox.messages == []


@pytest.mark.parametrize("broken", ["Hello\r\nBcc: eve@example.org", "Hello\nBcc: eve@example.org"])
def test_a_line_break_ends_no_header(plain: int, mailbox: Mailbox, broken: str) -> None:
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain}", SENDER)
    for to, subject in (("ada@example.org", broken), (f"ada@example.org{broken[5:]}", "Hello")):
        with pytest.raises(MailFailed):
            mailer.send(to, subject, "text")
    assert mailbox.messages == []


def test_a_server_that_is_away_or_refuses_fails(plain: int, mailbox: Mailbox) -> None:
    with pytest.raises(MailFailed):
        SmtpMailer("smtp://127.0.0.1:9", SENDER).send("ada@example.org", "Hello", "text")
    mailbox.refuses = "554 spam about ada@example.org"
    with pytest.raises(MailFailed, match=r"554$"):
        SmtpMailer(f"smtp://127.0.0.1:{plain}", SENDER).send("ada@example.org", "Hello", "text")


def test_a_link_for_a_new_password_is_mailed_and_begins_as_the_operator_says(
    services: Services, gate: Database, org_id: UUID, plain: int, mailbox: Mailbox
) -> None:
    email = f"{uuid4().hex}@example.org"
    join(gate, org_id, new_person(gate, "Ada", email, verified=True), "viewer")
    mailer = SmtpMailer(f"smtp://127.0.0.1:{plain}", SENDER)
    app = create_app(replace(services, mail=mailer, public_url="https://stowage.example.org"), None)
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/api/v1/session").json()["mail"]
        # The Host header of a request does not affect the links in a letter.
        headers = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
        assert client.post(RESET, json={"email": email}, headers=headers).status_code == 202
    [message] = mailbox.messages
    assert message["To"] == email
    text = text_of(message)
    assert "\n\nhttps://stowage.example.org/reset#" in text
    assert "evil" not in text


def test_a_mail_server_that_is_away_shows_in_the_log_alone(
    services: Services, gate: Database, caplog: pytest.LogCaptureFixture
) -> None:
    email = f"{uuid4().hex}@example.org"
    new_person(gate, "Ada", email, verified=True)
    mailer = SmtpMailer("smtp://127.0.0.1:9", SENDER)
    app = create_app(replace(services, mail=mailer, public_url="https://stowage.example.org"), None)
    with TestClient(app, base_url="http://localhost") as client:
        assert client.post(RESET, json={"email": email}).status_code == 202
    assert "127.0.0.1:9 took no message" in caplog.text
    assert "#" not in caplog.text
