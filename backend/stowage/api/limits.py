"""A bound on request bodies, before anything is parsed."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage.api.errors import problem_response


class BodyLimit:
    """Refuses larger bodies with 413; reads no more of them than the limit.

    Parameters
    ----------
    app : ASGIApp
    largest_bytes : int
    """

    def __init__(self, app: ASGIApp, largest_bytes: int) -> None:
        self._app = app
        self._largest_bytes = largest_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on once its whole body is known to be small enough."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._largest_bytes:
                detail = f"The body is larger than {self._largest_bytes:,} bytes."
                await problem_response(413, "Too large", detail)(scope, receive, send)
                return
        pending = [body]

        async def replay() -> Message:
            if pending:
                return {"type": "http.request", "body": pending.pop(), "more_body": False}
            return await receive()

        await self._app(scope, replay, send)
