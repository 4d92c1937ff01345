"""Descriptions of fields: the docstrings that follow them in the source, of pydantic models and of dataclasses.

Like pydantic's `use_attribute_docstrings`, but the source is read when a JSON Schema is requested: reading it when the
class is created would take longer than all the rest of the class.
"""

import ast
import inspect
import re
import sys
from collections.abc import Container, Mapping
from dataclasses import is_dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
"""Line break within a paragraph."""


class Described(BaseModel):
    """Base class of models with field descriptions in their JSON Schema."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the descriptions of the fields to the JSON Schema of a model."""
        found = handler(schema)
        undescribed = {name for name, field in cls.model_fields.items() if field.description is None}
        _describe(handler.resolve_ref_schema(found), cls, undescribed)
        return found


def descriptions_of(record: type) -> dict[str, str]:
    """Return the descriptions of the fields of a class of Stowage and its base classes, by name."""
    found: dict[str, str] = {}
    for of in reversed(record.__mro__):
        found |= _descriptions(of.__module__).get(of.__qualname__, {})
    return found


@cache
def _descriptions(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of the fields of a module's classes, by class and field."""
    if not module.startswith("stowage."):
        return {}
    return {
        of.name: {
            field.target.id: _BREAK.sub(" ", inspect.cleandoc(below.value.value)).strip()
            for field, below in pairwise(of.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(below.value.value, str)
        }
        for of in ast.parse(inspect.getsource(sys.modules[module])).body
        if isinstance(of, ast.ClassDef)
    }


def describe_dataclasses(schemas: Mapping[str, JsonSchemaValue]) -> None:
    """Add the descriptions of the fields of Stowage's dataclasses, which pydantic leaves out, to JSON Schemas.

    All descriptions are written in terms of JSON: docstrings say None for a missing value, which is `null` there.

    Parameters
    ----------
    schemas : mapping of str to mapping
        JSON Schemas by the names of their classes; changed in place.
    """
    loaded = (vars(module).values() for name, module in tuple(sys.modules.items()) if name.startswith("stowage."))
    # Two dataclasses may have one name.
    records = {
        (of.__name__, inspect.getdoc(of)): of
        for of in chain.from_iterable(loaded)
        if isinstance(of, type)
        if is_dataclass(of)
    }
    for schema in schemas.values():
        record = records.get((schema.get("title", ""), schema.get("description")))
        if record is not None:
            _describe(schema, record, schema["properties"])
        for described in (schema, *schema.get("properties", {}).values()):
            if "description" in described:
                described["description"] = _in_json(described["description"])


def _describe(schema: JsonSchemaValue, record: type, fields: Container[str]) -> None:
    properties = schema.get("properties", {})
    for name, text in descriptions_of(record).items():
        if name in fields and name in properties:
            properties[name]["description"] = text


def _in_json(text: str) -> str:
    """Write a docstring in terms of JSON.

    >>> _in_json("Size of ``data``. None if unknown, or None for no limit.")
    'Size of `data`. Null if unknown, or null for no limit.'
    """
    text = re.sub(r"(\A|\.\s+)None\b", r"\1Null", text.replace("``", "`"))
    return re.sub(r"\bNone\b", "null", text)


class Answer(Described):
    """Base class of all answers of the API.

    An infinite or NaN number is a server error, and never sent as `null`. Fields can be dataclasses of other packages,
    like the model. The numbers of those derived from `Checked` are checked too; those of others must be finite.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        defer_build=True,  # a CLI command uses few of them
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def from_fields(cls, source: object, /, **others: object) -> Self:
        """Build the answer from keyword arguments and the fields of an object.

        A field without a keyword argument is the object's field of the same name. Other fields of the object are not
        read. Objects in its fields are converted in the same way.
        """
        shared = {name: getattr(source, name) for name in cls.model_fields if name not in others}
        return cls.model_validate(shared | others, from_attributes=True)


class RequestBody(Described):
    """Base class of request bodies.

    Unknown keys are errors.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
