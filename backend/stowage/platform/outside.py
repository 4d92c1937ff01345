"""Interfaces of external services that use cases need: mail, webhooks, and an OpenID provider for sign-in.

The API and the worker implement them.
"""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Protocol

from stowage.frozen import frozen


@frozen
class Claims:
    """Claims of an OpenID provider about a person who signed in there."""

    issuer: str
    """Issuer of the account. Issuer and subject are the permanent identity of the person."""
    subject: str
    """Identifier of the account at `issuer`."""
    email: str | None
    email_verified: bool
    name: str | None
    authenticated_at: datetime | None = None
    """Time of the sign-in at the provider; None if the provider does not state it."""
    refresh_token: str | None = field(default=None, repr=False)
    """Token to check later whether the provider still accepts the account; None if the provider gave none."""


class ProviderFailed(Exception):
    """The provider does not answer, or its answer is invalid.

    The message of the exception is for the log.
    """


class ProviderRefused(Exception):
    """The provider refuses a refresh token: the account there is closed, or its access was revoked."""


class MailFailed(Exception):
    """The mail server does not accept a message.

    The message of the exception is for the log.
    """


class WebhookFailed(Exception):
    """A webhook was not called or did not accept the request.

    The message of the exception is for people of the team.
    """


class Webhooks(Protocol):
    """Client that calls webhooks."""

    def send(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Post a JSON document to an address of the public Internet.

        Raises
        ------
        WebhookFailed
            The address is not on the public Internet, does not answer in time, or answers without success.
        """


@frozen
class Attachment:
    """A PDF that is attached to a mail."""

    name: str
    """File name."""
    content: bytes


class Mailer(Protocol):
    """Client of a mail server."""

    def send(self, to: str, subject: str, text: str, attached: Attachment | None = None) -> None:
        """Hand a message to the mail server.

        Raises
        ------
        MailFailed
            The server does not accept it.
        """


class Provider(Protocol):
    """Client of an OpenID provider."""

    @property
    def name(self) -> str:
        """Name shown to people."""

    @property
    def issuer(self) -> str:
        """URL of the issuer, without a trailing slash."""

    def start(self, *, redirect_uri: str, state: str, nonce: str, verifier: str, reauthenticate: bool = False) -> str:
        """Return the address at which the browser signs in.

        Parameters
        ----------
        redirect_uri : str
            Address to which the provider redirects the browser afterwards.
        state, nonce : str
            Values that the redirect and the ID token must repeat.
        verifier : str
            PKCE verifier, of which the provider gets the SHA-256.
        reauthenticate : bool
            Whether the provider must ask for credentials even if the person is signed in there.

        Raises
        ------
        ProviderFailed
        """

    def finish(self, *, redirect_uri: str, code: str, nonce: str, verifier: str) -> Claims:
        """Exchange an authorization code for the claims in the provider's ID token.

        The ID token is verified.

        Raises
        ------
        ProviderFailed
        """

    def refresh(self, token: str) -> str:
        """Send a refresh token to the provider.

        Returns the token to use next time, which is a new one or the same.

        Raises
        ------
        ProviderRefused
            The token is refused (``invalid_grant``).
        ProviderFailed
            The provider does not answer, or its answer is inconclusive.
        """
