"""The FastAPI application: what is under /api/v1, and the page."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import BaseRoute

import stowage
from stowage.api import (
    account_routes,
    alert_routes,
    calibration_routes,
    catalogue_routes,
    deployment_routes,
    errors,
    etags,
    explanation_routes,
    grant_routes,
    health,
    job_routes,
    measurement_routes,
    outlook_routes,
    plan_watch_routes,
    profile_routes,
    record_routes,
    refresh_routes,
    report_routes,
    routes,
    run_routes,
    session_routes,
    shared_routes,
    team_routes,
    upload_routes,
    volume_routes,
    watch_routes,
)
from stowage.api.headers import SecurityHeaders
from stowage.api.limits import AnswerLimit, BodyLimit, BodyRefused, refusal_of
from stowage.api.load_shedding import LoadShedder, Refusals
from stowage.api.page import serve_page
from stowage.api.provider_checks import ProviderChecks
from stowage.api.requests import Requests
from stowage.api.responses import with_problems
from stowage.api.services import Services
from stowage.features.calibration.calibrations import LARGEST_CSV_BYTES
from stowage.features.measurements.uploads import LARGEST_BODY_OF_UPLOAD_BYTES
from stowage.workloads.workload_file import LARGEST_FILE_BYTES

HOSTS = ("127.0.0.1", "localhost")
"""Names by which requests may address the service of one machine."""

_LARGER = {"/api/v1/uploads/": LARGEST_BODY_OF_UPLOAD_BYTES, "/api/v1/finished-jobs": LARGEST_CSV_BYTES}
"""Under which addresses bodies may be larger than a workload file."""

_ROUTED = (
    health,
    routes,
    explanation_routes,
    outlook_routes,
    deployment_routes,
    # Before the catalogues: its address is that of a version named "refresh".
    refresh_routes,
    catalogue_routes,
    job_routes,
    volume_routes,
    upload_routes,
    measurement_routes,
    profile_routes,
    calibration_routes,
    alert_routes,
    run_routes,
    account_routes,
    watch_routes,
    report_routes,
    shared_routes,
    plan_watch_routes,
    session_routes,
    team_routes,
    grant_routes,
    record_routes,
)


def create_app(
    services: Services | None, page: Path | None, hosts: Sequence[str] = HOSTS, *, shared: bool = False
) -> FastAPI:
    """Build the application.

    Parameters
    ----------
    services : Services or None
        None to describe the API only.
    page : Path or None
        Folder of the built page.
    hosts : sequence of str
        Names by which requests may address the service.
    shared : bool
        Whether other processes take connections from the same socket.
    """
    # FastAPI's own documentation pages load scripts from elsewhere, which our content policy forbids.
    app = _Api(docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json")
    app.state.services = services
    app.state.load_shedder = LoadShedder()
    app.state.refusals = Refusals()
    app.state.provider_checks = ProviderChecks()
    app.state.readiness = None if services is None else health.Readiness(services)
    errors.install(app)
    app.add_exception_handler(BodyRefused, refused_body)
    etags.install(app)
    app.router.routes.extend(_routes())
    serve_page(app, page)

    # Beyond this level a plan takes several times as long to compress, and hardly gets smaller.
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=3)
    app.add_middleware(AnswerLimit)
    app.add_middleware(BodyLimit, largest_bytes=LARGEST_FILE_BYTES, on=_LARGER)
    # A page of somebody else whose name was made to point here must not read what is kept here.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(Requests, shared=shared)
    app.add_middleware(SecurityHeaders)
    return app


def refused_body(_: Request, error: Exception) -> Response:
    """Return the problem of a body that was refused while a route read it."""
    if not isinstance(error, BodyRefused):
        raise error
    return refusal_of(error)


def _routes() -> Iterator[BaseRoute]:
    for module in _ROUTED:
        yield from module.router.routes


class _Api(FastAPI):
    """Describes itself as it answers."""

    def openapi(self) -> dict[str, Any]:
        return describe()


@cache
def describe() -> dict[str, Any]:
    """Return the OpenAPI description of the API."""
    described = get_openapi(
        title="Stowage",
        version=stowage.__version__,
        description="Ranked AWS configurations for I/O-bound data jobs.",
        routes=list(_routes()),
    )
    return with_problems(described)
