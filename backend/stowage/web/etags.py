"""Entity tags: a response that the client already has is not computed again."""

import hashlib
from typing import Annotated

from fastapi import Depends, FastAPI, Request, Response

import stowage
from stowage.model import MODEL_VERSION


class NotModified(Exception):
    """The client has the current response. Not an error, but the shortest way out of a route.

    Parameters
    ----------
    tag : str
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        super().__init__(tag)


class Tagged:
    """Sets the entity tag of the response to one request.

    Parameters
    ----------
    request : Request
    response : Response
        Its headers are added to the response.
    """

    def __init__(self, request: Request, response: Response) -> None:
        self._request = request
        self._response = response

    def rests_on(self, *content: str) -> None:
        """Set the tag from the inputs of the response, before it is computed; URL and version are part of it anyway.

        Parameters
        ----------
        content : str
            Digests, or other values that change whenever the response does.

        Raises
        ------
        NotModified
            The client has the current response.
        """
        url = self._request.url
        named = (stowage.__version__, MODEL_VERSION, url.path, url.query, *content)
        tag = f'"{hashlib.sha256(chr(0).join(named).encode()).hexdigest()[:32]}"'
        if _has(self._request.headers.get("if-none-match", ""), tag):
            raise NotModified(tag)
        self._response.headers.update(_headers(tag))

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response, for a route that builds its own."""
        return dict(self._response.headers)


Tag = Annotated[Tagged, Depends(Tagged)]


def install(app: FastAPI) -> None:
    """Answer 304 to a client that has the current response."""

    @app.exception_handler(NotModified)
    def not_modified(_: Request, error: Exception) -> Response:
        if not isinstance(error, NotModified):
            raise error
        return Response(status_code=304, headers=_headers(error.tag))


def _headers(tag: str) -> dict[str, str]:
    # The browser stores the response, but revalidates it each time: a version can be replaced until a plan uses it, and
    # a caller without permission must not learn that it is unchanged.
    return {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}


def _has(if_none_match: str, tag: str) -> bool:
    # A compressing proxy weakens tags, so the comparison is weak (RFC 9110). `*` would match any existing response,
    # which is not known here: a client that sends it has no stored response and gets a full one.
    return tag in {each.strip().removeprefix("W/") for each in if_none_match.split(",")}
