"""Serves the built page: its files, and index.html for every other address outside the API."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


def built_page() -> Path | None:
    """Find the built page: in an installed wheel beside the code, else in the checkout; None where it is not built."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "page", package.parents[1] / "frontend" / "dist"):
        if (folder / "index.html").is_file():
            return folder
    return None


def serve_page(app: FastAPI, folder: Path | None) -> None:
    """Add the page to an application, behind all its other routes."""
    if folder is not None:
        app.mount("/", _Page(folder), name="page")
        return

    @app.get("/", include_in_schema=False)
    def not_built() -> Response:
        return PlainTextResponse("The page is not built: run `make setup`. The API is under /api/v1.\n", 503)


class _Page(StaticFiles):
    """Static files, with index.html for the addresses that the page's own router knows."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._index = folder / "index.html"

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith(("api/", "assets/")):
                raise
            response = FileResponse(self._index)
        # File names under assets/ hold a hash of their content; everything else must be asked for again.
        immutable = path.startswith("assets/")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if immutable else "no-cache"
        return response
