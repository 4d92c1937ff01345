"""The routers of the API: their addresses, and who is let in before a body is read."""

from enum import Enum

from fastapi import APIRouter
from fastapi.routing import APIRoute

from stowage.web.admission import Handler, admitted
from stowage.web.responses import Responses


class ApiRouter(APIRouter):
    """Routes under /api/v1, each with an operation id that is the name of its function.

    The prefix is here and not given when routers are included in the application: FastAPI would build every route a
    second time for that.

    Parameters
    ----------
    tags : list of str, optional
    responses : Responses, optional
        Failures that all routes share.
    """

    def __init__(self, *, tags: list[str | Enum] | None = None, responses: Responses | None = None) -> None:
        super().__init__(
            prefix="/api/v1",
            tags=tags,
            responses=responses,
            route_class=_AdmittedRoute,
            generate_unique_id_function=lambda route: route.name,
        )


class _AdmittedRoute(APIRoute):
    """Checks its declarations before it reads the body; FastAPI by itself reads the body first."""

    def get_route_handler(self) -> Handler:  # type: ignore[override]
        return admitted(self.dependant, super().get_route_handler())
