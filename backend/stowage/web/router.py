"""Routers of the API, which add the prefix of paths and admit requests before their body is read."""

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

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
        encodes = described is not None and in_one_thread(self.dependant, described, self.response_model)
        if encodes:
            self.response_field = PassedOn()  # type: ignore[assignment] # read by the handler only
        handler = admitted(self.dependant, super().get_route_handler(), encodes=encodes)
        # The description of the API needs it.
        self.response_field = described
        return handler


class RouteIndex:
    """Application that finds most routes by the first part of their path, in front of a router.

    The router alone compares a path with all of the 200 routes, one after the other. It still handles every request
    for which the index finds no route.

    Parameters
    ----------
    router : ASGIApp
    routes : iterable of BaseRoute
        Routes of the router, in the same order.
    """

    def __init__(self, router: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._router = router
        self._routes: defaultdict[tuple[str, str, int], list[APIRoute]] = defaultdict(list)
        for route in routes:
            if isinstance(route, APIRoute):
                for method in route.methods or ():
                    self._routes[_place(method, route.path)].append(route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to its route."""
        if scope["type"] == "http":
            for route in self._routes.get(_place(scope["method"], scope["path"]), ()):
                match, of_route = route.matches(scope)
                if match == Match.FULL:
                    scope.update(of_route)
                    await route.handle(scope, receive, send)
                    return
        await self._router(scope, receive, send)


def _place(method: str, path: str) -> tuple[str, str, int]:
    """Return what decides which routes a request may match: method, part after the prefix, and number of parts.

    No route has a parameter in place of that part, or one that contains a slash.
    """
    parts = path.split("/", 4)
    return method, parts[3] if len(parts) > 3 else "", path.count("/")
