"""Old paths of the API, which still lead to the routes of the current paths."""

from collections.abc import Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

OLD_PATHS: Mapping[str, str] = {"/api/v1/catalogues": "/api/v1/catalogs"}
"""First parts of paths until November 2026, and of today."""


class OldPaths:
    """Middleware that replaces an old path in a request by the current path."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with the current path in place of an old one."""
        await self.app(self._moved(scope) if scope["type"] == "http" else scope, receive, send)

    @staticmethod
    def _moved(scope: Scope) -> Scope:
        for old, new in OLD_PATHS.items():
            if scope["path"] == old or scope["path"].startswith(f"{old}/"):
                raw = scope["raw_path"].replace(old.encode(), new.encode(), 1)
                return {**scope, "path": new + scope["path"].removeprefix(old), "raw_path": raw}
        return scope
