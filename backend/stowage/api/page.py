"""Static files of the built page, with index.html for all other paths outside the API."""

import html
import logging
import re
from datetime import UTC, datetime
from pathlib import Path

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from stowage.documents.text import one_line
from stowage.features.reports import links
from stowage.platform.database.errors import Unreachable
from stowage.web.services import services_of

log = logging.getLogger(__name__)

_SHARED = re.compile(r"s/([A-Za-z0-9_-]{20,100})")
_TITLE = re.compile(r"<title>[^<]*</title>")


def built_page() -> Path | None:
    """Return the folder of the built page; None if the page is not built.

    The folder is that of the installed package, or else that of a checkout.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "page", package.parents[1] / "frontend" / "dist"):
        if (folder / "index.html").is_file():
            return folder
    return None


def serve_page(app: FastAPI, folder: Path | None) -> None:
    """Add the routes of the page to an application, after all other routes were added.

    Without a folder, the application explains that the page is not built.
    """
    if folder is not None:
        app.mount("/", _Page(folder), name="page")
        return

    @app.get("/", include_in_schema=False)
    def not_built() -> Response:
        return PlainTextResponse("The page is not built: run `make setup`. The API is under /api/v1.\n", 503)


class _Page(StaticFiles):
    """Static files of the page.

    A path without a file may be one that only the router in the browser knows. So the response is index.html.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._index = folder / "index.html"

    async def get_response(self, path: str, scope: Scope) -> Response:
        shared = _SHARED.fullmatch(path)
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith(("api/", "assets/")):
                raise
            head = None if shared is None else await run_in_threadpool(_head_of, shared[1], Request(scope))
            if head is not None:
                return self._with(head)
            response = FileResponse(self._index)
        # File names under assets/ have a hash of their content; all other files must be revalidated.
        immutable = path.startswith("assets/")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if immutable else "no-cache"
        return response

    def _with(self, head: str) -> Response:
        # Only holders of the link may know the content: proxies and caches must not store it.
        return HTMLResponse(
            _TITLE.sub(lambda _: head, self._index.read_text("utf-8"), count=1),
            headers={"Cache-Control": "private, no-store"},
        )


def _head_of(secret: str, request: Request) -> str | None:
    """Return the HTML head elements by which chat programs show a preview of a shared report's link.

    None if the link has no preview.
    """
    services = services_of(request)
    try:
        about = links.preview_of(services.gate, services.database, secret, datetime.now(UTC))
    except Unreachable as error:
        log.warning("cannot build the preview of a shared report: %s", error)
        return None
    if about is None:
        return None
    title, sentence = (html.escape(one_line(text)) for text in about)
    # An image needs an absolute URL. The host name of the request is not used: the client controls it.
    here = services.public_url
    card = "summary" if here is None else "summary_large_image"
    return (
        f"<title>{title}</title>"
        '<meta property="og:type" content="article" />'
        '<meta property="og:site_name" content="Stowage" />'
        f'<meta property="og:title" content="{title}" />'
        f'<meta property="og:description" content="{sentence}" />'
        f"{'' if here is None else _picture(f'{here}/api/v1/shared/{secret}/files/png')}"
        f'<meta name="twitter:card" content="{card}" />'
    )


def _picture(address: str) -> str:
    return (
        f'<meta property="og:image" content="{html.escape(address)}" />'
        '<meta property="og:image:width" content="1200" />'
        '<meta property="og:image:height" content="630" />'
    )
