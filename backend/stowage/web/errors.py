"""Errors as RFC 9457 problem details: the cause, the invalid fields, and what would be accepted."""

import logging
from collections.abc import Callable, Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from stowage.platform.database.errors import NoRoom
from stowage.platform.database.errors import Unreachable as NoDatabase
from stowage.platform.described import Described
from stowage.platform.errors import (
    BadInput,
    Conflict,
    Locked,
    NotFound,
    Problem,
    ProofNeeded,
    QuotaExceeded,
    Refused,
    SignInNeeded,
    TooMany,
)
from stowage.platform.jobs.errors import Unreachable as NoQueue
from stowage.platform.problems import problems_in

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_MOST_PROBLEMS = 50
PROOF_NEEDED = "urn:stowage:problem:proof-needed"
"""Problem type for a request that needs reauthentication; the client may repeat the request afterwards."""
PASSWORD_NEEDED, WRONG_PASSWORD = "urn:stowage:problem:password-needed", "urn:stowage:problem:wrong-password"
"""Problem types by which a page distinguishes a link with a password from an ended session."""
QUOTA_USED_UP = "urn:stowage:problem:quota"
"""Problem type of a used-up quota, as distinct from a rate limit on attempts and from a missing permission."""


class FieldProblem(Described):
    """An invalid field."""

    path: str
    """Dotted path in the body; empty for the body itself."""
    message: str


class QuotaProblem(Described):
    """The quota that is used up."""

    name: str
    limit: int
    unit: str
    frees: str
    """When there is room again, in words. `Retry-After` has the seconds if waiting is enough."""


class ProblemDetails(Described):
    """An error in the format of RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = Field(default=[])
    reference: str | None = None
    """Id of the request, for server errors; the log has the details under it."""
    quota: QuotaProblem | None = None


def problem_response(
    status: int,
    title: str,
    detail: str,
    problems: Sequence[Problem] = (),
    *,
    reference: str | None = None,
    sort: str = "about:blank",
    quota: QuotaProblem | None = None,
) -> JSONResponse:
    """Build a response with the problem details of a failed request."""
    body = ProblemDetails(
        type=sort,
        title=title,
        status=status,
        detail=detail,
        errors=[FieldProblem(path=problem.path, message=problem.message) for problem in problems],
        reference=reference,
        quota=quota,
    )
    # Connections are limited: a client that has to wait must not keep one open.
    headers = {"Connection": "close"} if status == 429 else None
    return JSONResponse(body.model_dump(exclude_none=True), status, headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Install handlers that turn expected errors into problem details; `stowage.api.requests` handles the others."""

    @app.exception_handler(BadInput)
    def bad_input(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, BadInput):
            raise error
        return _bad_input(error.problems)

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, RequestValidationError):
            raise error
        return _bad_input(problems_in(error.errors(), skip=1))

    _install_refusals(app)
    for kind, status, title in (
        (Refused, 403, "Refused"),
        (NotFound, 404, "Not found"),
        (Conflict, 409, "Not possible now"),
    ):
        app.add_exception_handler(kind, _answering(status, title))

    @app.exception_handler(NoDatabase)
    def no_database(request: Request, error: Exception) -> JSONResponse:
        why = "has no room left" if isinstance(error, NoRoom) else "does not answer"
        return _unavailable(request, error, f"The database {why}; nothing was stored.")

    @app.exception_handler(NoQueue)
    def no_queue(request: Request, error: Exception) -> JSONResponse:
        return _unavailable(request, error, "The job queue does not answer; what is stored is kept.")

    @app.exception_handler(HTTPException)
    def http_error(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, HTTPException):
            raise error
        response = problem_response(error.status_code, str(error.detail), str(error.detail))
        response.headers.update(error.headers or {})
        return response


def _install_refusals(app: FastAPI) -> None:
    @app.exception_handler(SignInNeeded)
    def not_signed_in(request: Request, error: Exception) -> JSONResponse:
        response = problem_response(401, "Sign in first", str(error))
        # Events of a refusal are logged after the response: its time would otherwise reveal which accounts exist.
        response.background = getattr(request.state, "afterwards", None)
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    @app.exception_handler(Locked)
    def locked(_: Request, error: Exception) -> JSONResponse:
        wrong = isinstance(error, Locked) and error.wrong
        sort = WRONG_PASSWORD if wrong else PASSWORD_NEEDED
        response = problem_response(401, "Password needed", str(error), sort=sort)
        response.headers["WWW-Authenticate"] = "LinkPassword"
        return response

    @app.exception_handler(ProofNeeded)
    def unproven(_: Request, error: Exception) -> JSONResponse:
        return problem_response(403, "Proof needed", str(error), sort=PROOF_NEEDED)

    @app.exception_handler(TooMany)
    def too_many(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, TooMany):
            raise error
        response = problem_response(429, "Too many attempts", str(error))
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    @app.exception_handler(QuotaExceeded)
    def quota_exceeded(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, QuotaExceeded):
            raise error
        quota = QuotaProblem(name=error.name, limit=error.limit, unit=error.unit, frees=error.frees)
        status = 403 if error.retry_after_s is None else 429
        response = problem_response(status, "Quota used up", str(error), sort=QUOTA_USED_UP, quota=quota)
        if error.retry_after_s is not None:
            response.headers["Retry-After"] = str(error.retry_after_s)
        return response


def _answering(status: int, title: str) -> Callable[[Request, Exception], JSONResponse]:
    def answer(_: Request, error: Exception) -> JSONResponse:
        return problem_response(status, title, str(error))

    return answer


def our_fault(request_id: str) -> JSONResponse:
    """Build the response to a request that fails with an unexpected error."""
    detail = "Something went wrong on our side; nothing was stored."
    return problem_response(500, "Our fault", detail, reference=request_id)


def _unavailable(request: Request, error: Exception, detail: str) -> JSONResponse:
    request_id: str = request.state.request_id
    log.error("reference %s: %s", request_id, error)
    return problem_response(503, "Not available", detail, reference=request_id)


def _bad_input(problems: Sequence[Problem]) -> JSONResponse:
    # Limited: a person corrects only a few at a time, and the response must not be much larger than the request.
    told, more = problems[:_MOST_PROBLEMS], len(problems) - _MOST_PROBLEMS
    where = ", ".join(problem.path or "the body" for problem in told) + (f", and {more:,} more" if more > 0 else "")
    return problem_response(422, "Not accepted", f"Not accepted: {where}", told)
