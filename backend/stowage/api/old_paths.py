"""Old paths of the API: a request for an old path is answered by the route of the current path."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

OLD_PATHS: Mapping[str, str] = {"/api/v1/catalogues": "/api/v1/catalogs"}
"""First parts of paths until November 2026, and of today."""


class OldPaths:
    """Middleware that replaces an old path of a request by the current path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace an old path in the request with the current one, and pass the request on."""
        await self.app(self._moved(scope) if scope["type"] == "http" else scope, receive, send)

    @staticmethod
    def _moved(scope: Scope) -> Scope:
        for old, new in OLD_PATHS.items():
            if scope["path"] == old or scope["path"].startswith(f"{old}/"):
                raw = scope["raw_path"].replace(old.encode(), new.encode(), 1)
                return {**scope, "path": new + scope["path"].removeprefix(old), "raw_path": raw}
        return scope
