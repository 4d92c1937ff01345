"""What use cases need of others: who sends mail, who calls webhooks, and a provider at which people sign in.

The edges bring them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Claims:
    """What a provider says of somebody who signed in there.

    Parameters
    ----------
    issuer, subject : str
        Together they name the person, for good.
    email : str or None
    email_verified : bool
    name : str or None
    authenticated_at : datetime or None
        When the person signed in at the provider; None if it does not say.
    refresh_token : str or None
        By which the provider can be asked later whether it still accepts the account; None if it gave none.
    """

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    name: str | None
    authenticated_at: datetime | None = None
    refresh_token: str | None = field(default=None, repr=False)


class ProviderFailed(Exception):
    """The provider does not answer, or what it says is not to be believed; the message is for the log."""


class ProviderRefused(Exception):
    """The provider refuses a refresh token: the account there is closed, or its access was revoked."""


class MailFailed(Exception):
    """The mail server does not take a message; the message is for the log."""


class WebhookFailed(Exception):
    """A webhook was not called, or did not take what was sent; the message is for people of the team."""


class Webhooks(Protocol):
    """Calls webhooks."""

    def send(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Post a JSON document to an address of the public Internet.

        Raises
        ------
        WebhookFailed
            The address is not of the public Internet, does not answer in time, or answers with no success.
        """


class Mailer(Protocol):
    """Sends mail."""

    def send(self, to: str, subject: str, text: str) -> None:
        """Hand a message to the mail server.

        Raises
        ------
        MailFailed
            It does not take it.
        """


class Provider(Protocol):
    """An OpenID provider."""

    @property
    def name(self) -> str:
        """What people know it as."""

    @property
    def issuer(self) -> str:
        """Its address, without a slash at its end."""

    def start(self, *, redirect_uri: str, state: str, nonce: str, verifier: str, anew: bool = False) -> str:
        """Give the address at which the browser signs in.

        Parameters
        ----------
        redirect_uri : str
            Where it comes back to.
        state, nonce : str
            What comes back with it, and what the provider's word must hold.
        verifier : str
            Of which the provider is told the SHA-256 (PKCE).
        anew : bool
            Whether the provider must ask for credentials even if the person is signed in there.

        Raises
        ------
        ProviderFailed
        """

    def finish(self, *, redirect_uri: str, code: str, nonce: str, verifier: str) -> Claims:
        """Turn a code into what the provider says, once its word has been checked.

        Raises
        ------
        ProviderFailed
        """

    def refresh(self, token: str) -> str:
        """Try a refresh token, and return the one to try next time: another one, or the same.

        Raises
        ------
        ProviderRefused
            The token is refused (``invalid_grant``).
        ProviderFailed
            The provider does not answer, or its answer decides nothing.
        """
