"""Mail server for tests, which stores what it accepts."""

from stowage.frozen import frozen
from stowage.platform.outside import Attachment, MailFailed


@frozen
class Sent:
    """Mail that the server accepted."""

    to: str
    subject: str
    text: str
    attached: Attachment | None


class Mailbox:
    """Mail server that stores messages, or refuses them."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.refuses = refuses
        self.refuses_next = 0
        """Number of messages that are refused before the next one is accepted."""
        self.sent: list[Sent] = []

    def send(self, to: str, subject: str, text: str, attached: Attachment | None = None) -> None:
        """Store a message, or refuse it."""
        if self.refuses or self.refuses_next:
            self.refuses_next = max(0, self.refuses_next - 1)
            raise MailFailed("out of order")
        assert subject
        self.sent.append(Sent(to, subject, text, attached))

    def only(self) -> Sent:
        """Return the one mail that was sent."""
        [mail] = self.sent
        return mail

    def secret(self, path: str) -> str:
        """Return the secret of the link to a page, such as `reset`, in the newest mail."""
        return self.sent[-1].text.partition(f"/{path}#")[2].partition("\n")[0]
