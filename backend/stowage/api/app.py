"""The FastAPI application: the routes under /api/v1, and the page."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import BaseRoute

import stowage
from stowage.api import health, job_routes, team_deletion
from stowage.api.authentication import open_caller
from stowage.api.headers import SecurityHeaders
from stowage.api.in_progress import InProgress
from stowage.api.old_paths import OldPaths
from stowage.api.page import serve_page
from stowage.api.provider_checks import ProviderChecks
from stowage.api.registry import registry
from stowage.api.requests import Requests
from stowage.features.activity import routes as activity
from stowage.features.alerts import routes as alerts
from stowage.features.benchmarks import account_routes as accounts
from stowage.features.benchmarks import routes as benchmarks
from stowage.features.calibration import routes as calibration
from stowage.features.calibration.calibrations import LARGEST_CSV_BYTES
from stowage.features.calibration.price_terms import routes as price_terms
from stowage.features.catalog import routes as catalog
from stowage.features.explore import routes as explore
from stowage.features.measurements import routes as measurements
from stowage.features.measurements import upload_routes as uploads
from stowage.features.measurements.uploads import LARGEST_BODY_OF_UPLOAD_BYTES
from stowage.features.monitoring import routes as monitoring
from stowage.features.planning import routes as planning
from stowage.features.planning.watches import routes as plan_watches
from stowage.features.reports import approval_routes as approvals
from stowage.features.reports import link_routes as links
from stowage.features.reports import routes as reports
from stowage.features.reports import schedule_routes as schedules
from stowage.features.reports import shared_routes as shared
from stowage.features.sweeps import routes as sweeps
from stowage.features.teams import routes as teams
from stowage.features.teams.currency import routes as currency
from stowage.features.teams.sign_in import routes as sign_in
from stowage.features.teams.sign_in import token_routes as tokens
from stowage.features.volumes import routes as volumes
from stowage.platform.described import describe_dataclasses
from stowage.web import errors, etags
from stowage.web.limits import AnswerLimit, BodyLimit, BodyRefused, refusal_of
from stowage.web.load_shedding import LoadShedder, Refusals
from stowage.web.reads import KnownTeams
from stowage.web.responses import with_problems
from stowage.web.router import RouteIndex
from stowage.web.services import Services
from stowage.workloads.workload_file import LARGEST_FILE_BYTES

HOSTS = ("127.0.0.1", "localhost")
"""Host names of requests to a service on a single machine."""

_LARGER = {"/api/v1/uploads/": LARGEST_BODY_OF_UPLOAD_BYTES, "/api/v1/finished-jobs": LARGEST_CSV_BYTES}
"""Larger limits of bodies [bytes], by prefix of the path; the default is the size of a workload file."""

_ROUTED = (
    health,
    planning,
    # Before `explore`, whose route would match it as the version "refresh".
    catalog,
    explore,
    sweeps,
    job_routes,
    volumes,
    uploads,
    measurements,
    calibration,
    price_terms,
    currency,
    alerts,
    benchmarks,
    accounts,
    monitoring,
    reports,
    approvals,
    schedules,
    shared,
    plan_watches,
    sign_in,
    teams,
    team_deletion,
    tokens,
    links,
    activity,
)


def create_app(
    services: Services | None,
    page: Path | None,
    hosts: Sequence[str] = HOSTS,
    in_progress: InProgress | None = None,
) -> FastAPI:
    """Build the FastAPI application with its routes, error handlers and middleware.

    Parameters
    ----------
    services : Services or None
        Dependencies of the use cases; None to build only the OpenAPI description.
    page : Path or None
        Folder of the built page; None to serve the API only.
    hosts : sequence of str
        Host names that requests may use.
    in_progress : InProgress, optional
        Requests of all processes that accept connections from the same listening socket; None for a single process.
    """
    # FastAPI's documentation pages load scripts from other hosts, which our content security policy forbids.
    app = _Api(docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json")
    app.state.services = services
    app.state.load_shedder = LoadShedder()
    app.state.refusals = Refusals()
    app.state.provider_checks = ProviderChecks()
    app.state.open_caller = open_caller
    app.state.known_teams = KnownTeams()
    app.state.readiness = None if services is None else health.Readiness(services)
    errors.install(app)
    errors.handle(app, BodyRefused, lambda _, error: refusal_of(error))
    etags.install(app)
    app.router.routes.extend(_routes())
    app.router.middleware_stack = RouteIndex(app.router.middleware_stack, app.router.routes)
    serve_page(app, page)

    # At a higher level a plan takes several times as long to compress, and hardly gets smaller.
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=3)
    app.add_middleware(AnswerLimit)
    app.add_middleware(BodyLimit, largest_bytes=LARGEST_FILE_BYTES, on=_LARGER)
    # DNS rebinding: a page of an attacker whose host name resolves to this service must not read its data.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(Requests, in_progress=in_progress or InProgress(1))
    app.add_middleware(OldPaths)
    app.add_middleware(SecurityHeaders)
    return app


def _routes() -> Iterator[BaseRoute]:
    for module in _ROUTED:
        yield from module.router.routes


class _Api(FastAPI):
    """FastAPI application whose OpenAPI description is built only once per process."""

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
    describe_dataclasses(described["components"]["schemas"])
    return with_problems(described) | {"x-registry": registry()}
