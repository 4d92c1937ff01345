"""Dataclasses whose JSON has every field."""

from collections.abc import Mapping
from typing import Any, ClassVar


class Complete:
    """Base class of dataclasses that become JSON.

    The JSON contains every field, even fields with a default value, and its schema says so.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"json_schema_serialization_defaults_required": True}


class Checked(Complete):
    """Base class of dataclasses that are checked again when they become part of an answer.

    An infinite or NaN number is an error there, as JSON would have `null` in its place. So is an unknown key.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        **Complete.__pydantic_config__,
        "allow_inf_nan": False,
        "extra": "forbid",
        "revalidate_instances": "always",
    }
