"""Entity tags (ETags), by which a response that the client already has is not computed again."""

import hashlib
from typing import Annotated

from fastapi import Depends, FastAPI, Request, Response

import stowage
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.web.errors import handle


class NotModified(Exception):
    """The client already has the current response.

    It is not an error: it ends the route early.
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        super().__init__(tag)


@frozen
class Tagged:
    """Setter of the entity tag (ETag) of the response to one request."""

    request: Request
    response: Response
    """Its headers are added to the response."""

    def rests_on(self, *content: str) -> None:
        """Set the entity tag from the inputs of the response, before the response is computed.

        The tag always includes the URL and the versions of Stowage and of the model.

        Parameters
        ----------
        content : str
            Digests, or other values that change whenever the response does.

        Raises
        ------
        NotModified
            The client has the current response.
        """
        url = self.request.url
        named = (stowage.__version__, MODEL_VERSION, url.path, url.query, *content)
        tag = f'"{hashlib.sha256(chr(0).join(named).encode()).hexdigest()[:32]}"'
        if _has(self.request.headers.get("if-none-match", ""), tag):
            raise NotModified(tag)
        self.response.headers.update(_headers(tag))

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response, with the entity tag; for a route that builds its own response."""
        return dict(self.response.headers)


async def tagged(request: Request, response: Response) -> Tagged:
    """Return the setter of a request. FastAPI would call a function that is not asynchronous in a thread."""
    return Tagged(request, response)


Tag = Annotated[Tagged, Depends(tagged)]


def install(app: FastAPI) -> None:
    """Install the handler that responds 304 when a route raises `NotModified`."""
    handle(app, NotModified, lambda _, error: Response(status_code=304, headers=_headers(error.tag)))


def _headers(tag: str) -> dict[str, str]:
    # The browser stores the response, but revalidates it each time: a version can be replaced until a plan uses it, and
    # a caller without permission must not learn that it is unchanged.
    return {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}


def _has(if_none_match: str, tag: str) -> bool:
    # A compressing proxy weakens tags, so the comparison is weak (RFC 9110). `*` would match any existing response,
    # which is not known here: a client that sends it has no stored response and gets a full one.
    return tag in {each.strip().removeprefix("W/") for each in if_none_match.split(",")}
