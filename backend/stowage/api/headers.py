"""What every answer tells browsers: what the page may load, who may frame it, who may keep the answer."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'self'; script-src 'self'; "
    # Mantine keeps the colours of a scheme in a <style> element that it writes, and Plotly sets style attributes on
    # what it draws. No text of a user's gets there: React sets no style from text.
    "style-src 'self' 'unsafe-inline'; "
    # Plotly draws a picture of a plot for saving it.
    "img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)

ALWAYS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Addresses hold share links and ids: nobody is told where one came from.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""On every answer that does not say otherwise itself."""

STRICT_TRANSPORT = "max-age=31536000"
"""For the name that was asked, where it was asked through TLS; of its subdomains we know nothing."""


class SecurityHeaders:
    """Sets the headers of every answer, also of those that refuse and fail.

    Parameters
    ----------
    app : ASGIApp
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the head of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    # What is somebody's own is nobody else's to keep, on the way or in a browser that is shared.
                    headers.setdefault("Cache-Control", "no-store")
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
            await send(message)

        await self._app(scope, receive, answer)
