"""Mail by SMTP. Connections to other machines use TLS."""

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from stowage.platform.outside import Attachment, MailFailed

_TIMEOUT_S = 15.0
"""Time limit of each step of the dialog with the server."""
_PORTS = {"smtp": 587, "smtps": 465}


class SmtpMailer:
    """Client of one mail server.

    Each message is sent over a new connection. The constructor does not connect.

    Parameters
    ----------
    url : str
        ``smtp://user:password@host:587``, which starts TLS before any credentials are sent, or ``smtps://…:465``.
    sender : str
        From address, like ``Stowage <stowage@example.org>``.
    context : ssl.SSLContext or None
        Determines the trusted certificates; None for the certificates that the system trusts.
    """

    __slots__ = ("_context", "_host", "_implicit", "_password", "_port", "_sender", "_user")

    def __init__(self, url: str, sender: str, context: ssl.SSLContext | None = None) -> None:
        address = urlsplit(url)
        self._implicit = address.scheme == "smtps"
        self._host = address.hostname or ""
        self._port = address.port or _PORTS[address.scheme]
        self._user = None if address.username is None else unquote(address.username)
        self._password = unquote(address.password or "")
        self._sender = sender
        self._context = context or ssl.create_default_context()

    def send(self, to: str, subject: str, text: str, attached: Attachment | None = None) -> None:
        """Send a message through the mail server.

        Parameters
        ----------
        to : str
            A single address.
        subject, text : str
        attached : Attachment or None

        Raises
        ------
        MailFailed
            The server does not answer, offers no TLS or refuses the message, or the arguments make no valid message.
        """
        try:
            message = self._message(to, subject, text)
            if attached is not None:
                message.add_attachment(attached.content, maintype="application", subtype="pdf", filename=attached.name)
            with self._connected() as server:
                if self._user is not None:
                    server.login(self._user, self._password)
                server.send_message(message)
        # ValueError: a line break in a header, or an invalid address.
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise MailFailed(f"{self._host}:{self._port} took no message: {_told(error)}") from error

    def _message(self, to: str, subject: str, text: str) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self._sender
        message["To"] = to
        message["Subject"] = subject
        message["Date"] = formatdate(usegmt=True)
        # With the domain of the sender: the name of this machine must not be disclosed.
        message["Message-ID"] = make_msgid(domain=parseaddr(self._sender)[1].rpartition("@")[2] or "localhost")
        # No out-of-office replies (RFC 3834).
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        return message

    def _connected(self) -> smtplib.SMTP:
        if self._implicit:
            return smtplib.SMTP_SSL(self._host, self._port, timeout=_TIMEOUT_S, context=self._context)
        server = smtplib.SMTP(self._host, self._port, timeout=_TIMEOUT_S)
        try:
            server.ehlo()
            # A one-time link signs in any reader of the mail: encrypt the connection unless it stays on this machine.
            if server.has_extn("starttls") or not _is_here(self._host):
                server.starttls(context=self._context)
        except BaseException:
            server.close()
            raise
        return server


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _told(error: Exception) -> str:
    """Return the cause of an error in words.

    The text of the mail server is omitted, because it may repeat the password or the message.
    """
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__} {error.smtp_code}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "it does not know the recipient"
    return f"{type(error).__name__}: {error}" if isinstance(error, OSError) else type(error).__name__
