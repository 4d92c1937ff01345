"""Dataclasses whose JSON has every field."""

from collections.abc import Mapping
from typing import Any, ClassVar


class Complete:
    """Base class of dataclasses that become JSON.

    The JSON contains every field, even fields with a default value, and its schema says so.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"json_schema_serialization_defaults_required": True}
