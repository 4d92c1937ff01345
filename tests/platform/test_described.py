"""Answers: conversion of objects, and descriptions of dataclasses in the API description."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import ValidationError

from stowage.model.figure import Figure
from stowage.model.prediction import Range
from stowage.platform.described import Answer, describe_dataclasses

OPENAPI = Path(__file__).parents[2] / "frontend" / "openapi.json"
WITH_CHECKSUM = {"CatalogSummary", "RegionSummary", "ReportAnswer", "SharedReportAnswer"}
"""Schemas with the checksum of a document, which is no secret."""


@dataclass(frozen=True)
class Inner:
    """Stored with an internal field."""

    low: float
    high: float
    internal: str = "hidden"


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    internal: str = "hidden"


class InnerAnswer(Answer):
    low: float


class OuterAnswer(Answer):
    name: str
    inner: InnerAnswer
    count: int


def test_only_the_fields_of_the_answer_are_read() -> None:
    answer = OuterAnswer.from_fields(Outer("a", Inner(1.0, 2.0)), count=3)
    assert answer.model_dump() == {"name": "a", "inner": {"low": 1.0}, "count": 3}


def test_a_missing_field_and_a_number_that_is_not_finite_are_errors() -> None:
    with pytest.raises(AttributeError, match="count"):
        OuterAnswer.from_fields(Outer("a", Inner(1.0, 2.0)))
    with pytest.raises(ValidationError, match="finite"):
        OuterAnswer.from_fields(Outer("a", Inner(float("inf"), 2.0)), count=3)


class ModelAnswer(Answer):
    time_s: Range
    figure: Figure | None = None


def test_numbers_of_the_model_are_checked_when_they_become_an_answer() -> None:
    assert ModelAnswer(time_s=Range(1.0, 2.0, 3.0)).model_dump() == {
        "time_s": {"p10": 1.0, "p50": 2.0, "p90": 3.0},
        "figure": None,
    }
    endless = Range(1.0, 2.0, float("inf"))
    with pytest.raises(ValidationError, match="finite"):
        ModelAnswer(time_s=endless)
    with pytest.raises(ValidationError, match="finite"):
        ModelAnswer.from_fields(endless, time_s=endless, figure=None)
    figure = {"quantity": "a", "value": 1.0, "unit": "1", "source": "b", "kind": "given"}
    with pytest.raises(ValidationError, match="Unexpected keyword argument"):
        ModelAnswer.model_validate({"time_s": Range(1.0, 2.0, 3.0), "figure": figure | {"more": 1}})


def test_fields_of_a_dataclass_are_described_by_the_docstrings_below_them() -> None:
    schemas = ModelAnswer.model_json_schema(mode="serialization")["$defs"]
    describe_dataclasses(schemas)
    properties = schemas["Figure"]["properties"]
    assert schemas["Figure"]["description"] == "One number with its unit and source."
    assert properties["value"]["description"] == "The number, in `unit`."
    assert properties["as_of"]["description"].endswith("null for figures that the user gives.")
    assert "description" not in properties["kind"]


def test_no_schema_of_the_api_has_the_hash_of_a_secret() -> None:
    schemas = json.loads(OPENAPI.read_text())["components"]["schemas"]
    properties = {(name, key) for name, schema in schemas.items() for key in schema.get("properties", {})}
    assert ("Join", "password") in properties
    assert {each for each in properties if "hash" in each[1] or "sealed" in each[1]} == set()
    assert {name for name, key in properties if "digest" in key and key != "profiles_digest"} == WITH_CHECKSUM


def test_descriptions_of_the_api_say_null() -> None:
    assert [
        line for line in OPENAPI.read_text().splitlines() if re.search(r'"description":.*(\bNone\b|``)', line)
    ] == []
