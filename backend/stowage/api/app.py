"""The FastAPI application: what is under /api/v1, and the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

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
from stowage.api.limits import AnswerLimit, BodyLimit
from stowage.api.page import serve_page
from stowage.api.requests import Requests
from stowage.api.responses import as_problems
from stowage.api.services import Services
from stowage.usecases.calibrations import LARGEST_CSV_BYTES
from stowage.usecases.uploads import LARGEST_BODY_OF_UPLOAD_BYTES
from stowage.usecases.workload_file import LARGEST_FILE_BYTES

HOSTS = ("127.0.0.1", "localhost")
"""Names by which requests may address the service of one machine."""

_LARGER = {"/api/v1/uploads/": LARGEST_BODY_OF_UPLOAD_BYTES, "/api/v1/finished-jobs": LARGEST_CSV_BYTES}
"""Under which addresses bodies may be larger than a workload file."""


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
    app = _Api(
        title="Stowage",
        version=stowage.__version__,
        description="Ranked AWS configurations for I/O-bound data jobs.",
        # FastAPI's own documentation pages load scripts from elsewhere, which our content policy forbids.
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.services = services
    errors.install(app)
    etags.install(app)
    app.include_router(health.router(services), prefix="/api/v1")
    app.include_router(routes.router, prefix="/api/v1")
    app.include_router(explanation_routes.router, prefix="/api/v1")
    app.include_router(outlook_routes.router, prefix="/api/v1")
    app.include_router(deployment_routes.router, prefix="/api/v1")
    # Before the catalogues: its address is that of a version named "refresh".
    app.include_router(refresh_routes.router, prefix="/api/v1")
    app.include_router(catalogue_routes.router, prefix="/api/v1")
    app.include_router(job_routes.router, prefix="/api/v1")
    app.include_router(volume_routes.router, prefix="/api/v1")
    app.include_router(upload_routes.router, prefix="/api/v1")
    app.include_router(measurement_routes.router, prefix="/api/v1")
    for own in (profile_routes, calibration_routes, alert_routes):
        app.include_router(own.router, prefix="/api/v1")
    for runs in (run_routes, account_routes, watch_routes):
        app.include_router(runs.router, prefix="/api/v1")
    for reports in (report_routes, shared_routes):
        app.include_router(reports.router, prefix="/api/v1")
    app.include_router(plan_watch_routes.router, prefix="/api/v1")
    for people in (session_routes, team_routes, grant_routes, record_routes):
        app.include_router(people.router, prefix="/api/v1")
    serve_page(app, page)

    # Beyond this level a plan takes several times as long to compress, and hardly gets smaller.
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=3)
    app.add_middleware(AnswerLimit)
    app.add_middleware(BodyLimit, largest_bytes=LARGEST_FILE_BYTES, on=_LARGER)
    # A page of somebody else whose name was made to point here must not read what is kept here.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(Requests, shared=shared)
    app.add_middleware(SecurityHeaders)
    _prepare(app)
    return app


def _prepare(app: FastAPI) -> None:
    """Have every router look at its routes: FastAPI leaves that to the first request, which waits for it."""
    nowhere = {"type": "http", "method": "GET", "path": "/api/v1/nowhere", "root_path": "", "headers": []}
    for route in app.routes:
        route.matches(nowhere)


class _Api(FastAPI):
    """Describes itself as it answers."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = as_problems(super().openapi())
        return self.openapi_schema


def describe() -> dict[str, Any]:
    """Give the OpenAPI description of the API."""
    return create_app(None, None).openapi()
