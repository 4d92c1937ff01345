"""Entity tags: an answer that the asker has already is not made again."""

import hashlib
from typing import Annotated

from fastapi import Depends, FastAPI, Request, Response

import stowage
from stowage.model import MODEL_VERSION


class NotModified(Exception):
    """The asker has the answer: no error, but the shortest way out of a route.

    Parameters
    ----------
    tag : str
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        super().__init__(tag)


class Tagged:
    """Gives the answer to one request its tag.

    Parameters
    ----------
    request : Request
    response : Response
        Whose headers the answer gets.
    """

    def __init__(self, request: Request, response: Response) -> None:
        self._request = request
        self._response = response

    def rests_on(self, *content: str) -> None:
        """Name what the answer is made of, before it is made; address and program are part of it anyway.

        Parameters
        ----------
        content : str
            Digests, or what else changes when the answer does.

        Raises
        ------
        NotModified
            The asker has the answer.
        """
        url = self._request.url
        named = (stowage.__version__, MODEL_VERSION, url.path, url.query, *content)
        tag = f'"{hashlib.sha256(chr(0).join(named).encode()).hexdigest()[:32]}"'
        if _has(self._request.headers.get("if-none-match", ""), tag):
            raise NotModified(tag)
        self._response.headers.update(_headers(tag))

    @property
    def headers(self) -> dict[str, str]:
        """Give the headers, for a route that makes its response itself."""
        return dict(self._response.headers)


Tag = Annotated[Tagged, Depends(Tagged)]


def install(app: FastAPI) -> None:
    """Answer 304 where the asker has the answer."""

    @app.exception_handler(NotModified)
    def not_modified(_: Request, error: Exception) -> Response:
        if not isinstance(error, NotModified):
            raise error
        return Response(status_code=304, headers=_headers(error.tag))


def _headers(tag: str) -> dict[str, str]:
    # Kept by the browser of whoever asked, and asked for again each time: a version may be replaced until a plan
    # rests on it, and whoever may no longer ask is not told that it is the same.
    return {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}


def _has(if_none_match: str, tag: str) -> bool:
    # A proxy that compresses makes a tag weak; RFC 9110 compares weakly here. `*` would be true of whatever exists,
    # which is not known yet: who asks with it has no answer to keep, and is given one.
    return tag in {each.strip().removeprefix("W/") for each in if_none_match.split(",")}
