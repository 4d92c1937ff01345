"""Calls of routes: a route and the encoding of its answer run in one thread, without validation of our own answer.

FastAPI alone would send each request through a second thread to validate the answer, and encode it on the event loop,
where all other requests wait.
"""

from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Protocol

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import ResponseValidationError
from pydantic import BaseModel

from stowage.web.reads import Pending


class Encoded(bytes):
    """JSON of an answer that a route has encoded itself.

    Such a route names the class of its answer as ``response_model``.
    """


class PassedOn:
    """Stands in for FastAPI's field of the answer, which would validate and encode what is encoded already."""

    def validate(self, value: object, *_: object, **__: object) -> tuple[object, list[object]]:
        """Return the value, without errors."""
        return value, []

    def serialize_json(self, value: object, **_: object) -> object:
        """Return the value, which is encoded already."""
        return value


class Described(Protocol):
    """FastAPI's field of an answer, which knows the class of the answer."""

    def validate(self, value: object, *, loc: tuple[str, ...]) -> tuple[Any, list[dict[str, Any]]]:
        """Return the value as the declared class, and the errors."""

    def serialize_json(self, value: object) -> bytes:
        """Return the value as JSON."""


def in_one_thread(dependant: Dependant, field: Described, answer: object) -> bool:
    """Replace the function of a route by one that calls it and encodes its answer in one thread.

    Returns False, and replaces nothing, if the route is asynchronous.

    Parameters
    ----------
    dependant : Dependant
        FastAPI's description of the route's function; changed in place.
    field : Described
        FastAPI's field of the answer.
    answer : type
        Class of the answer, or a union of classes.
    """
    route = dependant.call
    if route is None or iscoroutinefunction(route):
        return False

    def call(values: dict[str, Any]) -> Response | bytes:
        found = route(**values)
        if isinstance(found, Response | Encoded):
            return found
        # An answer of the declared class was validated when it was built.
        if type(found) is answer and isinstance(found, BaseModel):
            return found.__pydantic_serializer__.to_json(found, by_alias=True)
        converted, errors = field.validate(found, loc=("response",))
        if errors:
            raise ResponseValidationError(errors=errors, body=found)
        return field.serialize_json(converted)

    @wraps(route)
    async def answered(**values: Any) -> Response | bytes:  # noqa: ANN401 - the route's own arguments
        read = next((each.read for each in values.values() if isinstance(each, Pending)), None)
        return await (run_in_threadpool(call, values) if read is None else run_in_threadpool(read.run, call, values))

    # FastAPI would call the wrapped function in a thread, and so does not look at it.
    del answered.__wrapped__
    dependant.call = answered
    return True
