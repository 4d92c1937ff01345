"""Descriptions of failure responses of routes, for the OpenAPI description."""

from typing import Any

from pydantic.json_schema import models_json_schema

from stowage.web.errors import MEDIA_TYPE, ProblemDetails

Responses = dict[int | str, dict[str, Any]]

_SCHEMAS = "#/components/schemas/{model}"


def _problem(description: str) -> dict[str, Any]:
    # Not as a "model": FastAPI would compile the model again for each of a thousand responses, at each start.
    return {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": {"$ref": _SCHEMAS.format(model=ProblemDetails.__name__)}}},
    }


NOT_ACCEPTED: Responses = {
    400: _problem("The request cannot be read"),
    408: _problem("The body came too slowly"),
    413: _problem("The body is too large"),
    422: _problem("A field is not accepted; `errors` names it"),
}
CONFLICT: Responses = {409: _problem("Something else has happened since")}
NOT_SIGNED_IN: Responses = {
    401: _problem("Not signed in"),
    403: _problem("Not in this way: from another page, or over an open line"),
    429: _problem("The service is overloaded and the team has the most requests in progress; see `Retry-After`"),
}
LOCKED: Responses = {
    401: _problem("The link asks for its password; of the type `password-needed`"),
    403: NOT_SIGNED_IN[403],
}
TOO_MANY: Responses = {429: _problem("Too many attempts; `Retry-After` says when")}
OVER_QUOTA: Responses = {
    403: _problem("Not in this way; or a quota is used up until something is deleted: `quota` names it"),
    429: _problem("A quota is used up: `quota` names it, `Retry-After` says when to try again"),
}
NOT_FOUND: Responses = {404: _problem("There is no such thing")}
TEAM_REFUSALS = NOT_FOUND | NOT_SIGNED_IN | NOT_ACCEPTED
"""Refusals of every route that works for a team."""


def with_problems(description: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI description with the schemas of failure responses added.

    All schemas are sorted by name. The description is changed in place.
    """
    _, problems = models_json_schema([(ProblemDetails, "serialization")], ref_template=_SCHEMAS)
    schemas = description["components"]["schemas"] | problems["$defs"]
    description["components"]["schemas"] = dict(sorted(schemas.items()))
    return description
