"""Responses to failed requests, as problem details (RFC 9457).

They state the cause, the invalid fields, and what would be accepted.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from stowage.platform import errors
from stowage.platform.database.errors import NoRoom
from stowage.platform.database.errors import Unreachable as NoDatabase
from stowage.platform.described import Described
from stowage.platform.jobs.errors import Unreachable as NoQueue
from stowage.platform.problems import problems_in

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_MOST_PROBLEMS = 50
_Error = TypeVar("_Error", bound=Exception)
PROOF_NEEDED = "urn:stowage:problem:proof-needed"
"""Problem type for a request that needs reauthentication; the client may repeat the request afterwards."""
PASSWORD_NEEDED, WRONG_PASSWORD = "urn:stowage:problem:password-needed", "urn:stowage:problem:wrong-password"
"""Problem types by which a page distinguishes a link with a password from an ended session."""
QUOTA_USED_UP = "urn:stowage:problem:quota"
"""Problem type of a used-up quota, as distinct from a rate limit on attempts and from a missing permission."""


class FieldProblem(Described):
    """One invalid field of a request."""

    path: str
    """Dotted path in the body; empty for the body itself."""
    message: str


class QuotaProblem(Described):
    """The quota that a refused request would have exceeded."""

    name: str
    limit: int
    unit: str
    frees: str
    """When there is room again, in words. `Retry-After` has the seconds if waiting is enough."""


class ProblemDetails(Described):
    """A failed request, described in the format of RFC 9457 (problem details)."""

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
    problems: Sequence[errors.Problem] = (),
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


def handle(app: FastAPI, kind: type[_Error], answer: Callable[[Request, _Error], Response]) -> None:
    """Register a function that builds the response to requests that fail with an error of a class."""

    def checked(request: Request, error: Exception) -> Response:
        if not isinstance(error, kind):
            raise error
        return answer(request, error)

    app.add_exception_handler(kind, checked)


def install(app: FastAPI) -> None:
    """Install handlers that convert expected errors to responses with problem details.

    `stowage.api.requests` handles unexpected errors.
    """
    handle(app, errors.BadInput, lambda _, error: _bad_input(error.problems))
    handle(app, RequestValidationError, lambda _, error: _bad_input(problems_in(error.errors(), skip=1)))
    handle(app, errors.SignInNeeded, _not_signed_in)
    handle(app, errors.Locked, _locked)
    handle(
        app, errors.ProofNeeded, lambda _, error: problem_response(403, "Proof needed", str(error), sort=PROOF_NEEDED)
    )
    handle(app, errors.TooMany, _too_many)
    handle(app, errors.QuotaExceeded, _quota_exceeded)
    handle(app, errors.Refused, lambda _, error: problem_response(403, "Refused", str(error)))
    handle(app, errors.NotFound, lambda _, error: problem_response(404, "Not found", str(error)))
    handle(app, errors.Conflict, lambda _, error: problem_response(409, "Not possible now", str(error)))
    handle(app, NoDatabase, _no_database)
    handle(app, NoQueue, _no_queue)
    handle(app, HTTPException, _http_error)


def _not_signed_in(request: Request, error: errors.SignInNeeded) -> Response:
    response = problem_response(401, "Sign in first", str(error))
    # Events of a refusal are logged after the response: its time would otherwise reveal which accounts exist.
    response.background = getattr(request.state, "afterwards", None)
    response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _locked(_: Request, error: errors.Locked) -> Response:
    sort = WRONG_PASSWORD if error.wrong else PASSWORD_NEEDED
    response = problem_response(401, "Password needed", str(error), sort=sort)
    response.headers["WWW-Authenticate"] = "LinkPassword"
    return response


def _too_many(_: Request, error: errors.TooMany) -> Response:
    response = problem_response(429, "Too many attempts", str(error))
    response.headers["Retry-After"] = str(error.retry_after_s)
    return response


def _quota_exceeded(_: Request, error: errors.QuotaExceeded) -> Response:
    quota = QuotaProblem(name=error.name, limit=error.limit, unit=error.unit, frees=error.frees)
    status = 403 if error.retry_after_s is None else 429
    response = problem_response(status, "Quota used up", str(error), sort=QUOTA_USED_UP, quota=quota)
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(error.retry_after_s)
    return response


def _no_database(request: Request, error: NoDatabase) -> Response:
    why = "has no room left" if isinstance(error, NoRoom) else "does not answer"
    return _unavailable(request, error, f"The database {why}; nothing was stored.")


def _no_queue(request: Request, error: NoQueue) -> Response:
    return _unavailable(request, error, "The job queue does not answer; what is stored is kept.")


def _http_error(_: Request, error: HTTPException) -> Response:
    response = problem_response(error.status_code, str(error.detail), str(error.detail))
    response.headers.update(error.headers or {})
    return response


def our_fault(request_id: str) -> JSONResponse:
    """Build the response to a request that fails with an unexpected error."""
    detail = "Something went wrong on our side; nothing was stored."
    return problem_response(500, "Our fault", detail, reference=request_id)


def _unavailable(request: Request, error: Exception, detail: str) -> JSONResponse:
    request_id: str = request.state.request_id
    log.error("reference %s: %s", request_id, error)
    return problem_response(503, "Not available", detail, reference=request_id)


def _bad_input(problems: Sequence[errors.Problem]) -> JSONResponse:
    # Limited: a person corrects only a few at a time, and the response must not be much larger than the request.
    told, more = problems[:_MOST_PROBLEMS], len(problems) - _MOST_PROBLEMS
    where = ", ".join(problem.path or "the body" for problem in told) + (f", and {more:,} more" if more > 0 else "")
    return problem_response(422, "Not accepted", f"Not accepted: {where}", told)
