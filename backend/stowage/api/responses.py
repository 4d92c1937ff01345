"""What the routes say of their failures in the description of the API."""

from typing import Any

from stowage.api.errors import MEDIA_TYPE, ProblemDetails

Responses = dict[int | str, dict[str, Any]]

NOT_ACCEPTED: Responses = {
    400: {"model": ProblemDetails, "description": "The request cannot be read"},
    408: {"model": ProblemDetails, "description": "The body came too slowly"},
    413: {"model": ProblemDetails, "description": "The body is too large"},
    422: {"model": ProblemDetails, "description": "A field is not accepted; `errors` names it"},
}
CONFLICT: Responses = {409: {"model": ProblemDetails, "description": "Something else has happened since"}}
NOT_SIGNED_IN: Responses = {
    401: {"model": ProblemDetails, "description": "Nobody is signed in"},
    403: {"model": ProblemDetails, "description": "Not in this way: from another page, or over an open line"},
}
LOCKED: Responses = {
    401: {"model": ProblemDetails, "description": "The link asks for its password; of the type `password-needed`"},
    403: NOT_SIGNED_IN[403],
}
TOO_MANY: Responses = {429: {"model": ProblemDetails, "description": "Too many attempts; `Retry-After` says when"}}
NOT_FOUND: Responses = {404: {"model": ProblemDetails, "description": "There is no such thing"}}


def as_problems(description: dict[str, Any]) -> dict[str, Any]:
    """Say of every problem that it is sent as one: FastAPI takes it for a kind of what the route answers otherwise."""
    for path in description["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                said = list(response.get("content", {}).values())
                if any(each.get("schema", {}).get("$ref", "").endswith("/ProblemDetails") for each in said):
                    response["content"] = {MEDIA_TYPE: said[0]}
    return description
