"""Errors as RFC 9457 problem details: what went wrong, which field, what would be accepted."""

import logging
import uuid
from collections.abc import Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from stowage.store.errors import Unreachable
from stowage.usecases.errors import BadInput, NotFound, Problem
from stowage.usecases.problems import problems_in

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class FieldProblem(BaseModel):
    """One field that cannot be accepted."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    path: str
    """Dotted path in the body; empty for the body itself."""
    message: str


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 has it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = []
    reference: str | None = None
    """For our own faults: found again in the log."""


def problem_response(status: int, title: str, detail: str, problems: Sequence[Problem] = ()) -> JSONResponse:
    """Build the answer to a failed request."""
    body = ProblemDetails(
        type="about:blank",
        title=title,
        status=status,
        detail=detail,
        errors=[FieldProblem(path=problem.path, message=problem.message) for problem in problems],
    )
    return JSONResponse(body.model_dump(exclude_none=True), status, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answer every failure of an application with problem details."""

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

    @app.exception_handler(NotFound)
    def not_found(_: Request, error: Exception) -> JSONResponse:
        return problem_response(404, "Not found", str(error))

    @app.exception_handler(Unreachable)
    def unreachable(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s: %s", request.method, request.url.path, error)
        return problem_response(503, "Not available", "The database does not answer; nothing was stored.")

    @app.exception_handler(HTTPException)
    def http_error(_: Request, error: Exception) -> JSONResponse:
        if not isinstance(error, HTTPException):
            raise error
        response = problem_response(error.status_code, str(error.detail), str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    def our_fault(request: Request, error: Exception) -> JSONResponse:
        reference = uuid.uuid4().hex[:12]
        log.error("reference %s: %s %s", reference, request.method, request.url.path, exc_info=error)
        body = ProblemDetails(
            type="about:blank",
            title="Our fault",
            status=500,
            detail="Something went wrong on our side; nothing was stored.",
            reference=reference,
        )
        return JSONResponse(body.model_dump(), 500, media_type=MEDIA_TYPE)


def _bad_input(problems: Sequence[Problem]) -> JSONResponse:
    where = ", ".join(problem.path or "the body" for problem in problems)
    return problem_response(422, "Not accepted", f"Not accepted: {where}", problems)
