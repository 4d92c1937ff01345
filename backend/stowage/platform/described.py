"""Pydantic models whose fields are described by the docstrings that follow them in the source.

Like pydantic's `use_attribute_docstrings`, but the source is read when a JSON Schema is requested: reading it when the
class is created would take longer than all the rest of the class.
"""

import ast
import inspect
import re
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described(BaseModel):
    """Base class of models with field descriptions in their JSON Schema."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the descriptions of the fields to the JSON Schema of a model."""
        found = handler(schema)
        properties = handler.resolve_ref_schema(found).get("properties", {})
        for of in reversed(cls.__mro__):
            for name, text in _descriptions(of.__module__).get(of.__qualname__, {}).items():
                if name in properties and cls.model_fields[name].description is None:
                    title = properties[name].pop("title", None)
                    properties[name] |= {"description": text} | ({} if title is None else {"title": title})
        return found


@cache
def _descriptions(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of the fields of a module's classes, by class and field."""
    if not module.startswith("stowage."):
        return {}
    return {
        of.name: {
            field.target.id: inspect.cleandoc(below.value.value)
            for field, below in pairwise(of.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(below.value.value, str)
        }
        for of in ast.parse(inspect.getsource(sys.modules[module])).body
        if isinstance(of, ast.ClassDef)
    }


def describe_dataclasses(schemas: Mapping[str, JsonSchemaValue]) -> None:
    """Move the descriptions of dataclass fields in JSON Schemas to the fields, and write descriptions in terms of JSON.

    Pydantic puts the numpydoc docstring of a dataclass, with the descriptions of its fields, into the description of
    the class. Docstrings say None for a missing value, which is `null` in JSON.

    Parameters
    ----------
    schemas : mapping of str to mapping
        JSON Schemas by the names of their classes; changed in place.
    """
    for schema in schemas.values():
        summary, heading, parameters = schema.get("description", "").partition("\n\nParameters\n----------\n")
        if heading:
            schema["description"] = summary
            _describe_fields(schema["properties"], parameters.partition("\n\n")[0])
        for described in (schema, *schema.get("properties", {}).values()):
            if "description" in described:
                described["description"] = _in_json(described["description"])


def _describe_fields(properties: Mapping[str, JsonSchemaValue], parameters: str) -> None:
    described: list[JsonSchemaValue] = []
    for line in parameters.splitlines():
        if not line.startswith(" "):
            names = line.partition(" : ")[0].split(", ")
            described = [properties[name] for name in names if name in properties]
            continue
        for field in described:
            field["description"] = f"{field.get('description', '')} {line.strip()}".strip()


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
