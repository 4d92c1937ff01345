"""Models whose fields are described by the strings that follow them in the source.

As pydantic's `use_attribute_docstrings`, but the source is read when a JSON Schema is asked for: reading it when the
class is made takes longer than everything else about the class.
"""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Described(BaseModel):
    """Base of models that are described in JSON Schema."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the fields."""
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
    """Collect the strings that follow the fields of a module's classes, by class and field."""
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


class Answer(Described):
    """Base of all answers: what is not a finite number is a fault of ours, and never sent as `null`."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        defer_build=True,  # a command answers with few of them
        json_schema_serialization_defaults_required=True,
    )


class Asked(Described):
    """A body: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
