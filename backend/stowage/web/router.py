"""Routers of the API, which add the prefix of paths and admit requests before their body is read."""

from enum import Enum

from fastapi import APIRouter
from fastapi.routing import APIRoute

from stowage.web.admission import Handler, admitted
from stowage.web.answering import PassedOn, in_one_thread
from stowage.web.responses import Responses


class ApiRouter(APIRouter):
    """Router for paths below /api/v1.

    The operation id of each route is the name of its function. The prefix of the paths is set here. If it were set when
    routers are included in the application, FastAPI would build every route twice.

    Parameters
    ----------
    tags : list of str, optional
    responses : Responses, optional
        Failures common to all routes.
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
    """Route whose declared admission is checked before the body is read, and whose answer is encoded in its thread.

    FastAPI alone would read the body first.
    """

    def get_route_handler(self) -> Handler:  # type: ignore[override]
        described = self.response_field
        if described is not None and in_one_thread(self.dependant, described, self.response_model):
            self.response_field = PassedOn()  # type: ignore[assignment] # read by the handler only
        handler = admitted(self.dependant, super().get_route_handler())
        # The description of the API needs it.
        self.response_field = described
        return handler
